"""`stepscope profile transfers`: copies between memories, and what waits for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, limit_option, profile_options, rows_of_text
from stepscope.cli.profile.rank_column import table_of_workers
from stepscope.cli.terminal import printable, size_of

if TYPE_CHECKING:
    from stepscope.session.parts.transfers import TransferRow, Transfers

_BY = ("direction", "operation", "stream")
_SHOWN = 40
_SHORT = {
    "host to device": "to device",
    "device to host": "to host",
    "device to device": "on device",
    "device to other device": "to peer",
    "host to host": "on host",
}
"""Directions in words that leave room for the numbers in 80 columns."""


@click.command("transfers")
@profile_options
@csv_option
@limit_option
@click.option("--by", type=click.Choice(_BY), default="direction", show_default=True, help="Group rows by this, within a direction.")
def command(profile: str, as_json: bool, as_csv: bool, by: str, **_: object) -> None:
    """List the memory copies of PROFILE by direction and kind of memory.

    Exposed is the time in ms that a typical step waits for them; blocked is the total time in ms that host calls waited until such
    a copy ended.
    """
    from stepscope.session.parts.transfers import TRANSFERS, TransfersBy

    answer = ask(TRANSFERS, profile, by=TransfersBy(by))
    if as_json:
        echo_answer(answer)
    elif as_csv:
        echo_rows(answer.transfers)
    else:
        click.echo(_text(answer, by))


def _text(answer: Transfers, by: str) -> str:
    if not answer.transfers:
        return "No memory copies in this profile."
    shown = answer.transfers[: rows_of_text(_SHOWN)]
    named = {"direction": (), "operation": ("operation",), "stream": ("stream",)}[by]
    rows = [(*_named(row, by), *_line(row)) for row in shown]
    lines = table_of_workers((*named, "copies", "memory", "count", "bytes", "ms", "GB/s", "exposed", "blocked"), rows, shown)
    more = answer.total - len(shown)
    return "\n".join([*(line.rstrip() for line in lines), *([f"and {more:,} more; see --limit"] if more > 0 else [])])


def _named(row: TransferRow, by: str) -> tuple[str, ...]:
    if by == "operation":
        return (printable(row.op) or "(unknown)",)
    return (", ".join(map(str, row.streams)),) if by == "stream" else ()


def _line(row: TransferRow) -> tuple[str, ...]:
    return (
        _SHORT.get(row.direction, row.direction),
        row.host_memory,
        f"{row.count:,}",
        "" if row.bytes is None else size_of(row.bytes),
        f"{row.total_us / 1e3:,.2f}",
        "" if row.bytes_per_second is None else f"{row.bytes_per_second / 1e9:.1f}",
        f"{row.exposed_us / 1e3:,.3f}",
        f"{row.blocked_us / 1e3:,.2f}",
    )
