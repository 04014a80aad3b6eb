"""Why a device had nothing to do: every gap between its work with the one thing that explains most of it, and the causes ranked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from stepscope._native import gap_owners, sweep_steps
from stepscope.analyses.breakdown import Breakdown, Segments, device_segments, host_segments
from stepscope.analyses.grouping import dense_codes
from stepscope.analyses.launches import BlockingCalls, blocking_calls, launch_latency
from stepscope.analyses.rows import rows_of
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Int8, Int32, Int64, Profile, TrackRole

_WORK = TimeClass.D2D  # classes up to this one are the device's own work
_HELD_NS = 25_000
_NEAR = 3.0
_LONG_CALL_NS = 20_000


class Cause(IntEnum):
    """What a device waited for."""

    INPUT_WAIT = 0
    SYNC = 1  # the host had waited for the device, or copied back from it, and had launched nothing meanwhile
    STREAM_WAIT = 2  # work was launched, and something else held it: another stream, a collective, another device
    LAUNCH_BOUND = 3  # launch follows launch, and each takes longer than what it starts
    QUEUE_FULL = 4  # a launch call that takes far longer than its like
    HOST_OP = 5  # operations or framework calls between launches
    ALLOCATOR = 6
    COMPILE = 7
    GC = 8
    IO = 9
    PYTHON = 10
    UNTRACED = 11

    @property
    def key(self) -> str:
        """The name in JSON and on pages."""
        return self.name.lower()


_OF_CLASS = {
    TimeClass.INPUT: Cause.INPUT_WAIT,
    TimeClass.SYNC: Cause.SYNC,
    TimeClass.ALLOC: Cause.ALLOCATOR,
    TimeClass.COMPILE: Cause.COMPILE,
    TimeClass.GC: Cause.GC,
    TimeClass.IO: Cause.IO,
    TimeClass.LAUNCH: Cause.HOST_OP,
    TimeClass.OP: Cause.HOST_OP,
    TimeClass.FRAMEWORK: Cause.HOST_OP,
    TimeClass.PYTHON: Cause.PYTHON,
}


@dataclass(frozen=True, slots=True)
class Gaps:
    """Stretches of steps in which a device does nothing, in time order; none crosses from one step to the next."""

    start: Int64
    end: Int64
    step: Int32  # place of the step
    cause: Int8  # a Cause
    row: Int32  # the host span that explains it, NONE when nothing was traced
    parts: Int64  # gaps x TimeClass: what the host did meanwhile; over the classes they sum to the gap

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, slots=True)
class IdleCause:
    """All gaps of typical steps with one cause and one name."""

    cause: Cause
    name: str  # of the host span, "" for none
    per_step_ns: float  # of a typical step, whole gaps: what could be won at best
    gaps: int
    longest: int  # place of the longest gap


@dataclass(frozen=True, slots=True)
class IdleCauses:
    """One device's gaps, and their causes by time."""

    device: int
    gaps: Gaps
    causes: tuple[IdleCause, ...]

    def per_step_ns(self, cause: Cause) -> float:
        """Of a typical step, under any name."""
        return sum(one.per_step_ns for one in self.causes if one.cause == cause)


def idle_causes(profile: Profile, breakdown: Breakdown, device: int | None = None) -> IdleCauses:
    """The gaps of one device (the first that computes when none is named; on a CPU-only rank the CPU). Found once, for rules too."""
    chosen = breakdown.classified.devices[0] if device is None else device
    return breakdown.once((idle_causes, chosen), lambda: _found(profile, breakdown, chosen))


def _found(profile: Profile, breakdown: Breakdown, chosen: int) -> IdleCauses:
    hosts = host_segments(profile, breakdown.classified)
    start, end = _idle(breakdown, [*device_segments(profile, breakdown.classified, chosen), *hosts])
    step = (np.searchsorted(breakdown.steps.bounds, start, side="right") - 1).astype(np.int32)
    parts = _host_parts(hosts, start, end)
    owner = np.argmax(parts, axis=1).astype(np.int8)
    row = gap_owners(hosts, start, end, owner)
    cause = np.array([_OF_CLASS.get(each, Cause.UNTRACED) for each in TimeClass], np.int8)[owner]
    gaps = Gaps(start, end, step, cause, row, parts)
    if not breakdown.classified.cpu_only:
        _explain_launches(profile, breakdown, chosen, gaps)
        _explain_waits(profile, gaps, blocking_calls(profile, breakdown))
    return IdleCauses(chosen, gaps, _ranked(profile, breakdown, gaps))


def _idle(breakdown: Breakdown, tracks: list[Segments]) -> tuple[Int64, Int64]:
    """The complement of all device work; the bounds of steps count as work of no length, so that they cut gaps."""
    bounds = breakdown.steps.bounds
    starts, ends = [bounds], [bounds]
    for start, end, _, label in tracks:
        works = (label >= 0) & (label <= _WORK)
        starts.append(start[works])
        ends.append(end[works])
    start, end = np.concatenate(starts), np.concatenate(ends)
    order = np.argsort(start, kind="stable")
    reach = np.maximum.accumulate(end[order])
    since, until = reach[:-1], start[order][1:]
    free = (until > since) & (since >= bounds[0]) & (until <= bounds[-1])
    return since[free], until[free]


def _host_parts(hosts: list[Segments], start: Int64, end: Int64) -> Int64:
    """How long each host class has each gap; what is left is untraced."""
    if not len(start):
        return np.zeros((0, len(TimeClass)), np.int64)
    edges = np.stack([start, end], axis=1).ravel()
    swept = int(TimeClass.UNTRACED)
    taken = sweep_steps(hosts, edges, swept, np.zeros(len(edges) - 1, np.uint8))[0].reshape(len(edges) - 1, swept)[::2]
    return np.concatenate([taken, (end - start - taken.sum(axis=1))[:, None]], axis=1)


def _explain_launches(profile: Profile, breakdown: Breakdown, device: int, gaps: Gaps) -> None:
    """Tells work that was launched and held from work whose launch came late, and late launches by what was between them."""
    spans = profile.spans
    rows = rows_of(track for track in profile.tracks if track.role == TrackRole.STREAM and track.device == device)
    rows = rows[(spans.cause[rows] >= 0) & (breakdown.classified.label[rows] >= 0)]
    if not len(rows) or not len(gaps):
        return
    latency = launch_latency(profile, rows)
    rows = rows[np.argsort(spans.start[rows], kind="stable")]
    at = np.searchsorted(spans.start[rows], gaps.end, side="left")
    follows = np.flatnonzero((at < len(rows)) & (spans.start[rows[np.minimum(at, len(rows) - 1)]] == gaps.end))
    call = spans.cause[rows[at[follows]]]
    ready = np.maximum(gaps.start[follows], spans.start[call] + round(latency))
    held = gaps.end[follows] - ready
    waits = (held > _HELD_NS) & (2 * held > gaps.end[follows] - gaps.start[follows])
    gaps.cause[follows[waits]] = Cause.STREAM_WAIT
    _explain_calls(profile, gaps, follows[~waits], call[~waits])


def _explain_calls(profile: Profile, gaps: Gaps, place: Int64, call: Int32) -> None:
    """Among gaps of host operations: launch after launch, or one launch call that takes far longer than usual."""
    spans = profile.spans
    calls = np.unique(spans.cause[spans.cause >= 0])
    calls = calls[np.lexsort((spans.start[calls], spans.track[calls]))]
    follows = np.concatenate([[False], np.diff(spans.track[calls]) == 0])
    since = np.concatenate([[0], np.diff(spans.start[calls])])
    usual = float(np.median(since[follows])) if follows.any() else 0.0
    at = np.full(len(spans), NONE, np.int64)
    at[calls] = np.arange(len(calls))
    at = at[call]
    near = follows[at] & (since[at] <= _NEAR * usual)
    length = spans.end[call] - spans.start[call]
    inside = np.minimum(spans.end[call], gaps.end[place]) - np.maximum(spans.start[call], gaps.start[place])
    usual_call = float(np.median(spans.end[calls] - spans.start[calls]))
    long = (length > max(_LONG_CALL_NS, _NEAR * usual_call)) & (2 * inside > gaps.end[place] - gaps.start[place])
    host = gaps.cause[place] == Cause.HOST_OP
    gaps.cause[place[host & near]] = Cause.LAUNCH_BOUND
    gaps.cause[place[host & long]] = Cause.QUEUE_FULL


def _explain_waits(profile: Profile, gaps: Gaps, calls: BlockingCalls) -> None:
    """A gap in which a call that had waited for the device returns is that call's doing, whatever the host did after it."""
    spans = profile.spans
    if not len(calls.row) or not len(gaps):
        return
    at = np.searchsorted(gaps.end, spans.end[calls.row], side="left")
    inside = at < len(gaps)
    place, row = at[inside], calls.row[inside]
    drained = (spans.start[row] < gaps.start[place]) & (spans.end[row] >= gaps.start[place])
    drained &= gaps.cause[place] != Cause.INPUT_WAIT
    gaps.cause[place[drained]] = Cause.SYNC
    gaps.row[place[drained]] = row[drained]


def _ranked(profile: Profile, breakdown: Breakdown, gaps: Gaps) -> tuple[IdleCause, ...]:
    typical = np.flatnonzero(np.isin(gaps.step, breakdown.typical))
    if not len(typical):
        return ()
    row = gaps.row[typical]
    named = (row != NONE) & (gaps.cause[typical] != Cause.UNTRACED)
    name = np.where(named, profile.spans.name[np.maximum(row, 0)], NONE).astype(np.int64)
    names = len(profile.names) + 1
    groups = dense_codes(gaps.cause[typical].astype(np.int64) * names + name + 1, len(Cause) * names)
    length = gaps.end[typical] - gaps.start[typical]
    by_length = np.argsort(length, kind="stable")
    longest = np.empty(groups.groups, np.int64)
    longest[groups.code[by_length]] = by_length
    count = max(1, len(breakdown.typical))
    found = [
        IdleCause(
            Cause(int(gaps.cause[typical[place]])),
            profile.names[int(name[place])] if name[place] != NONE else "",
            total / count,
            gaps_of,
            int(typical[place]),
        )
        for place, total, gaps_of in zip(longest.tolist(), groups.sums(length).tolist(), groups.counts().tolist(), strict=True)
    ]
    return tuple(sorted(found, key=lambda one: (-one.per_step_ns, one.cause, one.name)))
