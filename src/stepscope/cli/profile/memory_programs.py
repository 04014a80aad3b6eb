"""`stepscope profile memory --programs`: the memory that compilers have planned for XLA programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.rank_column import table_of_workers
from stepscope.cli.terminal import COLUMNS, shortened, size_of, table
from stepscope.model.errors import NotThere

if TYPE_CHECKING:
    from stepscope.session.parts.memory import Memory
    from stepscope.session.parts.memory_programs import ProgramMemoryRow

_SHOWN = 30
_HELD = 10


def show_programs(answer: Memory) -> None:
    """Programs, those that need most memory first. Raises NotThere."""
    if not answer.programs:
        raise NotThere(
            "No compiled program with a memory plan matches; JAX and TensorFlow with jit_compile=True record plans.", "no_plan"
        )
    click.echo("\n".join([*_lines(answer.programs), *answer.notes]))


def _lines(programs: Sequence[ProgramMemoryRow]) -> list[str]:
    shown = programs[:_SHOWN]
    rows = [
        (one.name, *map(size_of, (one.parameter_bytes, one.output_bytes, one.constant_bytes, one.temporary_bytes, one.total_bytes)))
        for one in shown
    ]
    lines = table_of_workers(("program", "parameters", "outputs", "constants", "temporaries", "total"), rows, shown)
    first = next((one for one in programs if one.at_peak), None)
    if first is None:
        return lines
    head = f"{shortened(first.name, 40)} needs {size_of(first.peak_bytes)} at {shortened(first.peak_instruction, 20)}:"
    held = [(row.op, size_of(row.bytes)) for row in first.at_peak[:_HELD]]
    return [*lines, "", head, *table(("allocated there by", "bytes"), held, COLUMNS)]
