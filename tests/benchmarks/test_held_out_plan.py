"""The held-out list of benchmarks/truth: the same for the same seed, fixed before it was measured, with every factor in it."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from stepscope.rules.all_rules import ALL_RULES
from truth.held_out.plan import CAUSES, DEVELOPMENT_SEED, DOUBLES, HELD_OUT_SEED, MODELS, SEVERITIES, SIZES, digest, draw

COMMITTED = (20261119, "67250dd6a47bab12")
"""Seed and list as they were before the first measurement. Whoever changes them starts a new set, and says so on its page."""
SEEDS = (HELD_OUT_SEED, DEVELOPMENT_SEED, 2, 3)


def test_the_held_out_list_is_the_one_that_was_committed() -> None:
    assert (HELD_OUT_SEED, digest(draw(HELD_OUT_SEED))) == COMMITTED


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seed_draws_one_list(seed: int) -> None:
    assert draw(seed) == draw(seed)
    assert len({case.name for case in draw(seed)}) == len(draw(seed))


def test_seeds_draw_different_lists() -> None:
    assert len({digest(draw(seed)) for seed in SEEDS}) == len(SEEDS)
    assert set(draw(HELD_OUT_SEED)) != set(draw(DEVELOPMENT_SEED))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("framework", CAUSES)
def test_every_factor_is_covered(seed: int, framework: str) -> None:
    mine = [case for case in draw(seed) if case.framework == framework]
    single = [case for case in mine if len(case.causes) == 1]
    assert {case.causes[0] for case in single} == set(CAUSES[framework])
    assert {case.severity for case in single} == set(SEVERITIES)
    assert {case.model for case in mine if case.causes} == set(MODELS)
    assert {case.size for case in mine if case.causes} == set(SIZES)
    assert len({case.causes for case in mine if len(case.causes) == 2}) in range(1, DOUBLES + 1)
    assert Counter(case.model for case in mine if not case.causes) == Counter(MODELS), "each model is trained clean once"


@pytest.mark.parametrize("seed", SEEDS)
def test_severities_are_dealt_evenly_and_only_where_a_cause_can_have_them(seed: int) -> None:
    cases = draw(seed)
    for case in cases:
        if len(case.causes) == 1:
            assert case.severity in CAUSES[case.framework][case.causes[0]].severities
        for cause in case.causes if len(case.causes) == 2 else ():
            assert CAUSES[case.framework][cause].with_others
    counts = Counter(case.severity for case in cases if len(case.causes) == 1)
    assert max(counts.values()) <= 1.5 * min(counts.values())


def test_the_rules_that_name_causes_exist() -> None:
    known = {rule.id for rule in ALL_RULES}
    for causes in CAUSES.values():
        for cause in causes.values():
            assert cause.rules
            assert set(cause.rules) <= known
