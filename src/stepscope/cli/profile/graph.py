"""`stepscope profile graph`: nodes of the graph with their time and memory, longest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, limit_option, profile_options, rows_of_text
from stepscope.cli.profile.row_options import row_options, select_option, selected
from stepscope.cli.terminal import COLUMNS, number_of, shortened, size_of, table

if TYPE_CHECKING:
    from stepscope.session.parts.graph import NodeTimes

_SHOWN = 40
_ORDERS = ("time", "bytes", "parameters", "flops", "count", "name")
_HEADS = {"type": "type", "count": "count", "total": "total µs", "memory": "memory", "parameters": "params", "flops": "FLOPs"}


@click.command("graph")
@profile_options
@csv_option
@limit_option
@click.option("--contains", metavar="TEXT", default="", help="Show only nodes whose name or type contains TEXT (case-insensitive).")
@row_options(_ORDERS, "time")
@select_option(tuple(_HEADS))
def command(profile: str, as_json: bool, as_csv: bool, **given: Any) -> None:  # noqa: ANN401 - the options of row_options
    """List the nodes of PROFILE by name with their time, memory, parameters and FLOPs, longest first.

    A node is an operation of the framework's graph, or an instruction of a compiled program. Nodes without time are explained
    by 'stepscope profile coverage'. Parameters are those of variables in the graph that the run has logged.
    """
    from stepscope.session.parts.graph import GRAPH

    wanted = ("contains", "start", "show", "hide", "types", "min_us", "min_bytes", "min_parameters", "min_flops", "depth", "order")
    answer = ask(GRAPH, profile, **{name: given[name] for name in wanted})
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
        (
            row.name,
            shortened(row.type, 20),
            f"{row.count:,}",
            f"{row.us:,.1f}",
            size_of(row.bytes) if row.has_memory else "",
            number_of(row.parameters) if row.parameters else "",
            number_of(row.flops) if row.flops else "",
        )
        for row in shown
    ]
    heads, cells = selected(_HEADS, rows)
    lines = [line.rstrip() for line in table(("node", *heads), cells, COLUMNS)]
    more = answer.total - len(shown)
    return "\n".join([*lines, *([f"and {more:,} more; see --limit"] if more > 0 else [])])
