"""Copies and fills by direction and memory: sizes, bandwidth, how much of them is seen in the step, and what waited for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.grouping import Grouped, dense_codes
from stepscope.model.profile import NONE, CopyDirection, Int64, MemoryKind, Profile, SpanKind, TrackRole

_TITLES = {
    CopyDirection.UNKNOWN: "copy",
    CopyDirection.HOST_TO_DEVICE: "host to device",
    CopyDirection.DEVICE_TO_HOST: "device to host",
    CopyDirection.DEVICE_TO_DEVICE: "device to device",
    CopyDirection.PEER: "device to other device",
    CopyDirection.HOST_TO_HOST: "host to host",
}


@dataclass(frozen=True, slots=True)
class TransferRow:
    """All copies of one direction between the same kinds of memory on one device; times in nanoseconds."""

    direction: str
    source: str  # kind of memory, "unknown" where the file does not tell
    target: str
    device: str
    count: int
    bytes: int | None  # None when no size is known
    total_ns: int
    bandwidth: float | None  # bytes per second while copying, over the copies whose size is known
    exposed_ns: float  # of a typical step
    blocked_ns: int  # how long host calls waited until such a copy had ended
    blocked_by: str  # the call that waited longest, "" when none did


def transfers(profile: Profile, breakdown: Breakdown) -> list[TransferRow]:
    """The table, longest in sum first."""
    copies, spans = profile.copies, profile.spans
    on_stream = np.array([track.role == TrackRole.STREAM for track in profile.tracks] or [False])
    kept = np.flatnonzero(on_stream[spans.track[copies.row]]) if len(copies.row) else np.zeros(0, np.int64)
    if not len(kept):
        return []
    rows = copies.row[kept].astype(np.int64)
    code = spans.track[rows].astype(np.int64)
    devices = np.array([track.device for track in profile.tracks], np.int64) + 1
    code = devices[code] * 2 + (spans.kind[rows] == SpanKind.FILL)
    for column in (copies.direction, copies.source_memory, copies.target_memory):
        code = code * 8 + column[kept]
    groups = dense_codes(code, int(code.max()) + 1)
    length = spans.end[rows] - spans.start[rows]
    size = copies.bytes[kept]
    known = size >= 0
    blocked, calls = _blocked(profile, rows)
    table = {
        "count": groups.counts(),
        "total": groups.sums(length),
        "bytes": groups.sums(np.where(known, size, 0)),
        "timed": groups.sums(np.where(known, length, 0)),
        "sized": groups.sums(known.astype(np.int64)),
        "blocked": groups.sums(blocked),
    }
    exposed = groups.float_sums(breakdown.exposed[rows]) / max(1, len(breakdown.typical))
    found: list[TransferRow] = []
    for place, first in enumerate(groups.firsts().tolist()):
        copy = kept[first]
        of_group = {key: int(column[place]) for key, column in table.items()}
        fill = spans.kind[rows[first]] == SpanKind.FILL
        found.append(
            TransferRow(
                direction="fill" if fill else _TITLES[CopyDirection(int(copies.direction[copy]))],
                source=MemoryKind(int(copies.source_memory[copy])).name.lower(),
                target=MemoryKind(int(copies.target_memory[copy])).name.lower(),
                device=profile.tracks[int(spans.track[rows[first]])].process,
                count=of_group["count"],
                bytes=of_group["bytes"] if of_group["sized"] else None,
                total_ns=of_group["total"],
                bandwidth=of_group["bytes"] * 1e9 / of_group["timed"] if of_group["timed"] and of_group["sized"] else None,
                exposed_ns=float(exposed[place]),
                blocked_ns=of_group["blocked"],
                blocked_by=_longest_waiter(profile, groups, place, blocked, calls),
            )
        )
    return sorted(found, key=lambda row: (-row.total_ns, row.device, row.direction))


def _blocked(profile: Profile, rows: Int64) -> tuple[Int64, Int64]:
    """Nanoseconds that the call which started each copy lasted until the copy's end, and the call; a call that returned earlier: 0."""
    spans = profile.spans
    call = spans.cause[rows].astype(np.int64)
    waited = np.zeros(len(rows), np.int64)
    linked = np.flatnonzero(call >= 0)
    stayed = linked[spans.end[call[linked]] >= spans.end[rows[linked]]]
    waited[stayed] = spans.end[rows[stayed]] - spans.start[call[stayed]]
    call[waited == 0] = NONE
    return waited, call


def _longest_waiter(profile: Profile, groups: Grouped, place: int, blocked: Int64, calls: Int64) -> str:
    mine = np.flatnonzero((groups.code == place) & (calls >= 0))
    if not len(mine):
        return ""
    longest = mine[int(np.argmax(blocked[mine]))]
    return profile.names[int(profile.spans.name[calls[longest]])]
