"""The books of the memories in an allocator's snapshot: its events, and blocks that are older than the events."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.memory.ledger import HELD_BEFORE, Holdings, Ledger, MatchedBy, device_name, moves_of, running
from stepscope.analyses.memory.lives import Lives, pair_by_address
from stepscope.analyses.memory.owners import Texts
from stepscope.analyses.memory.stacks import operation_of, own_line_of
from stepscope.model.memory_snapshot import AllocatorAction, BlockState, MemorySnapshot
from stepscope.model.profile import NONE, Int64, Profile

_SIGN = {AllocatorAction.ALLOCATE: 1, AllocatorAction.FREE_COMPLETED: -1}
_SEGMENT_SIGN = {
    AllocatorAction.SEGMENT_ALLOCATE: 1,
    AllocatorAction.SEGMENT_MAP: 1,
    AllocatorAction.SEGMENT_FREE: -1,
    AllocatorAction.SEGMENT_UNMAP: -1,
}
WITHOUT_STACK = "without a recorded stack"


def snapshot_ledgers(profile: Profile, snapshot: MemorySnapshot) -> list[Ledger]:
    """One a device that has blocks or events."""
    there = np.union1d(snapshot.events.device, snapshot.segments.device).tolist()
    return [_ledger(profile, snapshot, int(device)) for device in there if 0 <= device < len(profile.devices)]


def signed(action: Int64, size: Int64, sign: dict[AllocatorAction, int]) -> Int64:
    """Sizes of events with the sign of what they do, 0 for all others."""
    factor = np.zeros(len(AllocatorAction), np.int64)
    for one, way in sign.items():
        factor[one] = way
    return factor[action] * size


def _ledger(profile: Profile, snapshot: MemorySnapshot, device: int) -> Ledger:
    events, blocks, segments = snapshot.events, snapshot.blocks, snapshot.segments
    mine = np.flatnonzero(events.device == device)
    action = events.action[mine].astype(np.int64)
    change = signed(action, events.bytes[mine], _SIGN)
    moving = np.flatnonzero(change)
    lives = pair_by_address(events.address[mine][moving], change[moving])
    # Lives speak of the events that move bytes; the ledger has the others as well.
    place = np.append(moving, len(mine))
    lives = Lives(lives.bytes, np.where(lives.first == NONE, NONE, place[lives.first]), place[lives.last], lives.lost)
    open_addresses = events.address[mine][lives.first[(lives.last == len(mine)) & (lives.first != NONE)]]
    here = segments.device[blocks.segment] == device if len(blocks.segment) else np.zeros(0, bool)
    old = np.flatnonzero(here & (blocks.state != BlockState.FREE) & ~np.isin(blocks.address, open_addresses))
    count = max(1, len(mine))
    lives = Lives(
        np.concatenate([lives.bytes, blocks.bytes[old]]),
        np.concatenate([lives.first, np.full(len(old), NONE)]),
        np.concatenate([np.where(lives.last == len(mine), count, lives.last), np.full(len(old), count)]),
        lives.lost,
    )
    texts = Texts()
    holdings = _holdings(snapshot, lives, mine, old, texts)
    moves = moves_of(lives, count)
    reserved = int(segments.bytes[segments.device == device].sum())
    taken = np.cumsum(signed(action, events.bytes[mine], _SEGMENT_SIGN))
    has_allocator = bool((segments.address[segments.device == device] != NONE).any())
    return Ledger(
        name=device_name(profile.devices, device),
        device=device,
        allocator="",
        capacity=profile.devices[device].memory_bytes,
        time=events.time[mine] - profile.base_ns if len(mine) else np.zeros(1, np.int64),
        level=running(holdings, moves, count),
        reserved=(reserved - taken[-1] + taken if len(mine) else np.full(1, reserved)) if has_allocator else np.full(count, NONE),
        row=np.full(count, NONE, np.int64),
        holdings=holdings,
        moves=moves,
        texts=texts.all,
        matched_by=MatchedBy.ADDRESS,
        lost=lives.lost,
        timed=snapshot.has_times,
    )


def _holdings(snapshot: MemorySnapshot, lives: Lives, mine: Int64, old: Int64, texts: Texts) -> Holdings:
    """Texts of events that began lives, and of blocks that no event explains; what only a release tells of has none."""
    events, blocks = snapshot.events, snapshot.blocks
    begun = np.flatnonzero(lives.first != NONE)
    begun_by = mine[lives.first[begun]]
    blocks_at = np.arange(len(lives) - len(old), len(lives))
    stack = np.full(len(lives), NONE, np.int64)
    stack[begun], stack[blocks_at] = events.stack[begun_by], blocks.stack[old]
    kind = np.full(len(lives), NONE, np.int64)
    kind[begun] = events.category[begun_by]
    counted = np.ones(len(lives), np.int64)
    counted[blocks_at] = blocks.count[old]
    known = np.isin(np.arange(len(lives)), np.concatenate([begun, blocks_at]))
    op = texts.of_each(stack, lambda one: operation_of(snapshot.stacks[one]))
    nameless = np.where(known, texts.number(WITHOUT_STACK), texts.number(HELD_BEFORE))
    none = np.zeros(len(lives), np.int64)
    return Holdings(
        bytes=lives.bytes,
        first=lives.first,
        last=lives.last,
        count=counted,
        op=np.where(op > 0, op, nameless),
        module=texts.of_each(stack, lambda one: own_line_of(snapshot.stacks[one])),
        kind=texts.of_each(kind, lambda one: snapshot.categories[one].replace("_", " ")),
        shape=none,
        dtype=none,
    )
