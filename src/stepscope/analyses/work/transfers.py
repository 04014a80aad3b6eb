"""Copies and fills by direction, operation or stream: sizes, bandwidth, how much the step sees of them, and what waited for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.grouping import Grouped, dense_codes
from stepscope.analyses.intervals import lengths_inside, union
from stepscope.analyses.rows import rows_of_role
from stepscope.analyses.work.executions import host_operation_of
from stepscope.model.profile import NONE, CopyDirection, Int64, MemoryKind, Profile, SpanKind, TrackRole

_TITLES = {
    CopyDirection.UNKNOWN: "copy",
    CopyDirection.HOST_TO_DEVICE: "host to device",
    CopyDirection.DEVICE_TO_HOST: "device to host",
    CopyDirection.DEVICE_TO_DEVICE: "device to device",
    CopyDirection.PEER: "device to other device",
    CopyDirection.HOST_TO_HOST: "host to host",
}
_HOST_KINDS = (MemoryKind.PAGEABLE, MemoryKind.PINNED, MemoryKind.MANAGED)
_ON_HOST = (CopyDirection.HOST_TO_DEVICE, CopyDirection.DEVICE_TO_HOST, CopyDirection.HOST_TO_HOST)


class TransfersBy(Enum):
    """What makes a row, beside the direction, the kinds of memory and the device."""

    DIRECTION = "direction"
    OPERATION = "operation"
    STREAM = "stream"


@dataclass(frozen=True, slots=True)
class TransferRow:
    """Copies of one direction between the same kinds of memory on one device; times in nanoseconds."""

    direction: str
    source: str  # kind of memory, "unknown" where the file does not tell
    target: str
    device: str
    op: str  # the host operation that started them, "" when none is known or several did
    streams: tuple[int, ...]
    count: int
    bytes: int | None  # None when no size is known
    largest: int | None  # bytes of the largest
    total_ns: int
    bandwidth: float | None  # bytes per second while copying, over the copies whose size is known
    exposed_ns: float  # of a typical step: what nothing before copies hides
    overlapped_ns: float  # of a typical step: what runs beside something else
    blocked_ns: int  # how long host calls waited until such a copy had ended
    blocked_by: str  # the call that waited longest, "" when none did

    @property
    def host_memory(self) -> str:
        """Whether the host's side is pinned, pageable or managed; "unknown" when not told, and "" when no side is the host's."""
        told = [kind for kind in (self.source, self.target) if kind in _HOST_NAMES]
        return told[0] if told else "unknown" if self.direction in _HOST_TITLES else ""


_HOST_NAMES = {kind.name.lower() for kind in _HOST_KINDS}
_HOST_TITLES = {_TITLES[direction] for direction in _ON_HOST}


def transfers(profile: Profile, breakdown: Breakdown, by: TransfersBy = TransfersBy.DIRECTION) -> list[TransferRow]:
    """The table, longest in sum first."""
    copies, spans = profile.copies, profile.spans
    kept = _on_streams(profile)
    if not len(kept):
        return []
    rows = copies.row[kept].astype(np.int64)
    operation = _operation_names(profile, rows)
    groups = _grouped(profile, kept, rows, operation, by)
    length = spans.end[rows] - spans.start[rows]
    size = copies.bytes[kept]
    known = size >= 0
    blocked, calls = _blocked(profile, rows)
    table = {
        "count": groups.counts(),
        "total": groups.sums(length),
        "bytes": groups.sums(np.where(known, size, 0)),
        "largest": groups.totals(size)[2],
        "timed": groups.sums(np.where(known, length, 0)),
        "sized": groups.sums(known.astype(np.int64)),
        "blocked": groups.sums(blocked),
    }
    steps = max(1, len(breakdown.typical))
    exposed = groups.float_sums(breakdown.exposed[rows]) / steps
    present = groups.sums(_inside_typical(profile, breakdown, rows)) / steps
    members = np.split(np.argsort(groups.code, kind="stable"), np.cumsum(table["count"])[:-1])
    found: list[TransferRow] = []
    for place, mine in enumerate(members):
        first = mine[0]
        copy = kept[first]
        of_group = {key: int(column[place]) for key, column in table.items()}
        fill = spans.kind[rows[first]] == SpanKind.FILL
        found.append(
            TransferRow(
                direction="fill" if fill else _TITLES[CopyDirection(int(copies.direction[copy]))],
                source=MemoryKind(int(copies.source_memory[copy])).name.lower(),
                target=MemoryKind(int(copies.target_memory[copy])).name.lower(),
                device=profile.tracks[int(spans.track[rows[first]])].process,
                op=_only(profile, operation[mine]),
                streams=_streams(profile, rows[mine]),
                count=of_group["count"],
                bytes=of_group["bytes"] if of_group["sized"] else None,
                largest=of_group["largest"] if of_group["sized"] else None,
                total_ns=of_group["total"],
                bandwidth=of_group["bytes"] * 1e9 / of_group["timed"] if of_group["timed"] and of_group["sized"] else None,
                exposed_ns=float(exposed[place]),
                overlapped_ns=max(0.0, float(present[place] - exposed[place])),
                blocked_ns=of_group["blocked"],
                blocked_by=_longest_waiter(profile, mine, blocked, calls),
            )
        )
    return sorted(found, key=lambda row: (-row.total_ns, row.device, row.direction, row.op, row.streams))


def spans_of_copies(
    profile: Profile, direction: str, memory: tuple[str, str], device: str, op: str | None = None, stream: int | None = None
) -> Int64:
    """The copies of one row of the table; `op` ("" for none known) and `stream` only where the table is grouped by them."""
    copies, spans, tracks = profile.copies, profile.spans, profile.tracks
    kept = _on_streams(profile)
    rows = copies.row[kept].astype(np.int64)
    titles = np.array([_TITLES[each] for each in CopyDirection])[copies.direction[kept]]
    titles = np.where(spans.kind[rows] == SpanKind.FILL, "fill", titles)
    kinds = np.array([kind.name.lower() for kind in MemoryKind])
    mine = (titles == direction) & (kinds[copies.source_memory[kept]] == memory[0]) & (kinds[copies.target_memory[kept]] == memory[1])
    mine &= np.array([track.process == device and stream in (None, track.number) for track in tracks])[spans.track[rows]]
    if op is not None:
        names = np.array([*profile.names, ""])
        mine &= names[_operation_names(profile, rows)] == op
    return rows[mine]


def _on_streams(profile: Profile) -> Int64:
    """Places in the table of copies of those that devices made."""
    copies = profile.copies
    on_stream = np.array([track.role == TrackRole.STREAM for track in profile.tracks] or [False])
    return np.flatnonzero(on_stream[profile.spans.track[copies.row]]) if len(copies.row) else np.zeros(0, np.int64)


def _operation_names(profile: Profile, rows: Int64) -> Int64:
    """The name of the host operation around what started each copy, NONE when unknown."""
    host = host_operation_of(profile, rows).astype(np.int64)
    return np.where(host >= 0, profile.spans.name[host], NONE)


def _grouped(profile: Profile, kept: Int64, rows: Int64, operation: Int64, by: TransfersBy) -> Grouped:
    copies, spans = profile.copies, profile.spans
    track = spans.track[rows].astype(np.int64)
    devices = np.array([each.device for each in profile.tracks], np.int64) + 1
    code = devices[track] * 2 + (spans.kind[rows] == SpanKind.FILL)
    for column in (copies.direction, copies.source_memory, copies.target_memory):
        code = code * 8 + column[kept]
    if by is TransfersBy.OPERATION:
        code = code * (len(profile.names) + 1) + operation + 1
    elif by is TransfersBy.STREAM:
        code = code * len(profile.tracks) + track
    return dense_codes(code, int(code.max()) + 1)


def _only(profile: Profile, names: Int64) -> str:
    """The name when all have the same."""
    first = int(names[0])
    return profile.names[first] if first != NONE and bool((names == first).all()) else ""


def _streams(profile: Profile, rows: Int64) -> tuple[int, ...]:
    tracks: list[int] = np.unique(profile.spans.track[rows]).tolist()
    return tuple(sorted({profile.tracks[track].number for track in tracks}))


def _inside_typical(profile: Profile, breakdown: Breakdown, rows: Int64) -> Int64:
    """Nanoseconds of each row inside typical steps."""
    places = np.array(breakdown.typical, np.int64)
    bounds = breakdown.steps.bounds
    return lengths_inside(union(bounds[places], bounds[places + 1]), profile.spans.start[rows], profile.spans.end[rows])


def _blocked(profile: Profile, rows: Int64) -> tuple[Int64, Int64]:
    """Nanoseconds until each copy's end that a host call waited for it, and the call; 0 and NONE where none did.

    The call that started the copy waits when it lasts until the copy's end; a call that synchronises waits for whatever ended last
    on the devices before it returned.
    """
    spans = profile.spans
    call = spans.cause[rows].astype(np.int64)
    waited = np.zeros(len(rows), np.int64)
    linked = np.flatnonzero(call >= 0)
    stayed = linked[spans.end[call[linked]] >= spans.end[rows[linked]]]
    waited[stayed] = spans.end[rows[stayed]] - spans.start[call[stayed]]
    call[waited == 0] = NONE
    for place, sync in _synchronised(profile, rows):
        until = int(spans.end[rows[place]] - spans.start[sync])
        if until > waited[place]:
            waited[place], call[place] = until, sync
    return waited, call


def _synchronised(profile: Profile, rows: Int64) -> Sequence[tuple[int, int]]:
    """Places in `rows` and the synchronising calls that returned after them, with nothing else on a device ending between."""
    spans = profile.spans
    hosts = rows_of_role(profile, TrackRole.THREAD)
    syncs = hosts[spans.kind[hosts] == SpanKind.SYNC]
    devices = rows_of_role(profile, TrackRole.STREAM)
    if not len(syncs) or not len(devices):
        return []
    devices = devices[np.argsort(spans.end[devices], kind="stable")]
    last = np.searchsorted(spans.end[devices], spans.end[syncs], side="right") - 1
    awaited = devices[np.maximum(last, 0)]
    good = (last >= 0) & (spans.end[awaited] > spans.start[syncs])
    place_of_row = np.full(len(spans), NONE, np.int64)
    place_of_row[rows] = np.arange(len(rows))
    places = place_of_row[awaited]
    good &= places >= 0
    return list(zip(places[good].tolist(), syncs[good].tolist(), strict=True))


def _longest_waiter(profile: Profile, mine: Int64, blocked: Int64, calls: Int64) -> str:
    waiting = mine[calls[mine] >= 0]
    if not len(waiting):
        return ""
    longest = waiting[int(np.argmax(blocked[waiting]))]
    return profile.names[int(profile.spans.name[calls[longest]])]
