"""A period in a device's kernels: the same sequence of names again and again, when nothing on the host marks the steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.rows import are_named, rows_of
from stepscope.model.profile import NONE, Int32, Int64, Profile, SpanKind, TrackRole
from stepscope.model.span_names import NameRole

LEAST_PERIODS = 3
_SAME = 0.9  # of the names a period further on must be equal
_COVERED = 0.6  # of the kernels must lie inside the periods
_MOST_TRIED = 64
_OWN_PASS = 0.9  # of the periods must be launched by a call, and inside a pass through the model, of their own


@dataclass(frozen=True, slots=True)
class KernelPeriod:
    """Times at which periods begin and end: when their first kernel was launched, or started where launches are unknown."""

    name: str  # short, of the kernel that comes first in each period
    track: int  # thread that launches it, NONE when unknown
    start: Int64
    end: Int64


def find_kernel_period(profile: Profile) -> KernelPeriod | None:
    """The period of the device with the most kernels, if its kernels repeat at least three times."""
    rows = _busiest_kernels(profile)
    rest = are_named(profile, rows, NameRole.REST)
    names = np.where(rest, -1 - np.arange(len(rows), dtype=np.int32), profile.spans.name[rows])  # no two of the rest are the same
    best = _anchors(names, lambda places: _launched_apart(profile, rows[places]))
    if best is None:
        return None
    places, period = best
    begins = rows[places]
    last = rows[min(int(places[-1]) + period, len(rows)) - 1]
    spans = profile.spans
    linked = spans.cause[begins] >= 0
    start = np.sort(spans.start[spans.cause[begins]])
    if linked.all() and spans.cause[last] >= 0 and bool((np.diff(start) > 0).all()):
        end = np.append(start[1:], max(int(spans.end[spans.cause[last]]), int(start[-1])))
        track = int(np.bincount(spans.track[spans.cause[begins]]).argmax())
    else:  # launches are unknown, or replays of a graph were launched at one instant: only the device tells
        start = spans.start[begins]
        end = np.append(start[1:], spans.end[last])
        track = NONE
    return KernelPeriod(profile.name_rules.short_name(profile.names[int(names[places[0]])]), track, start, end)


def _launched_apart(profile: Profile, begins: Int64) -> bool:
    """Whether each period is launched on its own: periods of one graph launch, or of one pass through the model, are layers."""
    spans = profile.spans
    call = spans.cause[begins].astype(np.int64)
    call = call[call >= 0]
    if not len(call):
        return True
    is_pass = np.array([profile.name_rules.fits(NameRole.MODEL_PASS, name) for name in profile.names] or [False])
    outermost, at = call.copy(), call.copy()
    while len(inside := np.flatnonzero(at >= 0)):
        found = inside[is_pass[spans.name[at[inside]]]]
        outermost[found] = at[found]
        at[inside] = spans.parent[at[inside]]
    return len(np.unique(outermost)) >= _OWN_PASS * len(outermost)


def _busiest_kernels(profile: Profile) -> Int64:
    """Kernels of the device that has most of them, in the order they started."""
    spans = profile.spans
    best = np.zeros(0, np.int64)
    for device in sorted({track.device for track in profile.tracks if track.role == TrackRole.STREAM}):
        rows = rows_of(track for track in profile.tracks if track.role == TrackRole.STREAM and track.device == device)
        rows = rows[spans.kind[rows] == SpanKind.KERNEL]
        if len(rows) > len(best):
            best = rows
    return best[np.argsort(spans.start[best], kind="stable")]


def _anchors(names: Int32, possible: Callable[[Int64], bool]) -> tuple[Int64, int] | None:
    """Places of a kernel that comes once per period, and the period in kernels.

    Its gaps are even, so that layers that repeat inside a step are no steps. Of several periods that fit the shortest is taken: what
    comes every tenth step fits too.
    """
    distinct, first, counts = np.unique(names, return_index=True, return_counts=True)
    often = np.flatnonzero(counts >= LEAST_PERIODS)
    best: tuple[Int64, int] | None = None
    for which in often[np.lexsort((first[often], -counts[often]))][:_MOST_TRIED].tolist():
        places = np.flatnonzero(names == distinct[which]).astype(np.int64)
        gaps = np.diff(places)
        period = int(np.median(gaps))
        if period < 2 or abs(gaps - period).max() > max(1, period // 10) or (best is not None and period >= best[1]):
            continue
        ahead = names[places[0] + period :]
        same = float((names[places[0] : places[0] + len(ahead)] == ahead).mean())
        covered = (places[-1] + period - places[0]) / len(names)
        if same >= _SAME and covered >= _COVERED and possible(places):
            best = (places, period)
    return best
