"""The critical path as the trace draws it: its segments in the order of time on one worker's clock, and the slack of any span."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.what_if.critical_path import CriticalPath, PathSegment
from stepscope.model.profile import NONE, Int64, Profile, TrackRole


@dataclass(frozen=True, slots=True)
class TracedPath:
    """All segments of a path. They follow one another, so on the clock of the worker whose path it is each begins where one ended."""

    path: CriticalPath
    segments: tuple[PathSegment, ...]
    start: Int64
    end: Int64
    on_path: dict[int, int]  # nanoseconds that spans of that worker have on the path, by row


def traced_path(path: CriticalPath, breakdown: Breakdown, place: int) -> TracedPath:
    """Segments on other workers have times of their clocks; here they are where they lie between those of this one."""
    segments = tuple(chain.from_iterable(path.segments))
    length = np.array([each.end - each.start for each in segments], np.int64)
    end = int(breakdown.steps.bounds[0]) + np.cumsum(length)
    on_path: dict[int, int] = {}
    for each in segments:
        if each.rank == place and each.row != NONE and each.part != "between":
            on_path[each.row] = on_path.get(each.row, 0) + each.end - each.start
    return TracedPath(path, segments, end - length, end, on_path)


def segments_in(traced: TracedPath, window: tuple[int, int], limit: int) -> tuple[Sequence[int], int]:
    """Places of the segments that overlap the window, and how many there are; with more than `limit`, those left out are shortest."""
    first = int(np.searchsorted(traced.end, window[0], side="right"))
    last = max(first, int(np.searchsorted(traced.start, window[1], side="left")))
    if last - first <= limit:
        return range(first, last), last - first
    length = (traced.end - traced.start)[first:last]
    return (first + np.sort(np.argpartition(-length, limit)[:limit])).tolist(), last - first


def slack_of(traced: TracedPath, profile: Profile, breakdown: Breakdown, row: int) -> int | None:
    """Nanoseconds by which a span may end later without a longer step; None where that is not known."""
    slack = traced.path.slack
    if slack is None or row in traced.on_path:
        return None if slack is None else 0
    track = int(profile.spans.track[row])
    if profile.tracks[track].role == TrackRole.STREAM:
        return slack.of_op(row)
    return slack.of_host(int(profile.spans.end[row])) if track in breakdown.classified.control else None
