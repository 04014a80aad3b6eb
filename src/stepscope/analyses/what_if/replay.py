"""Plays profiles again with other durations: what ties host, launches, streams and ranks, and how well that explains the recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stepscope._native import ReplayPlan, owned_segments
from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.communication.ranks import matched_collectives
from stepscope.analyses.rows import rows_of, rows_of_role
from stepscope.analyses.time_classes import HIDDEN, NOTHING, Classified, TimeClass
from stepscope.model.profile import NONE, Float64, FlowKind, Int8, Int32, Int64, MarkerFamily, Profile, SpanKind, TrackRole

_WAITS_SOMEWHERE = 2
_MAY_WAIT = 1
_ONLY_LAUNCHES = 0

# Waiting for input and collectives on other threads are the host's time only while the threads that control it have nothing better.
_INPUT_ELSEWHERE = HIDDEN + 1
_COMM_ELSEWHERE = HIDDEN + 2
_HOST_ORDER = (
    TimeClass.COMM,
    TimeClass.COMPILE,
    TimeClass.GC,
    TimeClass.IO,
    TimeClass.INPUT,
    TimeClass.SYNC,
    TimeClass.ALLOC,
    TimeClass.LAUNCH,
    HIDDEN,
    TimeClass.COMPUTE,
    TimeClass.OP,
    _INPUT_ELSEWHERE,
    _COMM_ELSEWHERE,
    TimeClass.FRAMEWORK,
    TimeClass.PYTHON,
)
_OWN_CLASS = {_INPUT_ELSEWHERE: TimeClass.INPUT, _COMM_ELSEWHERE: TimeClass.COMM}
_DEVICE_FAMILIES = (MarkerFamily.DEVICE_STEP, MarkerFamily.KERNEL_PERIOD)


@dataclass(frozen=True, slots=True)
class HostTimeline:
    """The threads that control a rank as one: stretches that a span owns, apart and in order; the rest is untraced."""

    start: Int64
    end: Int64
    row: Int32
    label: Int8

    @property
    def untraced(self) -> tuple[Int64, Int64]:
        """Starts and ends of what is between the stretches."""
        after = np.flatnonzero(self.start[1:] > self.end[:-1])
        return self.end[after], self.start[after + 1]


@dataclass(frozen=True)
class RankInputs:
    """What a rank's replay is made of, and where its steps end."""

    profile: Profile
    breakdown: Breakdown
    calls: Int64  # rows, by start
    ops: Int64  # rows, by start
    moments: Int64  # of the host, in order: markers and the last end
    launched: Int64  # ops in the order of their launches, those that can move a boundary
    launched_before: Int64  # how many of them were launched before each step's end

    @cached_property
    def host(self) -> HostTimeline:
        """Needed only when time of the host is scaled."""
        return host_timeline(self.profile, self.breakdown.classified)


@dataclass(slots=True)
class Scales:
    """Factors of time of one rank, multiplied by one lever after another."""

    calls: Float64  # of those that wait
    ops: Float64
    host: Float64 | None = None  # of the stretches of RankInputs.host; None while nothing changes them
    untraced: float = 1.0  # of the host's time between them

    def scale_host(self, factors: Float64) -> None:
        """Multiplies the factors of the host's stretches."""
        self.host = factors if self.host is None else self.host * factors


@dataclass(frozen=True, slots=True)
class Replay:
    """All ranks of a session, ready to be played with other durations."""

    ranks: tuple[RankInputs, ...]
    plan: ReplayPlan

    def unscaled(self) -> list[Scales]:
        """Factors that change nothing, to start from."""
        return [Scales(np.ones(len(rank.calls)), np.ones(len(rank.ops))) for rank in self.ranks]

    def step_lengths(self, scales: Sequence[Scales], *, keep: bool) -> list[Float64]:
        """Nanoseconds of each rank's steps; with `keep`, every delay that nothing explains stays."""
        times = self.plan.run(
            [(_stretches(rank, each), each.calls, each.ops) for rank, each in zip(self.ranks, scales, strict=True)], keep
        )
        return [np.diff(_bounds(rank, *of_rank)) for rank, of_rank in zip(self.ranks, times, strict=True)]


@dataclass(frozen=True, slots=True)
class Replayed:
    """When everything of one rank happens in a replay that keeps every delay, so that without a change it is the recording."""

    rank: RankInputs
    op_start: Float64  # of RankInputs.ops
    op_end: Float64
    host: Int64  # places in RankInputs.host of the stretches that a replay has
    host_start: Float64
    host_end: Float64
    bounds: Float64  # of the steps


def replayed(replay: Replay, scales: Sequence[Scales], place: int) -> Replayed:
    """The replay whose step lengths are `Replay.step_lengths` with `keep`, with the times of operations and of the host."""
    rank = replay.ranks[place]
    columns = replay_columns([each.profile for each in replay.ranks], [each.breakdown for each in replay.ranks])[1]
    calls, ops, _, clock = columns[place]
    # Where the host's timeline begins must stay, so what is before its first call or marker is left out.
    starts = rank.profile.spans.start[rank.calls[:1]].tolist()
    host = np.flatnonzero(rank.host.start >= min([*starts, int(rank.moments[0])]))
    asked = np.concatenate([rank.moments, rank.host.start[host], rank.host.end[host]])
    moments, back = np.unique(asked, return_inverse=True)
    columns[place] = (calls, ops, moments, clock)
    times = ReplayPlan(columns).run(
        [(_stretches(each, scale), scale.calls, scale.ops) for each, scale in zip(replay.ranks, scales, strict=True)], True
    )
    op_start, op_end, moved = times[place]
    # Inside a call that waits the host is where it would be without waiting; it never gets ahead of what it does later.
    moved = np.minimum.accumulate(moved[::-1])[::-1][back]
    markers, begins, ends = np.split(moved, [len(rank.moments), len(rank.moments) + len(host)])
    return Replayed(rank, op_start, op_end, host, begins, ends, _bounds(rank, op_start, op_end, markers))


def _stretches(rank: RankInputs, scales: Scales) -> tuple[Int64, Int64, Float64]:
    """The stretches of the host that take another time."""
    start, end, factor = np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    if scales.host is not None:
        changed = np.flatnonzero(scales.host != 1.0)
        start, end, factor = rank.host.start[changed], rank.host.end[changed], scales.host[changed]
    if scales.untraced == 1.0:
        return start, end, factor
    free, until = rank.host.untraced
    start = np.concatenate([start, free])
    order = np.argsort(start, kind="stable")
    return start[order], np.concatenate([end, until])[order], np.concatenate([factor, np.full(len(free), scales.untraced)])[order]


def has_launches(profile: Profile, breakdown: Breakdown) -> bool:
    """Whether the file ties work of the device to what started it: without that there is nothing to replay."""
    rows = rows_of_role(profile, TrackRole.STREAM)
    return not breakdown.classified.cpu_only and bool((profile.spans.cause[rows] >= 0).any())


def make_replay(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]) -> Replay:
    """Finds what ties the recordings of one session; takes the only pass over all spans."""
    ranks, columns = replay_columns(profiles, breakdowns)
    return Replay(ranks, ReplayPlan(columns))


def replay_columns(
    profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]
) -> tuple[tuple[RankInputs, ...], list[tuple[object, ...]]]:
    """What a replay is made of, and the same as the core reads it."""
    ranks = tuple(_inputs(profile, breakdown) for profile, breakdown in zip(profiles, breakdowns, strict=True))
    collectives = matched_collectives(profiles, breakdowns)
    columns = [
        _columns(rank, number, clock) for rank, number, clock in zip(ranks, collectives.number, collectives.clock.tolist(), strict=True)
    ]
    return ranks, columns


def replay_errors(replay: Replay, *, keep: bool) -> Float64:
    """How far the unchanged replay of each rank's typical step is from the recording, as a fraction of it."""
    return typical_lengths(replay.ranks, replay.step_lengths(replay.unscaled(), keep=keep)) / recorded_lengths(replay) - 1.0


def recorded_lengths(replay: Replay) -> Float64:
    """Each rank's typical step as it was recorded."""
    lengths = [rank.breakdown.steps.length.astype(np.float64) for rank in replay.ranks]
    return np.maximum(typical_lengths(replay.ranks, lengths), 1.0)


def typical_lengths(ranks: Sequence[RankInputs], lengths: Sequence[Float64]) -> Float64:
    """Each rank's median over the steps that are typical in the recording."""
    return np.array([float(np.median(each[list(rank.breakdown.typical)])) for rank, each in zip(ranks, lengths, strict=True)])


def host_timeline(profile: Profile, classified: Classified) -> HostTimeline:
    """Merges the threads that control the rank: one of them runs at a time, so the class that comes first owns an instant."""
    spans = profile.spans
    label = classified.label.copy()
    control = set(classified.control)
    parts: list[Int64] = []
    for place in classified.host_tracks:
        rows = rows_of([profile.tracks[place]])
        if place not in control:
            rows = rows[np.isin(label[rows], [TimeClass.INPUT, TimeClass.COMM])]
            label[rows] = np.where(label[rows] == TimeClass.INPUT, _INPUT_ELSEWHERE, _COMM_ELSEWHERE)
        parts.append(rows[label[rows] > NOTHING])
    rows = _in_order(parts, spans.start)
    precedence = np.full(_COMM_ELSEWHERE + 1, len(_HOST_ORDER), np.int8)
    precedence[list(_HOST_ORDER)] = np.arange(len(_HOST_ORDER))
    start, end, owner = owned_segments(spans.start[rows], spans.end[rows], label[rows], precedence)
    own = label[rows][owner]
    for elsewhere, time_class in _OWN_CLASS.items():
        own[own == elsewhere] = time_class
    return HostTimeline(start, end, rows[owner].astype(np.int32), own)


def _inputs(profile: Profile, breakdown: Breakdown) -> RankInputs:
    spans, classified, steps = profile.spans, breakdown.classified, breakdown.steps
    ops = _in_order([rows_of([track]) for track in profile.tracks if track.role == TrackRole.STREAM], spans.start)
    ops = ops[classified.label[ops] > NOTHING]
    causes = spans.cause[ops]
    controlling = rows_of(profile.tracks[place] for place in classified.control)
    controlling = controlling[np.isin(spans.kind[controlling], [SpanKind.RUNTIME, SpanKind.SYNC, SpanKind.ALLOC])]
    called = np.zeros(len(spans), bool)
    called[controlling] = True
    called[causes[causes >= 0]] = True
    calls = np.flatnonzero(called)
    calls = calls[np.argsort(spans.start[calls], kind="stable")]
    until = np.append(steps.marker[1:], max(steps.last_end, int(steps.marker[-1])))
    linked = np.flatnonzero((causes >= 0) & (spans.end[ops] > spans.start[ops]))
    started = spans.start[causes[linked]]
    inside = (started >= steps.marker[0]) & (started < until[-1])
    order = np.argsort(started[inside], kind="stable")
    last_end = steps.last_end
    if steps.source.family == MarkerFamily.WINDOW:
        last_end = min(last_end, _host_end(profile, classified.control, last_end))
    moments = np.append(steps.marker, max(int(steps.marker[-1]), last_end))
    return RankInputs(
        profile=profile,
        breakdown=breakdown,
        calls=calls,
        ops=ops,
        moments=moments.astype(np.int64),
        launched=linked[inside][order],
        launched_before=np.searchsorted(started[inside][order], until, side="left"),
    )


def _host_end(profile: Profile, control: Sequence[int], otherwise: int) -> int:
    """When the threads are done; what the device does after that ends when it ends."""
    rows = rows_of(profile.tracks[place] for place in control)
    return int(profile.spans.end[rows].max()) if len(rows) else otherwise


def _columns(rank: RankInputs, collective: Int32, clock: int) -> tuple[object, ...]:
    """The columns as the core reads them; names and streams are numbered without gaps."""
    spans, calls, ops = rank.profile.spans, rank.calls, rank.ops
    controlling = np.zeros(len(rank.profile.tracks) + 1, bool)
    controlling[list(rank.breakdown.classified.control)] = True
    may_wait = controlling[spans.track[calls]] & np.isin(spans.kind[calls], [SpanKind.RUNTIME, SpanKind.ALLOC])
    waits = controlling[spans.track[calls]] & (spans.kind[calls] == SpanKind.SYNC)
    kind = np.where(waits, _WAITS_SOMEWHERE, np.where(may_wait, _MAY_WAIT, _ONLY_LAUNCHES)).astype(np.uint8)
    place = np.full(len(spans), NONE, np.int32)
    place[calls] = np.arange(len(calls), dtype=np.int32)
    causes = spans.cause[ops]
    launch = np.where(causes >= 0, place[causes], NONE).astype(np.int32)
    return (
        (spans.start[calls], spans.end[calls], _numbered(spans.name[calls]), kind),
        (spans.start[ops], spans.end[ops], _numbered(spans.track[ops]), launch, _recorded_waits(rank), collective[ops]),
        rank.moments,
        clock,
    )


def _recorded_waits(rank: RankInputs) -> Int32:
    """The operation of another stream that each was told to wait for; of several the one that ended last."""
    flows, spans, ops = rank.profile.flows, rank.profile.spans, rank.ops
    waits = np.full(len(ops), NONE, np.int32)
    chosen = np.flatnonzero(flows.kind == FlowKind.STREAM_WAIT)
    if len(chosen):
        place = np.full(len(spans), NONE, np.int32)
        place[ops] = np.arange(len(ops), dtype=np.int32)
        chosen = chosen[np.argsort(spans.end[flows.source[chosen]], kind="stable")]
        source, target = place[flows.source[chosen]], place[flows.target[chosen]]
        both = (source >= 0) & (target >= 0)
        waits[target[both]] = source[both]
    return waits


def _numbered(values: Int32) -> Int32:
    """The same values as 0, 1, 2, …"""
    return np.unique(values, return_inverse=True)[1].astype(np.int32)


def _in_order(parts: Sequence[Int64], start: Int64) -> Int64:
    """Rows of several tracks by start; each track is in order already, which the sort makes use of."""
    rows = np.concatenate(parts) if parts else np.zeros(0, np.int64)
    return rows[np.argsort(start[rows], kind="stable")]


def _bounds(rank: RankInputs, op_start: Float64, op_end: Float64, moments: Float64) -> Float64:
    """The rule of analyses.steps on new times: work belongs to the step that launched it in the recording."""
    steps = rank.breakdown.steps
    markers = _device_markers(rank, op_start, op_end) if steps.source.family in _DEVICE_FAMILIES and len(op_start) else moments
    until = markers[1:].copy()
    if steps.source.family == MarkerFamily.WINDOW and len(op_end):
        until[-1] = max(until[-1], op_end.max())
    before = rank.launched_before
    if len(rank.launched) and not steps.source.by_device:
        latest = np.maximum.accumulate(op_end[rank.launched])
        until = np.where(before > 0, np.maximum(until, latest[np.maximum(before, 1) - 1]), until)
    # In a range that was chosen, the device may still be at work for the step before when the first marker comes.
    busy = int(steps.bounds[0]) - int(steps.marker[0])
    return np.maximum.accumulate(np.concatenate([markers[:1] + busy, until]))


def _device_markers(rank: RankInputs, op_start: Float64, op_end: Float64) -> Float64:
    """Markers on a device move with the operation that starts at them, the last end with the one that ends there."""
    spans, steps = rank.profile.spans, rank.breakdown.steps
    recorded = spans.start[rank.ops]
    first = np.minimum(np.searchsorted(recorded, steps.marker, side="left"), len(recorded) - 1)
    starts = op_start[first] + (steps.marker - recorded[first])
    ends = spans.end[rank.ops]
    ended = np.flatnonzero(ends <= steps.last_end)
    last = int(ended[np.argmax(ends[ended])]) if len(ended) else len(ends) - 1
    return np.append(starts, op_end[last] + (steps.last_end - ends[last]))
