"""Compilation after the first two steps: how much of their time, from which function, and when it is no pattern."""

from __future__ import annotations

import pytest

from analyses.timeline import MS
from rules.cases import BUSY
from rules.pictures import repeated, training
from stepscope.analyses.session.summary import summarise
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Profile
from stepscope.rules.facts import Facts
from stepscope.rules.lever import Action
from stepscope.rules.recompile import look
from stepscope.rules.rule import CannotTell, Pattern, Quiet, Seen

COMPILES = "main: cccl......; gpu 0: ....KKKKKK"
BRIEFLY = f"main: cl{'.' * 198}; gpu 0: ..{'K' * 198}"
LONG = f"main: .l{'.' * 198}; gpu 0: ..{'K' * 198}"


def seen(profile: Profile) -> Seen:
    return look(Facts(summarise([profile])))


def test_in_every_step_it_is_time_that_a_change_takes_from_the_step() -> None:
    found = seen(repeated(COMPILES))
    assert isinstance(found, Pattern)
    assert found.lever is not None
    assert (found.lever.action, found.lever.takes) == (Action.COMPILING, {TimeClass.COMPILE: pytest.approx(3 * MS)})
    assert (found.holds_in, found.of_window) == (1.0, None)


def test_in_some_steps_it_is_a_share_of_the_recording() -> None:
    found = seen(training(BUSY, BUSY, COMPILES, BUSY, COMPILES, BUSY))
    assert isinstance(found, Pattern)
    # Two of the four later steps compile for 3 of their 10 ms.
    assert (found.lever, found.of_window) == (None, {TimeClass.COMPILE: pytest.approx(6 / 40)})


def test_the_first_two_steps_may_compile() -> None:
    assert isinstance(seen(training(COMPILES, COMPILES, *[BUSY] * 4)), Quiet)
    assert isinstance(seen(training(COMPILES, COMPILES)), CannotTell)


def test_one_short_compilation_is_no_pattern_and_two_are() -> None:
    assert isinstance(seen(training(LONG, LONG, BRIEFLY, LONG, LONG)), Quiet)
    assert isinstance(seen(training(LONG, LONG, BRIEFLY, BRIEFLY, LONG)), Pattern)


def test_the_evidence_leads_to_a_compilation() -> None:
    found = seen(training(BUSY, BUSY, *[COMPILES] * 4, names={"c": "jit(train_step)"}))
    assert isinstance(found, Pattern)
    spans = [line.spans for line in found.evidence if line.spans is not None]
    assert [(each.start_ns / MS % 10, (each.end_ns - each.start_ns) / MS) for each in spans] == [(0, 3)]
    assert "jit(train_step)" in found.evidence[0].text
