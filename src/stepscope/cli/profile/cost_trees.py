"""What `stepscope profile scope` and `stepscope profile code` share: options, and the tree as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, limit_option, profile_options, rows_of_text
from stepscope.cli.terminal import COLUMNS, size_of, table
from stepscope.model.number_text import three_digits

if TYPE_CHECKING:
    from stepscope.session.part import Part
    from stepscope.session.parts.costs import CostsWanted, CostTree

_SHOWN = 60
_ORDERS = ("time", "bytes", "parameters", "flops", "name")
_THOUSAND = 1_000


def cost_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of both verbs."""
    for option in reversed(
        (
            profile_options,
            csv_option,
            limit_option,
            click.option(
                "--start",
                metavar="PATTERN",
                default="",
                help="Start the tree at names that match PATTERN as a whole, such as 'net/.*'.",
            ),
            click.option("--show", metavar="PATTERN", default="", help="Show only names that match PATTERN as a whole."),
            click.option("--hide", metavar="PATTERN", default="", help="Hide names that match PATTERN; what is below them moves up."),
            click.option("--types", metavar="PATTERN", default="", help="Count only operations whose type or device matches PATTERN."),
            click.option(
                "--min-time", type=click.FloatRange(0), default=0, metavar="US", help="Hide rows below this total duration (µs)."
            ),
            click.option(
                "--min-bytes", type=click.IntRange(0), default=0, metavar="BYTES", help="Hide rows that allocate less than this."
            ),
            click.option("--min-params", type=click.IntRange(0), default=0, metavar="N", help="Hide rows with fewer parameters."),
            click.option("--min-flops", type=click.FloatRange(0), default=0, metavar="N", help="Hide rows with fewer FLOPs."),
            click.option("--order", type=click.Choice(_ORDERS), default="time", show_default=True, help="Sort siblings by this."),
            click.option("--depth", type=click.IntRange(0), default=0, metavar="N", help="Show N levels of the tree; 0 shows all."),
        )
    ):
        command = option(command)
    return command


def show_costs(part: Part[CostsWanted, CostTree], profile: str, given: dict[str, Any], none: str) -> None:
    """Prints the answer; `none` where there are no rows."""
    fields = ("start", "show", "hide", "types", "min_bytes", "min_flops", "order", "depth")
    wanted = {name: given[name] for name in fields}
    answer = ask(part, profile, **wanted, min_us=given["min_time"], min_parameters=given["min_params"])
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
            number(row.parameters) if row.parameters else "",
            number(row.flops) if row.flops else "",
        )
        for row in shown
    ]
    heads = ("name", "count", "self µs", "total µs", "memory", "params", "FLOPs")
    lines = [line.rstrip() for line in table(heads, rows, COLUMNS)]
    more = answer.total - len(shown)
    said = [f"Time {answer.us:,.1f} µs", f"memory {size_of(answer.bytes)}"]
    if answer.parameters:
        trainable = "" if answer.trainable_parameters is None else f" ({number(answer.trainable_parameters)} trainable)"
        said.append(f"parameters {number(answer.parameters)}{trainable}")
    if answer.flops:
        said.append(f"FLOPs {number(answer.flops)}")
    if answer.average_of_steps > 1:
        said.append(f"average of {answer.average_of_steps} steps")
    return "\n".join([*lines, *([f"and {more:,} more; see --limit"] if more > 0 else []), f"{', '.join(said)}."])


def number(value: float) -> str:
    """Such as 31.8k or 70.3M."""
    for unit in ("", "k", "M", "G", "T"):
        if value < _THOUSAND:
            return f"{three_digits(value)}{unit}"
        value /= _THOUSAND
    return f"{three_digits(value)}P"
