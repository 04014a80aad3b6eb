"""`stepscope profile kernels`: the kernels of the devices, longest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.reading import csv_option, echo_csv, echo_json, known, profile_options, read_profiles
from stepscope.cli.terminal import COLUMNS, percent, shortened, table

if TYPE_CHECKING:
    from stepscope.analyses.kernels import KernelRow
    from stepscope.model.profile import Profile

_BY = ("name", "launch", "family", "op", "stream")
_SHOWN = 40


@click.command("kernels")
@profile_options
@csv_option
@click.option("--by", type=click.Choice(_BY), default="name", show_default=True, help="What makes one row; launch tells grids apart.")
@click.option("--contains", metavar="TEXT", help="Only kernels whose name or operation holds TEXT, in letters of either case.")
def command(
    profile: str,
    as_json: bool,
    steps_by: str | None,
    max_gib: int | None,
    no_cache: bool,
    as_csv: bool,
    by: str,
    contains: str | None,
) -> None:
    """List the kernels of PROFILE, longest in sum first.

    Matrix says whether a kernel runs on matrix units (tensor cores), judged by its name: yes, no, or ? for a product whose naming
    is unknown. Delay is the median time from the end of the launching call to the start of the kernel.
    """
    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.kernels import KernelsBy, kernels
    from stepscope.analyses.steps import find_steps

    found: list[tuple[Profile, KernelRow]] = []
    for each in read_profiles(profile, max_gib, cache=not no_cache):
        rows = kernels(each, break_down(each, find_steps(each, steps_by)), KernelsBy(by))
        found += [(each, row) for row in rows if contains is None or contains.lower() in f"{row.name}\n{row.op}".lower()]
    found.sort(key=lambda pair: (-pair[1].total_ns, pair[1].name, pair[1].op))
    if as_json:
        echo_json({"kernels": [_answer(each, row) for each, row in found]})
    elif as_csv:
        echo_csv([_answer(each, row) for each, row in found])
    else:
        click.echo(_text(found))


def _answer(profile: Profile, row: KernelRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "short": row.short,
        "family": row.family,
        "op": row.op,
        "device": row.device,
        "host": profile.host,
        "rank": profile.rank if profile.rank >= 0 else None,
        "streams": list(row.streams),
        "count": row.count,
        "total_us": row.total_ns / 1e3,
        "average_us": row.average_ns / 1e3,
        "min_us": row.min_ns / 1e3,
        "max_us": row.max_ns / 1e3,
        "share": row.share,
        "cumulative": row.cumulative,
        "exposed_us": row.exposed_ns / 1e3,
        "grid": row.grid,
        "block": row.block,
        "registers": row.registers,
        "shared_memory_bytes": row.shared_memory,
        "occupancy": known(row.occupancy),
        "blocks_per_multiprocessor": known(row.blocks_per_multiprocessor),
        "matrix_core": row.matrix_core,
        "matrix_core_eligible": row.matrix_core_eligible,
        "launch_delay_us": None if row.launch_delay_ns is None else row.launch_delay_ns / 1e3,
        "bytes": known(row.bytes),
        "flops": known(row.flops),
        "flops_share_of_peak": known(row.flops_share),
        "bandwidth_share_of_peak": known(row.bandwidth_share),
        "bound_by": row.bound_by,
    }


def _text(found: Sequence[tuple[Profile, KernelRow]]) -> str:
    if not found:
        return "No kernel fits, or the recording holds no device work."
    rows = [
        (
            row.short,
            shortened(row.op, 15),
            f"{row.count:,}",
            f"{row.total_ns / 1e6:,.2f}",
            percent(row.share),
            {True: "yes", False: "no", None: "?"}[row.matrix_core],
            "" if row.occupancy is None else f"{100 * row.occupancy:.0f} %",
        )
        for _, row in found[:_SHOWN]
    ]
    lines = table(("kernel", "operation", "count", "ms", "share", "matrix", "occ."), rows, COLUMNS)
    more = len(found) - _SHOWN
    return "\n".join([*(line.rstrip() for line in lines), *([f"and {more:,} more; see --json"] if more > 0 else [])])
