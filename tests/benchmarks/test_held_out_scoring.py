"""Scores of the held-out set with known answers: outcomes, ranges, bounds, noise, false alarms and harm, and how they are written."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from truth.held_out import measure, page
from truth.held_out.plan import HELD_OUT_SEED, Case
from truth.held_out.rounds import TOO_WIDE
from truth.held_out.scoring import counted, judged, outcome, promise, scored, why_not_counted
from truth.held_out.training import Way, pieces, units_for
from truth.page import table

SLOW = Case("a", "torch", "mlp", "small", ("input_wait",), 0.4)
CLEAN = Case("b", "torch", "mlp", "small", (), 0.0)
TWO = Case("c", "torch", "mlp", "small", ("gc", "input_wait"), 0.25)
Found = dict[str, Any]


def fires(rule: str, low: float = 5.0, high: float = 7.0, kind: str = "removes") -> Found:
    return {"rule": rule, "verdict": "fires", "step_ms": {"low": low, "high": high}, "gain": {"kind": kind}, "option": ""}


def silent(rule: str, verdict: str, option: str = "") -> Found:
    return {"rule": rule, "verdict": verdict, "step_ms": None, "gain": None, "option": option}


def timed(ms: float, width: float = 0.02) -> Found:
    return {"median_ms": ms, "low_ms": ms * (1 - width / 2), "high_ms": ms * (1 + width / 2), "steps": 50}


@pytest.mark.parametrize(
    ("findings", "expected"),
    [
        ([fires("input_bound"), fires("host_bound")], "first"),
        ([fires("host_bound"), fires("input_bound")], "named"),
        ([fires("host_bound"), silent("input_bound", "quiet")], "wrong_first"),
        ([fires("device_idle"), silent("input_bound", "cannot_tell", "with_stack=True")], "asks"),
        ([silent("input_bound", "cannot_tell", "with_stack=True")], "not_named"),
        ([fires("host_bound"), fires("device_idle"), silent("input_bound", "cannot_tell", "with_stack=True")], "wrong_first"),
        ([fires("device_idle"), fires("host_bound"), silent("input_bound", "cannot_tell", "with_stack=True")], "asks"),
        ([fires("device_idle"), fires("input_bound")], "named"),
        ([fires("device_idle"), silent("input_bound", "quiet")], "not_named"),
        ([], "not_named"),
    ],
)
def test_how_a_cause_was_named(findings: list[Found], expected: str) -> None:
    assert outcome(SLOW.rules, findings) == expected
    assert judged(SLOW, timed(10), timed(6), findings)["outcome"] == expected


def test_a_range_contains_and_a_bound_is_not_beaten() -> None:
    assert promise(fires("input_bound", 5, 7), 6.0) == {"low_ms": 5, "high_ms": 7, "bound": False, "held": True, "width": 2 / 6}
    assert not promise(fires("input_bound", 5, 7), 4.9)["held"]
    assert not promise(fires("input_bound", 5, 7), 7.1)["held"]
    assert promise(fires("input_bound", 5, 5, "at_best"), 9.0)["held"]
    assert not promise(fires("input_bound", 5, 5, "at_best"), 4.0)["held"], "a bound that reality beats is wrong"
    assert promise(fires("input_bound", 5, 5, "at_best"), 9.0)["width"] is None


def test_two_causes_are_named_when_each_is() -> None:
    both = judged(TWO, timed(10), timed(5), [fires("input_bound"), fires("garbage_collection")])
    one = judged(TWO, timed(10), timed(5), [fires("input_bound")])
    assert (both["outcome"], both["all_named"], one["all_named"]) == ("first", True, False)
    assert "held" not in both, "the range of one change is not the step after both"


def test_clean_trainings_have_false_alarms() -> None:
    assert judged(CLEAN, timed(10), timed(10), [fires("host_bound")])["outcome"] == "false_alarm"
    assert judged(CLEAN, timed(10), timed(10), [fires("device_idle")])["outcome"] == "asked"
    assert judged(CLEAN, timed(10), timed(10), [silent("device_idle", "quiet")])["outcome"] == "quiet"


def test_what_is_not_counted() -> None:
    assert why_not_counted(SLOW, timed(10), timed(6)) == ""
    assert why_not_counted(SLOW, timed(10), timed(6, TOO_WIDE + 0.01)) == "too noisy"
    assert why_not_counted(SLOW, timed(10), timed(9.5)) == "no effect"
    assert why_not_counted(CLEAN, timed(10), timed(10)) == ""


def row(case: Case, findings: list[Found], after: float = 6.0, **more: Any) -> Found:
    before, then = timed(10), timed(after)
    said = scored(case, before, then, dict.fromkeys(("default", "recommended"), findings))
    facts = {"name": case.name, "framework": case.framework, "model": case.model, "size": case.size, "causes": list(case.causes)}
    return {**facts, **said, "severity": case.severity, "not_counted": "", **more}


ROWS = [
    row(SLOW, [fires("input_bound")]),
    row(SLOW, [fires("input_bound", 7, 8)]),
    row(SLOW, [fires("input_bound", 7, 8)], after=11.0),
    row(SLOW, [fires("host_bound")], advice={"rule": "host_bound", "slower": True}),
    row(SLOW, [], not_counted="too noisy"),
    row(TWO, [fires("garbage_collection"), fires("input_bound")]),
    row(CLEAN, [fires("device_idle")]),
    row(CLEAN, [fires("host_bound")], advice={"rule": "host_bound", "slower": False}),
]


def test_the_counts() -> None:
    found = counted(ROWS, "default")
    assert found["outcomes"] == {"first": 4, "named": 0, "asks": 0, "not_named": 0, "wrong_first": 1}
    assert (found["causes"], found["two_causes"], found["both_named"]) == (5, 1, 1)
    assert (found["clean"], found["false_alarms"], found["asked"]) == (2, 1, 1)
    assert (found["promised"], found["held"]) == (3, 1)
    assert found["median_width"] == pytest.approx(1 / 6)
    assert (found["harmful"], found["tried"]) == (2, 6), "a repaired step that is slower, and advice that made it slower"
    assert counted(ROWS, "recommended")["tried"] == 4, "advice is followed for the default options only"
    assert found["not_counted"] == {"too noisy": 1}
    assert found["levers"] == {"input": {"cases": 4, "first": 3, "promised": 3, "held": 1}}
    assert found["severities"] == {"40%": {"cases": 4, "first": 3, "promised": 3, "held": 1}}
    assert found["frameworks"]["torch"]["cases"] == 5


def results() -> Found:
    told = counted(ROWS, "default")
    facts = {"seed": 3, "list": "abc", "planned": 8, "failed": 1, "commit": "0123", "date": "2026-01-02", "libraries": {"torch": "2"}}
    broken = {"name": "d", "framework": "jax", "model": "mlp", "size": "small", "causes": ["sync"], "severity": 0.4}
    return {
        **facts,
        "machine": {"cores": 2, "processor": "a processor"},
        "counts": {"default": told, "recommended": told},
        "cases": [*ROWS, broken],
    }


def test_the_page_has_the_counts_and_every_training() -> None:
    found = results()
    text = "\n".join([page.measured_on(found), *page.counts(found, table), *page.cases(found, table)])
    assert "| named first | 4 | 4 |" in text
    rows = [[cell.strip() for cell in line.split("|")[2:-1]] for line in text.splitlines() if line.startswith("| ")]
    assert ["1 of 3", "1 of 3"] in rows, "estimates that contain the measured step"
    assert ["2 of 6", "2 of 6"] in rows, "advice that made the step slower"
    assert ["1 of 2", "1 of 2"] in rows, "clean trainings that are only asked to record more"
    assert page.asked({"clean": 2}) == "", "counts of an earlier release have no such number"
    assert "| change: input | 4 | 3 | 1 of 3 |" in text
    assert [each for each in ("0123", "2026-01-02", "torch 2", "1 too noisy") if each not in text] == []
    listed = text.split("| Training |")[1].splitlines()[2:]
    assert len(listed) == len(found["cases"])


def test_a_case_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "trained", lambda *_: {"error": "it broke"})
    found = measure.measure_case(SLOW, "python")
    assert (found["not_counted"], found["error"]) == ("failed", "it broke")
    assert "it broke" in measure.line(found)


def test_a_run_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[str] = []

    def one(case: Case, *_: object) -> Found:
        asked.append(case.name)
        return row(case, []) | {"name": case.name}

    monkeypatch.setattr(measure, "ROOT", tmp_path)
    monkeypatch.setattr(measure, "measure_case", one)
    monkeypatch.setattr(measure, "libraries", lambda _: {})
    monkeypatch.setattr(measure, "commit", lambda: "0123")
    first = measure.measure(1, "python", most=3)
    again = measure.measure(1, "python", most=3)
    assert (len(first["cases"]), len(again["cases"]), len(set(asked))) == (3, 6, 6)
    monkeypatch.setattr(measure, "commit", lambda: "4567")
    assert len(measure.measure(1, "python", most=1)["cases"]) == 1, "other code is measured anew"


def test_units_take_the_time_that_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    def slow(units: int) -> Any:
        def work(_: int) -> None:
            nonlocal now
            now += 1e-3 * (0.5 + 0.1 * units)

        return work

    monkeypatch.setattr("truth.held_out.training.time.perf_counter", lambda: now)
    assert units_for(Way("after", slow), 4.0) == 35
    assert units_for(Way("after", slow), 0.1) == 1


def test_repaired_pieces_may_be_elsewhere() -> None:
    ways = {"sync": Way("sync", lambda _: print, lambda _: print, "beside"), "gc": Way("after", lambda _: print)}
    assert set(pieces(ways, {"sync": 1, "gc": 1}, slow=True)) == {"sync", "after"}
    assert set(pieces(ways, {"sync": 1, "gc": 1}, slow=False)) == {"beside"}


def test_earlier_and_development_seeds_are_named_as_such(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = results()
    monkeypatch.setattr(page, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(page, "EARLIER", tmp_path / "earlier.json")
    monkeypatch.setattr(page, "DEVELOPMENT", tmp_path / "development.json")
    assert f"seed {HELD_OUT_SEED}" in page.section(table)[2]
    page.RESULTS.write_text(json.dumps(found))
    page.EARLIER.write_text(json.dumps([page.without_cases(found | {"seed": 2})]))
    page.DEVELOPMENT.write_text(json.dumps({"seeds": [1, 2], "date": "2026-01-01", "counts": found["counts"]}))
    text = "\n".join(page.section(table))
    assert f"seed {HELD_OUT_SEED}" in text, "what is stored is of the seed before, shown until the next is measured"
    (earlier,) = (line for line in text.splitlines() if line.startswith("- Seed 2, 2026-01-02"))
    assert [part for part in ("`0123`", "4 of 5", "1 of 3") if part not in earlier] == []
    assert "### Development seeds" in text
    assert text.count("| named first | 4 | 4 |") == 2
    assert text.count("| advice followed") == 1, "recordings that are judged again tell no harm"
    page.RESULTS.write_text(json.dumps(found | {"seed": HELD_OUT_SEED}))
    assert f"seed {HELD_OUT_SEED}," not in "\n".join(page.section(table))
