"""Collectives of several ranks: the same ones matched, clocks aligned on their common ends, and waiting told from transfer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope._native import sweep_steps
from stepscope.analyses.breakdown import Breakdown, Segments, device_segments, host_segments
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Float64, Int8, Int32, Int64, Profile, SpanKind, TrackRole

_WAITING = TimeClass.COMM + 1  # in the sweep below, where the classes after it move one up
_LABELS = len(TimeClass)

Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Clocks:
    """What to add to each rank's times so that collectives end together, and how far they then still differ."""

    offset_ns: Float64
    error_ns: float  # 95 % of the ends agree this well
    matched: int  # collectives found on every rank


@dataclass(frozen=True, slots=True)
class CommunicationSplit:
    """The communication part of a rank's typical step, divided."""

    waiting_ns: float  # for ranks that came later
    transfer_ns: float


@dataclass(frozen=True, slots=True)
class Collected:
    """All that several ranks tell about their collectives."""

    clocks: Clocks | None  # None when there is nothing to compare
    splits: tuple[CommunicationSplit | None, ...]  # per rank; None where ranks are missing
    text: str  # "split by 8 of 8 ranks", "not split: 1 of 8 ranks", or "no communication"


@dataclass(frozen=True, slots=True)
class _Own:
    """One rank's collectives by key; times since the epoch all ranks share."""

    row: dict[Key, int]
    start: dict[Key, int]
    end: dict[Key, int]
    size: dict[Key, int]


def collect(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]) -> Collected:
    """Aligns the ranks' clocks and splits each rank's communication, where all ranks of a collective are here."""
    own = [_own_collectives(profile) for profile in profiles]
    if not any(each.row for each in own):
        return Collected(None, (None,) * len(profiles), "no communication")
    size = max([*(profile.world_size for profile in profiles), *(size for each in own for size in each.size.values()), 1])
    if len(profiles) < 2 or len(profiles) < size:
        return Collected(None, (None,) * len(profiles), f"not split: {len(profiles)} of {max(size, len(profiles))} ranks")
    common = [key for key in own[0].row if all(key in each.row for each in own)]
    if not common:
        return Collected(None, (None,) * len(profiles), "not split: no collective is on every rank")
    clocks = _align(own, common)
    latest = {key: max(each.start[key] + offset for each, offset in zip(own, clocks.offset_ns.tolist(), strict=True)) for key in common}
    splits = tuple(
        _split(profile, breakdown, _wait_ends(profile, each, offset, latest))
        for profile, breakdown, each, offset in zip(profiles, breakdowns, own, clocks.offset_ns.tolist(), strict=True)
    )
    return Collected(clocks, splits, f"split by {len(profiles)} of {len(profiles)} ranks")


@dataclass(frozen=True, slots=True)
class Matched:
    """The same collectives of several ranks, for replays: a number per span, and one clock for all."""

    number: tuple[Int32, ...]  # per rank and span; NONE where it is no collective that all its ranks are here for
    clock: Int64  # what to add to each rank's times, so that all are on the first rank's clock


def matched_collectives(profiles: Sequence[Profile]) -> Matched:
    """Numbers the collectives that every rank has; with ranks missing none is numbered, and waiting stays as it was."""
    number = tuple(np.full(len(profile.spans), NONE, np.int32) for profile in profiles)
    clock = np.array([profile.base_ns - profiles[0].base_ns for profile in profiles], np.int64)
    own = [_own_collectives(profile) for profile in profiles] if len(profiles) > 1 else []
    size = max([profile.world_size for profile in profiles] + [size for each in own for size in each.size.values()], default=0)
    common = [key for key in own[0].row if all(key in each.row for each in own)] if own and len(profiles) >= size else []
    if not common:
        return Matched(number, clock)
    for rows, each in zip(number, own, strict=True):
        rows[[each.row[key] for key in common]] = np.arange(len(common), dtype=np.int32)
    return Matched(number, clock + np.round(_align(own, common).offset_ns).astype(np.int64))


def _own_collectives(profile: Profile) -> _Own:
    """By group and sequence number where the file tells them, otherwise by name and order."""
    spans, table = profile.spans, profile.collectives
    owning = np.array([track.role in (TrackRole.THREAD, TrackRole.STREAM) for track in profile.tracks] or [False])
    streams = np.array([track.role == TrackRole.STREAM for track in profile.tracks] or [False])
    rows = np.flatnonzero((spans.kind == SpanKind.COLLECTIVE) & owning[spans.track]) if len(spans) else np.zeros(0, np.int64)
    if streams[spans.track[rows]].any():
        rows = rows[streams[spans.track[rows]]]
    place = {int(row): at for at, row in enumerate(table.row.tolist())}
    found = _Own({}, {}, {}, {})
    counted: dict[tuple[str, str], int] = {}
    for row in rows[np.argsort(spans.start[rows], kind="stable")].tolist():
        at = place.get(row, NONE)
        group = profile.names[int(table.group[at])] if at != NONE and table.group[at] >= 0 else ""
        name = profile.names[int(table.name[at])] if at != NONE and table.name[at] >= 0 else profile.names[int(spans.name[row])]
        number = int(table.sequence[at]) if at != NONE else NONE
        if number == NONE:
            number = counted.get((group, name), 0)
            counted[group, name] = number + 1
        key = (group, name, number)
        found.row[key] = row
        found.start[key] = profile.base_ns + int(spans.start[row])
        found.end[key] = profile.base_ns + int(spans.end[row])
        if at != NONE and table.group_size[at] > 0:
            found.size[key] = int(table.group_size[at])
    return found


def _align(own: Sequence[_Own], common: Sequence[Key]) -> Clocks:
    """A collective ends on all ranks at nearly the same moment, however differently they started."""
    ends = np.array([[each.end[key] for key in common] for each in own], np.int64)
    late = (ends - ends[0]).astype(np.float64)
    offset = -np.median(late, axis=1)
    error = np.abs(late + offset[:, None])
    return Clocks(offset, float(np.percentile(error, 95)), len(common))


def _wait_ends(profile: Profile, own: _Own, offset: float, latest: dict[Key, float]) -> Int64:
    """Until when each span only waited, on the rank's own clock; the start of time where nothing is known."""
    found = np.full(len(profile.spans), np.iinfo(np.int64).min)
    for key, moment in latest.items():
        found[own.row[key]] = round(moment - offset) - profile.base_ns
    return found


def _split(profile: Profile, breakdown: Breakdown, wait_end: Int64) -> CommunicationSplit:
    """Sweeps again with waiting as a class of its own, after communication that moves data and before everything else."""
    steps = breakdown.steps
    counted = np.zeros(len(steps), np.uint8)
    typical = list(breakdown.typical)
    waiting = transfer = 0.0
    hosts = [_with_waiting(segments, wait_end) for segments in host_segments(profile, breakdown.classified)]
    for device in breakdown.classified.devices:
        streams = [_with_waiting(segments, wait_end) for segments in device_segments(profile, breakdown.classified, device)]
        taken, _, _ = sweep_steps([*streams, *hosts], steps.bounds, _LABELS, counted)
        parts = taken.reshape(len(steps), _LABELS)[typical].mean(axis=0)
        waiting += float(parts[_WAITING])
        transfer += float(parts[TimeClass.COMM])
    count = len(breakdown.classified.devices)
    return CommunicationSplit(waiting / count, transfer / count)


def _with_waiting(segments: Segments, wait_end: Int64) -> Segments:
    """Cuts collectives where the last rank came; labels after communication move one up to make room."""
    start, end, row, label = segments
    until = np.clip(wait_end[row], start, end)
    waits = label == TimeClass.COMM
    moved: Int8 = np.where(label > TimeClass.COMM, label + np.int8(1), label).astype(np.int8)
    cut = np.flatnonzero(waits & (until > start))
    if not len(cut):
        return start, end, row, moved
    rest = start.copy()
    rest[cut] = until[cut]
    starts = np.concatenate([start[cut], rest])
    ends = np.concatenate([until[cut], end])
    labels = np.concatenate([np.full(len(cut), _WAITING, np.int8), moved])
    order = np.lexsort((ends, starts))
    return starts[order], ends[order], np.concatenate([row[cut], row])[order], labels[order]
