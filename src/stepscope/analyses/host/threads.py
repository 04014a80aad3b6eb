"""Threads of a process: how many work at once, how many cores there are if anything tells, and stretches in which none works."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.intervals import Intervals, lengths_between, minus, union_labelled
from stepscope.model.profile import Int8, Int64, Profile, SpanKind, Track, TrackPurpose, TrackRole

QUIET_NS = 1_000_000
_CORES = ("cpu_count", "num_cpus")
"""Keys under which a recording's own facts may tell the cores."""
_MOST_CORES = 65_536
_NO_WORK = (SpanKind.MARKER, SpanKind.ANNOTATION, SpanKind.SYNC, SpanKind.FRAMEWORK)
_NO_CORE = (*_NO_WORK, SpanKind.COLLECTIVE)
"""Kinds of spans under which a thread needs no core of its own; on threads of the input pipeline the consumer's wait is one more."""


@dataclass(frozen=True, slots=True)
class HostThreads:
    """What the threads of one process do in its typical steps."""

    threads: int  # that have any work
    busy: float  # threads that work at an average instant
    pool: int  # threads that run operations for another one
    cores: int | None  # None when nothing tells
    quiet: Intervals  # a millisecond or more inside a framework call, while no thread and no stream works
    quiet_per_step_ns: float
    framework_calls: bool  # whether calls into the framework were recorded at all

    @property
    def free(self) -> float | None:
        """Cores that nobody uses, None when their number is unknown."""
        return None if self.cores is None else self.cores - self.busy


def host_threads(profile: Profile, breakdown: Breakdown, cores: int | None = None) -> HostThreads:
    """`cores` is what is known from elsewhere; otherwise the file's own word is taken, if it has one."""
    threads = [track for track in profile.tracks if track.role == TrackRole.THREAD]
    work = [_union_without(profile, [track], _without_core(track)) for track in threads]
    window = float(breakdown.steps.length[list(breakdown.typical)].sum())
    used = sum(_in_typical_steps(breakdown, one) for one in work)
    calls = _framework_calls(profile, breakdown)
    quiet = _quiet(profile, calls)
    return HostThreads(
        threads=sum(len(start) > 0 for start, _ in work),
        busy=used / window if window else 0.0,
        pool=sum(track.purpose == TrackPurpose.EXECUTOR for track in threads),
        cores=cores if cores is not None else cores_told(profile),
        quiet=quiet,
        quiet_per_step_ns=_in_typical_steps(breakdown, quiet) / max(1, len(breakdown.typical)),
        framework_calls=len(calls[0]) > 0,
    )


def _without_core(track: Track) -> tuple[SpanKind, ...]:
    return (*_NO_CORE, SpanKind.INPUT) if track.purpose == TrackPurpose.INPUT else _NO_CORE


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
