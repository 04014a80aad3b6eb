"""How long the batch of a step takes to make and who makes it: no change of where it is made brings batches faster than that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.host.threads import asleep, sleeping_spans
from stepscope.analyses.input.stages import stage_rows
from stepscope.analyses.input.waiting import innermost
from stepscope.analyses.intervals import lengths_inside, union
from stepscope.analyses.rows import are_named, names_with, rows_of
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Float64, Int64, Profile, SpanKind
from stepscope.model.span_names import NameRole

_MOSTLY = 0.5
_BOUND = 0.05
"""A fetch below this share of the step came out of a buffer: then it does not tell how long making takes."""
_LEAST_CORES = 0.1  # a worker that only waits still hands its batches over


@dataclass(frozen=True, slots=True)
class Making:
    """Batches of one rank's typical steps."""

    ns: Float64  # that one maker alone needs for the batch of each typical step
    makers: int  # that work today
    counted: bool  # whether the recording tells how many they are
    beside: bool  # they work beside the step already
    cores: float  # that a maker keeps busy, 1 unless the recording shows it waiting
    ready: bool | None = None  # batches of makers beside the step are there when it asks: taking them over is all that it waits for


def making(profile: Profile, breakdown: Breakdown) -> Making:
    """From the waits of the step: where makers work beside it and it waits for them, they need the whole step for a batch each."""
    return breakdown.once("making of batches", lambda: _found(profile, breakdown))


def _found(profile: Profile, breakdown: Breakdown) -> Making:
    typical = list(breakdown.typical)
    waited = (breakdown.parts + breakdown.overlapped)[typical, TimeClass.INPUT]
    length = breakdown.steps.length[typical].astype(np.float64)
    rows = np.flatnonzero(breakdown.classified.label == TimeClass.INPUT)
    makers, counted = _makers(profile, rows)
    if not makers:
        return Making(waited, 1, True, False, _cores(profile, rows))
    ready = _ready(profile, rows)
    bound = not ready and float(np.median(waited / np.maximum(length, 1.0))) >= _BOUND
    return Making(makers * length if bound else waited, makers, counted, True, 1.0, ready)


def _ready(profile: Profile, waits: Int64) -> bool | None:
    """Whether Python in the waits works on batches that have come, rather than sleep until one does; None when it was not recorded."""
    waits = waits[are_named(profile, waits, NameRole.WORKER_WAIT)]
    slept = [_slept(profile, waits, int(place)) for place in np.unique(profile.spans.track[waits])]
    if not any(seen for _, _, seen in slept):
        return None
    return sum(asleep for _, asleep, _ in slept) < _MOSTLY * sum(fetching for fetching, _, _ in slept)


def _makers(profile: Profile, waits: Int64) -> tuple[int, bool]:
    """How many work beside the step, at least, and whether that is all; none where the step fetches by itself."""
    if are_named(profile, waits, NameRole.WORKER_WAIT).any():
        feeders = _feeders(profile)
        return max(1, feeders), feeders > 0
    return _stages_ahead(profile, waits) if are_named(profile, waits, NameRole.INPUT_ROOT).any() else (0, True)


def _feeders(profile: Profile) -> int:
    feeds = names_with(profile, NameRole.WORKER_FEEDER)[profile.spans.name]
    return len(np.unique(profile.spans.track[feeds]))


def _stages_ahead(profile: Profile, waits: Int64) -> tuple[int, bool]:
    """One for a prefetch, several for stages that run in parallel; none where the consumer's thread runs most of the stages itself."""
    spans = profile.spans
    rows = stage_rows(profile)
    rows = rows[np.isin(spans.track[rows], spans.track[waits])]
    start, end, place = innermost(profile, rows)
    inside = union(spans.start[waits], spans.end[waits])
    own = np.bincount(spans.name[rows[place]], lengths_inside(inside, start, end), len(profile.names))
    ahead = [place for place in np.flatnonzero(own).tolist() if profile.name_rules.fits(NameRole.WORKS_AHEAD, profile.names[place])]
    if not ahead or own[ahead].sum() < _MOSTLY * own.sum():
        return 0, True
    longest = max(ahead, key=lambda place: own[place])
    return 1, profile.name_rules.fits(NameRole.PREFETCH, profile.names[longest])


def _cores(profile: Profile, waits: Int64) -> float:
    """What the step's own fetching keeps of a core: all of it, unless Python in it is seen asleep."""
    found = [_slept(profile, waits, int(place)) for place in np.unique(profile.spans.track[waits])]
    fetching = sum(each for each, _, _ in found)
    return max(_LEAST_CORES, 1 - sum(each for _, each, _ in found) / fetching) if fetching else 1.0


def _slept(profile: Profile, waits: Int64, place: int) -> tuple[int, int, bool]:
    """Nanoseconds of the waits on one track, and of those asleep as far as Python and operations in them tell; and whether any do."""
    spans = profile.spans
    mine = waits[spans.track[waits] == place]
    inside = union(spans.start[mine], spans.end[mine])
    rows = rows_of([profile.tracks[place]])
    rows = rows[np.isin(spans.kind[rows], [SpanKind.PYTHON, SpanKind.OP])]
    held = rows[lengths_inside(inside, spans.start[rows], spans.end[rows]) > 0] if len(rows) else rows
    slept = int(lengths_inside(inside, *asleep(profile, rows, sleeping_spans(profile))).sum()) if len(rows) else 0
    python = bool((spans.kind[held] == SpanKind.PYTHON).any())
    return int((inside[1] - inside[0]).sum()), slept, python
