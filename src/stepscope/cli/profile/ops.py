"""`stepscope profile ops`: the operations of host and devices, most exposed first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, limit_option, profile_options, rows_of_text
from stepscope.cli.profile.rank_column import table_of_workers
from stepscope.cli.terminal import percent, shortened, size_of

if TYPE_CHECKING:
    from stepscope.session.parts.ops import Ops

_BY = ("name", "type", "scope", "module", "program", "shape", "source")
_ORDERS = ("exposed", "self", "total", "count", "name")
_SHOWN = 40


@click.command("ops")
@profile_options
@csv_option
@limit_option
@click.option("--by", type=click.Choice(_BY), default="name", show_default=True, help="Group rows by this.")
@click.option("--order", type=click.Choice(_ORDERS), default="exposed", show_default=True, help="Sort rows by this.")
@click.option("--calls", is_flag=True, help="List runtime, framework and Python calls too.")
@click.option("--min-time", type=click.FloatRange(0), default=0.0, metavar="US", help="Hide rows below this total duration in µs.")
@click.option("--min-bytes", type=click.IntRange(0), default=0, metavar="N", help="Hide rows that allocate or access fewer bytes.")
@click.option("--contains", metavar="TEXT", help="Show only names containing TEXT (case-insensitive).")
def command(
    profile: str,
    as_json: bool,
    as_csv: bool,
    by: str,
    order: str,
    calls: bool,
    min_time: float,
    min_bytes: int,
    contains: str | None,
    **_: object,
) -> None:
    """List the operations of PROFILE, on the host and on devices.

    Exposed is the share of a typical step in which the step waits for an operation: time hidden behind other work does not
    count. With --calls, all rows and the untraced time sum to the step.
    """
    from stepscope.session.parts.ops import OPS, By, Order

    answer = ask(
        OPS,
        profile,
        by=By(by),
        order=Order(order),
        calls=calls,
        min_us=min_time,
        min_bytes=min_bytes,
        contains=contains or "",
    )
    if as_json:
        echo_answer(answer)
    elif as_csv:
        echo_rows(answer.ops)
    else:
        click.echo(_text(answer))


def _text(answer: Ops) -> str:
    if not answer.ops:
        return "No operations match."
    shown = answer.ops[: rows_of_text(_SHOWN)]
    rows = [
        (
            row.name,
            shortened(row.device, 6),
            f"{row.count:,}",
            f"{row.total_us / 1e3:,.2f}",
            f"{row.self_us / 1e3:,.2f}",
            percent(row.exposed_share),
            size_of(row.memory_bytes) if row.memory_bytes else "",
        )
        for row in shown
    ]
    lines = table_of_workers(("operation", "device", "count", "total ms", "self ms", "exposed", "memory"), rows, shown)
    more = answer.total - len(shown)
    return "\n".join([*(line.rstrip() for line in lines), *([f"and {more:,} more; see --limit"] if more > 0 else [])])
