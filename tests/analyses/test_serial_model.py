"""Without a device, work that goes saves at least the time it had alone and at most the time it ran."""

from __future__ import annotations

import numpy as np
import pytest

from analyses.timeline import MS, timeline
from stepscope.analyses.breakdown import Breakdown, break_down
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.serial_model import Savings, idle_around, savings
from stepscope.model.profile import Profile, SpanKind

STEPS = "main     1111111111222222222233333333334444444444"


def drawn(main: str, pool: str = "") -> tuple[Profile, Breakdown]:
    lines = [STEPS, f"main     {main * 4}", *([f"pool 1   {pool * 4}"] if pool else [])]
    profile = timeline("\n".join(lines))
    return profile, break_down(profile)


def without(kind: SpanKind, found: tuple[Profile, Breakdown], factor: float = 0.0, *, moved: bool = False) -> tuple[float, float]:
    """Milliseconds of a typical step that are saved when spans of a kind take only a part of their time."""
    profile, breakdown = found
    saved = savings(profile, breakdown, np.where(profile.spans.kind == kind, factor, 1.0), moved=moved)
    assert len(set(saved.least)) == len(set(saved.most)) == 1
    return saved.least[0] / MS, saved.most[0] / MS


def test_work_that_runs_alone_is_saved_whole() -> None:
    assert without(SpanKind.INPUT, drawn("iiiooooooo")) == (3, 3)
    assert without(SpanKind.INPUT, drawn("iiiooooooo"), factor=0.5) == (1.5, 1.5)
    assert without(SpanKind.GC, drawn("iiiooooooo")) == (0, 0)


def test_work_beside_other_work_may_save_less() -> None:
    # Input from 2 to 6 ms, operations until 4 ms and from 8 ms on.
    least, most = without(SpanKind.INPUT, drawn("oooo....oo", "..iiii...."), moved=True)
    assert (least, most) == (pytest.approx(2), pytest.approx(4))


def test_no_more_than_other_work_leaves_room_for() -> None:
    # Eight milliseconds of operations stay, whatever goes.
    least, most = without(SpanKind.INPUT, drawn("oooooooo..", "iiiiiiiiii"), moved=True)
    assert (least, most) == (pytest.approx(2), pytest.approx(2))


def test_two_changes_add_up() -> None:
    one, other = Savings(np.array([1.0]), np.array([2.0])), Savings(np.array([10.0]), np.array([20.0]))
    both = one.plus(other)
    assert (both.least.tolist(), both.most.tolist()) == ([11.0], [22.0])


def test_gaps_between_work_are_those_that_hold_the_class() -> None:
    profile, breakdown = drawn("oopp.oo...")
    begins, ends = idle_around(profile, breakdown, [TimeClass.PYTHON])
    assert list(zip((begins / MS).tolist(), (ends / MS).tolist(), strict=True)) == [(2, 5), (12, 15), (22, 25), (32, 35)]
