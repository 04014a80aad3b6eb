"""Where the host hands out one small operation after another: runs of short calls, and what lies between the calls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown, host_segments
from stepscope.analyses.host.saving import saving_stretches
from stepscope.analyses.intervals import Intervals, lengths_between, lengths_inside, union, union_labelled
from stepscope.analyses.rows import rows_of
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Float64, Int32, Int64, Profile, SpanKind

SHORT_CALL_NS = 100_000
APART_NS = 100_000
"""Calls further apart than this are no run: something else went on between them."""
LONGEST_CALL_NS = 2_000_000
"""Of calls that hold others: what takes longer is no single small operation."""
_COMPUTES = 0.1
LEAST_CALLS = 20
REPEATED = 10
"""Calls of one name in a run that make it a loop: networks whose operations are so short have fewer layers in most trainings."""
FLOOR_NS = 500
"""What an operation still costs when many are merged into one."""
_CALLS = (SpanKind.OP, SpanKind.FRAMEWORK, SpanKind.RUNTIME)
_AROUND = (SpanKind.PYTHON, SpanKind.ANNOTATION, SpanKind.MARKER, SpanKind.OTHER)
"""Kinds of spans that may hold calls without being one."""
DISPATCHED = (TimeClass.LAUNCH, TimeClass.OP, TimeClass.FRAMEWORK)


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Runs of at least twenty short calls on threads that control the step."""

    runs: Intervals
    loops: Intervals  # those of the runs in which most calls are of names that are called again and again
    calls: Int64  # rows of the calls, none inside another
    per_step: Int64  # calls in each step
    floor_ns: float  # what the calls would still cost, all together

    def inside(self, profile: Profile, rows: Int64) -> Int64:
        """Those of the rows that lie in a run."""
        start, end = self.runs
        place = np.searchsorted(start, profile.spans.start[rows], side="right") - 1
        return rows[(place >= 0) & (profile.spans.end[rows] <= end[np.maximum(place, 0)])] if len(start) else rows[:0]

    def around(self, profile: Profile, rows: Int64 | None, *, loops: bool = False) -> Intervals:
        """The runs, or those that are loops; of a change of some rows the stretch of each from the first of them to the last."""
        start, end = self.loops if loops else self.runs
        if rows is None or not len(start):
            return start, end
        place = np.searchsorted(start, profile.spans.start[rows], side="right") - 1
        within = (place >= 0) & (profile.spans.start[rows] < end[np.maximum(place, 0)])
        rows, place = rows[within], place[within]
        first, last = np.full(len(start), np.iinfo(np.int64).max), np.full(len(start), -1)
        np.minimum.at(first, place, profile.spans.start[rows])
        np.maximum.at(last, place, profile.spans.end[rows])
        found = last >= 0
        return first[found], np.minimum(last, end)[found]

    def per_step_ns(self, breakdown: Breakdown) -> Float64:
        """Nanoseconds of runs in each step, whatever else went on."""
        return lengths_between(self.runs, breakdown.steps.bounds).astype(np.float64)


def dispatch_runs(profile: Profile, breakdown: Breakdown) -> Dispatch:
    """Finds the runs on each control thread by itself."""
    starts: list[Int64] = []
    ends: list[Int64] = []
    calls: list[Int64] = []
    looped: list[bool] = []
    owned = [(start, end, label) for start, end, _, label in host_segments(profile, breakdown.classified)]
    compute, saving = union_labelled(owned, [TimeClass.COMPUTE]), saving_stretches(profile, breakdown)
    for place in breakdown.classified.control:
        rows = _handing_out(profile, outermost_calls(profile, rows_of([profile.tracks[place]])), compute, saving)
        for mine in _runs(profile, rows):
            starts.append(profile.spans.start[mine[:1]])
            ends.append(profile.spans.end[mine].max(keepdims=True))
            calls.append(mine)
            looped.append(_is_loop(profile.spans.name[mine]))
    none = np.zeros(0, np.int64)
    found = np.concatenate([none, *calls])
    length = profile.spans.end[found] - profile.spans.start[found]
    at = np.searchsorted(breakdown.steps.bounds, profile.spans.start[found], side="right") - 1
    loops = np.array(looped, bool)
    start, end = np.concatenate([none, *starts]), np.concatenate([none, *ends])
    counted = np.bincount(at[(at >= 0) & (at < len(breakdown.steps))], minlength=len(breakdown.steps))
    return Dispatch(
        runs=union(start, end),
        loops=union(start[loops], end[loops]),
        calls=found,
        per_step=counted.astype(np.int64),
        floor_ns=float(np.minimum(length, FLOOR_NS).sum()),
    )


def outermost_calls(profile: Profile, rows: Int64) -> Int64:
    """Calls into the framework that no other call holds; Python functions and annotations around them do not count."""
    spans = profile.spans
    rows = rows[np.isin(spans.kind[rows], [kind.value for kind in _CALLS])]
    around = np.zeros(len(SpanKind), bool)
    around[[kind.value for kind in _AROUND]] = True
    above = spans.parent[rows].astype(np.int64)
    open_ = np.flatnonzero(above != NONE)
    while len(open_):
        open_ = open_[around[spans.kind[above[open_]]]]
        above[open_] = spans.parent[above[open_]]
        open_ = open_[above[open_] != NONE]
    return rows[above == NONE]


def _handing_out(profile: Profile, rows: Int64, compute: Intervals, saving: Intervals) -> Int64:
    """Calls that are short, and longer ones that hold others while hardly anything computes: the framework works, not the model.

    What saves is no call that could be merged with others.
    """
    start, end = profile.spans.start[rows], profile.spans.end[rows]
    holds = np.zeros(len(profile.spans) + 1, bool)
    inner = np.isin(profile.spans.kind, [kind.value for kind in _CALLS])
    holds[profile.spans.parent[inner]] = True
    idle = lengths_inside(compute, start, end) < _COMPUTES * (end - start)
    short = (end - start < SHORT_CALL_NS) | ((end - start < LONGEST_CALL_NS) & holds[rows] & idle)
    return rows[short & (lengths_inside(saving, start, end) == 0)]


def _is_loop(names: Int32) -> bool:
    """Whether most of the calls have a name that many of them have."""
    counts = np.unique(names, return_counts=True)[1]
    return 2 * int(counts[counts >= REPEATED].sum()) > len(names)


def _runs(profile: Profile, rows: Int64) -> list[Int64]:
    """Rows of one track, in time order, cut where too much lies between two of them."""
    if not len(rows):
        return []
    apart = profile.spans.start[rows[1:]] - profile.spans.end[rows[:-1]]
    return [mine for mine in np.split(rows, np.flatnonzero(apart > APART_NS) + 1) if len(mine) >= LEAST_CALLS]
