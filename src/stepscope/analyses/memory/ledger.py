"""One memory's books: how many bytes were held after each event, and by whom; made of the allocations or counters of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from stepscope.analyses.memory.kinds import KINDS, kinds_of
from stepscope.analyses.memory.lives import Lives, pair_by_address, pair_by_likeness
from stepscope.analyses.memory.owners import Texts, owner_texts
from stepscope.model.profile import NONE, Device, Int64, Profile

HELD_BEFORE = "before the profile"
UNKNOWN = "unknown"
COUNTED_MEMORY = "Memory"
"""The process on whose counters a format puts bytes by category."""


_ROUGH = 0.1
"""Threads may write totals out of order; beyond this share of what was certainly held, totals lack what was there before."""


class MatchedBy(StrEnum):
    """How well the file tells what was released: exactly, by size only, or only sums."""

    ADDRESS = "address"
    SIZE = "size"
    SUMS = "sums"


@dataclass(frozen=True, slots=True)
class Holdings:
    """Who held bytes: one row an allocation, or one a category where the file has only sums. Texts are numbers into Ledger.texts."""

    bytes: Int64
    first: Int64  # the event that began it, NONE when it was there before the first one
    last: Int64  # the event that ended it, the number of events when nothing did
    count: Int64  # allocations that the row stands for
    op: Int64
    module: Int64
    kind: Int64
    shape: Int64
    dtype: Int64

    def __len__(self) -> int:
        return len(self.bytes)


@dataclass(frozen=True, slots=True)
class Moves:
    """What each event changed, in order: bytes that a holding took or gave back."""

    event: Int64
    holding: Int64
    bytes: Int64


@dataclass(frozen=True, slots=True)
class Ledger:
    """One memory: a device's or the host's, of one allocator."""

    name: str
    device: int  # into Profile.devices, NONE for the host
    allocator: str
    capacity: int  # bytes, 0 when unknown
    time: Int64  # per event, never empty
    level: Int64  # bytes held after each event
    reserved: Int64  # bytes that the allocator held then, NONE when unknown
    row: Int64  # per event: the span around it
    holdings: Holdings
    moves: Moves
    texts: list[str]
    matched_by: MatchedBy
    lost: int = 0  # releases that are missing in the file
    timed: bool = True  # False: `time` is only an order
    kinds_by_pass: bool = False  # the file does not tell kinds: they follow from when memory was taken and given back
    from_start: bool = False  # the file has no totals of everything: levels are a lower bound, without what was allocated before it

    def held_at(self, event: int) -> Int64:
        """Bytes of each holding after an event."""
        initial = np.where(self.holdings.first == NONE, self.holdings.bytes, 0)
        until = int(np.searchsorted(self.moves.event, event, side="right"))
        np.add.at(initial, self.moves.holding[:until], self.moves.bytes[:until])
        return initial

    def unrecorded(self) -> Int64:
        """Per event: held beside what is known of holdings. Below zero where releases are missing in the file."""
        return self.level - running(self.holdings, self.moves, len(self.time))


def ledgers(profile: Profile) -> list[Ledger]:
    """Devices first, then the host; empty when the recording holds nothing of memory."""
    if profile.memory_snapshot is not None:
        from stepscope.analyses.memory.snapshot_ledger import snapshot_ledgers

        return snapshot_ledgers(profile, profile.memory_snapshot)
    return _of_allocations(profile) or _of_counters(profile)


def device_name(devices: Sequence[Device], device: int) -> str:
    """`GPU 0`, with its model where the file tells it; `host` for none."""
    if device == NONE:
        return "host"
    found = devices[device]
    place = f"{found.kind} {found.ordinal}" if found.kind else ""
    return f"{place} ({found.name})" if place and found.name else place or found.name or f"device {found.ordinal}"


def running(holdings: Holdings, moves: Moves, events: int) -> Int64:
    """Bytes of all holdings after each event."""
    change = np.zeros(events, np.int64)
    np.add.at(change, moves.event, moves.bytes)
    return int(holdings.bytes[holdings.first == NONE].sum()) + np.cumsum(change)


def moves_of(lives: Lives, events: int) -> Moves:
    """Both ends of every life, in the order of events; at one event what ends comes before what begins."""
    begun, ended = np.flatnonzero(lives.first != NONE), np.flatnonzero(lives.last < events)
    event = np.concatenate([lives.last[ended], lives.first[begun]])
    order = np.argsort(event, kind="stable")
    return Moves(
        event=event[order],
        holding=np.concatenate([ended, begun])[order],
        bytes=np.concatenate([-lives.bytes[ended], lives.bytes[begun]])[order],
    )


def _of_allocations(profile: Profile) -> list[Ledger]:
    table = profile.allocations
    found: list[Ledger] = []
    devices: list[int] = np.unique(table.device).tolist()
    for device in sorted(devices, key=lambda one: (one == NONE, one)):
        mine = (table.device == device) & (table.bytes != 0)
        allocators: list[int] = np.unique(table.allocator[mine]).tolist()
        for allocator in allocators:
            places = np.flatnonzero(mine & (table.allocator == allocator))
            name = profile.names[allocator] if allocator != NONE else ""
            found.append(_ledger(profile, places, device, name, several=len(allocators) > 1))
    return found


def _ledger(profile: Profile, places: Int64, device: int, allocator: str, *, several: bool) -> Ledger:
    table = profile.allocations
    change, address = table.bytes[places], table.address[places]
    exact = bool((address != NONE).all())
    lives = pair_by_address(address, change) if exact else pair_by_likeness([table.op[places], address], change)
    texts = Texts()
    op, module = owner_texts(profile, places, texts)
    shape, dtype = texts.numbers(table.shape[places], profile.names), texts.numbers(table.dtype[places], profile.names)
    before = lives.first == NONE
    at = np.where(before, 0, lives.first)
    held_before = texts.number(HELD_BEFORE)
    # Where releases are matched by size, how long something was held is a guess.
    kinds = kinds_of(profile, places, lives) if exact and len(profile.spans) else None
    holdings = Holdings(
        bytes=lives.bytes,
        first=lives.first,
        last=lives.last,
        count=np.ones(len(lives), np.int64),
        op=np.where(before, held_before, np.where(op[at] > 0, op[at], texts.number(UNKNOWN))),
        module=np.where(before, 0, module[at]),
        kind=np.zeros(len(lives), np.int64) if kinds is None else texts.of_each(kinds, lambda kind: KINDS[kind]),
        shape=np.where(before, 0, shape[at]),
        dtype=np.where(before, 0, dtype[at]),
    )
    moves = moves_of(lives, len(places))
    totals = table.allocated[places]
    told = _count_everything(totals, lives, change)
    level = totals if told else running(holdings, moves, len(places))
    reserved = table.reserved[places]
    name = device_name(profile.devices, device)
    return Ledger(
        name=f"{name}, {allocator}" if several and allocator else name,
        device=device,
        allocator=allocator,
        capacity=profile.devices[device].memory_bytes if device != NONE else 0,
        time=table.time[places],
        level=level,
        # Formats have other numbers of this name; what holds all that is allocated is never less than it.
        reserved=reserved if bool((reserved >= np.maximum(level, 1)).all()) else np.full(len(places), NONE, np.int64),
        row=table.row[places].astype(np.int64),
        holdings=holdings,
        moves=moves,
        texts=texts.all,
        matched_by=MatchedBy.ADDRESS if exact else MatchedBy.SIZE,
        lost=lives.lost,
        kinds_by_pass=kinds is not None,
        from_start=not told or (device == NONE and _began_with_nothing(totals, change)),
    )


def _began_with_nothing(totals: Int64, change: Int64) -> bool:
    """Whether the first total is of the first allocation alone.

    A process holds memory before anybody records: PyTorch counts its CPU's from the start of the profile. An allocator of a device
    counts for itself.
    """
    return bool(len(totals)) and int(totals[0]) == int(change[0])


def _count_everything(totals: Int64, lives: Lives, change: Int64) -> bool:
    """Whether the file's totals are of all that is held: what is released later was there, whoever allocated it and when."""
    if bool((totals < 0).any()):
        return False
    count = len(change)
    released = (lives.last < count) & (change[np.minimum(lives.last, count - 1)] < 0)
    edges = np.zeros(count + 1, np.int64)
    np.add.at(edges, np.maximum(lives.first[released], 0), lives.bytes[released])
    np.add.at(edges, lives.last[released], -lives.bytes[released])
    certain = np.cumsum(edges)[:count]
    return int((certain - totals).max()) <= _ROUGH * int(certain.max())


def _of_counters(profile: Profile) -> list[Ledger]:
    """Bytes by category as a format sampled them, of which no allocation is known."""
    counters = profile.counters
    tracks = [place for place, track in enumerate(profile.tracks) if track.process == COUNTED_MEMORY]
    rows = np.flatnonzero(np.isin(counters.track, tracks))
    if not len(rows):
        return []
    texts = Texts()
    kinds = np.array([texts.number(profile.tracks[track].name) for track in tracks], np.int64)
    time, event = np.unique(counters.time[rows], return_inverse=True)
    holding = np.searchsorted(tracks, counters.track[rows])
    value = np.round(counters.value[rows]).astype(np.int64)
    # Rows are sorted by track and time, so that each differs from the row before by what the event changed.
    change = np.diff(value, prepend=0)
    new = np.flatnonzero(np.diff(holding, prepend=-1))
    change[new] = value[new]
    order = np.argsort(event, kind="stable")
    count = len(tracks)
    none = np.zeros(count, np.int64)
    sums = np.full(len(time), NONE, np.int64)
    holdings = Holdings(none, none, np.full(count, len(time)), none, kinds, none, kinds, none, none)
    moves = Moves(event[order].astype(np.int64), holding[order].astype(np.int64), change[order])
    level = running(holdings, moves, len(time))
    return [Ledger("memory", NONE, "", 0, time, level, sums, sums, holdings, moves, texts.all, MatchedBy.SUMS)]
