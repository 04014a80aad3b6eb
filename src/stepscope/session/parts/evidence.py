"""The spans behind a line of evidence: when each ran, what is around it, and how much of it nothing else hides."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Struct

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.host.stack import stack_of
from stepscope.analyses.steps import step_of_work
from stepscope.analyses.time_classes import TimeClass
from stepscope.model import declared as d
from stepscope.model.errors import NotThere
from stepscope.model.profile import NONE, Int64, Profile
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import SpanRow
from stepscope.session.part import Answer, Part, Wanted

MOST_SPANS = 8
_US = 1e3


class EvidenceWanted(Wanted, frozen=True, kw_only=True):
    """The span that the evidence names."""

    row: SpanRow


class EvidenceSpan(Struct, frozen=True):
    """One span."""

    row: Annotated[int, d.number("Row of the span in the profile.", "row")]
    name: Annotated[str, d.text("Name of the span.")]
    track: Annotated[str, d.text("Thread or stream that it ran on.")]
    process: Annotated[str, d.text("Process or device of the track.")]
    start_us: Annotated[float, d.us("Start since the start of the profile.")]
    duration_us: Annotated[float, d.us("Duration.")]
    own_us: Annotated[float | None, d.us("Time of typical steps that nothing else hides; null when it is in none of them.")]
    step: Annotated[int | None, d.number("Number of the step that started it; null outside of steps.", "step")]
    stack: Annotated[list[str], d.nested("Spans around it, innermost first.")]


class EvidenceFound(Answer, frozen=True, kw_only=True):
    """The span asked for, and the most exposed spans of the same name and part in typical steps."""

    part: Annotated[str, d.text("Part of the step breakdown; empty when the span has no time of its own.")]
    span: Annotated[EvidenceSpan, d.nested("The span asked for.")]
    alike: Annotated[list[EvidenceSpan], d.nested("The most exposed others of the same name.")]
    alike_total: Annotated[int, d.count("Number of spans of the same name with time of their own.")]
    own_us_per_step: Annotated[float, d.us("Their time per typical step that nothing else hides.")]


def _make(session: AnalysedSession, wanted: EvidenceWanted) -> EvidenceFound:
    profile, breakdown = session.profiles[0], session.breakdown()
    row = _row(profile, wanted.row)
    label = int(breakdown.classified.label[row])
    alike = _alike(profile, breakdown, row)
    ordered = alike[np.argsort(-breakdown.exposed[alike], kind="stable")]
    return EvidenceFound(
        part=TimeClass(label).key if 0 <= label < len(TimeClass) else "",
        span=_span(session, breakdown, row),
        alike=[_span(session, breakdown, each) for each in ordered.tolist() if each != row][: MOST_SPANS - 1],
        alike_total=len(alike),
        own_us_per_step=float(breakdown.exposed[alike].sum()) / max(1, len(breakdown.typical)) / _US,
    )


def _row(profile: Profile, row_in_file: int) -> int:
    """The row in what is looked at, which may be a part of the file."""
    row = row_in_file
    if profile.part is not None:
        row = int(np.searchsorted(profile.part.rows, row_in_file))
        if row >= len(profile.part.rows) or profile.part.rows[row] != row_in_file:
            row = len(profile.spans)
    if not 0 <= row < len(profile.spans):
        raise NotThere("The profile has no such span; open the overview again.", "unknown_span")
    return row


def _alike(profile: Profile, breakdown: Breakdown, row: int) -> Int64:
    """Rows of the same name and part that have time of their own."""
    label = breakdown.classified.label
    rows = np.flatnonzero((breakdown.exposed > 0) & (label == label[row]))
    return rows[profile.spans.name[rows] == profile.spans.name[row]]


def _span(session: AnalysedSession, breakdown: Breakdown, row: int) -> EvidenceSpan:
    profile = session.profiles[0]
    spans, steps = profile.spans, breakdown.steps
    track, start = profile.tracks[int(spans.track[row])], int(spans.start[row])
    begins = (profile if profile.part is None else profile.part.whole).window[0]
    end = int(spans.end[row])
    place = step_of_work(profile, steps, row, start, end)
    counted = any(start < steps.bounds[each + 1] and end > steps.bounds[each] for each in breakdown.typical)
    return EvidenceSpan(
        row=profile.row_in_file(row),
        name=profile.names[int(spans.name[row])],
        track=track.name,
        process=track.process,
        start_us=(start - begins) / _US,
        duration_us=(end - start) / _US,
        own_us=float(breakdown.exposed[row]) / _US if counted else None,
        step=int(steps.number[place]) if place != NONE and steps.number[place] != NONE else None,
        stack=list(stack_of(profile, row, session.attributes)),
    )


EVIDENCE = Part("evidence", "Evidence", EvidenceWanted, EvidenceFound, _make, passing=True)
