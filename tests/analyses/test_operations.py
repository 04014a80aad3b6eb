"""The table of operations: executions are counted once, self times sum to what is covered, exposed times to the step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyses.timeline import MS, ON_THREADS, Timeline, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.executions import execution_starts
from stepscope.analyses.work.operations import By, OperationRow, most_exposed, operations, own_times
from stepscope.model.profile import NONE, Profile, SpanKind, TrackRole


def table(profile: Profile, by: By = By.NAME, **options: int) -> dict[tuple[str, str], OperationRow]:
    return {(row.device, row.name): row for row in operations(profile, break_down(profile), by, **options)}  # type: ignore[arg-type]


def test_times_of_nested_operations() -> None:
    profile = timeline("""
        main   11111111111111
        main   oooooooo
        main    aa ll
        gpu 0       KKKKK
    """, o="aten::linear", K="gemm")  # fmt: skip
    rows = table(profile, calls=True)
    linear = rows["host", "aten::linear"]
    assert (linear.count, linear.total_ns, linear.self_ns) == (1, 8 * MS, 4 * MS)
    assert linear.exposed_ns == 2 * MS, "the kernel hides half of it"
    assert rows["host", "a"].exposed_ns == 2 * MS
    assert rows["GPU 0", "gemm"].exposed_ns == 5 * MS
    assert rows["GPU 0", "gemm"].exposed_share == pytest.approx(5 / 14)


def test_an_operation_inside_one_of_the_same_name_belongs_to_its_execution() -> None:
    profile = timeline("""
        main   oooooooo
        main    oooo
        main     oo
        main            oo
    """)
    row = table(profile)["host", "o"]
    assert (row.count, row.spans, row.total_ns, row.self_ns, row.min_ns, row.max_ns) == (2, 4, 10 * MS, 10 * MS, 2 * MS, 8 * MS)


def test_the_shortest_and_longest_execution_hold_all_their_kernels() -> None:
    row = table(repeated("abc", 4, linked=True))["GPU 0", "conv.1"]
    assert (row.count, row.spans) == (4, 12)
    assert row.min_ns == row.average_ns == row.max_ns == 3 * 40


def test_events_that_only_carry_an_operation_are_no_executions() -> None:
    # TensorFlow writes the operation on each of its allocations too; counting those halves every average.
    builder = Timeline()
    op = builder.op("dense/MatMul", "MatMul")
    for step in range(12):
        builder.span("main", step * 100, step * 100 + 50, SpanKind.OP, "dense/MatMul:MatMul", op=op)
        builder.span("main", step * 100 + 10, step * 100 + 10, SpanKind.ALLOC, "MemoryAllocation", op=op)
    row = table(builder.build(), calls=True)["host", "dense/MatMul"]
    assert (row.count, row.average_ns, row.type) == (12, 50, "MatMul")


def repeated(names: str, times: int, linked: bool, **facts: float) -> Profile:
    """An operation of several kernels that runs some times back to back."""
    builder = Timeline()
    op = builder.op("conv.1", "convolution", **facts)
    for run in range(times):
        at = run * 1000
        if linked:
            builder.span("main", at, at + 900, SpanKind.OP, "conv", op=op)
        for place, name in enumerate(names):
            start = at + place * 100
            launch = builder.span("main", start, start + 10, SpanKind.RUNTIME, "launch") if linked else None
            builder.span("gpu 0", start + 50, start + 90, SpanKind.KERNEL, name, op=op, cause=launch)
    return builder.build()


@pytest.mark.parametrize("linked", [True, False])
def test_flops_are_per_execution_and_not_per_kernel(linked: bool) -> None:
    # Forty convolutions of two kernels each: 40 x 32.7 GFLOP, where counting kernels gives twice that.
    row = table(repeated("ab", 40, linked, flops=32.7e9, bytes=1e6))["GPU 0", "conv.1"]
    assert (row.count, row.spans) == (40, 80)
    assert (row.flops, row.bytes) == (pytest.approx(40 * 32.7e9), pytest.approx(40e6))


@pytest.mark.parametrize(
    ("kernels", "executions"),
    [
        ("xx", {"x": 2}),
        ("xyxyxy", {"x": 3, "y": 3}),
        ("aabx aabx".replace(" ", ""), {"A": 2, "x": 2}),
    ],
)
def test_stretches(kernels: str, executions: dict[str, int]) -> None:
    # a and b belong to operation A; x and y are operations of one kernel.
    keys = "".join("A" if letter in "ab" else letter for letter in kernels)
    numbers = {letter: place for place, letter in enumerate(sorted(set(keys)))}
    starts = execution_starts(
        np.array([numbers[letter] for letter in keys], np.int32), np.array([ord(letter) for letter in kernels], np.int32)
    )
    begun = [letter for letter, start in zip(keys, starts.tolist(), strict=True) if start]
    assert {letter: begun.count(letter) for letter in numbers} == executions


def test_a_missing_record_loses_no_execution() -> None:
    names = np.array(list("ab" * 20 + "a" + "ab" * 19))
    starts = execution_starts(np.zeros(len(names), np.int32), np.array([ord(letter) for letter in names], np.int32))
    assert starts.tolist() == (names == "a").tolist(), "forty, each from its a on"


def test_unknown_arithmetic_is_not_zero() -> None:
    row = table(repeated("a", 3, True))["GPU 0", "conv.1"]
    assert math.isnan(row.flops)
    assert math.isnan(row.bytes)


def grouped() -> Profile:
    builder = Timeline()
    for layer in range(2):
        op = builder.op(
            f"layer{layer}/MatMul", "MatMul", scope=f"layer{layer}", source=f"model.py:{layer}", program="train", eager=False
        )
        builder.span("main", layer * 100, layer * 100 + 40, SpanKind.OP, f"layer{layer}/MatMul:MatMul", op=op)
    builder.span("main", 300, 310, SpanKind.OP, "aten::add")
    return builder.build()


@pytest.mark.parametrize(
    ("by", "names"),
    [
        (By.NAME, {"layer0/MatMul", "layer1/MatMul", "aten::add"}),
        (By.TYPE, {"MatMul", "aten::add"}),
        (By.SCOPE, {"layer0", "layer1", "(none)"}),
        (By.SOURCE, {"model.py:0", "model.py:1", "(none)"}),
        (By.PROGRAM, {"train", "(none)"}),
    ],
)
def test_groups(by: By, names: set[str]) -> None:
    rows = table(grouped(), by)
    assert {name for _, name in rows} == names
    assert sum(row.self_ns for row in rows.values()) == 90


def test_what_the_operations_of_a_group_share() -> None:
    row = table(grouped(), By.TYPE)["host", "MatMul"]
    assert (row.count, row.program, row.eager, row.scope, row.source) == (2, "train", False, "", "")


def test_shares_are_of_their_side() -> None:
    rows = table(timeline("main   ooow\ngpu 0  KLLL", o="o", K="k", L="l"))
    assert rows["host", "o"].share == pytest.approx(0.75)
    assert (rows["GPU 0", "l"].share, rows["GPU 0", "l"].cumulative) == (pytest.approx(0.75), pytest.approx(0.75))
    assert (rows["GPU 0", "k"].share, rows["GPU 0", "k"].cumulative) == (pytest.approx(0.25), pytest.approx(1))


def test_of_several_devices_an_operation_is_one_row_of_the_most_exposed() -> None:
    profile = timeline("""
        main   11111111
        main   oo
        gpu 0  KKKKLL
        gpu 1  KKKK
    """)  # fmt: skip
    rows = most_exposed(operations(profile, break_down(profile)), 8)
    # What hides the operation on one device hides it on both; the mean over devices is 4 and 1 milliseconds.
    assert [(row.name, row.device, row.exposed_ns / MS, row.count) for row in rows] == [("K", "2 devices", 4, 2), ("L", "GPU 0", 1, 1)]
    assert len(most_exposed(rows, 1)) == 1


def test_filters() -> None:
    profile = timeline("main   oooow", o="long", w="short")
    assert {name for _, name in table(profile, min_time_ns=2 * MS)} == {"long"}
    assert table(profile, min_bytes=1) == {}


def test_projected_tracks_are_in_no_table() -> None:
    builder = Timeline().draw("main   oo\ngpu 0  KK\ngpu 0/9  LL")
    builder.derived.add("gpu 0/9")
    assert {name for _, name in table(builder.build())} == {"o", "K"}


letters = st.lists(st.sampled_from([*"   ", *ON_THREADS]), min_size=10, max_size=10).map("".join)


@given(st.lists(letters, min_size=1, max_size=4), letters)
def test_self_times_sum_to_the_union_of_every_track(lines: list[str], other: str) -> None:
    profile = timeline("\n".join([*(f"main   {line}" for line in lines), f"pool   {other}", "gpu 0  K"]))
    self_ns = own_times(profile)
    for track in profile.tracks:
        rows = slice(track.first_row, track.last_row)
        covered = np.zeros(10, bool)
        for start, end in zip(profile.spans.start[rows] // MS, profile.spans.end[rows] // MS, strict=True):
            covered[start:end] = True
        assert self_ns[rows].sum() == covered.sum() * MS
    parents = profile.spans.parent
    inside = np.flatnonzero(parents != NONE)
    assert (profile.spans.start[parents[inside]] <= profile.spans.start[inside]).all()
    assert (profile.spans.end[parents[inside]] >= profile.spans.end[inside]).all()


@given(st.lists(letters, min_size=1, max_size=3), st.lists(st.sampled_from("   KLCHF"), min_size=10, max_size=10).map("".join))
def test_exposed_times_and_untraced_sum_to_the_step(lines: list[str], device: str) -> None:
    profile = timeline("\n".join(["main   1111111111", *(f"main   {line}" for line in lines), f"gpu 0  {device}"]))
    found = break_down(profile)
    rows = operations(profile, found, calls=True)
    untraced = float(found.typical_parts[TimeClass.UNTRACED])
    assert sum(row.exposed_ns for row in rows) + untraced == pytest.approx(found.typical_ns)
    assert any(track.role == TrackRole.THREAD for track in profile.tracks)
