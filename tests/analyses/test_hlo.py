"""Compiled operations: measured time joined with what programs say, in a table and as a tree."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

import hlo_bytes as hb
from analyses.timeline import Timeline
from event_bytes import message
from opened_profiles import open_profile
from sample_files import JAX_CAPTURE, SAMPLES, needs_samples
from stepscope._native import read_hlo
from stepscope.analyses.devices.peaks import NO_PEAKS, Peaks, device_peaks, flops_peak
from stepscope.analyses.programs.hlo import HloBy, HloRow, hlo_rows, peak_notes
from stepscope.analyses.programs.neighbourhood import MOST_NODES, neighbourhood
from stepscope.analyses.programs.text import instruction_text, op_lines, program_lines, shape_text
from stepscope.analyses.programs.tree import HloNode, hlo_tree
from stepscope.formats.programs import read_programs
from stepscope.model.hlo import CostDoubt, HloProgram
from stepscope.model.profile import Device, Profile, SpanKind

ROOT = Path(__file__).resolve().parents[2]
PEAKS = Peaks({"fp32": 1e12, "tf32": 1e13, "fp16": 1e14}, 1e12)
US = 1000
ADDED = hb.metadata("layer/add", "model.py", 4)
A100 = Device(
    "",
    "GPU",
    0,
    multiprocessors=108,
    clock_hz=1.41e9,
    memory_bandwidth=1.5552e12,
    compute_capability=(8, 0),
    vendor="NVIDIA",
)


def small_program() -> HloProgram:
    """A product, an elementwise fusion that computes again what was dropped, an all-reduce, and a call into a library."""
    square = hb.shape(hb.F32, 1000, 1000)
    inside = hb.computation(
        5,
        52,
        hb.parameter(50, 0, square),
        hb.instruction(51, "negate", square, name="negate.remat", operands=(50,)),
        hb.instruction(52, "add", square, operands=(51, 50)),
        name="fused",
    )
    entry = hb.computation(
        1,
        5,
        hb.parameter(1, 0, square),
        hb.instruction(2, "dot", square, hb.dot((1,), (0,)), hb.metadata("layer/dot", "model.py", 3), name="dot.2", operands=(1, 1)),
        hb.instruction(
            3,
            "fusion",
            square,
            message(11, b"kLoop"),
            hb.metadata("layer/add", "model.py", 4),
            name="fusion.3",
            operands=(2,),
            calls=(5,),
        ),
        hb.instruction(4, "all-reduce", square, name="all-reduce.4", operands=(3,)),
        hb.instruction(5, "custom-call", square, message(28, b"mine"), name="mine.5", operands=(4,)),
        name="main",
    )
    columns = read_hlo(hb.program(inside, entry, entry=1))
    columns["name"] = "jit_f(7)"
    return HloProgram(**columns)


def recorded(track: str = "gpu 0") -> Profile:
    """Two executions of each: 400, 20, 30 and 10 µs."""
    builder = Timeline()
    kind = SpanKind.KERNEL if track.startswith("gpu") else SpanKind.OP
    ops = {name: builder.op(name, program="jit_f(7)") for name in ("dot.2", "fusion.3", "all-reduce.4", "mine.5")}
    for run in range(2):
        at = run * 1000 * US
        for (name, op), length in zip(ops.items(), (400, 20, 30, 10), strict=True):
            builder.span(track, at, at + length * US, kind, name, op=op)
            at += length * US
    return builder.build()


def by_name(rows: list[HloRow]) -> dict[str, HloRow]:
    return {row.name: row for row in rows}


@pytest.mark.parametrize("track", ["gpu 0", "worker"])
def test_time_arithmetic_and_origin_of_each_operation(track: str) -> None:
    rows = by_name(hlo_rows(recorded(track), [small_program()], peaks=PEAKS))
    dot, fusion = rows["dot.2"], rows["fusion.3"]
    assert (dot.count, dot.total_ns, dot.average_ns, dot.flops, dot.bytes) == (2, 800 * US, 400 * US, 2 * 2e9, 2 * 12e6)
    assert dot.flops_per_second == pytest.approx(5e12)
    assert (dot.compute_use, dot.bound_by) == (pytest.approx(0.5), "compute")
    assert dot.wasted_ns == pytest.approx(400 * US)
    assert (dot.category, dot.opcode, dot.framework_op, dot.source, dot.shape) == (
        "dot",
        "dot",
        "layer/dot",
        "model.py:3",
        "f32[1000,1000]",
    )
    assert (fusion.flops, fusion.bytes, fusion.category, fusion.fused) == (2 * 2e6, 2 * 8e6, "loop fusion", 2)
    assert (fusion.bound_by, fusion.memory_use) == ("memory", pytest.approx(0.4))
    assert fusion.intensity == pytest.approx(0.25)
    assert (fusion.rematerialised, dot.rematerialised) == (True, False)
    assert rows["all-reduce.4"].bound_by == "communication"
    assert (rows["mine.5"].flops, rows["mine.5"].doubts, rows["mine.5"].category) == (None, CostDoubt.UNKNOWN, "custom call")
    assert sum(row.share for row in rows.values()) == pytest.approx(1)


def test_what_uses_little_of_both_is_bound_by_neither() -> None:
    fast = Peaks({"fp32": 1e15}, 1e15)
    rows = by_name(hlo_rows(recorded(), [small_program()], peaks=fast))
    assert rows["dot.2"].bound_by == "neither"
    assert rows["mine.5"].bound_by == ""


def test_a_peak_that_is_exceeded_is_said_to_be_wrong() -> None:
    low = Peaks({"fp32": 1e12, "tf32": 1e13}, 1e11)
    rows = hlo_rows(recorded(), [small_program()], peaks=low)
    fusion = by_name(rows)["fusion.3"]
    assert fusion.implausible
    assert fusion.memory_use == pytest.approx(4)
    # The dot's bytes would take 120 of its 400 µs at the peak told, and less in truth: its arithmetic, 200 µs, bounds it.
    assert by_name(rows)["dot.2"].bound_by == "compute"
    assert any("800%" in note for note in peak_notes(rows))


def test_groups_sum_what_they_hold() -> None:
    profile, programs = recorded(), [small_program()]
    whole = hlo_rows(profile, programs, peaks=PEAKS)
    for by in HloBy:
        rows = hlo_rows(profile, programs, by, PEAKS)
        assert sum(row.self_ns for row in rows) == sum(row.self_ns for row in whole)
        assert sum(row.flops or 0 for row in rows) == sum(row.flops or 0 for row in whole)
    lines = by_name(hlo_rows(profile, programs, HloBy.SOURCE, PEAKS))
    assert set(lines) == {"model.py:3", "model.py:4", "(none)"}


def test_without_a_program_the_file_itself_may_tell() -> None:
    builder = Timeline()
    op = builder.op("fusion.9", category="convolution fusion", program="jit_g(1)", flops=1e9, bytes=1e6)
    builder.span("gpu 0", 0, 100 * US, SpanKind.KERNEL, "k", op=op)
    (row,) = hlo_rows(builder.build(), [])
    assert (row.category, row.flops, row.bytes, row.bound_by, row.row) == ("convolution fusion", 1e9, 1e6, "", -1)


def test_an_operation_without_a_program_is_found_by_its_name_when_only_one_has_it() -> None:
    program = small_program()
    builder = Timeline()
    alone = builder.op("%fusion.3", category="loop fusion")
    builder.span("gpu 0", 0, 100 * US, SpanKind.KERNEL, "k", op=alone)
    profile = builder.build()
    (row,) = hlo_rows(profile, [program])
    assert (row.program, row.flops, row.source) == ("jit_f(7)", 2e6, "model.py:4")
    (row,) = hlo_rows(profile, [program, replace(program, name="jit_g(8)")])
    assert (row.program, row.flops) == ("", None)


def test_an_operation_inside_another_goes_by_its_own_name() -> None:
    builder = Timeline()
    op = builder.op("call.1::dot.2", program="jit_f(7)")
    builder.span("gpu 0", 0, 100 * US, SpanKind.KERNEL, "k", op=op)
    (row,) = hlo_rows(builder.build(), [small_program()])
    assert (row.name, row.opcode, row.flops) == ("call.1::dot.2", "dot", 2e9)


def test_a_loop_does_not_count_again_what_was_measured_inside() -> None:
    numbers = hb.shape(hb.F32, 4)
    body = hb.computation(5, 51, hb.parameter(50, 0, numbers), hb.instruction(51, "negate", numbers, operands=(50,)))
    entry = hb.computation(
        1, 2, hb.parameter(1, 0, numbers), hb.instruction(2, "while", numbers, operands=(1,), calls=(5,), name="while.2")
    )
    columns = read_hlo(hb.program(body, entry, entry=1))
    columns["name"] = "jit_f(7)"
    program = HloProgram(**columns)
    builder = Timeline()
    loop, inner = (builder.op(name, program="jit_f(7)") for name in ("while.2", "negate.51"))
    builder.span("worker", 0, 100, SpanKind.OP, "while.2", op=loop)
    builder.span("worker", 10, 90, SpanKind.OP, "negate.51", op=inner)
    rows = by_name(hlo_rows(builder.build(), [program]))
    assert (rows["while.2"].flops, rows["while.2"].self_ns, rows["negate.51"].flops) == (None, 20, 4)
    assert not any("Loops" in note for note in peak_notes(rows.values()))


def nodes_of(nodes: list[HloNode] | tuple[HloNode, ...]) -> list[HloNode]:
    return [each for node in nodes for each in (node, *nodes_of(node.children))]


def test_the_tree_holds_programs_categories_operations_and_what_is_fused() -> None:
    programs = [small_program()]
    rows = hlo_rows(recorded(), programs, peaks=PEAKS)
    (tree,) = hlo_tree(rows, programs)
    assert (tree.kind, tree.name, tree.time_ns) == ("program", "jit_f(7)", 920 * US)
    assert [node.name for node in tree.children] == ["dot", "all-reduce", "loop fusion", "custom call"]
    fusion = next(node for node in nodes_of([tree]) if node.name == "fusion.3")
    assert [(node.kind, node.name, node.time_ns) for node in fusion.children] == [
        ("inside", "negate.remat", None),
        ("inside", "add.52", None),
    ]
    for node in nodes_of([tree]):
        if node.kind in ("program", "category"):
            assert node.time_ns == sum(child.time_ns or 0 for child in node.children)
            assert node.wasted_ns == pytest.approx(sum(child.wasted_ns or 0 for child in node.children)) or node.wasted_ns is None


def test_texts_short_and_long() -> None:
    program = small_program()
    row = program.find("dot.2")
    assert instruction_text(program, row) == (
        "%dot.2 = f32[1000,1000] dot(%parameter.1, %parameter.1), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
    )
    long = instruction_text(program, row, long=True)
    assert "f32[1000,1000]{1,0} %parameter.1" in long
    assert 'metadata={op_name="layer/dot" source_file="model.py" source_line=3}' in long
    whole = list(program_lines(program))
    assert "ENTRY %main {" in whole
    assert '  ROOT %mine.5 = f32[1000,1000] custom-call(%all-reduce.4), custom_call_target="mine"' in whole
    assert any(line.strip().startswith("ROOT %add.52") for line in op_lines(program, program.find("fusion.3")))


def test_the_neighbourhood_goes_as_far_as_asked() -> None:
    program = small_program()
    row = program.find("fusion.3")
    near = neighbourhood(program, row, 1)
    names = {program.text(program.instruction_name, node.row): node.distance for node in near.nodes}
    assert names == {"fusion.3": 0, "dot.2": -1, "all-reduce.4": 1}
    assert near.edges == ((row - 1, row), (row, row + 1))
    far = neighbourhood(program, row, 9)
    assert {node.distance for node in far.nodes} == {-2, -1, 0, 1, 2}


def test_a_wide_neighbourhood_is_cut() -> None:
    one = hb.shape(hb.F32)
    users = [hb.instruction(each, "negate", one, operands=(1,)) for each in range(2, 2_000)]
    program = HloProgram(**read_hlo(hb.program(hb.computation(1, 1, hb.parameter(1, 0, one), *users), entry=1)))
    found = neighbourhood(program, program.find("parameter.1"), 3)
    assert (len(found.nodes), found.cut) == (MOST_NODES, True)


def test_peaks_of_devices_without_a_name() -> None:
    a100 = device_peaks(A100)
    assert flops_peak(a100, "bf16") == pytest.approx(312e12, rel=0.01)
    assert flops_peak(a100, "f32") == pytest.approx(156e12, rel=0.01)
    assert flops_peak(a100, "") == pytest.approx(19.5e12, rel=0.01)
    assert a100.bandwidth == 1.5552e12
    mi300x = Device("", "GPU", 0, multiprocessors=304, clock_hz=2.1e9, compute_capability=(9, 4), vendor="AMD")
    assert flops_peak(device_peaks(mi300x), "f16") == pytest.approx(1307e12, rel=0.01)
    assert flops_peak(device_peaks(mi300x), "f8e4m3fnuz") == pytest.approx(2615e12, rel=0.01)
    assert device_peaks(Device("", "CPU", 0)) == NO_PEAKS


def test_a_name_is_believed_first_and_a_single_claim_holds_for_all_work() -> None:
    assert device_peaks(replace(A100, name="NVIDIA H100 80GB HBM3")).bandwidth == 3350e9
    tpu = device_peaks(Device("", "TPU", 0, peak_flops=2e14, memory_bandwidth=1e12))
    assert flops_peak(tpu, "f32") == flops_peak(tpu, "") == 2e14


def test_programs_of_a_cpu_recording() -> None:
    (profile,) = open_profile(str(JAX_CAPTURE))
    programs, notes = read_programs(profile)
    rows = hlo_rows(profile, programs)
    assert not notes
    assert [program.name for program in programs] == [program.name for program in profile.programs]
    assert {row.name for row in rows} == {"ynn_fusion", "multiply_select_fusion", "dot", "multiply_subtract_fusion"}
    assert all((row.count == 4 and row.flops and row.source.endswith(".py:21")) or row.source for row in rows)
    assert math.isclose(sum(row.share for row in rows), 1)


@needs_samples
def test_a_convolution_of_two_kernels_does_its_arithmetic_once() -> None:
    # By hand: 34 x 31 x 53 outputs of 5120 features, from 16 features and a kernel of 1 x 2 x 2, without what meets the padding, is
    # 32.7 GFLOP; it ran forty times in 12.5 ms. XProf counts its kernels, and says 206 TFLOP/s.
    (profile,) = open_profile(str(SAMPLES / "xplane" / "mi300_jax_conv" / "tw003.xplane.pb"))
    rows = by_name(hlo_rows(profile, read_programs(profile)[0]))
    conv = rows["cudnn-conv.1"]
    assert conv.count == 40
    assert conv.flops is not None
    assert conv.flops / conv.count == pytest.approx(32.7e9, rel=0.001)
    assert conv.flops_per_second == pytest.approx(104e12, rel=0.01)
    assert conv.doubts == CostDoubt.ESTIMATED
    # The file claims half of the device's bandwidth, so that XProf has a transposition reach 120 % of it. The device has no name there,
    # but only an MI300X has its generation, multiprocessors, clock and memory.
    assert rows["input_transpose_fusion"].memory_use == pytest.approx(0.6, abs=0.01)
    assert not any(row.implausible for row in rows.values())


@needs_samples
def test_what_xprof_says_where_it_is_right() -> None:
    (profile,) = open_profile(str(SAMPLES / "xplane" / "mi300_jax_conv" / "tw003.xplane.pb"))
    rows = by_name(hlo_rows(profile, read_programs(profile)[0]))
    table = json.loads((SAMPLES / "xplane" / "mi300_jax_conv_xprof_json" / "hlo_stats.json").read_text())
    names = [column["id"] for column in table["cols"]]
    theirs = {
        row["hlo_op_name"]: row for row in (dict(zip(names, (cell["v"] for cell in line["c"]), strict=True)) for line in table["rows"])
    }
    assert set(theirs) == set(rows)
    for name, row in rows.items():
        assert row.self_ns / 1e3 == pytest.approx(theirs[name]["total_self_time"])
        assert f"{row.framework_op}:" == theirs[name]["tf_op_name"]
        if name != "cudnn-conv.1":  # its kernels are counted there, not its executions
            assert row.count == theirs[name]["occurrences"]
            assert row.bytes_per_second == pytest.approx(theirs[name]["measured_memory_bw"] * 2**30)
    conv = rows["cudnn-conv.1"]
    assert conv.flops_per_second == pytest.approx(theirs["cudnn-conv.1"]["model_flop_rate"] * 1e9 * conv.count / conv.spans)


@needs_samples
def test_the_text_is_that_of_xprof() -> None:
    (profile,) = open_profile(str(SAMPLES / "xplane" / "mi300_jax_conv" / "tw003.xplane.pb"))
    program = next(each for each in read_programs(profile)[0] if each.name == "jit_forward_3d_conv(15)")
    theirs = (SAMPLES / "xplane" / "mi300_jax_conv_xprof_json" / "graph_short.txt").read_text()
    shared = re.compile(r"^\s*((?:ROOT )?[\w.%-]+ = .*?)(?:, (?:sharding|backend_config)=.*)?$", re.MULTILINE)
    ours = "\n".join(_with_layouts(program)).replace("%", "")
    assert len(shared.findall(theirs)) == len(program) == 19
    assert sorted(shared.findall(ours)) == sorted(shared.findall(theirs))


def _with_layouts(program: HloProgram) -> list[str]:
    """The short text, with the layouts of the long one in shapes."""
    lines: list[str] = []
    for row in range(len(program)):
        root = row in program.computation_root
        text = instruction_text(program, row).replace(shape_text(program, row), shape_text(program, row, long=True), 1)
        lines.append(f"{'ROOT ' if root else ''}{text}")
    return lines
