"""`stepscope profile graph`: nodes of the graph with their time and memory, longest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, limit_option, profile_options, rows_of_text
from stepscope.cli.terminal import COLUMNS, shortened, size_of, table

if TYPE_CHECKING:
    from stepscope.session.parts.graph import NodeTimes

_SHOWN = 40


@click.command("graph")
@profile_options
@csv_option
@limit_option
@click.option("--contains", metavar="TEXT", help="Show only nodes whose name or type contains TEXT (case-insensitive).")
@click.option("--min-time", type=click.FloatRange(0), default=0, metavar="US", help="Hide nodes below this total duration (µs).")
@click.option("--min-bytes", type=click.IntRange(0), default=0, metavar="BYTES", help="Hide nodes that allocate less than this.")
def command(profile: str, as_json: bool, as_csv: bool, contains: str | None, min_time: float, min_bytes: int, **_: object) -> None:
    """List the nodes of PROFILE by name with their time and memory, longest first.

    A node is an operation of the framework's graph, or an instruction of a compiled program. Nodes without time are explained
    by 'stepscope profile coverage'.
    """
    from stepscope.session.parts.graph import GRAPH

    answer = ask(GRAPH, profile, contains=contains or "", min_us=min_time, min_bytes=min_bytes)
    if as_json:
        echo_answer(answer)
    elif as_csv:
        echo_rows(answer.nodes)
    else:
        click.echo(_text(answer))


def _text(answer: NodeTimes) -> str:
    if not answer.nodes:
        return "No nodes match."
    shown = answer.nodes[: rows_of_text(_SHOWN)]
    rows = [
        (row.name, shortened(row.type, 20), f"{row.count:,}", f"{row.us:,.1f}", size_of(row.bytes) if row.has_memory else "")
        for row in shown
    ]
    lines = [line.rstrip() for line in table(("node", "type", "count", "total µs", "memory"), rows, COLUMNS)]
    more = answer.total - len(shown)
    return "\n".join([*lines, *([f"and {more:,} more; see --limit"] if more > 0 else [])])
