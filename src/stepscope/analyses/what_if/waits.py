"""Without a device: calls that wait for the framework's threads, after which those have nothing to do until the host goes on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown, host_segments
from stepscope.analyses.intervals import common, lengths_inside, union
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.sharing import computing
from stepscope.model.profile import Float64, Int64, Profile

LEAST_IDLE_NS = 20_000
_END_OF_STEP = 0.95


@dataclass(frozen=True, slots=True)
class Waits:
    """Waits inside steps, each with what running on would hide: as much work as was waited for, behind as much host time as follows."""

    rows: Int64
    step: Int64
    waited_ns: Int64  # the framework's threads worked
    idle_ns: Int64  # they had nothing to do afterwards
    threads: float  # that compute at once while they are waited for

    @property
    def hidden_ns(self) -> Int64:
        """What would run at the same time."""
        return np.minimum(self.waited_ns, self.idle_ns)

    def per_step_ns(self, steps: int) -> Float64:
        """Of every step."""
        return np.bincount(self.step, self.hidden_ns, steps).astype(np.float64)


def waits_inside_steps(profile: Profile, breakdown: Breakdown) -> Waits:
    """Waiting calls of control threads that do not end their step."""
    spans, label, steps = profile.spans, breakdown.classified.label, breakdown.steps
    rows = _outermost(profile, np.flatnonzero(label == TimeClass.SYNC))
    step = np.searchsorted(steps.bounds, spans.start[rows], side="right") - 1
    inside = (step >= 0) & (step < len(steps))
    rows, step = rows[inside], step[inside]
    early = spans.end[rows] <= steps.bounds[step] + _END_OF_STEP * steps.length[step]
    rows, step = rows[early], step[early]
    start, end = _compute(profile, breakdown)
    after = np.searchsorted(start, spans.end[rows], side="right")
    still_busy = np.maximum(spans.end[rows], np.concatenate([[np.iinfo(np.int64).min], end])[after])
    next_work = np.append(start, np.iinfo(np.int64).max)[after]
    idle = np.minimum(next_work, steps.bounds[step + 1]) - still_busy
    waited = lengths_inside((start, end), spans.start[rows], spans.end[rows])
    found = (idle >= LEAST_IDLE_NS) & (waited > 0)
    waiting = union(spans.start[rows[found]], spans.end[rows[found]])
    threads = computing(host_segments(profile, breakdown.classified), common(waiting, (start, end)))
    return Waits(rows[found], step[found], waited[found], idle[found], threads)


def _outermost(profile: Profile, rows: Int64) -> Int64:
    """Rows that begin inside no earlier one of their track: a function that waits calls others that do."""
    spans = profile.spans
    kept = [rows[:0]]
    for mine in np.split(rows, np.flatnonzero(np.diff(spans.track[rows])) + 1):
        reach = np.maximum.accumulate(spans.end[mine])
        kept.append(mine[np.concatenate([[True], spans.start[mine][1:] >= reach[:-1]])[: len(mine)]])
    return np.concatenate(kept)


def _compute(profile: Profile, breakdown: Breakdown) -> tuple[Int64, Int64]:
    starts: list[Int64] = [np.zeros(0, np.int64)]
    ends: list[Int64] = [np.zeros(0, np.int64)]
    for start, end, _, label in host_segments(profile, breakdown.classified):
        works = label == TimeClass.COMPUTE
        starts.append(start[works])
        ends.append(end[works])
    return union(np.concatenate(starts), np.concatenate(ends))
