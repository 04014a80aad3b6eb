"""Threads of a process: how many work at once, how many cores there are if anything tells, and stretches in which none works."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stepscope._native import owned_segments
from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.intervals import Intervals, lengths_between, minus, union, union_labelled
from stepscope.analyses.rows import are_named
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Int8, Int64, Profile, SpanKind, Track, TrackPurpose, TrackRole
from stepscope.model.span_names import NameRole

QUIET_NS = 1_000_000
_CORES = ("cpu_count", "num_cpus")
"""Keys under which a recording's own facts may tell the cores."""
_MOST_CORES = 65_536
_NO_WORK = (SpanKind.MARKER, SpanKind.ANNOTATION, SpanKind.SYNC, SpanKind.FRAMEWORK)
_TELLS_NOTHING = (SpanKind.MARKER, SpanKind.ANNOTATION, SpanKind.FRAMEWORK, SpanKind.COLLECTIVE)
"""Kinds of spans that do not tell whether a thread needs a core; what is inside them may."""
_MAY_SLEEP = (SpanKind.INPUT, SpanKind.PYTHON)
Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class HostThreads:
    """What the threads of one process do in its typical steps."""

    threads: int  # that have any work
    busy: float  # threads in traced work at an average instant: as many work at most, for not every wait is told by a name
    pool: int  # threads that run operations for another one
    cores: int | None  # None when nothing tells
    crowded: float  # share of typical steps in which more threads want to work than there are cores; 0 when those are unknown
    quiet: Intervals  # a millisecond or more inside a framework call, while no thread and no stream works
    quiet_per_step_ns: float
    framework_calls: bool  # whether calls into the framework were recorded at all

    @property
    def free(self) -> float | None:
        """Cores that nobody uses at least, None when their number is unknown."""
        return None if self.cores is None else self.cores - self.busy


def host_threads(profile: Profile, breakdown: Breakdown, cores: int | None = None) -> HostThreads:
    """`cores` is what is known from elsewhere; otherwise the file's own word is taken, if it has one."""
    threads = [track for track in profile.tracks if track.role == TrackRole.THREAD]
    calls = _framework_calls(profile, breakdown)
    quiet = _quiet(profile, calls)
    known = cores if cores is not None else cores_told(profile)
    return HostThreads(
        threads=sum(len(start) > 0 for start, _ in _working(profile, breakdown).values()),
        busy=busy_threads(profile, breakdown),
        pool=sum(track.purpose == TrackPurpose.EXECUTOR for track in threads),
        cores=known,
        crowded=_crowded(profile, breakdown, known),
        quiet=quiet,
        quiet_per_step_ns=_in_typical_steps(breakdown, quiet) / max(1, len(breakdown.typical)),
        framework_calls=len(calls[0]) > 0,
    )


def busy_threads(profile: Profile, breakdown: Breakdown, without: Sequence[TimeClass] = ()) -> float:
    """Threads that work at an average instant of typical steps, at most; without what they do for some classes.

    Threads of the input pipeline work for input, whatever they run.
    """
    used = 0
    for place, work in _working(profile, breakdown).items():
        track = profile.tracks[place]
        if TimeClass.INPUT in without and track.purpose == TrackPurpose.INPUT:
            continue
        rows = slice(track.first_row, track.last_row)
        spans, label = profile.spans, breakdown.classified.label
        moved = union_labelled([(spans.start[rows], spans.end[rows], label[rows])], [int(each) for each in without])
        used += _in_typical_steps(breakdown, minus(work, moved))
    window = int(breakdown.steps.length[list(breakdown.typical)].sum())
    return used / window if window else 0.0


def loading_threads(profile: Profile, breakdown: Breakdown) -> Intervals:
    """When threads of the input pipeline work, as far as spans tell: a generator in Python that sleeps looks like one that computes."""
    none = np.zeros(0, np.int64)
    working = _working(profile, breakdown).items()
    found = [(none, none), *(work for place, work in working if profile.tracks[place].purpose == TrackPurpose.INPUT)]
    return union(np.concatenate([start for start, _ in found]), np.concatenate([end for _, end in found]))


def _crowded(profile: Profile, breakdown: Breakdown, cores: int | None) -> float:
    """A thread that waits for a core is inside its work all the same, so more threads at work than cores are threads that wait."""
    work = list(_working(profile, breakdown).values())
    window = int(breakdown.steps.length[list(breakdown.typical)].sum())
    if cores is None or len(work) <= cores or not window:
        return 0.0
    times = np.concatenate([each for start, end in work for each in (start, end)])
    change = np.concatenate([np.full(len(each), by) for start, end in work for each, by in ((start, 1), (end, -1))])
    order = np.lexsort((change, times))
    times, many = times[order], np.cumsum(change[order])[:-1] > cores
    return _in_typical_steps(breakdown, union(times[:-1][many], times[1:][many])) / window


def _working(profile: Profile, breakdown: Breakdown) -> dict[int, Intervals]:
    """By thread, when it does something that may need a core."""
    return breakdown.once("working threads", lambda: _work_by_thread(profile))


def _work_by_thread(profile: Profile) -> dict[int, Intervals]:
    sleeps = sleeping_spans(profile)
    found: dict[int, Intervals] = {}
    for place, track in enumerate(profile.tracks):
        if track.role == TrackRole.THREAD:
            nothing = (*_TELLS_NOTHING, SpanKind.INPUT) if track.purpose == TrackPurpose.INPUT else _TELLS_NOTHING
            rows = np.arange(track.first_row, track.last_row)
            rows = rows[~np.isin(profile.spans.kind[rows], [kind.value for kind in nothing])] if sleeps[rows].any() else None
            work = _union_without(profile, [track], nothing)
            found[place] = work if rows is None else minus(work, asleep(profile, rows, sleeps))
    return found


def sleeping_spans(profile: Profile) -> Mask:
    """For every span whether its thread only waits in it, as far as its kind or name tells; every name is asked once."""
    spans = profile.spans
    may = np.flatnonzero(np.isin(spans.kind, [kind.value for kind in _MAY_SLEEP]))
    found = spans.kind == SpanKind.SYNC
    found[may] = are_named(profile, may, NameRole.ASLEEP)
    return found


def asleep(profile: Profile, rows: Int64, sleeps: Mask) -> Intervals:
    """When the innermost of the rows, which are of one track and in the order of the table, is one that sleeps."""
    spans = profile.spans
    start, end, owner = owned_segments(spans.start[rows], spans.end[rows], np.zeros(len(rows), np.int8), np.zeros(1, np.int8))
    mine = sleeps[rows[owner]]
    return union(start[mine], end[mine])


def _union_without(profile: Profile, tracks: Sequence[Track], kinds: tuple[SpanKind, ...]) -> Intervals:
    return union_labelled(_columns(profile, tracks), [kind for kind in SpanKind if kind not in kinds])


def _columns(profile: Profile, tracks: Iterable[Track]) -> Iterator[tuple[Int64, Int64, Int8]]:
    """Start, end and kind of the spans of each track."""
    spans = profile.spans
    for track in tracks:
        rows = slice(track.first_row, track.last_row)
        yield spans.start[rows], spans.end[rows], spans.kind[rows]


def _framework_calls(profile: Profile, breakdown: Breakdown) -> Intervals:
    control = [profile.tracks[place] for place in breakdown.classified.control]
    return union_labelled(_columns(profile, control), [SpanKind.FRAMEWORK])


def _quiet(profile: Profile, calls: Intervals) -> Intervals:
    everywhere = [track for track in profile.tracks if track.role in (TrackRole.THREAD, TrackRole.STREAM)]
    start, end = minus(calls, _union_without(profile, everywhere, _NO_WORK)) if len(calls[0]) else calls
    long = end - start >= QUIET_NS
    return start[long], end[long]


def _in_typical_steps(breakdown: Breakdown, these: Intervals) -> int:
    return int(lengths_between(these, breakdown.steps.bounds)[list(breakdown.typical)].sum())


def cores_told(profile: Profile) -> int | None:
    """Cores of the machine as the recording itself tells, None when it does not."""
    for key in _CORES:
        text = profile.environment.get(key, "")
        if text.isascii() and text.isdigit() and 0 < int(text[:8]) <= _MOST_CORES:
            return int(text)
    return None
