"""Shared cores (`sharing`), start-up (`startup`), devices without a record (`unrecorded`), and marks of steps (`step_marks`)."""

from __future__ import annotations

import numpy as np
import pytest

from analyses.timeline import MS, MarkerFamily, Timeline, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.devices.unrecorded import Unrecorded, unrecorded_device
from stepscope.analyses.startup import startup_rows
from stepscope.analyses.step_marks import find_marks
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.sharing import computing, cost_of_sharing, relieved
from stepscope.model.profile import Profile, SpanKind


@pytest.mark.parametrize(
    ("cores", "threads", "cost"), [(2, 2.0, 1 / 2), (2, 1.5, 0.0), (8, 2.0, 0.0), (8, 8.0, 1 / 8), (None, 2.0, 1 / 2), (0, 1.0, 1.0)]
)
def test_sharing_costs_only_where_no_core_is_free(cores: int | None, threads: float, cost: float) -> None:
    assert cost_of_sharing(cores, threads) == cost


def test_work_that_took_longer_beside_other_work_is_shorter_alone() -> None:
    assert relieved(np.array([30.0, 0.0]), 0.5).tolist() == [10.0, 0.0], "20 alone take 30 when each shares half a core"


def test_threads_that_compute_at_an_average_instant() -> None:
    def track(start: int, end: int, label: TimeClass) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return np.array([start]), np.array([end]), np.array([0]), np.array([label], np.int8)

    within = (np.array([0]), np.array([10]))
    tracks = [track(0, 10, TimeClass.COMPUTE), track(0, 5, TimeClass.COMPUTE), track(0, 10, TimeClass.INPUT)]
    assert computing(tracks, within) == 1.5
    assert computing(tracks, (np.array([], np.int64), np.array([], np.int64))) == 0.0


def first_call(name: str, kind: SpanKind, first_ms: int, later_ms: int = 1, steps: int = 3) -> list[int]:
    """Rows that are start-up in steps of 100 ms, each with the same call; the first one takes longer."""
    line = Timeline()
    for step in range(steps):
        at = step * 100 * MS
        line.span("main", at, at + 100 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        line.span("main", at + MS, at + MS + (first_ms if step == 0 else later_ms) * MS, kind, name)
        line.span("gpu 0/7", at + 80 * MS, at + 90 * MS, SpanKind.KERNEL, "k")
    profile = line.build()
    breakdown = break_down(profile)
    found = startup_rows(profile, breakdown.steps, breakdown.classified.control)
    return (profile.spans.start[found] // MS).tolist()


def test_a_call_that_takes_far_longer_the_first_time_is_start_up() -> None:
    assert first_call("cudaMalloc", SpanKind.RUNTIME, 60) == [1]
    assert first_call("aten::conv2d", SpanKind.OP, 60) == [1]
    assert first_call("cudaMalloc", SpanKind.RUNTIME, 15) == [], "15 times as long is not far longer"
    assert first_call("cudaMalloc", SpanKind.RUNTIME, 9, later_ms=0) == [], "too short to matter"
    assert first_call("cudaMalloc", SpanKind.RUNTIME, 60, steps=4) == [1], "also where the typical steps leave the first one out"


def launches(name: str) -> Unrecorded | None:
    profile = timeline("main   1111222233334444\nmain   ll..ll..ll..ll..", l=name)
    return unrecorded_device(profile, break_down(profile))


def test_launches_without_kernels_tell_of_a_device() -> None:
    assert launches("cudaLaunchKernel") == Unrecorded("GPU", 4)
    assert launches("hipLaunchKernel") == Unrecorded("GPU", 4)
    assert launches("sqlite3_step") is None
    with_kernels = timeline("main   1111222233334444\nmain   l...l...l...l...\ngpu 0  .KK..KK..KK..KK.", l="cudaLaunchKernel")
    assert unrecorded_device(with_kernels, break_down(with_kernels)) is None


def marks(profile: Profile) -> list[tuple[MarkerFamily, list[float], list[float]]]:
    return [(each.family, (each.start / MS).tolist(), (each.end / MS).tolist()) for each in find_marks(profile)]


def test_an_optimizer_ends_a_step_and_a_loader_begins_one() -> None:
    optimizer = timeline("main   oo.nn.oo.nn.oo.nn", n="Optimizer.step#SGD.step", o="aten::mm")
    assert marks(optimizer) == [(MarkerFamily.LOOP_MARK, [0, 5, 11], [5, 11, 17])]
    loader = timeline("main   ii.ooo.ii.ooo.ii.ooo.", i="enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
    assert marks(loader) == [(MarkerFamily.LOOP_MARK, [0, 7, 14], [7, 14, 20])]


def test_a_loader_that_only_finds_the_end_of_the_data_begins_no_step() -> None:
    line = Timeline().draw("main   ii.ooo.ii.ooo.ii.ooo.", i="enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
    line.span("main", 21 * MS, 22 * MS, SpanKind.INPUT, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
    assert marks(line.build()) == [(MarkerFamily.LOOP_MARK, [0, 7, 14], [7, 14, 21])]


def test_spans_that_carry_step_numbers_are_steps_where_they_follow_one_another() -> None:
    def numbered(*numbers: int) -> Profile:
        line = Timeline()
        for place, number in enumerate(numbers):
            line.span("main", place * 10 * MS, (place * 10 + 8) * MS, SpanKind.FRAMEWORK, "run", step=number)
        return line.build()

    (found,) = find_marks(numbered(3, 3, 4, 5))
    assert found.number is not None
    assert (found.number.tolist(), (found.start / MS).tolist(), (found.end / MS).tolist()) == ([3, 4, 5], [0, 20, 30], [18, 28, 38])
    assert list(find_marks(numbered(3, 3))) == []
    assert list(find_marks(numbered(1, 2, 1, 2))) == [], "they overlap"
