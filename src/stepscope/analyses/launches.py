"""How the host feeds a device: how soon work starts after its launch, how often it launches, and calls that wait."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.grouping import dense_codes
from stepscope.analyses.rows import rows_of, rows_of_role
from stepscope.analyses.steps import step_of_spans
from stepscope.model.profile import NONE, Float64, Int32, Int64, Profile, SpanKind, TrackRole

_LONG_CALL_NS = 20_000
_TIMES_MEDIAN = 3.0
_SLACK_NS = 30_000
_SLACK_SHARE = 0.1
_LOOK_BACK = 16  # device spans that ended last before a call's end; one of them is what it waited for, or none is
_LATENCY_PERCENTILE = 10


@dataclass(frozen=True, slots=True)
class Launches:
    """Device work of typical steps whose launch is in the file, in nanoseconds."""

    count: int
    latency_ns: float  # from the launch's start to the work's, on a stream that was idle: the 10th percentile
    host_ns: float  # median from one launch to the next on a control thread
    kernel_ns: float  # median length of a kernel
    unqueued: float  # share of kernels that start within two latencies of their launch: nothing was queued before them
    per_step: float  # launched in a typical step
    unqueued_per_step: Float64  # share of unqueued kernels in each typical step


@dataclass(frozen=True, slots=True)
class BlockingCalls:
    """Calls of control threads that returned only when device work had ended, in time order."""

    row: Int64
    waited_for: Int64  # row of the device span


def launches(profile: Profile, breakdown: Breakdown) -> Launches | None:
    """None where no device work of a typical step has its launch in the file."""
    spans = profile.spans
    rows = rows_of_role(profile, TrackRole.STREAM)
    place = step_of_spans(profile, breakdown.steps)
    rows = rows[(spans.cause[rows] >= 0) & np.isin(place[rows], breakdown.typical)]
    kernels = rows[spans.kind[rows] == SpanKind.KERNEL]
    if not len(kernels):
        return None
    delay = spans.start[rows] - spans.start[spans.cause[rows]]
    latency = launch_latency(profile, rows)
    soon = delay[spans.kind[rows] == SpanKind.KERNEL] <= 2 * latency
    calls = np.unique(spans.cause[kernels])
    order = np.lexsort((spans.start[calls], spans.track[calls]))
    calls = calls[order]
    same = (np.diff(spans.track[calls]) == 0) & (np.diff(place[calls]) == 0)
    between = np.diff(spans.start[calls])[same]
    launched = np.bincount(place[kernels], minlength=len(breakdown.steps))
    unqueued = np.bincount(place[kernels], soon, len(breakdown.steps))
    return Launches(
        count=len(rows),
        latency_ns=latency,
        host_ns=float(np.median(between)) if len(between) else 0.0,
        kernel_ns=float(np.median(spans.end[kernels] - spans.start[kernels])),
        unqueued=float(soon.mean()),
        per_step=len(kernels) / max(1, len(breakdown.typical)),
        unqueued_per_step=unqueued[launched > 0] / launched[launched > 0],
    )


def launch_latency(profile: Profile, rows: Int64) -> float:
    """The 10th percentile of start minus launch over device spans whose stream had nothing to do when they were launched."""
    spans = profile.spans
    launched = spans.start[spans.cause[rows]]
    before = np.maximum(rows - 1, 0)
    has_before = (rows > 0) & (spans.track[before] == spans.track[rows])
    idle = ~has_before | (spans.end[before] <= launched)
    delays = (spans.start[rows] - launched)[idle & (spans.start[rows] >= launched)]
    return float(np.percentile(delays, _LATENCY_PERCENTILE)) if len(delays) else 0.0


def blocking_calls(profile: Profile, breakdown: Breakdown) -> BlockingCalls:
    """Synchronising calls, and runtime calls far longer than their like, that end just after work launched before them has ended."""
    spans = profile.spans
    rows = rows_of(profile.tracks[track] for track in breakdown.classified.control)
    rows = rows[np.isin(spans.kind[rows], (SpanKind.SYNC, SpanKind.RUNTIME))]
    device = rows_of_role(profile, TrackRole.STREAM)
    device = device[spans.cause[device] >= 0]
    if not len(rows) or not len(device):
        return BlockingCalls(np.zeros(0, np.int64), np.zeros(0, np.int64))
    length = spans.end[rows] - spans.start[rows]
    long = length > np.maximum(_LONG_CALL_NS, _TIMES_MEDIAN * _median_of_name(spans.name[rows], length, len(profile.names)))
    rows = rows[(spans.kind[rows] == SpanKind.SYNC) | long]
    rows = rows[np.argsort(spans.start[rows], kind="stable")]
    device = device[np.argsort(spans.end[device], kind="stable")]
    waited = _waited_for(profile, rows, device)
    return BlockingCalls(rows[waited >= 0], waited[waited >= 0])


def _median_of_name(name: Int32, length: Int64, names: int) -> Float64:
    """For each row the median length of the rows with its name."""
    groups = dense_codes(name.astype(np.int64), names)
    order = np.lexsort((length, groups.code))
    counts = groups.counts()
    middle = np.cumsum(counts) - counts + counts // 2
    return length[order][middle][groups.code].astype(np.float64)


def _waited_for(profile: Profile, calls: Int64, device: Int64) -> Int64:
    """For each call the device span that ended last in the call's last moments and was launched before it or by it."""
    spans = profile.spans
    ends, launched = spans.end[device], spans.start[spans.cause[device]]
    slack = np.maximum(_SLACK_NS, _SLACK_SHARE * (spans.end[calls] - spans.start[calls]))
    found = np.full(len(calls), NONE, np.int64)
    at = np.searchsorted(ends, spans.end[calls], side="right") - 1
    for back in range(_LOOK_BACK):
        place = np.maximum(at - back, 0)
        fits = (at >= back) & (found < 0) & (ends[place] >= spans.end[calls] - slack) & (ends[place] > spans.start[calls])
        fits &= launched[place] <= spans.start[calls]
        found[fits] = device[place[fits]]
    return found
