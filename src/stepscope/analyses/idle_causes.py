"""Why a device has nothing to do: every nanosecond of its gaps with what owns it, as the breakdown divides time; causes ranked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stepscope._native import owned_pieces
from stepscope.analyses.breakdown import Breakdown, Segments, device_segments, host_segments
from stepscope.analyses.grouping import Grouped, dense_codes
from stepscope.analyses.launches import blocking_calls, launch_latency
from stepscope.analyses.rows import rows_of
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Int8, Int32, Int64, Profile, SpanKind, TrackRole

_WORK = TimeClass.D2D  # classes up to this one are the device's own work
_HELD_NS = 25_000
_NEAR = 3.0
_LONG_CALL_NS = 20_000

Bool: TypeAlias = NDArray[np.bool_]


class Cause(IntEnum):
    """What a device waited for."""

    INPUT_WAIT = 0
    SYNC = 1  # the host waits for the device, or copies back from it, and launches nothing meanwhile
    STREAM_WAIT = 2  # work was launched, and something else held it: another stream, a collective, another device
    LAUNCH_BOUND = 3  # launch follows launch, and each takes longer than what it starts
    SLOW_LAUNCH = 4  # a launch call that takes far longer than its like
    HOST_OP = 5  # operations or framework calls between launches
    ALLOCATOR = 6
    COMPILE = 7
    GC = 8
    IO = 9
    PYTHON = 10
    UNTRACED = 11
    STARTUP = 12  # once in a process: context creation, lazy loading, autotuning, first calls

    @property
    def key(self) -> str:
        """The name in JSON and on pages."""
        return self.name.lower()

    @property
    def text(self) -> str:
        """What it is called in tables."""
        return self.key.replace("_", " ")


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
_CAUSE_OF = np.array([_OF_CLASS.get(each, Cause.UNTRACED) for each in TimeClass], np.int8)
_BETWEEN_LAUNCHES = (TimeClass.LAUNCH, TimeClass.OP, TimeClass.FRAMEWORK)


@dataclass(frozen=True, slots=True)
class Gaps:
    """Stretches of steps in which a device does nothing, in time order; none crosses from one step to the next."""

    start: Int64
    end: Int64
    step: Int32  # place of the step
    waited: Int32  # the call that had waited for the device when the gap began, or waits in most of it; NONE for none
    parts: Int64  # gaps x TimeClass: what the host did meanwhile; over the classes they sum to the gap

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, slots=True)
class IdleCause:
    """All idle time of typical steps with one cause, one class of the breakdown and one name."""

    cause: Cause
    part: TimeClass  # whose time it is in the breakdown: over the causes, each class sums to what the breakdown has of it
    name: str  # of the host's span, of work that was held its own; "" for none
    per_step_ns: float  # of a typical step: what could be won at best
    gaps_per_step: float  # gaps of a typical step that it has a part in
    after_wait_ns: float  # of per_step_ns: in gaps before which the host had waited for the device, so that nothing was queued
    row: int  # the host's span with the longest stretch, NONE for none
    longest_ns: int  # that stretch
    step: int  # place of its step


@dataclass(frozen=True, slots=True)
class CauseSum:
    """A cause under any name."""

    cause: Cause
    per_step_ns: float
    gaps_per_step: float


@dataclass(frozen=True, slots=True)
class CauseTable:
    """Causes by time, largest first; both columns of times sum to the idle time of a typical step."""

    sums: tuple[CauseSum, ...]
    causes: tuple[IdleCause, ...]

    @property
    def idle_ns(self) -> float:
        """Of a typical step."""
        return sum(one.per_step_ns for one in self.sums)

    def per_step_ns(self, cause: Cause) -> float:
        """Of a typical step, under any name."""
        return sum(one.per_step_ns for one in self.sums if one.cause == cause)

    def named(self, cause: Cause) -> list[IdleCause]:
        """The names of one cause, largest first."""
        return [one for one in self.causes if one.cause == cause]


@dataclass(frozen=True, slots=True)
class IdleCauses:
    """One device's gaps, and their causes."""

    device: int
    gaps: Gaps
    table: CauseTable


@dataclass(frozen=True, slots=True)
class CausePieces:
    """Stretches of a device's gaps with one cause each, in time order; they do not overlap."""

    start: Int64
    end: Int64
    cause: Int8
    row: Int32  # the host's span, of work that was held that work; NONE for none


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Stretches of gaps that one span of the host owns, or nobody."""

    gap: Int64
    start: Int64
    end: Int64
    row: Int32  # NONE where nothing was traced
    label: Int8


def idle_causes(profile: Profile, breakdown: Breakdown, device: int | None = None) -> IdleCauses:
    """The gaps of one device (the first that computes when none is named; on a CPU-only rank the CPU). Found once, for rules too."""
    chosen = breakdown.classified.devices[0] if device is None else device
    return breakdown.once((idle_causes, chosen), lambda: _found(profile, breakdown, chosen))


def cause_pieces(profile: Profile, breakdown: Breakdown, device: int) -> CausePieces:
    """The stretches of which the table of causes is the sum, also those outside of typical steps."""

    def make() -> CausePieces:
        _, pieces, cause = _explained(profile, breakdown, device)
        order = np.argsort(pieces.start, kind="stable")
        return CausePieces(pieces.start[order], pieces.end[order], cause[order], pieces.row[order])

    return breakdown.once((cause_pieces, device), make)


def mean_causes(profile: Profile, breakdown: Breakdown) -> CauseTable:
    """The causes in the mean over a rank's devices, as the breakdown's parts are; of one device its own."""
    found = [idle_causes(profile, breakdown, device).table for device in breakdown.classified.devices]
    if len(found) == 1:
        return found[0]
    share = 1 / len(found)
    merged: dict[tuple[Cause, TimeClass, str], IdleCause] = {}
    for one in (one for table in found for one in table.causes):
        before = merged.get((one.cause, one.part, one.name))
        longer = before is None or one.longest_ns > before.longest_ns
        merged[one.cause, one.part, one.name] = replace(
            one if longer or before is None else before,
            per_step_ns=(before.per_step_ns if before else 0.0) + share * one.per_step_ns,
            gaps_per_step=(before.gaps_per_step if before else 0.0) + share * one.gaps_per_step,
            after_wait_ns=(before.after_wait_ns if before else 0.0) + share * one.after_wait_ns,
        )
    sums = [one for table in found for one in table.sums]
    return _table(
        [
            CauseSum(
                cause,
                sum(share * one.per_step_ns for one in sums if one.cause == cause),
                sum(share * one.gaps_per_step for one in sums if one.cause == cause),
            )
            for cause in {one.cause for one in sums}
        ],
        list(merged.values()),
    )


def _found(profile: Profile, breakdown: Breakdown, chosen: int) -> IdleCauses:
    gaps, pieces, cause = _explained(profile, breakdown, chosen)
    return IdleCauses(chosen, gaps, _ranked(profile, breakdown, gaps, pieces, cause))


def _explained(profile: Profile, breakdown: Breakdown, chosen: int) -> tuple[Gaps, _Pieces, Int8]:
    """The gaps, their stretches, and the cause of each stretch."""
    hosts = host_segments(profile, breakdown.classified)
    start, end = _idle(breakdown, [*device_segments(profile, breakdown.classified, chosen), *hosts])
    step = (np.searchsorted(breakdown.steps.bounds, start, side="right") - 1).astype(np.int32)
    pieces = _pieces(hosts, start, end)
    cells, classes = pieces.gap * len(TimeClass) + pieces.label, len(TimeClass)
    parts = np.bincount(cells, pieces.end - pieces.start, len(start) * classes).astype(np.int64).reshape(len(start), classes)
    gaps = Gaps(start, end, step, np.full(len(start), NONE, np.int32), parts)
    cause = _CAUSE_OF[pieces.label]
    if not breakdown.classified.cpu_only and len(gaps):
        waits = _waiting_calls(profile, breakdown)
        _note_waits(profile, gaps, pieces, waits)
        following = _following_work(profile, breakdown, chosen, gaps)
        inside = _inside_a_graph(profile, breakdown, chosen, gaps, following[0])
        _explain_calls(profile, gaps, pieces, cause, following[0], waits)
        pieces, cause = _with_held_work(gaps, pieces, cause, following)
        cause[(cause == Cause.STREAM_WAIT) & inside[pieces.gap]] = Cause.UNTRACED
        cause[(pieces.label == TimeClass.COMPILE) & np.isin(pieces.row, breakdown.classified.startup)] = Cause.STARTUP
    return gaps, pieces, cause


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


def _pieces(hosts: list[Segments], start: Int64, end: Int64) -> _Pieces:
    """Who owns which nanosecond of the gaps, by the breakdown's order of classes; what nobody owns is untraced."""
    edges = np.stack([start, end], axis=1).ravel()
    wanted = np.zeros(max(0, len(edges) - 1), np.uint8)
    wanted[::2] = 1
    between, since, until, row, label = owned_pieces(hosts, edges, int(TimeClass.UNTRACED), wanted)
    gap = between // 2
    first = np.flatnonzero(np.concatenate([[True], gap[1:] != gap[:-1]])[: len(gap)])
    reached = np.roll(until, 1)  # where the piece before ended, in each gap's first piece where the gap begins
    reached[first] = start[gap[first]]
    before = np.flatnonzero(since > reached)
    last = start.copy()
    last[gap] = until
    after = np.flatnonzero(end > last)
    nobody = len(before) + len(after)
    return _Pieces(
        np.concatenate([gap, gap[before], after]),
        np.concatenate([since, reached[before], last[after]]),
        np.concatenate([until, since[before], end[after]]),
        np.concatenate([row, np.full(nobody, NONE, np.int32)]),
        np.concatenate([label, np.full(nobody, TimeClass.UNTRACED, np.int8)]),
    )


def _waiting_calls(profile: Profile, breakdown: Breakdown) -> Int64:
    """Calls that return only when the device is done, by their starts. One that starts kernels is a launch, however long it takes."""
    spans = profile.spans
    calls = blocking_calls(profile, breakdown).row
    starts_kernels = np.zeros(len(spans), bool)
    launched = spans.cause[spans.kind == SpanKind.KERNEL]
    starts_kernels[launched[launched >= 0]] = True
    return calls[~starts_kernels[calls]]


def _note_waits(profile: Profile, gaps: Gaps, pieces: _Pieces, calls: Int64) -> None:
    """A gap in which a call that had waited for the device returns began because of it, whatever the host did after it."""
    spans = profile.spans
    owner = np.argmax(gaps.parts, axis=1)
    waiting = np.flatnonzero((pieces.label == TimeClass.SYNC) & (owner[pieces.gap] == TimeClass.SYNC))
    waiting = waiting[np.argsort((pieces.end - pieces.start)[waiting], kind="stable")]
    gaps.waited[pieces.gap[waiting]] = pieces.row[waiting]
    at = np.searchsorted(gaps.end, spans.end[calls], side="left")
    inside = at < len(gaps)
    place, row = at[inside], calls[inside]
    drained = (spans.start[row] < gaps.start[place]) & (spans.end[row] >= gaps.start[place]) & (owner[place] != TimeClass.INPUT)
    gaps.waited[place[drained]] = row[drained]


def _following_work(profile: Profile, breakdown: Breakdown, device: int, gaps: Gaps) -> tuple[Int64, Int64]:
    """Per gap the device work that ends it, NONE where its launch is not in the file, and from when on it could have run."""
    spans = profile.spans
    work, ready = np.full(len(gaps), NONE, np.int64), gaps.end.copy()
    rows = rows_of(track for track in profile.tracks if track.role == TrackRole.STREAM and track.device == device)
    rows = rows[(spans.cause[rows] >= 0) & (breakdown.classified.label[rows] >= 0)]
    if not len(rows):
        return work, ready
    latency = launch_latency(profile, rows)
    rows = rows[np.argsort(spans.start[rows], kind="stable")]
    at = np.searchsorted(spans.start[rows], gaps.end, side="left")
    follows = np.flatnonzero((at < len(rows)) & (spans.start[rows[np.minimum(at, len(rows) - 1)]] == gaps.end))
    work[follows] = rows[at[follows]]
    call = spans.cause[work[follows]]
    launched = np.maximum(spans.start[call] + round(latency), spans.end[call])
    ready[follows] = np.clip(launched, gaps.start[follows], gaps.end[follows])
    return work, ready


def _inside_a_graph(profile: Profile, breakdown: Breakdown, device: int, gaps: Gaps, work: Int64) -> Bool:
    """Whether one launch started what ended last before each gap and what follows it: what holds work in a graph is not recorded."""
    spans = profile.spans
    rows = rows_of(track for track in profile.tracks if track.role == TrackRole.STREAM and track.device == device)
    rows = rows[(spans.cause[rows] >= 0) & (breakdown.classified.label[rows] >= 0)]
    if not len(rows):
        return np.zeros(len(gaps), bool)
    rows = rows[np.argsort(spans.end[rows], kind="stable")]
    before = rows[np.maximum(np.searchsorted(spans.end[rows], gaps.start, side="right") - 1, 0)]
    return (work != NONE) & (spans.cause[before] == spans.cause[np.maximum(work, 0)]) & (spans.end[before] <= gaps.start)


def _explain_calls(profile: Profile, gaps: Gaps, pieces: _Pieces, cause: Int8, work: Int64, waits: Int64) -> None:
    """Among the host's calls: launch after launch, a launch that takes far longer than usual, and calls that wait for the device."""
    spans = profile.spans
    calls = np.unique(spans.cause[spans.cause >= 0])
    if len(calls):
        near = _launch_after_launch(profile, calls, work) & (gaps.waited == NONE)
        cause[np.isin(pieces.label, _BETWEEN_LAUNCHES) & near[pieces.gap]] = Cause.LAUNCH_BOUND
        length = spans.end[calls] - spans.start[calls]
        long = np.zeros(len(spans) + 1, bool)
        long[calls] = length > max(_LONG_CALL_NS, _NEAR * float(np.median(length)))
        cause[(pieces.label == TimeClass.LAUNCH) & long[pieces.row]] = Cause.SLOW_LAUNCH
    waiting = np.zeros(len(spans) + 1, bool)
    waiting[waits] = True
    cause[(pieces.label == TimeClass.LAUNCH) & waiting[pieces.row]] = Cause.SYNC


def _launch_after_launch(profile: Profile, calls: Int32, work: Int64) -> Bool:
    """Whether the launch of what follows each gap came about as soon after the launch before it as launches do."""
    spans = profile.spans
    calls = calls[np.lexsort((spans.start[calls], spans.track[calls]))]
    follows = np.concatenate([[False], np.diff(spans.track[calls]) == 0])
    since = np.concatenate([[0], np.diff(spans.start[calls])])
    usual = float(np.median(since[follows])) if follows.any() else 0.0
    soon = np.zeros(len(spans) + 1, bool)
    soon[calls] = follows & (since <= _NEAR * usual)
    return np.where(work != NONE, soon[spans.cause[work]], False)


def _with_held_work(gaps: Gaps, pieces: _Pieces, cause: Int8, following: tuple[Int64, Int64]) -> tuple[_Pieces, Int8]:
    """Time after the next work was launched is that work's waiting for something else; pieces are cut where it begins."""
    work, ready = following
    ready = np.where(gaps.end - ready > _HELD_NS, ready, gaps.end)
    if bool((ready == gaps.end).all()):
        return pieces, cause
    cut = np.clip(ready[pieces.gap], pieces.start, pieces.end)
    before, after = np.flatnonzero(cut > pieces.start), np.flatnonzero(cut < pieces.end)
    both = np.concatenate([before, after])
    parted = _Pieces(
        pieces.gap[both],
        np.concatenate([pieces.start[before], cut[after]]),
        np.concatenate([cut[before], pieces.end[after]]),
        np.concatenate([pieces.row[before], work[pieces.gap[after]].astype(np.int32)]),
        pieces.label[both],
    )
    return parted, np.concatenate([cause[before], np.full(len(after), Cause.STREAM_WAIT, np.int8)])


def _ranked(profile: Profile, breakdown: Breakdown, gaps: Gaps, pieces: _Pieces, cause: Int8) -> CauseTable:
    chosen = np.flatnonzero(np.isin(gaps.step, breakdown.typical)[pieces.gap])
    if not len(chosen):
        return CauseTable((), ())
    gap, row, length = pieces.gap[chosen], pieces.row[chosen], (pieces.end - pieces.start)[chosen]
    names, classes = len(profile.names) + 1, len(TimeClass)
    name = np.zeros(len(row), np.int64)
    name[row != NONE] = profile.spans.name[row[row != NONE]].astype(np.int64) + 1
    part = pieces.label[chosen].astype(np.int64)
    code = (cause[chosen].astype(np.int64) * classes + part) * names + name
    groups = dense_codes(code, len(Cause) * classes * names)
    longest, in_gaps = groups.largest(length), groups.distinct(gap)
    sums, waited = groups.sums(length), groups.sums(np.where(gaps.waited[gap] != NONE, length, 0))
    count = max(1, len(breakdown.typical))
    found = [
        IdleCause(
            cause=Cause(int(cause[chosen[place]])),
            part=TimeClass(int(part[place])),
            name=profile.names[int(name[place]) - 1] if name[place] else "",
            per_step_ns=int(sums[group]) / count,
            gaps_per_step=int(in_gaps[group]) / count,
            after_wait_ns=int(waited[group]) / count,
            row=int(row[place]),
            longest_ns=int(length[place]),
            step=int(gaps.step[gap[place]]),
        )
        for group, place in enumerate(longest.tolist())
    ]
    of_cause = np.bincount(cause[chosen], length, len(Cause))
    cause_gaps = Grouped(cause[chosen].astype(np.int32), len(Cause)).distinct(gap)
    totals = [CauseSum(each, float(of_cause[each]) / count, int(cause_gaps[each]) / count) for each in Cause if of_cause[each] > 0]
    return _table(totals, found)


def _table(sums: list[CauseSum], causes: list[IdleCause]) -> CauseTable:
    return CauseTable(
        tuple(sorted(sums, key=lambda one: (-one.per_step_ns, one.cause))),
        tuple(sorted(causes, key=lambda one: (-one.per_step_ns, one.cause, one.part, one.name))),
    )
