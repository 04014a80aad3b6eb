"""Findings of a report: every rule once, with the place of its evidence and the code for the framework."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyses.timeline import timeline
from session.drawn_sessions import INPUT_BOUND, analysed, drawn
from stepscope.rules.all_rules import ALL_RULES
from stepscope.rules.rule import Verdict as RuleVerdict
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.report import REPORT, ReportWanted
from stepscope.session.report.columns import FindingRow, Verdict
from stepscope.session.report.findings import checked_rules


def rows(session: AnalysedSession) -> dict[str, FindingRow]:
    return {row.rule: row for row in REPORT.make(session, ReportWanted()).findings}


def test_every_rule_has_a_row_and_those_that_fire_come_first() -> None:
    found = rows(drawn())
    assert set(found) == {rule.id for rule in ALL_RULES}
    assert next(iter(found.values())).verdict is Verdict.FIRES
    assert found["input_bound"].verdict is Verdict.FIRES
    gain = found["input_bound"].gain
    assert gain is not None
    assert (gain.of, 0 < gain.low <= gain.high <= 0.31) == ("step", True)
    step = found["input_bound"].step_ms
    assert step is not None
    assert step.low == pytest.approx(7, abs=0.3)


def test_evidence_leads_to_rows_of_the_file_and_times_since_its_start() -> None:
    session = drawn()
    (place,) = [line.spans for line in rows(session)["input_bound"].evidence if line.spans is not None]
    assert (place.worker, place.file, place.track, place.end_ms - place.start_ms) == ("worker0", "drawn", "main", 3)
    assert place.rows is not None
    assert session.profiles[0].spans.start[place.rows[0]] / 1e6 == place.start_ms
    part = analysed(timeline(INPUT_BOUND), chosen="3:5")
    (later,) = [line.spans for line in rows(part)["input_bound"].evidence if line.spans is not None]
    assert later.rows is not None
    assert session.profiles[0].spans.start[later.rows[0]] / 1e6 in {20, 30}


@pytest.mark.parametrize("framework", ["TensorFlow", "PyTorch", "JAX"])
def test_the_code_is_of_the_framework(framework: str) -> None:
    session = analysed(replace(timeline(INPUT_BOUND), framework=framework))
    row = rows(session)["input_bound"]
    assert row.code == {"TensorFlow": row.change.tensorflow, "PyTorch": row.change.pytorch, "JAX": row.change.jax}[framework]
    assert row.code


def test_rules_are_counted_once_and_notes_are_quiet() -> None:
    session = drawn()
    judged, counted = session.judged(), checked_rules(session.judged())
    assert counted.rules == counted.fires + counted.quiet + counted.cannot_tell == len(ALL_RULES)
    assert counted.fires == sum(row.verdict is Verdict.FIRES for row in rows(session).values())
    noted = replace(judged, findings=tuple(replace(each, verdict=RuleVerdict.NOTE) for each in judged.findings))
    assert (checked_rules(noted).noted, checked_rules(noted).quiet) == (len(ALL_RULES), len(ALL_RULES))
