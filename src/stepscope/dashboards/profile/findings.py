"""What rules found in a session, as the overview answers it."""

from __future__ import annotations

from collections.abc import Sequence

from stepscope.dashboards.profile import messages as m
from stepscope.model.profile import Profile
from stepscope.rules.rule import Evidence, Finding

_MS = 1e6


def finding_rows(findings: Sequence[Finding], workers: Sequence[str], profiles: Sequence[Profile]) -> list[m.FindingRow]:
    """All rules, those that fire first; the change is for the framework of the first worker."""
    framework = profiles[0].framework
    return [_row(each, framework, workers, profiles) for each in findings]


def _row(found: Finding, framework: str, workers: Sequence[str], profiles: Sequence[Profile]) -> m.FindingRow:
    gain = found.gain
    return m.FindingRow(
        rule=found.rule,
        verdict=found.verdict.value,
        title=found.title,
        summary=found.summary,
        evidence=[m.EvidenceRow(line.text, _place(line, workers, profiles)) for line in found.evidence],
        gain=None if gain is None else m.GainRow(gain.low, gain.high, gain.kind.value, gain.weak),
        step_ms=found.step_ms,
        change=found.code.of(framework),
        wrong_when=found.wrong_when,
        option=found.option,
    )


def _place(line: Evidence, workers: Sequence[str], profiles: Sequence[Profile]) -> m.SpanPlace | None:
    spans = line.spans
    if spans is None:
        return None
    profile = profiles[spans.rank]
    start = profile.window[0]
    return m.SpanPlace(
        worker=workers[spans.rank],
        track=spans.track,
        track_name=profile.tracks[spans.track].name,
        rows=profile.rows_in_file(spans.first_row, spans.last_row),
        start_ms=(spans.start_ns - start) / _MS,
        end_ms=(spans.end_ns - start) / _MS,
    )
