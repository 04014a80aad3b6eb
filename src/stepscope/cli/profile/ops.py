"""`stepscope profile ops`: the operations of host and devices, most exposed first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, limit_option, profile_options, rows_of_text
from stepscope.cli.profile.rank_column import table_of_workers
from stepscope.cli.profile.row_options import row_options, select_option, selected
from stepscope.cli.terminal import number_of, percent, shortened, size_of

if TYPE_CHECKING:
    from stepscope.session.parts.ops import Ops

_BY = ("name", "type", "scope", "module", "program", "shape", "source")
_ORDERS = ("exposed", "self", "total", "count", "bytes", "flops", "name")
_HEADS = {
    "device": "device",
    "count": "count",
    "total": "total ms",
    "self": "self ms",
    "exposed": "exposed",
    "memory": "memory",
    "flops": "FLOPs",
}
_SHOWN = 40


@click.command("ops")
@profile_options
@csv_option
@limit_option
@click.option("--by", type=click.Choice(_BY), default="name", show_default=True, help="Group rows by this.")
@click.option("--calls", is_flag=True, help="List runtime, framework and Python calls too.")
@click.option("--contains", metavar="TEXT", default="", help="Show only names containing TEXT (case-insensitive).")
@row_options(_ORDERS, "exposed", parameters=False)
@select_option(tuple(_HEADS))
def command(profile: str, as_json: bool, as_csv: bool, by: str, order: str, **given: Any) -> None:  # noqa: ANN401 - of row_options
    """List the operations of PROFILE, on the host and on devices.

    Exposed is the share of a typical step in which the step waits for an operation: time hidden behind other work does not
    count. With --calls, all rows and the untraced time sum to the step.
    """
    from stepscope.session.parts.ops import OPS, By, Order

    wanted = ("calls", "contains", "start", "show", "hide", "types", "min_us", "min_bytes", "min_flops", "depth")
    answer = ask(OPS, profile, by=By(by), order=Order(order), **{name: given[name] for name in wanted})
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
            number_of(row.flops) if row.flops else "",
        )
        for row in shown
    ]
    heads, cells = selected(_HEADS, rows, unasked=("flops",))
    lines = table_of_workers(("operation", *heads), cells, shown)
    more = answer.total - len(shown)
    return "\n".join([*(line.rstrip() for line in lines), *([f"and {more:,} more; see --limit"] if more > 0 else [])])
