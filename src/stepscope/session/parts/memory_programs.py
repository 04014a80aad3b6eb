"""The memory that compilers have planned for XLA programs: what is declared about it, and how it is made from the plans."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

from msgspec import Struct

from stepscope.analyses.memory.program import ProgramMemory, program_memory
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.model.program_buffers import BufferUse, ProgramBuffers
from stepscope.session.limits import Host, Rank, Worker, limited


class PlannedRow(Struct, frozen=True):
    """An instruction whose result is held at the peak."""

    op: Annotated[str, d.text("Instruction that makes it.")]
    bytes: Annotated[int, d.size("Size.")]


class ProgramMemoryRow(Struct, frozen=True, kw_only=True):
    """One compiled program: the memory it needs, and its plan of temporaries in program order."""

    name: Annotated[str, d.text("Name of the program.")]
    worker: Worker
    host: Host
    rank: Rank
    total_bytes: Annotated[int, d.size("All the memory it needs.")]
    parameter_bytes: Annotated[int, d.size("Memory of its parameters.")]
    output_bytes: Annotated[int, d.size("Memory of its outputs.")]
    constant_bytes: Annotated[int, d.size("Memory of its constants.")]
    temporary_bytes: Annotated[int, d.size("Memory of its temporaries.")]
    thread_local_bytes: Annotated[int, d.size("Memory on the stacks of threads, which is not in `total_bytes`.")]
    aliased_bytes: Annotated[int, d.size("Parameters with memory that outputs reuse.")]
    peak_bytes: Annotated[int, d.size("Most that its temporaries need at once; 0 without a plan.")]
    peak_instruction: Annotated[str, d.text("Instruction at the peak; empty without a plan.")]
    at_peak: Annotated[list[PlannedRow], d.nested("What is held at the peak, most first.")]
    at_peak_left_out_bytes: Annotated[int, d.size("Part of the peak that `at_peak` does not list.")]
    events: Annotated[int, d.count("Number of allocations and releases in the plan.")]
    level_bytes: Annotated[list[int], d.size("Most that is held in each of equally many events, in program order.")]
    peak: Annotated[int | None, d.number("Place of the peak in `level_bytes`; null without a plan.", "place")]


def planned(plan: ProgramBuffers, limit: int, points: int, whose: dict[str, object]) -> ProgramMemoryRow:
    """One program's row."""
    one = program_memory(plan)
    held = limited(one.at_peak, limit)
    level = _stretches(one.level, points)
    return fill(
        ProgramMemoryRow,
        one,
        **whose,
        **{f"{use.value}_bytes": one.bytes_of[use] for use in BufferUse},
        at_peak=[PlannedRow(name, size) for name, size in held],
        at_peak_left_out_bytes=_sum(one) - sum(size for _, size in held),
        events=len(one.level),
        level_bytes=level,
        peak=level.index(max(level)) if level else None,
    )


def _sum(one: ProgramMemory) -> int:
    return sum(size for _, size in one.at_peak)


def _stretches(level: Sequence[int], points: int) -> list[int]:
    """The most in each of so many equal stretches."""
    count = min(points, len(level))
    edges = [place * len(level) // count for place in range(count + 1)] if count else []
    return [max(level[start:end]) for start, end in pairwise(edges)]
