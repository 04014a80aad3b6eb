"""How long the batch of a step takes to make and who makes it: no change of where it is made brings batches faster than that."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.host.threads import asleep, sleeping_spans
from stepscope.analyses.input.stages import ROOT, STAGE
from stepscope.analyses.input.waiting import innermost
from stepscope.analyses.intervals import lengths_inside, union
from stepscope.analyses.rows import rows_of
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Float64, Int64, Profile, SpanKind

_WORKERS = "_MultiProcessing"
_FEEDER = re.compile(r"multiprocessing/queues\.py(?:\(\d+\)|:\d+):? _feed$")
"""In the training process torch has one such thread for every worker, which hands it indices."""
_WORKS_AHEAD = re.compile(r"(?:Prefetch|MapAndBatch|(?:Legacy)?Parallel\w+)$")
"""Stages whose own time in the consumer's thread is waiting for others that work ahead."""
_PREFETCHES = "Prefetch"
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
    bound = float(np.median(waited / np.maximum(length, 1.0))) >= _BOUND
    return Making(makers * length if bound else waited, makers, counted, True, 1.0)


def _makers(profile: Profile, waits: Int64) -> tuple[int, bool]:
    """How many work beside the step, at least, and whether that is all; none where the step fetches by itself."""
    names = [profile.names[int(name)] for name in np.unique(profile.spans.name[waits])]
    if any(_WORKERS in name for name in names):
        feeders = _feeders(profile)
        return max(1, feeders), feeders > 0
    return _stages_ahead(profile, waits) if ROOT in names else (0, True)


def _feeders(profile: Profile) -> int:
    feeds = [place for place, name in enumerate(profile.names) if _FEEDER.search(name)]
    rows = np.flatnonzero(np.isin(profile.spans.name, feeds)) if feeds else np.zeros(0, np.int64)
    return len(np.unique(profile.spans.track[rows]))


def _stages_ahead(profile: Profile, waits: Int64) -> tuple[int, bool]:
    """One for a prefetch, several for stages that run in parallel; none where the consumer's thread runs most of the stages itself."""
    spans = profile.spans
    stage = np.array([name.startswith(STAGE) for name in profile.names] or [False])
    rows = rows_of(profile.tracks[int(place)] for place in np.unique(spans.track[waits]))
    rows = rows[stage[spans.name[rows]]]
    start, end, place = innermost(profile, rows)
    inside = union(spans.start[waits], spans.end[waits])
    own = np.bincount(spans.name[rows[place]], lengths_inside(inside, start, end), len(profile.names))
    ahead = [place for place in np.flatnonzero(own).tolist() if _WORKS_AHEAD.search(profile.names[place])]
    if not ahead or own[ahead].sum() < _MOSTLY * own.sum():
        return 0, True
    return 1, profile.names[max(ahead, key=lambda place: own[place])].endswith(_PREFETCHES)


def _cores(profile: Profile, waits: Int64) -> float:
    """What the step's own fetching keeps of a core: all of it, unless Python in it is seen asleep."""
    spans, sleeps = profile.spans, sleeping_spans(profile)
    fetching, slept = 0, 0
    for place in map(int, np.unique(spans.track[waits])):
        mine = waits[spans.track[waits] == place]
        inside = union(spans.start[mine], spans.end[mine])
        rows = rows_of([profile.tracks[place]])
        rows = rows[np.isin(spans.kind[rows], [SpanKind.PYTHON, SpanKind.OP])]
        fetching += int((inside[1] - inside[0]).sum())
        slept += int(lengths_inside(inside, *asleep(profile, rows, sleeps)).sum()) if len(rows) else 0
    return max(_LEAST_CORES, 1 - slept / fetching) if fetching else 1.0
