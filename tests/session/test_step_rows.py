"""Times of a step by class and by group sum to the step."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec import structs

from analyses.timeline import MS
from session.drawn_sessions import drawn
from stepscope.analyses.time_classes import Group, TimeClass
from stepscope.session.step_rows import StepGroup, step_parts, step_shares, step_times


def test_every_class_has_its_column_in_order() -> None:
    parts = step_parts(np.arange(len(TimeClass), dtype=np.float64) * MS)
    assert list(structs.asdict(parts).items()) == [(each.key, float(each)) for each in TimeClass]


def test_groups_are_shares_of_the_step() -> None:
    ns = np.zeros(len(TimeClass))
    ns[[TimeClass.COMPUTE, TimeClass.H2D, TimeClass.D2H, TimeClass.INPUT, TimeClass.OP, TimeClass.LAUNCH]] = [5, 1, 1, 2, 0.5, 0.5]
    shares = structs.asdict(step_shares(ns, 10))
    assert shares == pytest.approx({"compute": 0.5, "communication": 0, "copy": 0.2, "input_wait": 0.2, "host": 0.1, "untraced": 0})
    assert [each.value for each in StepGroup] == list(shares) == [group.key for group in Group]


def test_a_step_without_time_has_shares_of_nothing() -> None:
    assert set(structs.asdict(step_shares(np.zeros(len(TimeClass)), 0.0)).values()) == {0.0}


def test_step_times_of_a_session_and_of_one_worker() -> None:
    session = drawn(ranks=2)
    for found in (session.summary, session.breakdown(0)):
        times = step_times(found)
        assert (times.median, times.p95, times.typical) == (pytest.approx(10), pytest.approx(10), pytest.approx(10))
