"""One-off start-up: what is far longer the first time, and what only looks like it."""

from __future__ import annotations

import numpy as np
import pytest

from analyses.timeline import MS, Timeline
from stepscope.analyses.startup import startup_of, startup_rows
from stepscope.analyses.steps import find_steps
from stepscope.analyses.time_classes import control_threads
from stepscope.model.profile import Profile, SpanKind


def names(profile: Profile) -> list[str]:
    steps = find_steps(profile)
    return [profile.names[int(profile.spans.name[row])] for row in startup_rows(profile, steps, control_threads(profile, steps))]


def called(first: int, later: int, kind: SpanKind = SpanKind.OP, times: int = 5, inside: SpanKind | None = None) -> Profile:
    """Equal calls of which the first has another length, in milliseconds; a span of another kind may fill the first."""
    line, at = Timeline(), 0
    for place in range(times):
        length = (first if place == 0 else later) * MS
        line.span("main", at, at + length, kind, "call")
        if place == 0 and inside is not None:
            line.span("main", at + 1, at + length - 1, inside, "inside")
        launch = line.span("main", at + length, at + length + 1000, SpanKind.RUNTIME, "cudaLaunchKernel")
        line.span("gpu 0", at + length + 2000, at + length + MS, SpanKind.KERNEL, "k", cause=launch)
        at += length + MS
    return line.build()


@pytest.mark.parametrize(
    ("first", "later", "kind", "found"),
    [
        (600, 2, SpanKind.OP, True),
        (600, 100, SpanKind.OP, False),  # six times as long may be another shape
        (9, 0, SpanKind.OP, False),  # too short to matter
        (600, 2, SpanKind.ALLOC, True),
        (600, 2, SpanKind.PYTHON, False),
    ],
)
def test_the_first_of_equal_calls(first: int, later: int, kind: SpanKind, found: bool) -> None:
    assert names(called(first, later, kind)) == (["call"] if found else [])


def test_a_runtime_call_that_is_made_once() -> None:
    assert names(called(900, 0, SpanKind.ALLOC, times=1)) == ["call"]
    assert names(called(900, 0, SpanKind.OP, times=1)) == [], "of an operation that is called once nobody knows the usual length"


@pytest.mark.parametrize("kind", [SpanKind.SYNC, SpanKind.INPUT, SpanKind.COLLECTIVE])
def test_an_operation_that_waits_is_no_start_up(kind: SpanKind) -> None:
    assert names(called(600, 2, inside=kind)) == []


def test_a_call_that_copies_may_wait_for_the_device() -> None:
    line, at = Timeline(), 0
    for place in range(5):
        length = (600 if place == 0 else 1) * MS
        line.span("main", at, at + length + MS, SpanKind.OP, "aten::copy_")
        call = line.span("main", at, at + length, SpanKind.RUNTIME, "cudaMemcpyAsync")
        line.span("gpu 0", at + length, at + length + MS, SpanKind.COPY, "Memcpy HtoD", cause=call)
        launch = line.span("main", at + length + MS, at + length + MS + 1000, SpanKind.RUNTIME, "cudaLaunchKernel")
        line.span("gpu 0", at + length + MS + 2000, at + length + 2 * MS, SpanKind.KERNEL, "k", cause=launch)
        at += length + 2 * MS
    assert names(line.build()) == []


@pytest.mark.parametrize("slow", [0, 1])
def test_of_many_steps_the_first_alone_has_start_up(slow: int) -> None:
    line = Timeline()
    for step in range(6):
        at = step * 1000 * MS
        line.span("main", at, at + 1000 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        line.span("main", at, at + (800 if step == slow else 1) * MS, SpanKind.OP, "call")
    assert names(line.build()) == (["call"] if slow == 0 else [])


def test_start_up_is_summed_where_it_overlaps_once() -> None:
    line = Timeline()
    rows = [line.span("main", 0, 800 * MS, SpanKind.OP, "conv"), line.span("main", 100 * MS, 700 * MS, SpanKind.ALLOC, "cudaFree")]
    profile = line.build()
    assert len(rows) == len(profile.spans)
    found = startup_of(profile, np.arange(2))
    assert (found.ns, found.longest) == (800 * MS, (("conv", 800 * MS), ("cudaFree", 600 * MS)))
