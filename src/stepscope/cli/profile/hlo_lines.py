"""The lines of `stepscope profile hlo`, within 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.rank_column import table_of_workers
from stepscope.cli.terminal import COLUMNS, billions, percent, shortened

if TYPE_CHECKING:
    from stepscope.session.parts.hlo import Hlo, HloRow, HloTree
    from stepscope.session.parts.hlo_op import HloNeighbourhood

_SHOWN = 40
_TREE_SHOWN = 80
_NO_MATCH = "No operations match the filter."
_SHORT = {"data formatting": "formatting", "convolution fusion": "conv fusion"}
_UNITS = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def table_lines(answer: Hlo) -> Iterator[str]:
    """The first rows, and what limits the numbers."""
    from stepscope.session.parts.hlo_op import NO_PROGRAM

    if not answer.rows:
        yield _NO_MATCH if answer.programs else NO_PROGRAM
        return
    shown = answer.rows[:_SHOWN]
    cells = [
        (
            row.name + (" (remat)" if row.rematerialised else ""),
            shortened(_SHORT.get(row.category, row.category), 11) if row.opcode else "",
            f"{row.count:,}",
            f"{row.self_us / 1e3:,.2f}",
            percent(row.share),
            billions(row.flops_per_second),
            billions(row.bytes_per_second),
            _bound(row),
        )
        for row in shown
    ]
    head = ("operation", "category", "count", "ms", "share", "GFLOP/s", "GB/s", "bound")
    yield from (line.rstrip() for line in table_of_workers(head, cells, shown))
    if len(answer.rows) > _SHOWN:
        yield f"and {len(answer.rows) - _SHOWN:,} more; see --json"
    if any(row.implausible_peak for row in shown):
        yield "! exceeds the recorded peak of the device"
    yield from _note_lines(answer.notes)


def tree_lines(answer: HloTree) -> Iterator[str]:
    """The tree by indentation, with time and wasted time."""
    shown = answer.nodes[:_TREE_SHOWN]
    cells = [
        (
            "  " * node.depth + node.name,
            "" if node.time_us is None else f"{node.time_us / 1e3:,.2f}",
            "" if node.share is None else percent(node.share),
            "" if node.wasted_us is None else f"{node.wasted_us / 1e3:,.2f}",
            _amount(node.flops),
            node.bound_by,
        )
        for node in shown
    ]
    if not cells:
        yield "No compiled operations in this profile match."
        return
    head = ("operation", "ms", "share", "wasted ms", "FLOP", "bound")
    yield from (line.rstrip() for line in table_of_workers(head, cells, shown))
    if len(answer.nodes) > _TREE_SHOWN:
        yield f"and {len(answer.nodes) - _TREE_SHOWN:,} more; see --json"
    yield from _note_lines(answer.notes)


def neighbour_lines(around: HloNeighbourhood) -> Iterator[str]:
    """Operands and users; indentation is the distance."""
    for title, side in (("operands", -1), ("users", 1)):
        nodes = [node for node in around.nodes if node.distance * side > 0]
        yield f"{title}{'' if nodes else ': none'}"
        for node in nodes:
            indent = "  " * abs(node.distance)
            yield indent + shortened(f"{node.name} = {node.shape} {node.opcode}", COLUMNS - len(indent))
    if around.cut:
        yield "and more; choose a smaller --width"


def _note_lines(notes: Sequence[str]) -> Iterator[str]:
    if notes:
        yield ""
    for note in notes:
        yield from click.wrap_text(shortened(note, 400), width=COLUMNS - 2).splitlines()


def _bound(row: HloRow) -> str:
    words = {"communication": "comm"}.get(row.bound_by, row.bound_by)
    return f"{words} !" if row.implausible_peak else words


def _amount(number: float | None) -> str:
    if number is None:
        return ""
    for size, letter in _UNITS:
        if number >= size:
            shown = number / size
            return f"{shown:.{0 if shown >= 100 else 1 if shown >= 10 else 2}f} {letter}"
    return f"{number:.0f}"
