"""Gaps of a device that follow a pattern: after a call that waits, under a wait, between queued kernels, around work on the host."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.idle_causes import Gaps, IdleCauses
from stepscope.analyses.intervals import lengths_between, union
from stepscope.analyses.rows import rows_of
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Int64, Profile, SpanKind, TrackPurpose, TrackRole

_MOST_OF_THE_GAP = 0.5
_IDLE_NS = 20_000
"""About twice what a launch takes to arrive: less than that is no wait of its own."""
_END_OF_STEP = 0.95
_PAUSE_NS = 10_000
"""What a device needs from one kernel to the next is a few microseconds; a longer gap has another cause."""


@dataclass(frozen=True, slots=True)
class GapTime:
    """What gaps cost; times in nanoseconds."""

    typical: Int64  # those of the gaps that are in typical steps
    takes: dict[TimeClass, float]  # of a typical step
    per_step_ns: Int64  # of every step

    @property
    def lost_ns(self) -> float:
        """Of a typical step."""
        return sum(self.takes.values())


@dataclass(frozen=True, slots=True)
class HostDetours:
    """Work that leaves the device: copied to the host, worked on there, and copied back."""

    between_copies: Int64  # gaps with a copy to the host right before and one to the device right after
    places: Int64  # those of which one operation on the host covers most
    operations: Int64  # rows
    copies: Int64  # rows of the copies around the places


def gap_time(breakdown: Breakdown, gaps: Gaps, places: Int64) -> GapTime:
    """Of the gaps at the places."""
    typical = places[np.isin(gaps.step[places], breakdown.typical)]
    parts = gaps.parts[typical].sum(axis=0) / max(1, len(breakdown.typical))
    per_step = np.bincount(gaps.step[places], gaps.end[places] - gaps.start[places], len(breakdown.steps))
    return GapTime(typical, {each: float(parts[each]) for each in TimeClass if parts[each] > 0}, per_step)


def gaps_after_waits(profile: Profile, breakdown: Breakdown, gaps: Gaps) -> Int64:
    """Gaps that a call which waits for the device has caused inside a step; the one that ends the step is meant to be there."""
    spans, steps = profile.spans, breakdown.steps
    waits = np.flatnonzero((gaps.waited != NONE) & (gaps.end - gaps.start >= _IDLE_NS))
    row, begin, length = gaps.waited[waits], steps.bounds[gaps.step[waits]], steps.length[gaps.step[waits]]
    return waits[(spans.start[row] >= begin) & (spans.end[row] <= begin + _END_OF_STEP * length)]


def gaps_under(profile: Profile, gaps: Gaps, rows: Int64) -> Int64:
    """Gaps of which the spans cover most."""
    if not len(gaps):
        return np.zeros(0, np.int64)
    edges = np.stack([gaps.start, gaps.end], axis=1).ravel()
    under = lengths_between(union(profile.spans.start[rows], profile.spans.end[rows]), edges)[::2]
    return np.flatnonzero(under >= _MOST_OF_THE_GAP * (gaps.end - gaps.start))


def queued_pauses(profile: Profile, idle: IdleCauses, latency_ns: float) -> Int64:
    """Gaps of a few microseconds before a kernel whose launch had arrived before the gap began."""
    gaps, spans = idle.gaps, profile.spans
    rows = rows_of(each for each in profile.tracks if each.role == TrackRole.STREAM and each.device == idle.device)
    rows = rows[(spans.kind[rows] == SpanKind.KERNEL) & (spans.cause[rows] >= 0)]
    rows = rows[np.argsort(spans.start[rows], kind="stable")]
    if not len(rows) or not len(gaps):
        return np.zeros(0, np.int64)
    place = np.minimum(np.searchsorted(spans.start[rows], gaps.end, side="left"), len(rows) - 1)
    follows = spans.start[rows[place]] == gaps.end
    arrived = spans.start[spans.cause[rows[place]]] + latency_ns <= gaps.start
    return np.flatnonzero(follows & arrived & (gaps.end - gaps.start <= _PAUSE_NS))


def host_detours(profile: Profile, breakdown: Breakdown, gaps: Gaps, operations: Int64) -> HostDetours:
    """`operations` are the rows of operations on threads."""
    spans, label = profile.spans, breakdown.classified.label
    ended = np.isin(gaps.start, spans.end[label == TimeClass.D2H])
    begun = np.isin(gaps.end, spans.start[label == TimeClass.H2D])
    between = np.flatnonzero(ended & begun)
    places, rows = _with_operation(profile, gaps, between, operations) if len(between) else (between, between)
    back = np.flatnonzero((label == TimeClass.D2H) & np.isin(spans.end, gaps.start[places]))
    there = np.flatnonzero((label == TimeClass.H2D) & np.isin(spans.start, gaps.end[places]))
    return HostDetours(between, places, rows, np.concatenate([back, there]))


def _with_operation(profile: Profile, gaps: Gaps, places: Int64, operations: Int64) -> tuple[Int64, Int64]:
    """Gaps of which one operation of a thread that loads no input covers most, and those operations."""
    spans = profile.spans
    loads = np.array([track.purpose == TrackPurpose.INPUT for track in profile.tracks] or [False])
    rows = operations[~loads[spans.track[operations]]]
    middle = (spans.start[rows] + spans.end[rows]) // 2
    at = np.searchsorted(gaps.start[places], middle, side="right") - 1
    gap = places[np.maximum(at, 0)]
    inside = np.minimum(spans.end[rows], gaps.end[gap]) - np.maximum(spans.start[rows], gaps.start[gap])
    fits = (at >= 0) & (inside >= _MOST_OF_THE_GAP * (gaps.end[gap] - gaps.start[gap]))
    return np.unique(gap[fits]), rows[fits]
