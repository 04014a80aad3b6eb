"""What the rules say of a session: each rule's verdict with its evidence, estimated gain and code."""

from __future__ import annotations

from collections.abc import Sequence

from stepscope.analyses.session.summary import Summary
from stepscope.analyses.steps import step_of_work
from stepscope.model import declared as d
from stepscope.model.profile import NONE
from stepscope.rules import rule as r
from stepscope.rules.judge import Judgement
from stepscope.rules.proven_on import trainings
from stepscope.session.report.columns import ChangeCode, CheckedRules, EvidenceRow, FindingRow, GainRow, SpanPlace, StepRange, Verdict

_MS = 1e6


def finding_rows(judged: Judgement, workers: Sequence[str], summary: Summary, files: Sequence[str]) -> list[FindingRow]:
    """All rules, those that fire first, by gain; `workers` and `files` belong to the profiles of the summary."""
    profiles = summary.profiles
    return [
        FindingRow(
            rule=found.rule,
            verdict=Verdict.QUIET if found.verdict is r.Verdict.NOTE else Verdict(found.verdict.value),
            noted=found.verdict is r.Verdict.NOTE,
            title=found.title,
            summary=found.summary,
            evidence=[EvidenceRow(text=line.text, spans=_place(line, workers, summary, files)) for line in found.evidence],
            gain=_gain(found.gain),
            step_ms=None if found.step_ms is None else StepRange(low=found.step_ms[0], high=found.step_ms[1]),
            promise=found.promise,
            code=found.code.of(profiles[0].framework),
            change=d.fill(ChangeCode, found.code),
            wrong_when=found.wrong_when,
            option=found.option,
            proven="real" if trainings(found.rule) else "drawn",
            proven_trainings=trainings(found.rule),
        )
        for found in judged.findings
    ]


def checked_rules(judged: Judgement) -> CheckedRules:
    """The counts of all verdicts."""
    noted, quiet = len(judged.of(r.Verdict.NOTE)), len(judged.of(r.Verdict.QUIET))
    return CheckedRules(
        rules=len(judged.findings),
        fires=len(judged.of(r.Verdict.FIRES)),
        quiet=noted + quiet,
        noted=noted,
        cannot_tell=len(judged.of(r.Verdict.CANNOT_TELL)),
        text=judged.text,
    )


def _gain(gain: r.Gain | None) -> GainRow | None:
    return None if gain is None else d.fill(GainRow, gain, of="recording" if gain.of_recording else "step")


def _place(line: r.Evidence, workers: Sequence[str], summary: Summary, files: Sequence[str]) -> SpanPlace | None:
    spans = line.spans
    if spans is None:
        return None
    profile, steps = summary.profiles[spans.rank], summary.breakdowns[spans.rank].steps
    row = spans.first_row if spans.last_row > spans.first_row else NONE
    step = step_of_work(profile, steps, row, spans.start_ns, spans.end_ns)
    return SpanPlace(
        worker=workers[spans.rank],
        file=files[spans.rank],
        track=profile.tracks[spans.track].name,
        track_number=spans.track,
        rows=profile.rows_in_file(spans.first_row, spans.last_row),
        start_ms=(spans.start_ns - profile.window[0]) / _MS,
        end_ms=(spans.end_ns - profile.window[0]) / _MS,
        step=int(steps.number[step]) if step != NONE else None,
    )
