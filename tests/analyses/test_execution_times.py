"""Average, shortest and longest of a row are all of one execution, so that they never contradict each other."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyses.timeline import Timeline
from opened_profiles import open_profile
from sample_files import SAMPLES, needs_samples
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.programs.hlo import HloBy, HloRow, hlo_rows
from stepscope.analyses.work.kernels import KernelRow, KernelsBy, kernels
from stepscope.analyses.work.operations import By, OperationRow, operations
from stepscope.model.profile import Profile, SpanKind

TRACKS = st.sampled_from(["main", "pool", "gpu 0", "gpu 0/7", "gpu 1"])
SPANS = st.tuples(TRACKS, st.integers(0, 60), st.integers(1, 40), st.integers(0, 2))


def check(rows: Iterable[OperationRow | KernelRow | HloRow]) -> None:
    for row in rows:
        assert row.count > 0
        assert row.count * row.average_ns == pytest.approx(row.total_ns)
        assert row.min_ns * row.count <= row.total_ns <= row.max_ns * row.count, (row.name, row.min_ns, row.average_ns, row.max_ns)


def check_all(profile: Profile) -> None:
    breakdown = break_down(profile)
    for by in By:
        check(operations(profile, breakdown, by, calls=True))
    for kernels_by in KernelsBy:
        check(kernels(profile, breakdown, kernels_by))
    for hlo_by in HloBy:
        check(hlo_rows(profile, (), hlo_by))


@given(st.lists(SPANS, max_size=40), st.data())
def test_no_table_contradicts_itself(spans: list[tuple[str, int, int, int]], data: st.DataObject) -> None:
    # Few names on few tracks: operations inside themselves, kernels of one launch, and kernels that nothing launched.
    builder = Timeline()
    ops = [builder.op(f"op{place}", "type", scope=f"scope{place % 2}", program="train") for place in range(3)]
    launches = []
    for track, start, length, name in sorted(spans, key=lambda span: not span[0].isalpha()):
        if track.isalpha():
            kind = data.draw(st.sampled_from([SpanKind.OP, SpanKind.RUNTIME]))
            launches.append(builder.span(track, start, start + length, kind, f"name{name}", op=ops[name]))
        else:
            cause = data.draw(st.sampled_from([None, *launches]))
            builder.span(track, start, start + length, SpanKind.KERNEL, f"kernel{name}", op=ops[name // 2], cause=cause)
    check_all(builder.build())


def test_time_of_an_instruction_inside_another_is_not_in_a_group_twice() -> None:
    builder = Timeline()
    loop, body = builder.op("while.1", "while", program="train"), builder.op("fusion.1", "fusion", program="train")
    for at in (0, 200):
        builder.span("gpu 0", at, at + 100, SpanKind.OP, "while.1", op=loop)
        for inner in (10, 50):
            builder.span("gpu 0", at + inner, at + inner + 40, SpanKind.OP, "fusion.1", op=body)
    profile = builder.build()
    (program,) = hlo_rows(profile, (), HloBy.PROGRAM)
    assert program.total_ns == 200
    check([program])
    check(hlo_rows(profile, ()))


@needs_samples
def test_kernels_of_one_launch_are_one_execution() -> None:
    profile = open_profile(str(SAMPLES / "kineto/hta/trace_diff/test"))[0]
    rows = {row.name: row for row in operations(profile, break_down(profile)) if row.device != "host"}
    row = rows["CompiledFunctionBackward"]
    assert row.spans > row.count
    assert row.average_ns == pytest.approx(28_572_000, rel=1e-3)
    assert row.min_ns <= row.average_ns <= row.max_ns


@needs_samples
def test_an_operation_that_calls_itself() -> None:
    profile = open_profile(str(SAMPLES / "kineto/torch213_cpu/oneshot.json.gz"))[0]
    row = next(row for row in operations(profile, break_down(profile)) if row.name == "aten::div")
    assert row.spans > row.count
    assert row.min_ns >= 75_000
    assert row.min_ns <= row.average_ns <= row.max_ns


@needs_samples
def test_a_compiled_convolution_of_several_kernels() -> None:
    profile = open_profile(str(SAMPLES / "xplane/mi300_jax_conv"))[0]
    row = next(row for row in hlo_rows(profile, ()) if row.name == "cudnn-conv.1")
    assert row.spans > row.count
    assert row.max_ns > 301_500, "that is the longest of its kernels alone"
    assert row.min_ns <= row.average_ns <= row.max_ns


@needs_samples
@pytest.mark.parametrize(
    "name", ["kineto/torch213_cpu/oneshot.json.gz", "xplane/mi300_jax_conv", "xplane/jax_cpu", "xplane/tf_keras_fit"]
)
def test_no_table_of_a_sample_contradicts_itself(name: str) -> None:
    check_all(open_profile(str(SAMPLES / name))[0])
