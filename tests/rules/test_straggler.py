"""Which rank holds up the others: named by its place, by how much, and with a change only where a replay knows one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyses.timeline import MS
from rules.pictures import two_ranks
from stepscope.analyses.session.summary import Summary, summarise
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Profile
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action
from stepscope.rules.rule import CannotTell, Pattern, Quiet, Seen
from stepscope.rules.straggler import look


def seen(profiles: list[Profile]) -> Seen:
    return look(Facts(summarise(profiles)))


def unmatched(profiles: list[Profile]) -> Summary:
    """The summary as if collectives told nothing of who waits for whom."""
    found = summarise(profiles)
    return replace(found, collected=replace(found.collected, late=None))


def in_stages(profiles: list[Profile], *stages: int) -> Summary:
    """The summary as if ranks were stages of a pipeline."""
    found = summarise(profiles)
    return replace(found, collected=replace(found.collected, stages=stages))


@pytest.mark.parametrize("late", [0, 1])
def test_the_lever_is_on_the_rank_that_computes_longer_by_what_it_is_late(late: int) -> None:
    own = (60, 20) if late == 0 else (20, 60)
    found = seen(two_ranks([own] * 5))
    assert isinstance(found, Pattern)
    assert found.lever is not None
    assert (found.lever.action, found.lever.rank, found.holds_in) == (Action.STRAGGLER, late, 1.0)
    # Of 40 ms that one of two ranks computes longer, each does 20 when they share them.
    assert (found.lever.takes, found.lever.factor) == ({TimeClass.COMPUTE: pytest.approx(20 * MS)}, 0.5)
    assert f"rank {late}" in found.title


def test_ranks_that_take_turns_are_no_stragglers() -> None:
    assert isinstance(seen(two_ranks([(20, 60), (60, 20)] * 2)), Quiet)


def test_ranks_of_the_same_work_are_none_either() -> None:
    assert isinstance(seen(two_ranks([(40, 40)] * 5)), Quiet)


def test_one_rank_of_a_job_does_not_tell_and_a_job_of_one_rank_has_none() -> None:
    one = two_ranks([(20, 60)] * 5)[0]
    assert isinstance(seen([one]), CannotTell)
    alone = [replace(profile, world_size=1) for profile in two_ranks([(90, 90)] * 5, transfer=0)[:1]]
    assert isinstance(seen(alone), Quiet)


def test_without_matched_collectives_common_steps_tell_and_without_those_nothing() -> None:
    first, second = two_ranks([(20, 60)] * 5)
    later = replace(second, markers=replace(second.markers, number=second.markers.number + 100))
    assert isinstance(look(Facts(unmatched([first, second]))), Pattern)
    assert isinstance(look(Facts(unmatched([first, later]))), CannotTell)


def test_a_slow_stage_is_not_promised_a_gain() -> None:
    found = look(Facts(in_stages(two_ranks([(20, 60)] * 5), 0, 1)))
    assert isinstance(found, Pattern)
    assert (found.lever, found.urgent) == (None, True)
    assert "rank 1" in found.summary
    assert "rank 0" not in found.summary


def test_a_rank_is_compared_with_those_of_its_stage() -> None:
    fast, slow = two_ranks([(20, 60)] * 5)
    found = look(Facts(in_stages([fast, slow, replace(fast, rank=2)], 0, 0, 1)))
    assert isinstance(found, Pattern)
    assert (found.lever, found.urgent, found.holds_in) == (None, True, 1.0)
    assert "rank 1" in found.title


@pytest.mark.parametrize(("often", "kind"), [(5, Quiet), (6, Pattern)])
def test_the_longest_work_in_three_of_five_steps_makes_a_straggler(often: int, kind: type[Seen]) -> None:
    own = [(20, 60)] * often + [(60, 59)] * (10 - often)
    assert isinstance(look(Facts(unmatched(two_ranks(own)))), kind)


def test_stages_of_equal_work_are_quiet() -> None:
    assert isinstance(look(Facts(in_stages(two_ranks([(40, 40)] * 5), 0, 1))), Quiet)
