"""The lines of `stepscope profile hlo`, within 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from stepscope.cli.terminal import COLUMNS, billions, percent, shortened, table

if TYPE_CHECKING:
    from stepscope.analyses.programs.hlo import HloRow
    from stepscope.analyses.programs.neighbourhood import Neighbourhood
    from stepscope.analyses.programs.tree import HloNode
    from stepscope.model.hlo import HloProgram

_SHOWN = 40
_TREE_SHOWN = 80
_SHORT = {"data formatting": "formatting", "convolution fusion": "conv fusion"}
_UNITS = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def table_lines(rows: Sequence[HloRow], notes: Sequence[str]) -> Iterator[str]:
    """The first rows, and what is to be said of them."""
    if not rows:
        yield "No operation fits."
        return
    cells = [
        (
            row.name + (" (remat)" if row.rematerialised else ""),
            shortened(_SHORT.get(row.category, row.category), 11) if row.opcode else "",
            f"{row.count:,}",
            f"{row.self_ns / 1e6:,.2f}",
            percent(row.share),
            billions(row.flops_per_second),
            billions(row.bytes_per_second),
            _bound(row),
        )
        for row in rows[:_SHOWN]
    ]
    yield from (
        line.rstrip() for line in table(("operation", "category", "count", "ms", "share", "GFLOP/s", "GB/s", "bound"), cells, COLUMNS)
    )
    if len(rows) > _SHOWN:
        yield f"and {len(rows) - _SHOWN:,} more; see --json"
    if any(row.implausible for row in rows[:_SHOWN]):
        yield "! more than the peak that the file tells"
    yield from _note_lines(notes)


def tree_lines(nodes: Sequence[HloNode], notes: Sequence[str]) -> Iterator[str]:
    """The tree by indentation, with time and wasted time."""
    flat = list(_flat(nodes, 0))
    cells = [
        (
            "  " * depth + node.name,
            "" if node.time_ns is None else f"{node.time_ns / 1e6:,.2f}",
            "" if node.share is None else percent(node.share),
            "" if node.wasted_ns is None else f"{node.wasted_ns / 1e6:,.2f}",
            _amount(node.flops),
            node.bound_by,
        )
        for depth, node in flat[:_TREE_SHOWN]
    ]
    if not cells:
        yield "No operation fits."
        return
    yield from (line.rstrip() for line in table(("operation", "ms", "share", "wasted ms", "FLOP", "bound"), cells, COLUMNS))
    if len(flat) > _TREE_SHOWN:
        yield f"and {len(flat) - _TREE_SHOWN:,} more; see --json"
    yield from _note_lines(notes)


def neighbour_lines(program: HloProgram, around: Neighbourhood) -> Iterator[str]:
    """What it takes from, itself, what it gives to; farther means further in."""
    from stepscope.analyses.programs.text import shape_text

    for title, side in (("takes from", -1), ("gives to", 1)):
        nodes = [node for node in around.nodes if node.distance * side > 0]
        yield f"{title}{'' if nodes else ' nothing'}"
        for node in nodes:
            text = f"{program.text(program.instruction_name, node.row)} = {shape_text(program, node.row)}"
            text += f" {program.text(program.opcode, node.row)}"
            indent = "  " * abs(node.distance)
            yield indent + shortened(text, COLUMNS - len(indent))
    if around.cut:
        yield "and more; take a smaller --width"


def _flat(nodes: Sequence[HloNode], depth: int) -> Iterator[tuple[int, HloNode]]:
    for node in nodes:
        yield depth, node
        yield from _flat(node.children, depth + 1)


def _note_lines(notes: Sequence[str]) -> Iterator[str]:
    if notes:
        yield ""
    for note in dict.fromkeys(notes):
        yield from click.wrap_text(shortened(note, 400), width=COLUMNS - 2).splitlines()


def _bound(row: HloRow) -> str:
    words = {"communication": "comm"}.get(row.bound_by, row.bound_by)
    return f"{words} !" if row.implausible else words


def _amount(number: float | None) -> str:
    if number is None:
        return ""
    for size, letter in _UNITS:
        if number >= size:
            shown = number / size
            return f"{shown:.{0 if shown >= 100 else 1 if shown >= 10 else 2}f} {letter}"
    return f"{number:.0f}"
