"""The spans behind a line of evidence: where and when each ran, what is around it, and how much of it nothing else hides."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from stepscope.analyses.breakdown import Breakdown, break_down
from stepscope.analyses.host.stack import stack_of
from stepscope.analyses.input.stages import ReadAttributes
from stepscope.analyses.steps import find_steps
from stepscope.analyses.time_classes import TimeClass
from stepscope.dashboards.profile.messages import RangeText, ReadingRow, SessionText, StepsText, WorkerText
from stepscope.model.errors import NotThere
from stepscope.model.profile import NONE, Int64, Profile
from stepscope.queries.profiles import Opened

MOST_SPANS = 8
_US = 1e3


class EvidenceRequest(Struct, frozen=True):
    """Which session and worker (none: the first); the row is part of the path."""

    session: SessionText
    worker: WorkerText = ""
    steps: StepsText = ""
    range: RangeText = ""


class EvidenceSpan(Struct, frozen=True):
    """One span; times count from the recording's start. `own_us` is what nothing else hides, null in steps that are not typical."""

    row: int
    name: str
    track: str
    process: str
    start_us: float
    duration_us: float
    own_us: float | None
    step: int | None
    stack: list[str]  # what is around it, the innermost first


class EvidenceFound(Struct, frozen=True):
    """The span that was asked for, and the longest of those with its name that have time of the same part in typical steps."""

    part: str  # "" when it owns no time
    span: EvidenceSpan
    alike: list[EvidenceSpan]
    alike_total: int
    own_us_per_step: float  # of all of them


class EvidenceAnswer(Struct, frozen=True):
    """The spans, or how far reading has come."""

    epoch: int
    reading: ReadingRow | None
    evidence: EvidenceFound | None


def evidence_found(opened: Opened, row_in_file: int, by: str) -> EvidenceFound:
    """The spans behind one row of the file. Raises NotThere when the recording or its chosen part has no such row."""
    profile = opened.profiles[0]
    breakdown = break_down(profile, find_steps(profile, by or None))
    row = _row(profile, row_in_file)
    label, read = int(breakdown.classified.label[row]), opened.read_attributes
    alike = _alike(profile, breakdown, row)
    longest = alike[np.argsort(-breakdown.exposed[alike], kind="stable")]
    return EvidenceFound(
        part=TimeClass(label).key if 0 <= label < len(TimeClass) else "",
        span=_span(profile, breakdown, row, read),
        alike=[_span(profile, breakdown, each, read) for each in longest.tolist() if each != row][: MOST_SPANS - 1],
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
        raise NotThere("The recording has no such span; open the overview again.", "unknown_span")
    return row


def _alike(profile: Profile, breakdown: Breakdown, row: int) -> Int64:
    """Rows of the same name and part that have time of their own."""
    label = breakdown.classified.label
    rows = np.flatnonzero((breakdown.exposed > 0) & (label == label[row]))
    return rows[profile.spans.name[rows] == profile.spans.name[row]]


def _span(profile: Profile, breakdown: Breakdown, row: int, attributes: ReadAttributes | None) -> EvidenceSpan:
    spans, steps = profile.spans, breakdown.steps
    track, start = profile.tracks[int(spans.track[row])], int(spans.start[row])
    begins = (profile if profile.part is None else profile.part.whole).window[0]
    place = int(np.searchsorted(steps.bounds, start, side="right")) - 1
    inside = 0 <= place < len(steps)
    return EvidenceSpan(
        row=profile.row_in_file(row),
        name=profile.names[int(spans.name[row])],
        track=track.name,
        process=track.process,
        start_us=(start - begins) / _US,
        duration_us=(int(spans.end[row]) - start) / _US,
        own_us=float(breakdown.exposed[row]) / _US if inside and place in breakdown.typical else None,
        step=int(steps.number[place]) if inside and steps.number[place] != NONE else None,
        stack=list(stack_of(profile, row, attributes)),
    )
