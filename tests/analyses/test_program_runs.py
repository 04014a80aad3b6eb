"""Python that waits for a compiled program on threads of XLA: the time between its operations is the runtime's, not Python's."""

from __future__ import annotations

import numpy as np
import pytest

from analyses.timeline import MS, Timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.host.python_kinds import python_work
from stepscope.analyses.program_runs import program_runs, without_waiting
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Profile, SpanKind

STEP = 10 * MS


def training(run: str = "ThunkExecutor::Execute", before: bool = False) -> Profile:
    """Steps of 10 ms: a call until 2, a program from 3 (or already during the call) to 8 with a gap from 5 to 6, then Python."""
    builder = Timeline()
    for step in range(5):
        at = step * STEP
        builder.span("main", at, at + STEP, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("main", at, at + STEP, SpanKind.PYTHON, "$train.py:3 step")
        builder.span("main", at + MS, at + 2 * MS, SpanKind.FRAMEWORK, "PjitFunction(update)")
        first = at + (MS + MS // 2 if before else 3 * MS)
        builder.span("pool", first, at + 8 * MS, SpanKind.FRAMEWORK, run)
        builder.span("pool", first, at + 5 * MS, SpanKind.OP, "dot.1")
        builder.span("pool", at + 6 * MS, at + 8 * MS, SpanKind.OP, "dot.2")
    return builder.build()


def parts(profile: Profile) -> dict[str, float]:
    typical = break_down(profile).typical_parts / MS
    return {each.key: float(typical[each]) for each in TimeClass if typical[each] > 0}


def test_waiting_for_a_program_is_not_python() -> None:
    assert parts(training()) == pytest.approx({"compute": 4, "framework": 3, "python": 3})
    assert parts(training("something else")) == pytest.approx({"compute": 4, "framework": 1, "python": 5}), (
        "only programs are waited for"
    )


def test_what_python_takes_is_what_could_go() -> None:
    profile = training()
    breakdown = break_down(profile)
    found = python_work(profile, breakdown)
    assert float(breakdown.exposed[found.rows].sum()) / len(breakdown.typical) == pytest.approx(3 * MS)


def test_a_program_runs_from_the_end_of_its_call_or_from_its_own_start() -> None:
    start, end, _ = program_runs(training(), control=(0,))
    assert (start % STEP).tolist() == [2 * MS] * 5
    assert (end % STEP).tolist() == [8 * MS] * 5
    start, _, _ = program_runs(training(before=True), control=(0,))
    assert (start % STEP).tolist() == [MS + MS // 2] * 5, "Python after the program of the step before is none of this program's"


def test_segments_are_cut_where_a_program_begins_and_ends() -> None:
    segments = (
        np.array([0, 10, 20]),
        np.array([10, 20, 40]),
        np.array([7, 8, 7], np.int32),
        np.array([14, 13, 14], np.int8),
    )
    runs = (np.array([5, 25]), np.array([22, 30]), np.array([3, 4]))
    found = [column.tolist() for column in without_waiting(segments, runs, python=14, waiting=13)]
    assert found == [[0, 5, 10, 20, 22, 25, 30], [5, 10, 20, 22, 25, 30, 40], [7, 3, 8, 3, 7, 4, 7], [14, 13, 13, 13, 14, 13, 14]]
