"""The critical path on timelines where it is known, and on real recordings, where it must fill every step."""

from __future__ import annotations

from itertools import pairwise

import pytest

from analyses.timeline import MS, Timeline
from figures import figures
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.what_if.critical_path import EXCLUSIVE, REPLAYED, CriticalPath, PathRow, critical_path
from stepscope.analyses.what_if.levers import parse_lever
from stepscope.analyses.what_if.path_savings import PathSaving, path_savings
from stepscope.analyses.what_if.prediction import predict, replay_context
from stepscope.model.profile import Profile, SpanKind


def path_of(*profiles: Profile, rank: int = 0) -> CriticalPath:
    return critical_path(profiles, [break_down(profile) for profile in profiles], rank)


def drawn(picture: str, **names: str) -> CriticalPath:
    return path_of(Timeline().draw(picture, **names).build())


def steps(found: CriticalPath) -> list[list[tuple[str, float]]]:
    """Name and milliseconds of each segment."""
    return [[(each.name, (each.end - each.start) / MS) for each in segments] for segments in found.segments]


def row(found: CriticalPath, name: str) -> PathRow:
    (one,) = [each for each in found.rows if each.name == name]
    return one


def test_a_device_that_is_never_idle_is_the_path() -> None:
    found = drawn("main   111111111\nmain   lll\ngpu 0  .KKKKLLLM", K="first", L="second", M="third")
    assert (found.model, found.note) == (REPLAYED, "")
    assert steps(found) == [[("launch latency", 1), ("first", 4), ("second", 3), ("third", 1)]]


def test_a_step_that_the_last_kernel_ends() -> None:
    builder = Timeline()
    builder.span("main", 0, 4 * MS, SpanKind.MARKER, "ProfilerStep#0", step=0)
    prepare = builder.span("main", 0, 2 * MS, SpanKind.OP, "prepare")
    launch = builder.span("main", 2 * MS, 3 * MS, SpanKind.RUNTIME, "launch")
    builder.span("gpu 0", 3 * MS, 6 * MS, SpanKind.KERNEL, "first", cause=launch)
    again = builder.span("main", 3 * MS, 4 * MS, SpanKind.RUNTIME, "launch")
    builder.span("gpu 0", 6 * MS, 11 * MS, SpanKind.KERNEL, "second", cause=again)
    found = path_of(builder.build())
    assert prepare.end == 2 * MS
    assert steps(found) == [[("prepare", 2), ("launch latency", 1), ("first", 3), ("second", 5)]]
    assert dict(found.parts) == {"compute": 8 * MS, "op": 2 * MS, "between": MS}
    assert found.step_ns == 11 * MS
    assert (row(found, "second").share, row(found, "second").steps) == (pytest.approx(5 / 11), 1)


def test_a_host_that_is_slower_than_its_kernels() -> None:
    builder = Timeline()
    builder.span("main", 0, 10 * MS, SpanKind.MARKER, "ProfilerStep#0", step=0)
    for at in (0, 4, 8):
        builder.span("main", at * MS, (at + 1) * MS, SpanKind.OP, "slow python op")
        launch = builder.span("main", (at + 1) * MS, (at + 2) * MS, SpanKind.RUNTIME, "launch")
        builder.span("gpu 0", (at + 2) * MS, at * MS + 2_500_000, SpanKind.KERNEL, "tiny", cause=launch)
    found = path_of(builder.build())
    assert found.step_ns == 10.5 * MS
    assert row(found, "tiny").path_ns == pytest.approx(0.5 * MS), "only the last one ends the step"
    assert row(found, "tiny").beside_ns == pytest.approx(1 * MS)
    assert row(found, "tiny").slack_ns == pytest.approx(5.25 * MS), "the others could have ended later by the gaps"


def test_a_call_that_waits_hands_over_to_the_device() -> None:
    builder = Timeline()
    builder.span("main", 0, 20 * MS, SpanKind.MARKER, "ProfilerStep#0", step=0)
    launch = builder.span("main", 0, 1 * MS, SpanKind.RUNTIME, "launch")
    builder.span("gpu 0", 1 * MS, 9 * MS, SpanKind.KERNEL, "long", cause=launch)
    builder.span("main", 2 * MS, 9 * MS + 10_000, SpanKind.SYNC, "wait")
    builder.span("main", 10 * MS, 20 * MS, SpanKind.OP, "after")
    found = path_of(builder.build())
    assert steps(found) == [[("launch latency", 1), ("long", 8), ("wait", 0.01), ("untraced", 0.99), ("after", 10)]]


def test_the_slack_of_what_runs_beside() -> None:
    builder = Timeline()
    builder.span("main", 0, 4 * MS, SpanKind.MARKER, "ProfilerStep#0", step=0)
    one = builder.span("main", 0, 1 * MS, SpanKind.RUNTIME, "launch")
    builder.span("gpu 0/7", 1 * MS, 20 * MS, SpanKind.KERNEL, "long", cause=one)
    other = builder.span("main", 1 * MS, 2 * MS, SpanKind.RUNTIME, "launch")
    builder.span("gpu 0/8", 2 * MS, 5 * MS, SpanKind.KERNEL, "short", cause=other)
    found = path_of(builder.build())
    assert row(found, "short").path_ns == 0
    assert (row(found, "short").beside_ns, row(found, "short").slack_ns) == (3 * MS, 15 * MS)
    assert row(found, "long").slack_ns is None


def rank(number: int, work: int) -> Profile:
    """A kernel as long as `work`, then a collective that ends with the last rank's."""
    builder = Timeline(rank=number, world_size=2, base_ns=1_000_000_000_000)
    builder.span("main", 0, 4 * MS, SpanKind.MARKER, "ProfilerStep#0", step=0)
    one = builder.span("main", 0, 1 * MS, SpanKind.RUNTIME, "launch")
    builder.span("gpu 0", 1 * MS, (1 + work) * MS, SpanKind.KERNEL, "work", cause=one)
    two = builder.span("main", 1 * MS, 2 * MS, SpanKind.RUNTIME, "launch")
    builder.span("gpu 0", (1 + work) * MS, 40 * MS, SpanKind.COLLECTIVE, "allreduce", cause=two, collective=("world", 2, 0))
    return builder.build()


def test_at_a_collective_the_path_goes_on_at_the_rank_that_came_last() -> None:
    fast, slow = rank(0, 10), rank(1, 30)
    found = path_of(fast, slow, rank=0)
    assert steps(found) == [[("launch latency", 1), ("work", 30), ("allreduce", 9)]]
    assert [each.rank for each in found.segments[0]] == [1, 1, 0]
    assert steps(path_of(fast, slow, rank=1)) == [[("launch latency", 1), ("work", 30), ("allreduce", 9)]]
    alone = path_of(fast)
    assert steps(alone) == [[("launch latency", 1), ("work", 10), ("allreduce", 29)]], "without the other its waiting is inside"


def test_paths_of_several_steps_touch() -> None:
    found = drawn("main   1111222233334444\nmain   ll..ll..ll..ll..\ngpu 0  .KL..KL..KL..KL.")
    assert len(found.segments) == 4
    for segments in found.segments:
        assert all(before.end == after.start for before, after in pairwise(segments))
    assert sum(ns for _, ns in found.parts) == pytest.approx(found.step_ns)


def test_without_dependencies_there_is_exclusive_time_and_a_note() -> None:
    found = drawn("main   1111111111\nmain   ooooooiii", o="matmul")
    assert found.model == EXCLUSIVE
    assert "exclusive time" in found.note
    assert found.segments == ()
    assert dict(found.parts) == {"compute": 6 * MS, "input": 3 * MS, "untraced": 1 * MS}
    assert row(found, "matmul").slack_ns is None


def test_work_that_nothing_started() -> None:
    builder = Timeline()
    builder.span("main", 0, 2 * MS, SpanKind.MARKER, "ProfilerStep#0", step=0)
    one = builder.span("main", 0, 1 * MS, SpanKind.RUNTIME, "launch")
    builder.span("gpu 0/7", 1 * MS, 3 * MS, SpanKind.KERNEL, "linked", cause=one)
    builder.span("gpu 0/7", 2 * MS, 3 * MS, SpanKind.KERNEL, "unlinked")
    found = path_of(builder.build())
    assert sum(ns for _, ns in found.parts) == found.step_ns == 3 * MS


def lagging(steps: int = 5) -> Profile:
    """A host that needs 10 ms a step, and a device that is at work for 7 of them, up to 4 ms after the host's step has ended."""
    builder = Timeline()
    for step in range(steps):
        at = step * 10 * MS
        builder.span("main", at, at + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("main", at, at + 6 * MS, SpanKind.OP, "prepare")
        launch = builder.span("main", at + 6 * MS, at + 7 * MS, SpanKind.RUNTIME, "launch")
        builder.span("gpu 0", at + 7 * MS, at + 14 * MS, SpanKind.KERNEL, "work", cause=launch)
        builder.span("main", at + 7 * MS, at + 10 * MS, SpanKind.OP, "log")
    return builder.build()


def test_a_device_that_lags_is_beside_the_path_of_a_slower_host() -> None:
    profile = lagging()
    found = path_of(profile)
    assert dict(found.parts) == {"op": 9 * MS, "launch": MS}
    assert "work" not in {each.name for each in found.rows if each.path_ns > 0}
    assert row(found, "work").slack_ns == 6 * MS, "3 ms until the next one starts, which may end later too"
    assert figures(found.note) == [4, 10], "how far it lags, and the step time of the others"
    lengths = [sum(each.end - each.start for each in segments) for segments in found.segments]
    assert lengths == break_down(profile).steps.length.tolist()
    assert "kernels" not in {one.lever for one in savings(profile)}
    assert predict(replay_context([profile]), [parse_lever("kernels=0", [profile])]).low_ms == pytest.approx(10, rel=0.01)


def savings(profile: Profile) -> tuple[PathSaving, ...]:
    return path_savings(replay_context([profile]), path_of(profile))


def test_what_is_on_the_path_alone_is_saved_in_full() -> None:
    profile = lagging()
    (launches,) = savings(profile)
    assert (launches.lever, launches.parts) == ("launches", ("launch", "op"))
    assert launches.path == pytest.approx(1.0)
    assert launches.saves == pytest.approx(0.3, abs=0.02), "then the device's 7 ms are the path"


def test_a_path_that_is_lost_goes_on_in_the_step_before() -> None:
    builder = Timeline()
    for step in range(3):
        at = step * 10 * MS
        builder.span("main", at, at + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("main", at, at + 5 * MS, SpanKind.OP, "prepare")
        launch = builder.span("main", at + 5 * MS, at + 6 * MS, SpanKind.RUNTIME, "launch")
        builder.span("gpu 0/7", at + 6 * MS, at + 9 * MS, SpanKind.KERNEL, "work", cause=launch)
        builder.span("main", at + 6 * MS, at + 10 * MS, SpanKind.SYNC, "wait")
        builder.span(f"gpu 0/{8 + step}", at + 8 * MS, at + 10 * MS, SpanKind.KERNEL, "unknown")
    found = path_of(builder.build())
    lengths = [sum(each.end - each.start for each in segments) for segments in found.segments]
    assert lengths == [10 * MS] * 3
    assert sum(ns for _, ns in found.parts) == pytest.approx(found.step_ns)
