"""The buffers that XLA's compiler has planned for a program: what they hold, where they lie, and in which order they come and go."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class BufferUse(StrEnum):
    """What an allocation is for."""

    PARAMETER = "parameter"
    OUTPUT = "output"
    CONSTANT = "constant"
    TEMPORARY = "temporary"
    THREAD_LOCAL = "thread_local"


class HeapAction(IntEnum):
    """What the compiler's plan does with a buffer; the numbers are XLA's."""

    TAKE = 0
    GIVE_BACK = 1
    SHARE = 2


@dataclass(frozen=True, slots=True)
class PlannedBuffer:
    """One value of the program."""

    bytes: int
    instruction: str


@dataclass(frozen=True, slots=True)
class PlannedAllocation:
    """One stretch of memory, which buffers may use one after another."""

    index: int
    bytes: int
    use: BufferUse
    aliased: bool  # a parameter whose memory an output takes over


@dataclass(frozen=True, slots=True)
class HeapEvent:
    """One step of the plan, in program order."""

    action: HeapAction
    buffer: int
    shared_with: int  # of SHARE
    instruction: str


@dataclass(frozen=True, slots=True)
class ProgramBuffers:
    """The plan of one program; every list may be empty, since not all compilers write it."""

    name: str
    buffers: dict[int, PlannedBuffer]
    allocations: list[PlannedAllocation]
    plans: list[list[HeapEvent]]
