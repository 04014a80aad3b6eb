"""`stepscope profile memory --programs`: what compiled XLA programs need of memory, as their compiler has planned it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.reading import echo_json, limits_of
from stepscope.cli.terminal import COLUMNS, shortened, size_of, table
from stepscope.model.errors import NotThere

if TYPE_CHECKING:
    from stepscope.analyses.memory.program import ProgramMemory
    from stepscope.model.profile import Profile

_SHOWN = 30
_HELD = 10


def show_programs(profiles: Sequence[Profile], max_gib: int | None, scope: str, min_bytes: int, *, as_json: bool) -> None:
    """Programs by what they need, most first; `scope` is how their names must begin. Raises NotThere."""
    from stepscope.analyses.memory.program import program_memory
    from stepscope.formats.xplane.buffers import read_buffers

    found: list[ProgramMemory] = []
    notes: list[str] = []
    for profile in profiles:
        plans, problems = read_buffers(profile, limits_of(max_gib))
        found += [program_memory(plan) for plan in plans]
        notes += [note.text for note in problems]
    if not found:
        raise NotThere("No compiled program with a memory plan is in it; JAX and TensorFlow's jit_compile=True record them.", "no_plan")
    wanted = [one for one in found if one.name.startswith(scope) and one.total_bytes >= min_bytes]
    wanted.sort(key=lambda one: (-one.total_bytes, one.name))
    if as_json:
        echo_json({"programs": [_answer(one) for one in wanted], "notes": notes})
    else:
        click.echo("\n".join([*_lines(wanted), *notes]))


def _answer(one: ProgramMemory) -> dict[str, Any]:
    return {
        "name": one.name,
        "total_bytes": one.total_bytes,
        **{f"{use.value}_bytes": size for use, size in one.bytes_of.items()},
        "aliased_bytes": one.aliased_bytes,
        "peak_bytes": one.peak_bytes,
        "peak_instruction": one.peak_instruction,
        "at_peak": [{"op": name, "bytes": size} for name, size in one.at_peak],
        "level": list(one.level),
    }


def _lines(programs: Sequence[ProgramMemory]) -> list[str]:
    from stepscope.model.program_buffers import BufferUse

    uses = (BufferUse.PARAMETER, BufferUse.OUTPUT, BufferUse.CONSTANT, BufferUse.TEMPORARY)
    rows = [(one.name, *(size_of(one.bytes_of[use]) for use in uses), size_of(one.total_bytes)) for one in programs[:_SHOWN]]
    lines = table(("program", "parameters", "outputs", "constants", "temporaries", "in all"), rows, COLUMNS)
    first = next((one for one in programs if one.at_peak), None)
    if first is None:
        return lines
    head = f"{shortened(first.name, 40)} needs {size_of(first.peak_bytes)} at {shortened(first.peak_instruction, 20)}:"
    held = [(name, size_of(size)) for name, size in first.at_peak[:_HELD]]
    return [*lines, "", head, *table(("held there by", "bytes"), held, COLUMNS)]
