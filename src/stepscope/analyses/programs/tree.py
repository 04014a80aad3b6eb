"""Compiled operations as a tree: program, category, operation, and what is fused into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stepscope.analyses.programs.hlo import HloRow, joined
from stepscope.analyses.programs.text import fusion_contents, instruction_text
from stepscope.model.hlo import HloProgram

MOST_INSIDE = 100


@dataclass(frozen=True, slots=True)
class HloNode:
    """Times are self times in nanoseconds; an instruction inside a fusion was not timed, and has None."""

    kind: str  # "program", "category", "op" or "inside"
    name: str
    text: str
    count: int
    time_ns: int | None
    share: float | None
    wasted_ns: float | None
    flops: float | None  # in sum
    bytes: float | None
    bound_by: str
    compute_use: float | None
    memory_use: float | None
    children: tuple[HloNode, ...]


def hlo_tree(rows: Sequence[HloRow], programs: Sequence[HloProgram], *, by_waste: bool = False) -> list[HloNode]:
    """Rows of the table by operation, as a tree; longest first, or what wastes most."""
    named = {program.name: program for program in programs}

    def rank(node: HloNode) -> tuple[float, float, str]:
        return (-(node.wasted_ns or 0.0) if by_waste else 0.0, -(node.time_ns or 0), node.name)

    def op_node(row: HloRow) -> HloNode:
        program = named.get(row.program)
        return _node("op", row, () if program is None or row.row < 0 else _inside(program, row))

    def category_node(name: str, members: Sequence[HloRow]) -> HloNode:
        return _node("category", joined(name, members), sorted(map(op_node, members), key=rank))

    def program_node(name: str, members: Sequence[HloRow]) -> HloNode:
        categories = [category_node(each, found) for each, found in _by(members, lambda row: row.category).items()]
        return _node("program", joined(name or "(no program)", members), sorted(categories, key=rank))

    found = [program_node(name, members) for name, members in _by(rows, lambda row: row.program).items()]
    return sorted(found, key=rank)


def _by(rows: Sequence[HloRow], key: Callable[[HloRow], str]) -> dict[str, list[HloRow]]:
    found: dict[str, list[HloRow]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def _node(kind: str, row: HloRow, children: Sequence[HloNode]) -> HloNode:
    return HloNode(
        kind=kind,
        name=row.name,
        text=row.text,
        count=row.count,
        time_ns=row.self_ns,
        share=row.share,
        wasted_ns=row.wasted_ns,
        flops=row.flops,
        bytes=row.bytes,
        bound_by=row.bound_by,
        compute_use=row.compute_use,
        memory_use=row.memory_use,
        children=tuple(children),
    )


def _inside(program: HloProgram, row: HloRow) -> tuple[HloNode, ...]:
    """What is fused, in the order of the program."""
    return tuple(
        HloNode(
            kind="inside",
            name=program.text(program.instruction_name, each),
            text=instruction_text(program, each),
            count=row.count,
            time_ns=None,
            share=None,
            wasted_ns=None,
            flops=float(program.flops[each]) * row.count,
            bytes=None,
            bound_by="",
            compute_use=None,
            memory_use=None,
            children=(),
        )
        for each in fusion_contents(program, row.row)[:MOST_INSIDE]
    )
