"""Recommendations as lines: at most three, with gain, evidence and code, and what to record for rules that cannot tell."""

from __future__ import annotations

from typing import Any

import pytest

from stepscope.cli.profile.findings import finding_lines
from stepscope.session.report.columns import ChangeCode, CheckedRules, EvidenceRow, FindingRow, GainRow, Verdict

CHECKED = CheckedRules(rules=9, fires=1, quiet=7, noted=0, cannot_tell=1, text="9 rules checked.")


def finding(title: str, verdict: Verdict = Verdict.FIRES, **more: Any) -> FindingRow:
    known: dict[str, Any] = {
        "rule": "rule",
        "noted": False,
        "summary": "It waits.",
        "evidence": [],
        "gain": None,
        "step_ms": None,
        "promise": "It gains.",
        "code": "",
        "change": ChangeCode(tensorflow="", pytorch="", jax=""),
        "wrong_when": "When it is small.",
        "option": "",
        "proven": "drawn",
        "proven_trainings": 0,
    }
    return FindingRow(title=title, verdict=verdict, **known | more)


def gain(low: float, high: float, **more: Any) -> GainRow:
    return GainRow(**{"low": low, "high": high, "kind": "removes", "weak": False, "of": "step"} | more)


def test_three_at_most_in_their_order_and_numbered() -> None:
    lines = finding_lines([finding(f"Change {each}") for each in "abcde"], CHECKED)
    assert [line.strip() for line in lines if line.startswith("  ") and line[2:3].isdigit() and line[3] == "."] == [
        "1. Change a",
        "2. Change b",
        "3. Change c",
    ]
    assert f"  {CHECKED.text}" in lines


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (gain(0.1, 0.3), ["10–30%"]),
        (gain(0.299, 0.301), ["(30%"]),
        (gain(0.1, 0.3, of="recording"), ["10–30%", "profile"]),
        (gain(0.1, 0.1, kind="at_best"), ["10%", "upper bound"]),
        (gain(0.1, 0.1, weak=True), ["10%", "rough estimate"]),
    ],
)
def test_the_gain_stands_behind_the_title(found: GainRow, words: list[str]) -> None:
    line = finding_lines([finding("Change", gain=found)], CHECKED)[1]
    assert [word for word in words if word not in line] == []


def test_evidence_and_code_are_below_and_cannot_move_the_cursor() -> None:
    evidence = [EvidenceRow(text=f"Span {each}\x1b[2J.", spans=None) for each in range(6)]
    lines = finding_lines([finding("Change", evidence=evidence, code="if fast:\n    go()")], CHECKED)
    assert [line.strip()[:8] for line in lines if line.startswith("     - ")] == [f"- Span {each}" for each in range(4)]
    assert "           go()" in lines
    assert not any("\x1b" in line for line in lines)


def test_lines_fit_a_terminal() -> None:
    lines = finding_lines([finding("Change " * 30, summary="It waits. " * 40)], CHECKED)
    assert max(map(len, lines)) <= 80


def test_without_a_change_it_says_so() -> None:
    quiet, fired = finding_lines([finding("Quiet", Verdict.QUIET)], CHECKED), finding_lines([finding("Change")], CHECKED)
    assert len(quiet) == 3
    assert "3%" in quiet[1]
    assert not any("3%" in line for line in fired)


def test_what_to_record_names_the_rules_that_need_it() -> None:
    untold = [finding(f"Rule {each}", Verdict.CANNOT_TELL, option="Record shapes.") for each in "ab"]
    more = [finding("CPU use", Verdict.CANNOT_TELL, option=f"Option {each}.") for each in range(6)]
    lines = finding_lines([*more, *untold], CHECKED)
    start = next(place for place, line in enumerate(lines) if not line) + 2
    assert lines[start].strip() == "- Record shapes. (rule a, rule b)"
    assert "CPU use" in lines[start + 1]
    assert (len(lines[start:]), "2 more" in lines[-1]) == (6, True)
