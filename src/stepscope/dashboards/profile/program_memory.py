"""What compiled XLA programs need of memory, as their compiler has planned it: what the route takes and answers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from stepscope.analyses.memory.program import ProgramMemory, program_memory
from stepscope.dashboards.profile.messages import ReadingRow, SessionText, WorkerText
from stepscope.model.profile import Note
from stepscope.model.program_buffers import BufferUse, ProgramBuffers

MOST_PROGRAMS = 500
MOST_HELD = 100
MOST_POINTS = 600


class ProgramMemoryRequest(Struct, frozen=True):
    """Which session and worker; none: the first."""

    session: SessionText
    worker: WorkerText = ""


class PlannedRow(Struct, frozen=True):
    """An instruction and the bytes of what it made that are held at the peak."""

    op: str
    bytes: int


class ProgramMemoryRow(Struct, frozen=True):
    """One program. `level` has the most that is held in each of equal stretches of `events` in program order; `peak` is a place in it,
    null without a plan."""

    name: str
    total_bytes: int
    parameter_bytes: int
    output_bytes: int
    constant_bytes: int
    temporary_bytes: int
    aliased_bytes: int
    peak_bytes: int
    peak_instruction: str
    at_peak: list[PlannedRow]
    at_peak_left_out_bytes: int
    events: int
    level: list[int]
    peak: int | None


class ProgramMemoryAnswer(Struct, frozen=True):
    """Programs by what they need, most first, or how far reading has come; `total` counts those that are not sent too."""

    epoch: int
    reading: ReadingRow | None
    programs: list[ProgramMemoryRow] | None
    total: int
    notes: list[str]


def program_rows(plans: tuple[list[ProgramBuffers], list[Note]]) -> tuple[list[ProgramMemoryRow], int, list[str]]:
    """The rows, how many programs there are, and what could not be read."""
    found = sorted((program_memory(plan) for plan in plans[0]), key=lambda one: (-one.total_bytes, one.name))
    return [_row(one) for one in found[:MOST_PROGRAMS]], len(found), [note.text for note in plans[1]]


def _row(one: ProgramMemory) -> ProgramMemoryRow:
    held = one.at_peak[:MOST_HELD]
    level = _stretches(one.level)
    return ProgramMemoryRow(
        name=one.name,
        total_bytes=one.total_bytes,
        parameter_bytes=one.bytes_of[BufferUse.PARAMETER],
        output_bytes=one.bytes_of[BufferUse.OUTPUT],
        constant_bytes=one.bytes_of[BufferUse.CONSTANT],
        temporary_bytes=one.bytes_of[BufferUse.TEMPORARY],
        aliased_bytes=one.aliased_bytes,
        peak_bytes=one.peak_bytes,
        peak_instruction=one.peak_instruction,
        at_peak=[PlannedRow(name, size) for name, size in held],
        at_peak_left_out_bytes=sum(size for _, size in one.at_peak[MOST_HELD:]),
        events=len(one.level),
        level=level,
        peak=level.index(max(level)) if level else None,
    )


def _stretches(level: Sequence[int]) -> list[int]:
    """The most of each of so many equal stretches."""
    count = min(MOST_POINTS, len(level))
    edges = [place * len(level) // count for place in range(count + 1)] if count else []
    return [max(level[start:end]) for start, end in pairwise(edges)]
