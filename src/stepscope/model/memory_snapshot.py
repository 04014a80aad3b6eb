"""The tables of an allocator's snapshot: its segments and their blocks at one moment, and the events that led there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from stepscope.model.profile import Int8, Int32, Int64


class BlockState(IntEnum):
    """What a block of a segment is doing."""

    FREE = 0
    ALLOCATED = 1
    AWAITING_FREE = 2  # freed by the program, still in use by a stream


class AllocatorAction(IntEnum):
    """What happened."""

    ALLOCATE = 0
    FREE_REQUESTED = 1
    FREE_COMPLETED = 2
    SEGMENT_ALLOCATE = 3
    SEGMENT_FREE = 4
    SEGMENT_MAP = 5
    SEGMENT_UNMAP = 6
    OUT_OF_MEMORY = 7
    SNAPSHOT = 8
    OTHER = 9


@dataclass(frozen=True, slots=True)
class Segments:
    """Stretches of device memory that the allocator holds."""

    device: Int32
    address: Int64
    bytes: Int64
    stream: Int64
    large: Int8  # 1 large pool, 0 small pool, -1 not told
    expandable: Int8  # 1, 0, or -1 not told
    allocated: Int64
    active: Int64


@dataclass(frozen=True, slots=True)
class Blocks:
    """Parts of segments, in order of address; they cover their segment."""

    segment: Int32
    address: Int64
    bytes: Int64
    count: Int64  # how many allocations the row stands for: 1, except in profiles that only count
    requested: Int64  # what the program asked for; -1 when not told
    state: Int8
    stack: Int32  # into MemorySnapshot.stacks


@dataclass(frozen=True, slots=True)
class AllocatorEvents:
    """What the allocator did, in order; the file may hold only the newest."""

    device: Int32
    time: Int64  # ns since the epoch; the order alone (0, 1, 2, …) when the file tells no times
    action: Int8
    address: Int64
    bytes: Int64
    stream: Int64
    stack: Int32
    free_bytes: Int64  # on the device at an out-of-memory; -1 otherwise
    category: Int32  # into MemorySnapshot.categories, -1 when not told


@dataclass(frozen=True, slots=True)
class MemorySnapshot:
    """One snapshot. Stacks are texts such as "train.py:12 forward", innermost first."""

    segments: Segments
    blocks: Blocks
    events: AllocatorEvents
    stacks: list[tuple[str, ...]]
    categories: list[str]
    settings: dict[str, str]
    has_times: bool
