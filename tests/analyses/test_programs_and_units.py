"""Kinds of instructions of compiled programs (`programs.categories`), and kernels by the units they run on (`work.product_units`)."""

from __future__ import annotations

import pytest

import hlo_bytes as hb
from analyses.timeline import Timeline
from event_bytes import message
from stepscope._native import read_hlo
from stepscope.analyses.programs.categories import category_of, is_collective, is_rematerialised
from stepscope.analyses.work.product_units import has_matrix_units, multiplies_only_half, product_kernels
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Device, Int64

SQUARE = hb.shape(hb.F32, 8, 8)


def of_one(opcode: str, *fields: bytes, name: str = "", inside: tuple[bytes, ...] = ()) -> tuple[HloProgram, int]:
    """A program and the row of its instruction of that opcode; `inside` is what a fusion holds."""
    fused = hb.computation(5, 50, hb.parameter(50, 0, SQUARE), *inside)
    calls = (5,) if inside else ()
    wanted = hb.instruction(2, opcode, SQUARE, *fields, name=name, operands=(1, 1), calls=calls)
    program = HloProgram(**read_hlo(hb.program(fused, hb.computation(1, 2, hb.parameter(1, 0, SQUARE), wanted), entry=1)))
    (row,) = [each for each in program.rows_of(program.entry) if program.text(program.opcode, each) == opcode]
    return program, row


@pytest.mark.parametrize(
    ("opcode", "category"),
    [
        ("transpose", "data formatting"),
        ("all-reduce-start", "all-reduce"),
        ("reduce-scatter", "reduce-scatter"),
        ("custom-call", "custom call"),
        ("negate", "negate"),
        ("fusion", "fusion"),
    ],
)
def test_categories_of_single_instructions(opcode: str, category: str) -> None:
    assert category_of(*of_one(opcode)) == category
    assert is_collective(category) == (category in {"all-reduce", "reduce-scatter"})


@pytest.mark.parametrize(
    ("inside", "category"),
    [
        (("add", "dot"), "dot fusion"),
        (("dot", "convolution"), "convolution fusion"),
        (("copy", "convert", "reshape"), "data formatting"),
        (("copy", "add"), "loop fusion"),
    ],
)
def test_a_fusion_goes_by_the_product_in_it(inside: tuple[str, ...], category: str) -> None:
    held = tuple(hb.instruction(51 + place, each, SQUARE, operands=(50,)) for place, each in enumerate(inside))
    assert category_of(*of_one("fusion", message(11, b"kLoop"), inside=held)) == category


def test_what_is_computed_again_is_known_by_names_also_inside_a_fusion() -> None:
    assert is_rematerialised(*of_one("negate", name="negate.remat"))
    assert is_rematerialised(*of_one("negate", hb.metadata("jit(f)/rematted_computation/neg")))
    assert not is_rematerialised(*of_one("negate"))
    again = hb.instruction(51, "negate", SQUARE, name="negate.remat2", operands=(50,))
    assert is_rematerialised(*of_one("fusion", inside=(again,)))


def test_products_are_told_by_the_units_in_their_names() -> None:
    kernels = {"K": "volta_sgemm_128x64_nn", "L": "volta_h884gemm_256x64_ldg8_nn", "M": "relu_kernel"}
    profile = Timeline().draw("main   lll\ngpu 0   KLM", **kernels).build()
    found = product_kernels(profile)

    def names(rows: Int64) -> list[str]:
        return [profile.names[profile.spans.name[row]] for row in rows]

    assert names(found.rows) == [kernels["K"], kernels["L"]]
    assert (names(found.ordinary), names(found.unknown)) == ([kernels["K"]], [])


@pytest.mark.parametrize(
    ("device", "has", "half"),
    [
        (Device("", "GPU", 0, compute_capability=(7, 5)), True, True),
        (Device("", "GPU", 0, compute_capability=(6, 1)), False, False),
        (Device("", "GPU", 0, compute_capability=(9, 0)), True, False),
        (Device("Tesla V100-DGXS-32GB", "GPU", 0), True, True),
        (Device("NVIDIA A100-SXM4-40GB", "GPU", 0), True, False),
        (Device("GeForce GTX 1080", "GPU", 0), False, False),
        (Device("", "GPU", 0), None, False),
    ],
    ids=lambda value: f"{value.name} {value.compute_capability}" if isinstance(value, Device) else str(value),
)
def test_which_devices_have_units_for_products(device: Device, has: bool | None, half: bool) -> None:
    assert (has_matrix_units(device), multiplies_only_half(device)) == (has, half)
