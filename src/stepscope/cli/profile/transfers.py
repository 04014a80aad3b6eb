"""`stepscope profile transfers`: copies between memories, and what waited for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.reading import csv_option, echo_csv, echo_json, profile_options, read_profiles
from stepscope.cli.terminal import COLUMNS, printable, size_of, table

if TYPE_CHECKING:
    from stepscope.analyses.work.transfers import TransferRow
    from stepscope.model.profile import Profile

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
@click.option("--by", "by_name", type=click.Choice(["direction", "operation", "stream"]), default="direction", help="What makes a row.")
@csv_option
def command(
    profile: str,
    as_json: bool,
    steps_by: str | None,
    max_gib: int | None,
    no_cache: bool,
    by_name: str,
    as_csv: bool,
) -> None:
    """List the copies of PROFILE by direction and kind of memory.

    Exposed is what a typical step sees of them, in ms; blocked is how long host calls waited until such a copy had ended.
    """
    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.steps import find_steps
    from stepscope.analyses.work.transfers import TransfersBy, transfers

    by = TransfersBy(by_name)
    found: list[tuple[Profile, TransferRow]] = []
    for each in read_profiles(profile, max_gib, cache=not no_cache):
        found += [(each, row) for row in transfers(each, break_down(each, find_steps(each, steps_by)), by)]
    if as_json:
        echo_json({"transfers": [_answer(each, row) for each, row in found]})
    elif as_csv:
        echo_csv([_answer(each, row) for each, row in found])
    elif not found:
        click.echo("No copies: the recording holds none between memories.")
    else:
        named = {"direction": (), "operation": ("operation",), "stream": ("stream",)}[by_name]
        rows = [(*_named(row, by_name), *_line(row)) for _, row in found[:_SHOWN]]
        lines = table((*named, "copies", "memory", "count", "bytes", "ms", "GB/s", "exposed", "blocked"), rows, COLUMNS)
        more = len(found) - _SHOWN
        click.echo("\n".join([*(line.rstrip() for line in lines), *([f"and {more:,} more; see --json"] if more > 0 else [])]))


def _named(row: TransferRow, by: str) -> tuple[str, ...]:
    if by == "operation":
        return (printable(row.op) or "(not known)",)
    return (", ".join(map(str, row.streams)),) if by == "stream" else ()


def _line(row: TransferRow) -> tuple[str, ...]:
    return (
        _SHORT.get(row.direction, row.direction),
        row.host_memory,
        f"{row.count:,}",
        "" if row.bytes is None else size_of(row.bytes),
        f"{row.total_ns / 1e6:,.2f}",
        "" if row.bandwidth is None else f"{row.bandwidth / 1e9:.1f}",
        f"{row.exposed_ns / 1e6:,.3f}",
        f"{row.blocked_ns / 1e6:,.2f}",
    )


def _answer(profile: Profile, row: TransferRow) -> dict[str, Any]:
    return {
        "direction": row.direction,
        "source_memory": row.source,
        "target_memory": row.target,
        "host_memory": row.host_memory,
        "device": row.device,
        "op": row.op,
        "streams": list(row.streams),
        "host": profile.host,
        "rank": profile.rank if profile.rank >= 0 else None,
        "count": row.count,
        "bytes": row.bytes,
        "largest_bytes": row.largest,
        "total_us": row.total_ns / 1e3,
        "bytes_per_second": row.bandwidth,
        "exposed_us": row.exposed_ns / 1e3,
        "overlapped_us": row.overlapped_ns / 1e3,
        "blocked_us": row.blocked_ns / 1e3,
        "blocked_by": row.blocked_by,
    }
