"""Every rule fires, stays quiet and cannot tell where it should, on drawn trainings whose fault and gain are known."""

from __future__ import annotations

import pytest

from rules.cases import FIRST_CASES, Case
from rules.pictures import said_nothing
from rules.special_cases import SPECIAL_CASES
from stepscope.rules.all_rules import ALL_RULES
from stepscope.rules.rule import Verdict

CASES = [*FIRST_CASES, *SPECIAL_CASES]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}-{case.verdict.value}")
def test_a_rule_speaks_where_it_should(case: Case) -> None:
    found = case.finding()
    assert (found.verdict, case.missing(found.summary)) == (case.verdict, [])


@pytest.mark.parametrize("case", [each for each in CASES if each.share is not None], ids=lambda case: case.rule)
def test_the_gain_is_what_can_be_counted(case: Case) -> None:
    found = case.finding(bounds=True)
    assert found.gain is not None
    assert (found.gain.low, found.gain.high) == (pytest.approx(case.share), pytest.approx(case.share))


@pytest.mark.parametrize("case", [each for each in CASES if each.verdict is Verdict.QUIET], ids=lambda case: case.rule)
def test_what_is_quiet_saw_nothing_rather_than_little(case: Case) -> None:
    assert said_nothing(case.finding())


def test_every_rule_has_an_example_of_each() -> None:
    wanted = {Verdict.FIRES, Verdict.QUIET, Verdict.CANNOT_TELL}
    assert {(case.rule, case.verdict) for case in CASES} == {(rule.id, verdict) for rule in ALL_RULES for verdict in wanted}


@pytest.mark.parametrize("case", [each for each in CASES if each.verdict is Verdict.FIRES], ids=lambda case: case.rule)
def test_what_fires_shows_its_evidence_and_the_change(case: Case) -> None:
    found = case.finding()
    assert found.evidence
    assert all(line.text.endswith(".") for line in found.evidence)
    assert found.wrong_when
    # What to change about slow steps is known for some of their parts alone.
    assert found.rule == "slow_steps" or all((found.code.tensorflow, found.code.pytorch, found.code.jax))


@pytest.mark.parametrize("case", [each for each in CASES if each.verdict is Verdict.CANNOT_TELL], ids=lambda case: case.rule)
def test_what_cannot_tell_names_what_would_show_it(case: Case) -> None:
    found = case.finding()
    assert found.option
    assert (found.gain, found.evidence) == (None, ())
