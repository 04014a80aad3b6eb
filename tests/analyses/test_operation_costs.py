"""FLOPs and bytes of operations from their compiled programs: once per execution, with their source."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

import hlo_bytes as hb
from analyses.timeline import Timeline
from opened_profiles import open_profile
from sample_files import JAX_CAPTURE, SAMPLES, needs_samples
from stepscope._native import read_hlo
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.programs.costs import operation_costs
from stepscope.analyses.programs.hlo import hlo_rows
from stepscope.analyses.work.kernels import kernels
from stepscope.analyses.work.operation_costs import joined_sources, recorded_costs
from stepscope.analyses.work.operations import OperationRow, operations
from stepscope.formats.programs import read_programs
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Profile, SpanKind


def table(profile: Profile, programs: list[HloProgram]) -> dict[str, OperationRow]:
    rows = operations(profile, break_down(profile), costs=operation_costs(profile, programs))
    return {row.name: row for row in rows}


def program() -> HloProgram:
    """A product of 8 × 4 by 4 × 2, and a loop that holds it."""
    left, right, out = hb.shape(hb.F32, 8, 4), hb.shape(hb.F32, 4, 2), hb.shape(hb.F32, 8, 2)
    dot = hb.instruction(3, "dot", out, hb.dot((1,), (0,)), operands=(1, 2))
    body = hb.computation(1, 3, hb.parameter(1, 0, left), hb.parameter(2, 1, right), dot, name="body")
    call = hb.instruction(5, "call", out, calls=(1,))
    read = HloProgram(**read_hlo(hb.program(body, hb.computation(2, 5, call, name="main"), entry=2)))
    return replace(read, name="jit_step")


def test_an_execution_of_two_kernels_does_its_arithmetic_once() -> None:
    builder = Timeline()
    op = builder.op("dot.3", program="jit_step")
    for run in range(3):
        builder.span("gpu 0", run * 100, run * 100 + 10, SpanKind.KERNEL, "gemm", op=op)
        builder.span("gpu 0", run * 100 + 20, run * 100 + 30, SpanKind.KERNEL, "reduce", op=op)
    row = table(builder.build(), [program()])["dot.3"]
    assert (row.count, row.spans) == (3, 6)
    assert (row.flops, row.flops_from) == (3 * 2 * 8 * 4 * 2, "HLO")
    assert (row.bytes, row.bytes_from) == (3 * 4 * (8 * 4 + 4 * 2 + 8 * 2), "HLO")


def test_what_the_file_says_comes_first_and_a_loop_adds_nothing_to_what_it_holds() -> None:
    builder = Timeline()
    dot, call = builder.op("dot.3", program="jit_step", flops=7.0), builder.op("call.5", program="jit_step")
    builder.span("gpu 0", 0, 100, SpanKind.KERNEL, "call", op=call)
    builder.span("gpu 0", 10, 30, SpanKind.KERNEL, "gemm", op=dot)
    costs = operation_costs(builder.build(), [program()])
    assert costs.flops_from == ("recorded", "")
    assert costs.bytes_from == ("HLO", "")
    assert costs.flops[0] == 7
    assert math.isnan(costs.flops[1])


def test_without_programs_there_is_what_the_file_says() -> None:
    builder = Timeline()
    builder.op("a", flops=3.0)
    builder.op("b", bytes=4.0)
    costs = recorded_costs(builder.build())
    assert (costs.flops_from, costs.bytes_from) == (("recorded", ""), ("", "recorded"))
    assert joined_sources(["HLO", "", "recorded", "HLO"]) == "HLO, recorded"


def test_the_tables_of_operations_and_of_programs_agree_on_a_cpu() -> None:
    (profile,) = open_profile(str(JAX_CAPTURE))
    programs = read_programs(profile)[0]
    mine = table(profile, programs)
    compared = 0
    for row in hlo_rows(profile, programs):
        if row.flops is not None:
            assert (mine[row.name].flops, mine[row.name].bytes) == (pytest.approx(row.flops), pytest.approx(row.bytes))
            assert mine[row.name].flops_from == "HLO"
            compared += 1
    assert compared == 4


@needs_samples
def test_the_convolution_that_others_count_twice() -> None:
    (profile,) = open_profile(str(Path(SAMPLES) / "xplane" / "mi300_jax_conv" / "tw003.xplane.pb"))
    costs = operation_costs(profile, read_programs(profile)[0])
    rows = operations(profile, break_down(profile), costs=costs)
    conv = [row for row in rows if row.name == "cudnn-conv.1"]
    assert sum(row.count for row in conv) == 40
    assert sum(row.flops for row in conv) / 40 == pytest.approx(32.7e9, rel=0.001)
    assert {row.flops_from for row in conv} == {"HLO"}
    by_kernel = [row for row in kernels(profile, break_down(profile), costs=costs) if row.op == "cudnn-conv.1"]
    assert [(row.short[:4], row.flops) for row in by_kernel] == [("Cijk", pytest.approx(40 * 32.7e9, rel=0.001)), ("Im3d", None)]
