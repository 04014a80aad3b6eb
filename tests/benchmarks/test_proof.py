"""What each rule was proven on: counted from the results, and the same in the package, on the pages and in the answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from rules.cases import FIRST_CASES
from rules.special_cases import SPECIAL_CASES
from stepscope.rules.all_rules import ALL_RULES
from stepscope.rules.proven_on import REAL, trainings
from stepscope.rules.rule import Rule, Verdict
from truth import proof

WRITE_ANEW = "write it anew: PYTHONPATH=src:benchmarks python benchmarks/truth/proof.py"


def pair(rule: str, framework: str = "torch", *, named: bool = True, spread: float = 0.02) -> dict[str, Any]:
    timed = {"median_ms": 1.0, "spread": spread}
    return {"first": rule, "named_first": named, "framework": framework, "before": timed, "after": timed}


def held_out(rule: str, outcome: str = "first", not_counted: str = "") -> dict[str, Any]:
    return {"framework": "keras", "not_counted": not_counted, "judged": {"default": {"outcome": outcome, "first": rule}}}


def test_only_what_was_first_right_and_clear_counts() -> None:
    rows = [pair("a"), pair("a", "gloo"), pair("a", "jax"), pair("b", named=False), pair("c", spread=0.5)]
    assert proof.pairs_of(rows) == {"a": {"PyTorch": 2, "JAX": 1}}
    measured = [held_out("a"), held_out("b", "wrong_first"), held_out("c", not_counted="too noisy"), {"not_counted": "failed"}]
    assert proof.held_out_of(measured) == {"a": {"Keras": 1}}


def test_the_table_is_that_of_the_results() -> None:
    assert proof.TABLE.read_text() == proof.module(*proof.stored()), WRITE_ANEW
    assert set(REAL) <= {rule.id for rule in ALL_RULES}
    assert all(trainings(rule) for rule in REAL)
    assert trainings("no such rule") == 0


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.id)
def test_the_page_is_that_of_the_results(rule: Rule) -> None:
    page = (proof.PAGES / f"{rule.id}.md").read_text()
    assert page == proof.with_section(page, proof.text(rule.id, *proof.stored())), WRITE_ANEW


@pytest.mark.parametrize("rule", ALL_RULES, ids=lambda rule: rule.id)
def test_every_other_rule_fires_on_a_drawn_trace(rule: Rule) -> None:
    drawn = {case.rule for case in (*FIRST_CASES, *SPECIAL_CASES) if case.verdict is Verdict.FIRES}
    assert rule.id in drawn, "a rule without any proof is not published"


def test_a_section_is_replaced_and_stays_last() -> None:
    once = proof.with_section("# A\n\n## B\n\ntext\n", "said")
    assert once == "# A\n\n## B\n\ntext\n\n## Proven on\n\nsaid\n"
    assert proof.with_section(once, "other") == once.replace("said", "other")
