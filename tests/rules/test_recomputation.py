"""Recomputed activations are a loss only where the memory to keep them is free."""

from __future__ import annotations

import pytest

from analyses.timeline import MS
from rules.pictures import with_levels
from rules.special_cases import computing
from stepscope.analyses.session.summary import summarise
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Profile
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action
from stepscope.rules.recomputation import look
from stepscope.rules.rule import CannotTell, Pattern, Quiet, Seen

CAPACITY = 100 << 20


def recomputing() -> Profile:
    """Steps of 11 ms, 3 of which compute activations a second time."""
    return computing("", 1.0, "jit(step)/rematted_computation/dot", 3)


def seen(profile: Profile) -> Seen:
    return look(Facts(summarise([profile])))


def test_the_change_takes_away_the_spans_that_compute_again() -> None:
    found = seen(with_levels(recomputing(), 40 << 20, 50 << 20, CAPACITY))
    assert isinstance(found, Pattern)
    assert found.lever is not None
    assert (found.lever.action, found.lever.takes) == (Action.SPANS, {TimeClass.COMPUTE: pytest.approx(3 * MS)})
    assert found.lever.rows is not None
    spans = recomputing().spans
    assert {int(spans.end[row] - spans.start[row]) for row in found.lever.rows[0]} == {3 * MS}
    assert found.holds_in == 1.0


@pytest.mark.parametrize(("allocated", "kind"), [(69 << 20, Pattern), (71 << 20, Quiet)], ids=["31 % free", "29 % free"])
def test_less_than_three_tenths_free_is_no_room(allocated: int, kind: type[Seen]) -> None:
    assert isinstance(seen(with_levels(recomputing(), allocated, allocated, CAPACITY)), kind)


def test_without_memory_nothing_can_be_said_and_without_recomputing_nothing_is_lost() -> None:
    assert isinstance(seen(recomputing()), CannotTell)
    assert isinstance(seen(computing("", 1.0)), Quiet)
