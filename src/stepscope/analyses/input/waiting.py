"""When a typical step waits for its input, and how the time of threads that prepare it lies to that."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from stepscope._native import owned_segments
from stepscope.analyses.breakdown import Breakdown, Segments, device_segments, host_segments
from stepscope.analyses.intervals import Intervals, lengths_inside, minus, union, union_labelled
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Int8, Int32, Int64, Profile

_MOST_RANKS = 8


@dataclass(frozen=True, slots=True)
class InputTime:
    """Sets of instants in typical steps, of the first device that computes."""

    waited: Intervals  # the step waits for input and for nothing before it
    typical: Intervals
    steps: int

    def exposed(self, start: Int64, end: Int64) -> Int64:
        """Nanoseconds of each stretch in which a typical step waits."""
        return lengths_inside(self.waited, start, end)

    def beside(self, start: Int64, end: Int64) -> Int64:
        """Nanoseconds of each stretch in which a typical step does something else."""
        return lengths_inside(self.typical, start, end) - lengths_inside(self.waited, start, end)


def input_time(profile: Profile, breakdown: Breakdown) -> InputTime:
    """What the sweep of the breakdown gives to input, as instants."""
    classified, bounds = breakdown.classified, breakdown.steps.bounds
    places = np.array(breakdown.typical, np.int64)
    typical = union(bounds[places], bounds[places + 1])
    tracks = [*device_segments(profile, classified, classified.devices[0]), *host_segments(profile, classified)]
    waits = _of_classes(tracks, TimeClass.INPUT, TimeClass.INPUT)
    waited = minus(waits, _of_classes(tracks, TimeClass.COMPUTE, TimeClass.IO))
    return InputTime(minus(waited, minus(waited, typical)), typical, len(places))


def innermost(profile: Profile, rows: Int64, rank: Int8 | None = None) -> tuple[Int64, Int64, Int64]:
    """Start and end of the stretches in which one of the rows is the innermost of them on its track, and its place among the rows.

    Rows are in table order. With ranks, the innermost of those with the lowest rank.
    """
    spans = profile.spans
    ranks = np.zeros(len(rows), np.int8) if rank is None else rank
    cuts = [0, *(np.flatnonzero(np.diff(spans.track[rows])) + 1).tolist(), len(rows)]
    none = np.zeros(0, np.int64)
    starts, ends, places = [none], [none], [none]
    for first, last in itertools.pairwise(cuts):
        mine = rows[first:last]
        order = np.arange(_MOST_RANKS, dtype=np.int8)
        start, end, owner = owned_segments(spans.start[mine], spans.end[mine], ranks[first:last], order)
        starts.append(start)
        ends.append(end)
        places.append(owner + np.int64(first))
    return np.concatenate(starts), np.concatenate(ends), np.concatenate(places)


def _of_classes(tracks: list[Segments], first: TimeClass, last: TimeClass) -> Intervals:
    return union_labelled(((start, end, label) for start, end, _, label in tracks), range(first, last + 1))


def sums_by(key: Int32 | Int64, keys: int, values: Int64) -> Int64:
    """The values of each key, 0 to keys - 1, in sum."""
    return np.bincount(key, weights=values, minlength=keys).astype(np.int64)
