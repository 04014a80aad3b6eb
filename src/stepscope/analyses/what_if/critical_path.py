"""The critical path: the chain of work and waiting that makes steps as long as they are, and how late everything else may come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from stepscope._native import critical_paths
from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.steps import step_of_spans
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.replay import HostTimeline, RankInputs, has_launches, replay_columns
from stepscope.model.profile import NONE, Float64, Int32, Int64, MarkerFamily, Profile

REPLAYED = "dependencies"
EXCLUSIVE = "exclusive time"
_UNLIMITED = 1 << 60
"""Slack that is longer belongs to what no step comes after; kUnlimited of native/critical_path.hpp and times added to it."""
_LAGS = 0.01
"""Of a step: work of the device after the host's end that is worth a word."""
_WEAK = (
    "This profile does not link work to what started it, so there is no critical path. The table shows the exclusive "
    "time of each span, "
    "which adds up to the step, without slack."
)


class PathKind(IntEnum):
    """Why time is on the path; the numbers are those of native/critical_path.hpp."""

    HOST = 0
    OP = 1
    LAUNCH = 2
    GAP = 3
    WAIT = 4
    RETURNS = 5
    UNLINKED = 6


_BETWEEN = {
    PathKind.LAUNCH: "launch latency",
    PathKind.GAP: "gap between operations",
    PathKind.WAIT: "start after another stream",
    PathKind.RETURNS: "return of a waiting call",
    PathKind.UNLINKED: "before unlinked work",
}
UNTRACED = "untraced"
BEFORE = "before its first step"


@dataclass(frozen=True, slots=True)
class PathSegment:
    """A stretch of one step's path; times in nanoseconds on the clock of its rank."""

    rank: int  # place: at a collective the path goes on at the rank that came last
    part: str  # a class of time, or what lies between operations
    name: str
    row: int  # span, NONE where none owns it
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PathRow:
    """All that one operation has on the paths of typical steps; times in nanoseconds of one step."""

    name: str
    part: str
    rank: int
    steps: int  # typical steps whose path it is on
    count: int  # segments
    path_ns: float
    share: float  # of the step
    beside_ns: float  # it ran without being on the path
    slack_ns: float | None  # median of how much later what is off the path may end; None when all is on it, or unknown


@dataclass(frozen=True, slots=True)
class Slack:
    """How much later spans of the rank whose path it is may end without moving the end of a step, in nanoseconds."""

    ops: Int64  # rows of the device's operations, ascending
    op_slack: Int64
    host_time: Int64  # ascending
    host_slack: Int64  # of what the host ends at that time, or after the time before it

    def of_op(self, row: int) -> int | None:
        """Of an operation of the device; None for other spans, and where no step comes after it."""
        place = int(np.searchsorted(self.ops, row))
        known = place < len(self.ops) and int(self.ops[place]) == row
        return _limited(int(self.op_slack[place])) if known else None

    def of_host(self, end: int) -> int | None:
        """Of whatever the host ends at this time; None where no step comes after it."""
        place = int(np.searchsorted(self.host_time, end, side="left"))
        return _limited(int(self.host_slack[place])) if place < len(self.host_time) else None


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """One path through all of a rank's steps. The segments of each step fill it, to the nanosecond."""

    model: str  # REPLAYED, or EXCLUSIVE where the recording has no dependencies
    note: str  # what is weaker then, or which step is left out; "" otherwise
    segments: tuple[tuple[PathSegment, ...], ...]  # by step; empty where the model has none
    parts: tuple[tuple[str, float], ...]  # nanoseconds of a typical step, longest first; sum to it
    rows: tuple[PathRow, ...]  # longest on the path first
    step_ns: float
    slack: Slack | None  # None where the model has none


def critical_path(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown], rank: int = 0) -> CriticalPath:
    """The path through one rank's steps, on the other ranks where these are what it waits for.

    It goes on from each step into the one before. At a step's end the device may lag behind the host; if the host never waits for it,
    the next step waits for the host's launches and not for what the device is still at, and so does the path.
    """
    breakdown = breakdowns[rank]
    if not has_launches(profiles[rank], breakdown):
        return _exclusive(profiles[rank], breakdown, rank)
    ranks, columns = replay_columns(profiles, breakdowns)
    mine = ranks[rank]
    step = step_of_spans(mine.profile, breakdown.steps, mine.ops)
    found = critical_paths(columns, rank, breakdown.steps.bounds, _last_ops(mine), step, _host_ends(mine))
    names = [_Names(each) for each in ranks]
    segments: list[list[PathSegment]] = [[] for _ in range(len(breakdown.steps))]
    of_step, of_rank, kind, index, start, end, slack, host_time, host_slack = found
    for at in range(len(of_step)):
        place = int(of_rank[at])
        made = names[place].segments(place, PathKind(int(kind[at])), int(index[at]), int(start[at]), int(end[at]))
        segments[int(of_step[at])] += made
    typical, note = _counted(breakdown, of_step, kind)
    step_ns = float(breakdown.steps.length[list(typical)].mean())
    rows = _rows(mine, rank, segments, typical, slack, names)
    order = np.argsort(mine.ops, kind="stable")
    slacks = Slack(mine.ops[order], slack[order], host_time, host_slack)
    return CriticalPath(REPLAYED, note, tuple(map(tuple, segments)), _parts(segments, typical), rows, step_ns, slacks)


def _limited(slack: int) -> int | None:
    return slack if slack < _UNLIMITED else None


def _counted(breakdown: Breakdown, of_step: Int32, kind: NDArray[np.uint8]) -> tuple[tuple[int, ...], str]:
    """The typical steps, without the last of all when its end is no step's: where the path comes from the host, work that the device
    still does after the host's end would run beside a next step, if one had been recorded."""
    steps, typical = breakdown.steps, breakdown.typical
    last = len(steps) - 1
    lag = int(steps.bounds[-1]) - steps.last_end
    before = np.flatnonzero(of_step == last - 1)
    from_host = bool(len(before)) and kind[before[-1]] == PathKind.HOST
    if last not in typical or len(typical) < 2 or not from_host or lag < _LAGS * breakdown.typical_ns:
        return typical, ""
    late = f"The last step is excluded: the device runs for {milliseconds(lag)} after the host ends"
    others = milliseconds(float(steps.length[list(typical[:-1])].mean()))
    return typical[:-1], f"{late}, in parallel with a next step that was not recorded. The path is the mean of the others: {others}."


class _Names:
    """What segments of one rank are called."""

    def __init__(self, rank: RankInputs) -> None:
        self._rank = rank
        self._host: HostTimeline | None = None

    def segments(self, place: int, kind: PathKind, index: int, start: int, end: int) -> list[PathSegment]:
        """The segment, or those of the host's spans that own its time."""
        if kind is PathKind.HOST:
            return self._on_host(place, start, end)
        if kind is PathKind.OP:
            row = int(self._rank.ops[index])
            return [PathSegment(place, self.part(row), self.name(row), row, start, end)]
        row = int(self._rank.calls[index] if kind is PathKind.RETURNS else self._rank.ops[index])
        between = _BETWEEN[kind]
        return [PathSegment(place, "between", self.name(row) if kind is PathKind.RETURNS else between, row, start, end)]

    def name(self, row: int) -> str:
        """Of a span."""
        return self._rank.profile.names[int(self._rank.profile.spans.name[row])]

    def part(self, row: int) -> str:
        """The class of a span's time."""
        return TimeClass(int(self._rank.breakdown.classified.label[row])).key

    def _on_host(self, place: int, start: int, end: int) -> list[PathSegment]:
        host = self._rank.host if self._host is None else self._host
        self._host = host
        first = int(np.searchsorted(host.end, start, side="right"))
        last = int(np.searchsorted(host.start, end, side="left"))
        found: list[PathSegment] = []
        at = start
        for segment in range(first, last):
            begin, until = max(start, int(host.start[segment])), min(end, int(host.end[segment]))
            if begin > at:
                found += self._uncovered(place, at, begin)
            row = int(host.row[segment])
            found.append(PathSegment(place, TimeClass(int(host.label[segment])).key, self.name(row), row, begin, until))
            at = until
        if at < end:
            found += self._uncovered(place, at, end)
        return found

    def _uncovered(self, place: int, start: int, end: int) -> list[PathSegment]:
        """Time that no span of the host owns. Before a rank's first step nobody looked: that is when it came, no untraced work."""
        begins = min(max(start, int(self._rank.breakdown.steps.bounds[0])), end)
        found = [PathSegment(place, "between", BEFORE, NONE, start, begins)] if begins > start else []
        return [*found, PathSegment(place, UNTRACED, UNTRACED, NONE, begins, end)] if end > begins else found


def _last_ops(rank: RankInputs) -> Int32:
    """For each step the operation whose end is the step's, NONE where the host's marker ends it."""
    steps, spans = rank.breakdown.steps, rank.profile.spans
    ends = spans.end[rank.ops]
    order = np.argsort(ends, kind="stable")
    bounds = steps.bounds[1:]
    place = np.searchsorted(ends[order], bounds, side="right") - 1
    found = np.where(place >= 0, order[np.maximum(place, 0)] if len(order) else NONE, NONE).astype(np.int32)
    # A boundary on the device lies between operations: the one that ended last before it leads there.
    if steps.source.family not in (MarkerFamily.DEVICE_STEP, MarkerFamily.KERNEL_PERIOD):
        exact = (place >= 0) & (ends[order][np.maximum(place, 0)] == bounds) if len(order) else np.zeros(len(bounds), bool)
        found[~exact] = NONE
    return found


def _host_ends(rank: RankInputs) -> Int64:
    """When the host is done with each step, at most its end; nothing where steps are the device's own."""
    steps = rank.breakdown.steps
    if steps.source.by_device or steps.source.family in (MarkerFamily.DEVICE_STEP, MarkerFamily.KERNEL_PERIOD):
        return np.zeros(0, np.int64)
    return np.minimum(rank.moments[1:], steps.bounds[1:])


@dataclass(slots=True)
class _Sums:
    path: float = 0.0
    count: int = 0


def _rows(
    rank: RankInputs,
    place: int,
    segments: Sequence[Sequence[PathSegment]],
    typical: tuple[int, ...],
    slack: Int64,
    names: Sequence[_Names],
) -> tuple[PathRow, ...]:
    """Rows by rank, part and name; what is never on the path has rows too, with its slack."""
    sums: dict[tuple[int, str, str], _Sums] = {}
    steps: dict[tuple[int, str, str], set[int]] = {}
    on_path: dict[int, float] = {}
    for step in typical:
        for segment in segments[step]:
            key = (segment.rank, segment.part, segment.name)
            found = sums.setdefault(key, _Sums())
            found.path += segment.end - segment.start
            found.count += 1
            steps.setdefault(key, set()).add(step)
            if segment.rank == place and segment.row != NONE and segment.part != "between":
                on_path[segment.row] = on_path.get(segment.row, 0.0) + segment.end - segment.start
    beside, slacks = _beside(rank, place, typical, on_path, slack, names[place])
    total = max(float(rank.breakdown.steps.length[list(typical)].mean()), 1.0)
    made = [
        PathRow(
            name=key[2],
            part=key[1],
            rank=key[0],
            steps=len(steps.get(key, ())),
            count=sums[key].count if key in sums else 0,
            path_ns=sums[key].path / len(typical) if key in sums else 0.0,
            share=sums[key].path / len(typical) / total if key in sums else 0.0,
            beside_ns=beside.get(key, 0.0) / len(typical),
            slack_ns=float(np.median(slacks[key])) if slacks.get(key) else None,
        )
        for key in dict.fromkeys([*sums, *beside])
    ]
    return tuple(sorted(made, key=lambda row: (-row.path_ns, -row.beside_ns, row.name)))


def _beside(
    rank: RankInputs, place: int, typical: tuple[int, ...], on_path: dict[int, float], slack: Int64, names: _Names
) -> tuple[dict[tuple[int, str, str], float], dict[tuple[int, str, str], list[float]]]:
    """Per row what the device's operations of typical steps did off the path, and the slack of those that are not on it at all."""
    spans = rank.profile.spans
    step = step_of_spans(rank.profile, rank.breakdown.steps, rank.ops)
    beside: dict[tuple[int, str, str], float] = {}
    slacks: dict[tuple[int, str, str], list[float]] = {}
    for op in np.flatnonzero(np.isin(step, typical)).tolist():
        row = int(rank.ops[op])
        left = float(spans.end[row] - spans.start[row]) - on_path.get(row, 0.0)
        if left <= 0:
            continue
        key = (place, names.part(row), names.name(row))
        beside[key] = beside.get(key, 0.0) + left
        if row not in on_path:
            slacks.setdefault(key, []).append(float(slack[op]))
    return beside, slacks


def _parts(segments: Sequence[Sequence[PathSegment]], typical: tuple[int, ...]) -> tuple[tuple[str, float], ...]:
    sums: dict[str, float] = {}
    for step in typical:
        for segment in segments[step]:
            sums[segment.part] = sums.get(segment.part, 0.0) + (segment.end - segment.start) / len(typical)
    return tuple(sorted(sums.items(), key=lambda item: -item[1]))


def _exclusive(profile: Profile, breakdown: Breakdown, rank: int) -> CriticalPath:
    """Without dependencies: every instant belongs to the one span that owns it, which is no path but sums to the step all the same."""
    exposed: Float64 = breakdown.exposed / len(breakdown.typical)
    total = max(breakdown.typical_ns, 1.0)
    step = step_of_spans(profile, breakdown.steps)
    sums: dict[tuple[str, str], _Sums] = {}
    steps: dict[tuple[str, str], set[int]] = {}
    for row in np.flatnonzero(exposed > 0).tolist():
        key = (TimeClass(int(breakdown.classified.label[row])).key, profile.names[int(profile.spans.name[row])])
        found = sums.setdefault(key, _Sums())
        found.path += float(exposed[row])
        found.count += 1
        steps.setdefault(key, set()).add(int(step[row]))
    untraced = float(breakdown.typical_parts[TimeClass.UNTRACED])
    rows = [
        PathRow(key[1], key[0], rank, len(steps[key]), each.count, each.path, each.path / total, 0.0, None)
        for key, each in sums.items()
    ]
    if untraced > 0:
        rows.append(PathRow(UNTRACED, UNTRACED, rank, len(breakdown.typical), 0, untraced, untraced / total, 0.0, None))
    parts = [(each.key, float(breakdown.typical_parts[each])) for each in TimeClass if breakdown.typical_parts[each] > 0]
    ordered = tuple(sorted(rows, key=lambda row: (-row.path_ns, row.name)))
    return CriticalPath(EXCLUSIVE, _WEAK, (), tuple(sorted(parts, key=lambda part: -part[1])), ordered, breakdown.typical_ns, None)
