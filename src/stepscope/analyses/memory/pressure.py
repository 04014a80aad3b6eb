"""How badly an allocator's memory is cut into pieces, and why a request for more of it failed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from stepscope.analyses.memory.ledger import Ledger
from stepscope.model.memory_snapshot import AllocatorAction, BlockState, MemorySnapshot
from stepscope.model.profile import NONE, Profile

_HOLDERS = 8


@dataclass(frozen=True, slots=True)
class Pieces:
    """The free blocks inside of what the allocator holds, at a snapshot."""

    reserved_bytes: int
    active_bytes: int
    free_bytes: int
    largest_free_bytes: int
    free_blocks: int

    @property
    def fragmentation(self) -> float:
        """Share of the free bytes that are not in the largest free block: a request of more than that block cannot have them."""
        return 1.0 - self.largest_free_bytes / self.free_bytes if self.free_bytes else 0.0


class Cause(StrEnum):
    """Why a request failed."""

    FRAGMENTED = "fragmented"  # enough was free, in too small pieces
    FULL = "full"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """One request that failed."""

    event: int
    asked_bytes: int
    device_free_bytes: int  # NONE when the file does not tell
    held_bytes: int
    reserved_bytes: int  # NONE when the file does not tell
    largest_free_bytes: int  # inside of what is reserved; NONE when it is not known for that moment
    cause: Cause
    holders: tuple[tuple[str, int], ...]  # operations and their bytes, most first


def pieces(profile: Profile, device: int) -> Pieces | None:
    """None without a snapshot of an allocator's segments."""
    snapshot = profile.memory_snapshot
    if snapshot is None or not len(snapshot.blocks.bytes):
        return None
    segments, blocks = snapshot.segments, snapshot.blocks
    mine = segments.device == device
    if not (segments.address[mine] != NONE).any():
        return None
    here = mine[blocks.segment]
    free = blocks.bytes[here & (blocks.state == BlockState.FREE)]
    active = int(blocks.bytes[here & (blocks.state != BlockState.FREE)].sum())
    return Pieces(int(segments.bytes[mine].sum()), active, int(free.sum()), int(free.max(initial=0)), len(free))


def out_of_memory(profile: Profile, ledger: Ledger) -> tuple[OutOfMemory, ...]:
    """The requests that failed, in order."""
    snapshot = profile.memory_snapshot
    if snapshot is None:
        return ()
    mine = np.flatnonzero(snapshot.events.device == ledger.device)
    failed = np.flatnonzero(snapshot.events.action[mine] == AllocatorAction.OUT_OF_MEMORY)
    return tuple(_explained(profile, snapshot, ledger, int(event), int(mine[event])) for event in failed.tolist())


def _explained(profile: Profile, snapshot: MemorySnapshot, ledger: Ledger, event: int, place: int) -> OutOfMemory:
    asked, device_free = int(snapshot.events.bytes[place]), int(snapshot.events.free_bytes[place])
    held, reserved = int(ledger.level[event]), int(ledger.reserved[event])
    # The blocks are those of the snapshot: they tell of this moment only when nothing moved after it.
    last = int(ledger.moves.event.max(initial=NONE)) <= event
    cut = pieces(profile, ledger.device) if last else None
    largest = cut.largest_free_bytes if cut else NONE
    inside = max(0, reserved - held) if reserved != NONE else 0
    if device_free == NONE:
        cause = Cause.UNKNOWN
    elif asked > device_free + inside:
        cause = Cause.FULL
    else:
        cause = Cause.FRAGMENTED
    bytes_of = np.zeros(len(ledger.texts), np.int64)
    np.add.at(bytes_of, ledger.holdings.op, ledger.held_at(event))
    most: list[int] = np.argsort(-bytes_of, kind="stable")[:_HOLDERS].tolist()
    holders = tuple((ledger.texts[one], int(bytes_of[one])) for one in most if bytes_of[one] > 0)
    return OutOfMemory(event, asked, device_free, held, reserved, largest, cause, holders)
