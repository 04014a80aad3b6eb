"""Compiled programs: what is read of them, what their instructions cost, and bytes that are no program."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import hlo_bytes as hb
from event_bytes import integer, message
from stepscope._native import UnreadableHlo, read_hlo
from stepscope.model.hlo import CostDoubt, HloProgram

ADD = hb.computation(
    9,
    92,
    hb.parameter(90, 0, hb.shape(hb.F32)),
    hb.parameter(91, 1, hb.shape(hb.F32)),
    hb.instruction(92, "add", hb.shape(hb.F32), operands=(90, 91)),
)


def read(data: bytes) -> HloProgram:
    return HloProgram(**read_hlo(data))


def last_of(*instructions: bytes, others: tuple[bytes, ...] = ()) -> tuple[HloProgram, int]:
    """A program of one entry computation and its last instruction, which is the root; ids count from 1."""
    found = read(hb.program(*others, hb.computation(1, len(instructions), *instructions), entry=1))
    return found, int(found.computation_root[found.entry])


def test_instructions_their_shapes_places_and_texts() -> None:
    frames = message(
        17,
        message(1, b"model.py"),
        message(1, b"layers.py"),
        message(3, integer(1, 2), integer(3, 41)),
        message(4, integer(1, 1)),
    )
    data = hb.program(
        ADD,
        hb.computation(
            1,
            4,
            hb.parameter(1, 0, hb.shape(hb.BF16, 8, 4)),
            hb.instruction(2, "constant", hb.shape(hb.F32), message(8, message(8, np.float32(0.1).tobytes()))),
            hb.instruction(3, "convert", hb.shape(hb.F32, 8, 4), hb.metadata("jit(f)/cast", "train.py", 7), operands=(1,)),
            hb.instruction(
                4, "reduce", hb.shape(hb.F32, 4), hb.packed(14, (0,)), hb.metadata(frame=1), name="sum", operands=(3, 2), calls=(9,)
            ),
            name="main",
        ),
        entry=1,
        frames=frames,
    )
    found = read(data)
    row = found.find("sum")
    assert found.name == "jit_f"
    assert found.texts[found.computation_name[found.entry]] == "main"
    assert row == found.computation_root[found.entry]
    assert found.find("%convert.3") == row - 1 == found.operands(row)[0]
    assert [found.text(found.shape, each) for each in found.rows_of(found.entry)] == [
        "bf16[8,4]{1,0}",
        "f32[]",
        "f32[8,4]{1,0}",
        "f32[4]{0}",
    ]
    assert found.text(found.attributes, row) == "dimensions={0}, to_apply=%computation.9"
    assert found.text(found.literal, row - 2) == "0.1"
    assert [found.texts[found.computation_name[each]] for each in found.calls(row)] == ["computation.9"]
    assert (found.source(row - 1), found.source(row)) == ("train.py:7", "layers.py:41")
    assert found.text(found.op_name, row - 1) == "jit(f)/cast"


def test_a_product_a_reduction_and_an_elementwise_operation() -> None:
    found, row = last_of(
        hb.parameter(1, 0, hb.shape(hb.BF16, 3, 64, 128)),
        hb.parameter(2, 1, hb.shape(hb.BF16, 3, 128, 32)),
        hb.instruction(3, "dot", hb.shape(hb.BF16, 3, 64, 32), hb.dot((2,), (1,), (0,), (0,)), operands=(1, 2)),
        hb.instruction(4, "tanh", hb.shape(hb.BF16, 3, 64, 32), operands=(3,)),
        hb.instruction(5, "reduce", hb.shape(hb.BF16, 3), operands=(4, 4), calls=(9,)),
        others=(ADD,),
    )
    assert found.flops[row - 2] == 2 * 3 * 64 * 32 * 128
    assert found.bytes[row - 2] == 2 * (3 * 64 * 128 + 3 * 128 * 32 + 3 * 64 * 32)
    assert found.text(found.product_type, row - 2) == "bf16"
    assert (found.flops[row - 1], found.transcendentals[row - 1]) == (0, 3 * 64 * 32)
    assert found.flops[row] == 3 * 64 * 32 - 3


def padded_pairs(size: int, stride: int, low: int, dilation: int, spread: int, inputs: int, outputs: int) -> int:
    """Meetings of kernel and input along one dimension, by trying every one."""
    there = 0
    for out in range(outputs):
        for place in range(size):
            at = out * stride + place * dilation - low
            there += at >= 0 and at % spread == 0 and at // spread < inputs
    return there


@pytest.mark.parametrize(
    ("size", "stride", "low", "high", "dilation", "spread"),
    [
        (1, 1, 0, 0, 1, 1),
        (3, 1, 1, 1, 1, 1),
        (3, 2, 1, 0, 2, 1),
        (4, 1, 2, 2, 1, 2),
        (5, 3, 4, 4, 2, 4),
        (2, 1, -1, 0, 1, 1),
        (7, 2, 3, 3, 1, 6),
    ],
)
def test_a_convolution_counts_what_meets_an_input(size: int, stride: int, low: int, high: int, dilation: int, spread: int) -> None:
    inputs = 11
    outputs = ((inputs - 1) * spread + 1 + low + high - (size - 1) * dilation - 1) // stride + 1
    found, row = last_of(
        hb.parameter(1, 0, hb.shape(hb.F32, 2, inputs, inputs, 6)),
        hb.parameter(2, 1, hb.shape(hb.F32, size, size, 3, 10)),
        hb.instruction(
            3,
            "convolution",
            hb.shape(hb.F32, 2, outputs, outputs, 10),
            hb.window(*[(size, stride, low, high, dilation, spread)] * 2),
            hb.nhwc(2),
            integer(50, 2),
            operands=(1, 2),
        ),
    )
    assert found.flops[row] == 2 * 2 * 3 * 10 * padded_pairs(size, stride, low, dilation, spread, inputs, outputs) ** 2


def test_a_fusion_does_what_is_inside_it_and_touches_what_goes_in_and_out() -> None:
    inside = hb.computation(
        5,
        53,
        hb.parameter(50, 0, hb.shape(hb.F32, 100, 8)),
        hb.parameter(51, 1, hb.shape(hb.S32)),
        hb.instruction(52, "dynamic-slice", hb.shape(hb.F32, 1, 8), operands=(50, 51, 51)),
        hb.instruction(53, "negate", hb.shape(hb.F32, 1, 8), operands=(52,)),
    )
    found, row = last_of(
        hb.parameter(1, 0, hb.shape(hb.F32, 100, 8)),
        hb.parameter(2, 1, hb.shape(hb.S32)),
        hb.instruction(3, "fusion", hb.shape(hb.F32, 1, 8), message(11, b"kLoop"), operands=(1, 2), calls=(5,)),
        others=(inside,),
    )
    assert found.flops[row] == 8
    assert found.bytes[row] == 32 + 4 + 32  # the slice, its place, the result: not the eight hundred numbers


def test_a_loop_counts_as_often_as_is_known() -> None:
    body = hb.computation(
        5,
        51,
        hb.parameter(50, 0, hb.shape(hb.F32, 4)),
        hb.instruction(51, "negate", hb.shape(hb.F32, 4), operands=(50,)),
    )
    for config, flops, doubt in ((b'{"known_trip_count":{"n":"10"}}', 40, CostDoubt.NONE), (b"{}", 4, CostDoubt.LOOP)):
        found, row = last_of(
            hb.parameter(1, 0, hb.shape(hb.F32, 4)),
            hb.instruction(2, "while", hb.shape(hb.F32, 4), message(43, config), operands=(1,), calls=(5,)),
            others=(body,),
        )
        assert (found.flops[row], CostDoubt(int(found.doubts[row]))) == (flops, doubt)


def test_products_of_libraries_are_known_by_their_shapes() -> None:
    scratch = hb.tuple_shape(hb.shape(hb.F32, 64, 32), hb.shape(2, 4096))
    config = b'{"gemm_backend_config":{"dot_dimension_numbers":{"lhs_contracting_dimensions":["0"]}}}'
    for target, config_bytes, flops, doubt in (
        (b"__cublas$gemm", config, 2 * 64 * 32 * 128, CostDoubt.ESTIMATED),
        (b"__cublas$gemm", b"", 2 * 64 * 32 * 128, CostDoubt.ESTIMATED),
        (b"my_kernel", b"", 0, CostDoubt.UNKNOWN),
        (b"Sharding", b"", 0, CostDoubt.NONE),
    ):
        found, row = last_of(
            hb.parameter(1, 0, hb.shape(hb.F32, 128, 64)),
            hb.parameter(2, 1, hb.shape(hb.F32, 128, 32)),
            hb.instruction(3, "custom-call", scratch, message(28, target), message(43, config_bytes), operands=(1, 2)),
        )
        assert (found.flops[row], CostDoubt(int(found.doubts[row]))) == (flops, doubt)
        if flops:
            assert found.bytes[row] == 4 * (128 * 64 + 128 * 32 + 64 * 32)


def test_programs_that_call_themselves_end() -> None:
    itself = hb.computation(1, 10, hb.instruction(10, "call", hb.shape(hb.F32), calls=(1,)))
    found = read(hb.program(itself, entry=1))
    assert CostDoubt(int(found.doubts[0])) & CostDoubt.UNKNOWN


def test_calls_that_nest_deeply_end() -> None:
    chain = [
        hb.computation(each, each * 10, hb.instruction(each * 10, "call", hb.shape(hb.F32), calls=(each + 1,)))
        for each in range(1, 5_000)
    ]
    assert len(read(hb.program(*chain, entry=1))) == 4_999


def test_what_is_no_program_is_said_to_be_none() -> None:
    deep = hb.shape(hb.F32, 1)
    for _ in range(100):
        deep = hb.tuple_shape(deep)
    for data in (
        b"",
        b"\xff" * 50,
        message(1, message(1, b"empty")),
        hb.program(hb.computation(1, 1, hb.parameter(1, 0, deep)), entry=1),
    ):
        with pytest.raises(UnreadableHlo):
            read_hlo(data)


def test_references_and_sizes_that_cannot_be_are_survived() -> None:
    found, row = last_of(
        hb.parameter(1, 99999999999, hb.shape(hb.F32, 1 << 62, 1 << 62, -5)),
        hb.instruction(2, "dot", hb.shape(hb.F32, 1 << 62, 1 << 62), hb.dot((77,), (-3,)), operands=(1, 1234567)),
    )
    assert found.operands(row) == [row - 1]
    assert math.isfinite(float(found.flops[row]))


def test_damage_anywhere_leaves_columns_that_fit_together() -> None:
    whole = hb.program(
        ADD,
        hb.computation(
            1,
            3,
            hb.parameter(1, 0, hb.shape(hb.F32, 8, 4)),
            hb.instruction(2, "reduce", hb.shape(hb.F32, 4), hb.packed(14, (0,)), operands=(1, 1), calls=(9,)),
            hb.instruction(3, "convolution", hb.shape(hb.F32, 4, 4, 4), hb.window((3, 1, 1, 1, 1, 1)), hb.nhwc(1), operands=(1, 2)),
        ),
        entry=1,
    )
    dice = random.Random(5)
    read_some = 0
    for _ in range(3_000):
        data = bytearray(whole)
        for _ in range(dice.randint(1, 4)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        try:
            found = read(bytes(data[: dice.randint(1, len(data))] if dice.random() < 0.3 else data))
        except UnreadableHlo:
            continue
        read_some += 1
        rows = len(found)
        assert len(found.flops) == len(found.doubts) == len(found.operand_end) == len(found.computation) == rows
        assert not rows or found.operand_end[-1] == len(found.operand)
        assert ((found.operand >= 0) & (found.operand < rows)).all()
        assert ((found.called >= 0) & (found.called < len(found.computation_name))).all()
        assert (found.computation_root < rows).all()
        assert 0 <= found.entry < len(found.computation_name)
    assert read_some > 1_000
