"""Without a device nothing is replayed: a change saves between the time that only its work runs and the time that any of it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stepscope._native import sweep_steps
from stepscope.analyses.breakdown import Breakdown, Segments, device_segments, host_segments
from stepscope.analyses.intervals import Intervals, lengths_between, minus, union
from stepscope.analyses.time_classes import NOTHING, TimeClass
from stepscope.model.profile import Float64, Int8, Int64, Profile

Mask: TypeAlias = NDArray[np.bool_]

_CHOSEN = int(TimeClass.UNTRACED)  # in the sweep below no segment is untraced, and this label comes last
_LABELS = len(TimeClass)
_BELONGS_TO_NOBODY = (TimeClass.FRAMEWORK, TimeClass.PYTHON)
"""Beside untraced time: what may be there only because of the work around it."""


@dataclass(frozen=True, slots=True)
class Savings:
    """Nanoseconds of each typical step that a change takes away."""

    least: Float64  # nothing else ran
    most: Float64  # some of it ran, whatever else did, as far as other work leaves room

    def plus(self, other: Savings) -> Savings:
        """Both changes together."""
        return Savings(self.least + other.least, self.most + other.most)


def savings(profile: Profile, breakdown: Breakdown, left: Float64, around: Intervals | None = None) -> Savings:
    """What a rank's typical steps lose; `left` is the factor of every span.

    In `around` Python, framework calls and untraced time may be there because of the work that goes, and go with it: as much
    again as the work itself, at most.
    """
    steps = breakdown.steps
    typical = list(breakdown.typical)
    total = Savings(np.zeros(len(typical)), np.zeros(len(typical)))
    tracks = _segments(profile, breakdown)
    for low, high in _ranges(left):
        chosen = (left >= low) & (left < high) & (left != 1.0)
        taken, covered, _ = sweep_steps(
            [_marked(track, chosen) for track in tracks], steps.bounds, _LABELS, np.zeros(len(steps), np.uint8)
        )
        factor = float(left[chosen].mean())
        alone = taken.reshape(len(steps), _LABELS)[typical, _CHOSEN].astype(np.float64)
        running = covered.reshape(len(steps), _LABELS)[typical, _CHOSEN].astype(np.float64)
        total = total.plus(Savings((1 - factor) * alone, (1 - factor) * running))
    if around is not None:
        beside = lengths_between(minus(around, _owned(tracks, left != 1.0)), steps.bounds)[typical].astype(np.float64)
        total = total.plus(Savings(np.zeros(len(typical)), np.minimum(beside, total.most)))
    work = lengths_between(_kept_work(tracks, left != 1.0), steps.bounds)[typical]
    room = np.maximum(total.least, (steps.length[typical] - work).astype(np.float64))
    return Savings(total.least, np.minimum(total.most, room))


def idle_around(profile: Profile, breakdown: Breakdown, classes: Sequence[TimeClass]) -> Intervals:
    """Stretches between compute, communication and input in which any of the classes has time."""
    tracks = _segments(profile, breakdown)
    bounds = breakdown.steps.bounds
    work = [TimeClass.COMPUTE, TimeClass.COMM, TimeClass.INPUT]
    start, end = minus((bounds[:1], bounds[-1:]), _labelled(tracks, work))
    inside = np.diff(np.searchsorted(_labelled(tracks, classes)[0], np.stack([start, end], axis=1)), axis=1)[:, 0]
    return start[inside > 0], end[inside > 0]


def _labelled(tracks: Sequence[Segments], classes: Sequence[TimeClass]) -> Intervals:
    return _union([(start, end, np.isin(label, [int(each) for each in classes]), label) for start, end, _, label in tracks])


def _owned(tracks: Sequence[Segments], chosen: Mask) -> Intervals:
    """Time of the chosen spans, and of all that is there for its own sake."""
    return _union([(start, end, chosen[row] | _is_work(label), label) for start, end, row, label in tracks])


def _kept_work(tracks: Sequence[Segments], chosen: Mask) -> Intervals:
    """Time of what is there for its own sake and was not chosen: it stays, however much of the rest goes."""
    return _union([(start, end, ~chosen[row] & _is_work(label), label) for start, end, row, label in tracks])


def _is_work(label: Int8) -> Mask:
    return ~np.isin(label, [int(each) for each in _BELONGS_TO_NOBODY])


def _union(tracks: Sequence[tuple[Int64, Int64, Mask, Int8]]) -> Intervals:
    none = np.zeros(0, np.int64)
    starts: list[Int64] = [none]
    ends: list[Int64] = [none]
    for start, end, wanted, label in tracks:
        mine = wanted & (label > NOTHING)
        starts.append(start[mine])
        ends.append(end[mine])
    return union(np.concatenate(starts), np.concatenate(ends))


def _segments(profile: Profile, breakdown: Breakdown) -> list[Segments]:
    streams = [
        segments for device in breakdown.classified.devices for segments in device_segments(profile, breakdown.classified, device)
    ]
    return [*streams, *host_segments(profile, breakdown.classified)]


def _ranges(left: Float64) -> Sequence[tuple[float, float]]:
    """Factors as few ranges, each swept once: those of one lever lie close together, or are 1."""
    changed = np.unique(left[left != 1.0])
    if len(changed) <= 4:
        return [(float(each), float(np.nextafter(each, np.inf))) for each in changed]
    edges = np.unique(np.quantile(changed, [0.0, 0.25, 0.5, 0.75, 1.0]))
    edges[-1] = np.nextafter(edges[-1], np.inf)
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


def _marked(track: Segments, chosen: Mask) -> Segments:
    start, end, row, label = track
    return start, end, row, np.where(chosen[row] & (label >= 0), np.int8(_CHOSEN), label).astype(np.int8)
