"""What `stepscope profile scope` and `stepscope profile code` share: options, and the tree as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, limit_option, profile_options, rows_of_text
from stepscope.cli.profile.row_options import row_options, select_option, selected
from stepscope.cli.terminal import COLUMNS, number_of, size_of, table

if TYPE_CHECKING:
    from stepscope.session.part import Part
    from stepscope.session.parts.costs import CostsWanted, CostTree

_SHOWN = 60
_ORDERS = ("time", "bytes", "parameters", "flops", "name")
_HEADS = {"count": "count", "self": "self µs", "total": "total µs", "memory": "memory", "parameters": "params", "flops": "FLOPs"}


def cost_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of both verbs."""
    chosen = row_options(_ORDERS, "time", of_tree=True)
    for option in reversed((profile_options, csv_option, limit_option, chosen, select_option(tuple(_HEADS)))):
        command = option(command)
    return command


def show_costs(part: Part[CostsWanted, CostTree], profile: str, given: dict[str, Any], none: str) -> None:
    """Prints the answer; `none` where there are no rows."""
    fields = ("start", "show", "hide", "types", "min_us", "min_bytes", "min_parameters", "min_flops", "order", "depth")
    answer = ask(part, profile, **{name: given[name] for name in fields})
    if given["as_json"]:
        echo_answer(answer)
    elif given["as_csv"]:
        echo_rows(answer.rows)
    else:
        click.echo(_text(answer) if answer.rows else none)


def _text(answer: CostTree) -> str:
    shown = answer.rows[: rows_of_text(_SHOWN)]
    rows = [
        (
            "  " * row.depth + row.name,
            f"{row.count:,}",
            f"{row.us:,.1f}",
            f"{row.total_us:,.1f}",
            size_of(row.total_bytes) if row.total_bytes else "",
            number_of(row.parameters) if row.parameters else "",
            number_of(row.flops) if row.flops else "",
        )
        for row in shown
    ]
    heads, cells = selected(_HEADS, rows)
    lines = [line.rstrip() for line in table(("name", *heads), cells, COLUMNS)]
    more = answer.total - len(shown)
    said = [f"Time {answer.us:,.1f} µs", f"memory {size_of(answer.bytes)}"]
    if answer.parameters:
        trainable = "" if answer.trainable_parameters is None else f" ({number_of(answer.trainable_parameters)} trainable)"
        said.append(f"parameters {number_of(answer.parameters)}{trainable}")
    if answer.flops:
        said.append(f"FLOPs {number_of(answer.flops)}")
    if answer.average_of_steps > 1:
        said.append(f"average of {answer.average_of_steps} steps")
    return "\n".join([*lines, *([f"and {more:,} more; see --limit"] if more > 0 else []), f"{', '.join(said)}."])
