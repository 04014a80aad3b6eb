"""What the rules say of a session: each rule's verdict with its evidence, estimated gain and code."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.profile import Profile
from stepscope.rules import rule as r
from stepscope.rules.judge import Judgement

_MS = 1e6


class Verdict(Enum):
    """What a rule comes to."""

    FIRES = "fires"
    QUIET = "quiet"
    CANNOT_TELL = "cannot_tell"


class SpanPlace(Struct, frozen=True, kw_only=True):
    """Where evidence can be seen."""

    worker: Annotated[str, d.text("Worker (rank) whose file has the spans.")]
    file: Annotated[str, d.text("Name of that file.")]
    track: Annotated[str, d.text("Thread or stream.")]
    track_number: Annotated[int, d.number("Place of the track in the file.", "index")]
    rows: Annotated[tuple[int, int] | None, d.nested("First span and the one after the last; null for a range of time.")]
    start_ms: Annotated[float, d.ms("Start, from the start of the profile.")]
    end_ms: Annotated[float, d.ms("End, from the start of the profile.")]


class EvidenceRow(Struct, frozen=True, kw_only=True):
    """One sentence with a number, and where to see it."""

    text: Annotated[str, d.text("The sentence.")]
    spans: Annotated[SpanPlace | None, d.nested("Where to see it; null when it is not a matter of single spans.")]


class GainRow(Struct, frozen=True, kw_only=True):
    """Estimated gain of a change."""

    low: Annotated[float, d.fraction("Least gain.")]
    high: Annotated[float, d.fraction("Largest gain.")]
    of: Annotated[str, d.text("What it is a share of: step or recording.")]
    kind: Annotated[str, d.text("removes, moves or at_best (an upper bound).")]
    weak: Annotated[bool, d.flag("Whether the profile gives reason to doubt it.")]


class StepRange(Struct, frozen=True, kw_only=True):
    """Estimated step time in milliseconds."""

    low: Annotated[float, d.ms("Least.")]
    high: Annotated[float, d.ms("Most.")]


class ChangeCode(Struct, frozen=True, kw_only=True):
    """The change as code, for each framework."""

    tensorflow: Annotated[str, d.text("For TensorFlow.")]
    pytorch: Annotated[str, d.text("For PyTorch.")]
    jax: Annotated[str, d.text("For JAX.")]


class FindingRow(Struct, frozen=True, kw_only=True):
    """One rule's verdict."""

    rule: Annotated[str, d.text("Id of the rule; docs/rules has a page for each.")]
    verdict: Annotated[Verdict, d.text("fires, quiet or cannot_tell.")]
    noted: Annotated[bool, d.flag("Whether a quiet rule found something with little to gain.")]
    title: Annotated[str, d.text("Short title of the change.")]
    summary: Annotated[str, d.text("What was found, or why not.")]
    evidence: Annotated[list[EvidenceRow], d.nested("Numbers behind it.")]
    gain: Annotated[GainRow | None, d.nested("Estimated gain; null when nothing is gained or it is unknown.")]
    step_ms: Annotated[StepRange | None, d.nested("Estimated step time after this change and those before it; null when unknown.")]
    promise: Annotated[str, d.text("The estimate as a sentence.")]
    code: Annotated[str, d.text("The change as code, for the framework of this profile.")]
    change: Annotated[ChangeCode, d.nested("The change as code, for all frameworks.")]
    wrong_when: Annotated[str, d.text("When the rule does not apply.")]
    option: Annotated[str, d.text("What to record so that the rule can tell.")]


class CheckedRules(Struct, frozen=True, kw_only=True):
    """How many rules came to each verdict."""

    rules: Annotated[int, d.count("Number of rules.")]
    fires: Annotated[int, d.count("Rules that fire.")]
    quiet: Annotated[int, d.count("Rules that are quiet, those with a note included.")]
    noted: Annotated[int, d.count("Quiet rules that found something with little to gain.")]
    cannot_tell: Annotated[int, d.count("Rules whose evidence is not in the profile.")]
    text: Annotated[str, d.text("The counts in words.")]


def finding_rows(judged: Judgement, workers: Sequence[str], profiles: Sequence[Profile], files: Sequence[str]) -> list[FindingRow]:
    """All rules, those that fire first, by gain; `workers` and `files` belong to the profiles."""
    return [
        FindingRow(
            rule=found.rule,
            verdict=Verdict.QUIET if found.verdict is r.Verdict.NOTE else Verdict(found.verdict.value),
            noted=found.verdict is r.Verdict.NOTE,
            title=found.title,
            summary=found.summary,
            evidence=[EvidenceRow(text=line.text, spans=_place(line, workers, profiles, files)) for line in found.evidence],
            gain=_gain(found.gain),
            step_ms=None if found.step_ms is None else StepRange(low=found.step_ms[0], high=found.step_ms[1]),
            promise=found.promise,
            code=found.code.of(profiles[0].framework),
            change=d.fill(ChangeCode, found.code),
            wrong_when=found.wrong_when,
            option=found.option,
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


def _place(line: r.Evidence, workers: Sequence[str], profiles: Sequence[Profile], files: Sequence[str]) -> SpanPlace | None:
    spans = line.spans
    if spans is None:
        return None
    profile = profiles[spans.rank]
    return SpanPlace(
        worker=workers[spans.rank],
        file=files[spans.rank],
        track=profile.tracks[spans.track].name,
        track_number=spans.track,
        rows=profile.rows_in_file(spans.first_row, spans.last_row),
        start_ms=(spans.start_ns - profile.window[0]) / _MS,
        end_ms=(spans.end_ns - profile.window[0]) / _MS,
    )
