"""Requests of a serving process in place of steps: how long each takes, and whether it queues, runs on the host, copies or computes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.intervals import Intervals, lengths_between, minus, union
from stepscope.analyses.rows import rows_of_role
from stepscope.analyses.time_classes import SHORT_OP_NS, TimeClass
from stepscope.model.errors import BadInput
from stepscope.model.profile import NONE, Float64, Int8, Int32, Int64, Profile, SpanKind, TrackRole
from stepscope.model.span_names import NameRole

PERCENTILES = (50, 95, 99)
_HOST, _TRANSFER, _DEVICE = 1, 2, 3
_OWN_WORK = (
    SpanKind.OP,
    SpanKind.RUNTIME,
    SpanKind.SYNC,
    SpanKind.ALLOC,
    SpanKind.COMPILE,
    SpanKind.INPUT,
    SpanKind.IO,
    SpanKind.COLLECTIVE,
)
"""Kinds of the host that are a request's own work; Python and framework calls may only wait for it."""
_NAMED = 8
_LONGEST_NAME = 500
_MAY_BE = (SpanKind.ANNOTATION, SpanKind.MARKER, SpanKind.OP, SpanKind.FRAMEWORK, SpanKind.PYTHON, SpanKind.OTHER)


@dataclass(frozen=True, slots=True)
class RequestTimes:
    """Nanoseconds; the four parts sum to the latency."""

    latency: float
    queue: float  # until the first work of its own begins
    host: float
    transfer: float
    device: float


@dataclass(frozen=True, slots=True)
class Requests:
    """All requests of one process."""

    name: str
    count: int
    per_second: float  # over the time from the first to the last
    at_once: int  # at most
    mean: RequestTimes
    percentiles: tuple[RequestTimes, ...]  # the request at each of PERCENTILES, by its latency
    row: Int64  # span of each, NONE where a step stands for it
    start: Int64  # of each
    latency: Float64  # of each
    parts: Float64  # of each: queue, host, transfer, device
    shared: bool  # requests overlap, so that work of other threads belongs to none of them


@dataclass(frozen=True, slots=True)
class _Asked:
    row: Int64
    track: Int64
    start: Int64
    end: Int64


def requests(profile: Profile, breakdown: Breakdown, name: str | None = None) -> Requests:
    """By the spans of threads called `name`, also where a number follows it; without it each step is a request. Raises BadInput."""
    asked = _named(profile, name) if name is not None else _steps(breakdown)
    order = np.argsort(asked.start, kind="stable")
    asked = _Asked(asked.row[order], asked.track[order], asked.start[order], asked.end[order])
    at_once = _at_once(asked)
    owner = _owners(profile, asked, shared=at_once > 1)
    parts, latency = _divide(profile, breakdown, asked, owner)
    ranked = np.argsort(latency, kind="stable")
    places = [int(ranked[max(0, int(np.ceil(len(ranked) * percent / 100)) - 1)]) for percent in PERCENTILES]
    length = max(1, int(asked.end.max() - asked.start.min()))
    return Requests(
        name=name or breakdown.steps.source.text,
        count=len(asked.row),
        per_second=len(asked.row) * 1e9 / length,
        at_once=at_once,
        mean=RequestTimes(float(latency.mean()), *parts.mean(axis=0).tolist()),
        percentiles=tuple(RequestTimes(float(latency[place]), *parts[place].tolist()) for place in places),
        row=asked.row,
        start=asked.start,
        latency=latency,
        parts=parts,
        shared=at_once > 1,
    )


def request_names(profile: Profile) -> list[tuple[str, int]]:
    """Annotations of threads that may be around a request, without the number behind them, and how often: most often first."""
    spans = profile.spans
    rows = rows_of_role(profile, TrackRole.THREAD)
    rows = rows[np.isin(spans.kind[rows], [SpanKind.ANNOTATION, SpanKind.MARKER]) & (spans.end[rows] > spans.start[rows])]
    counts: Counter[str] = Counter()
    for name, count in zip(*np.unique(spans.name[rows], return_counts=True), strict=True):
        text = profile.names[int(name)]
        if 0 < len(text) <= _LONGEST_NAME:
            counts[_without_number(text) or text] += int(count)
    return counts.most_common()


def likely_request(profile: Profile, names: list[tuple[str, int]]) -> str:
    """The most frequent annotation whose words mean a request; "" when none does."""
    return next((name for name, _ in names if profile.name_rules.fits(NameRole.REQUEST, name)), "")


def _without_number(text: str) -> str:
    return text.rstrip("0123456789").rstrip(" #:")


def _named(profile: Profile, name: str) -> _Asked:
    """The outermost spans of that name: a request inside one of the same name is part of it."""
    spans = profile.spans
    fits = np.array([text == name or _without_number(text) == name for text in profile.names] or [False])
    rows = rows_of_role(profile, TrackRole.THREAD)
    rows = rows[fits[spans.name[rows]] & np.isin(spans.kind[rows], _MAY_BE) & (spans.end[rows] > spans.start[rows])]
    if not len(rows):
        raise BadInput(f"No span is named {name}. The most frequent annotations: {_most_frequent(profile)}.", "no_such_request")
    kept: list[int] = []
    for row in rows.tolist():
        if not kept or spans.track[kept[-1]] != spans.track[row] or spans.start[row] >= spans.end[kept[-1]]:
            kept.append(row)
    chosen = np.array(kept, np.int64)
    return _Asked(chosen, spans.track[chosen].astype(np.int64), spans.start[chosen], spans.end[chosen])


def _most_frequent(profile: Profile) -> str:
    rows = rows_of_role(profile, TrackRole.THREAD)
    rows = rows[np.isin(profile.spans.kind[rows], [SpanKind.ANNOTATION, SpanKind.MARKER])]
    names, counts = np.unique(profile.spans.name[rows], return_counts=True)
    found = [profile.names[int(names[place])] for place in np.argsort(-counts, kind="stable")[:_NAMED]]
    return ", ".join(found) if found else "none"


def _steps(breakdown: Breakdown) -> _Asked:
    steps = breakdown.steps
    count = len(steps)
    track = np.full(count, steps.source.track, np.int64)
    return _Asked(np.full(count, NONE, np.int64), track, steps.bounds[:-1], steps.bounds[1:])


def _at_once(asked: _Asked) -> int:
    times = np.concatenate([asked.start, asked.end])
    change = np.concatenate([np.ones(len(asked.start), np.int64), -np.ones(len(asked.end), np.int64)])
    order = np.lexsort((change, times))  # one that ends makes room before the next begins
    return int(np.cumsum(change[order]).max())


def _owners(profile: Profile, asked: _Asked, *, shared: bool) -> Int32:
    """The place of the request that each span belongs to: by its thread and time, on devices by what launched it.

    Where requests do not overlap, work of any thread belongs to the one under way.
    """
    spans = profile.spans
    owner = np.full(len(spans), NONE, np.int32)
    for place, track in enumerate(profile.tracks):
        if track.role != TrackRole.THREAD:
            continue
        rows = np.arange(track.first_row, track.last_row)
        mine = np.flatnonzero(asked.track == place) if shared else np.arange(len(asked.start))
        if not len(mine) or not len(rows):
            continue
        at = np.searchsorted(asked.start[mine], spans.start[rows], side="right") - 1
        inside = (at >= 0) & (spans.start[rows] < asked.end[mine[np.maximum(at, 0)]])
        owner[rows[inside]] = mine[at[inside]]
    devices = rows_of_role(profile, TrackRole.STREAM)
    cause = spans.cause[devices]
    owner[devices] = np.where(cause >= 0, owner[np.maximum(cause, 0)], NONE)
    own = asked.row[asked.row >= 0]
    owner[own] = NONE  # the request itself is no work of it
    return owner


def _divide(profile: Profile, breakdown: Breakdown, asked: _Asked, owner: Int32) -> tuple[Float64, Float64]:
    """Per request queue, host, transfer and device, and their sum: it lasts until its last work on a device has ended."""
    spans = profile.spans
    part = _parts_of_spans(profile, breakdown)
    on_stream = np.zeros(len(spans), bool)
    on_stream[rows_of_role(profile, TrackRole.STREAM)] = True
    rows = np.flatnonzero((owner >= 0) & (part != NONE) & (spans.end > spans.start))
    rows = rows[np.argsort(owner[rows], kind="stable")]
    cuts = np.searchsorted(owner[rows], np.arange(len(asked.start) + 1))
    parts = np.zeros((len(asked.start), 4))
    latency = np.zeros(len(asked.start))
    for place in range(len(asked.start)):
        mine = rows[cuts[place] : cuts[place + 1]]
        start, end = int(asked.start[place]), int(asked.end[place])
        away = mine[on_stream[mine]]
        if len(away):
            end = max(end, int(spans.end[away].max()))
        queue = float(min(max(int(spans.start[mine].min()) - start, 0), end - start)) if len(mine) else 0.0
        device = _of(profile, mine[part[mine] == _DEVICE])
        transfer = minus(_of(profile, mine[part[mine] == _TRANSFER]), device)
        times = [float(lengths_between(each, np.array([start, end], np.int64))[0]) for each in (transfer, device)]
        latency[place] = end - start
        parts[place] = (queue, max(0.0, end - start - queue - sum(times)), *times)
    return parts, latency


def _parts_of_spans(profile: Profile, breakdown: Breakdown) -> Int8:
    """What each span is for a request; NONE for what only holds others. Without a device, operations of the host compute."""
    spans, classified = profile.spans, breakdown.classified
    found = np.full(len(spans), NONE, np.int8)
    threads, streams = rows_of_role(profile, TrackRole.THREAD), rows_of_role(profile, TrackRole.STREAM)
    found[threads[np.isin(spans.kind[threads], _OWN_WORK)]] = _HOST
    if classified.cpu_only:
        long = (spans.kind[threads] == SpanKind.OP) & (spans.end[threads] - spans.start[threads] >= SHORT_OP_NS)
        found[threads[long]] = _DEVICE
    label = classified.label[streams]
    found[streams[np.isin(label, [TimeClass.COMPUTE, TimeClass.COMM])]] = _DEVICE
    found[streams[np.isin(label, [TimeClass.H2D, TimeClass.D2H, TimeClass.D2D])]] = _TRANSFER
    return found


def _of(profile: Profile, rows: Int64) -> Intervals:
    return union(profile.spans.start[rows], profile.spans.end[rows])
