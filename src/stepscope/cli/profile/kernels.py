"""`stepscope profile kernels`: the kernels of the devices, longest first."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.rank_column import table_of_ranks
from stepscope.cli.profile.reading import csv_option, echo_csv, echo_json, known, limits_of, profile_options, read_profiles
from stepscope.cli.terminal import COLUMNS, percent, printable, shortened

if TYPE_CHECKING:
    from stepscope.analyses.devices.position import RooflinePosition
    from stepscope.analyses.work.kernels import KernelRow
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
    is unknown. Roof is what it achieves of what the device allows at its arithmetic per byte, and whether arithmetic or memory is
    the lower roof there. Occ. is the estimated achieved occupancy; --json has the theoretical one as well.
    """
    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.devices.peaks import peak_sentences
    from stepscope.analyses.programs.costs import operation_costs
    from stepscope.analyses.steps import find_steps
    from stepscope.analyses.work.kernels import KernelsBy, kernels
    from stepscope.formats.xplane.programs import read_programs

    found: list[tuple[Profile, KernelRow]] = []
    notes: list[str] = []
    profiles = read_profiles(profile, max_gib, cache=not no_cache)
    for each in profiles:
        costs = operation_costs(each, read_programs(each, limits_of(max_gib))[0])
        rows = kernels(each, break_down(each, find_steps(each, steps_by)), KernelsBy(by), costs)
        notes += peak_sentences(each)
        found += [(each, row) for row in rows if contains is None or contains.lower() in f"{row.name}\n{row.op}".lower()]
    found.sort(key=lambda pair: (-pair[1].total_ns, pair[1].name, pair[1].op))
    if as_json:
        echo_json({"kernels": [_answer(each, row) for each, row in found], "notes": list(dict.fromkeys(notes))})
    elif as_csv:
        echo_csv([_answer(each, row) for each, row in found])
    else:
        click.echo(_text(found, list(dict.fromkeys(notes)), len(profiles) > 1))


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
        "occupancy": known(row.theoretical_occupancy if row.achieved_occupancy is None else row.achieved_occupancy),
        "theoretical_occupancy": known(row.theoretical_occupancy),
        "achieved_occupancy": known(row.achieved_occupancy),
        "theoretical_occupancy_from": row.occupancy_from[0] or None,
        "achieved_occupancy_from": row.occupancy_from[1] or None,
        "blocks_per_multiprocessor": known(row.blocks_per_multiprocessor),
        "matrix_core": row.matrix_core,
        "matrix_core_eligible": row.matrix_core_eligible,
        "launch_delay_us": None if row.launch_delay_ns is None else row.launch_delay_ns / 1e3,
        **position_answer(row.position),
    }


def position_answer(position: RooflinePosition) -> dict[str, Any]:
    """Where work stands under the device's roofline."""
    return {
        "bytes": known(position.bytes),
        "bytes_from": position.bytes_from or None,
        "flops": known(position.flops),
        "flops_from": position.flops_from or None,
        "flops_per_byte": known(position.intensity),
        "flops_per_second": known(position.flops_per_second),
        "bytes_per_second": known(position.bytes_per_second),
        "peak_flops_per_second": known(position.peak_flops),
        "peak_bytes_per_second": known(position.peak_bandwidth),
        "peaks_from": position.peaks_from or None,
        "ridge_flops_per_byte": known(position.ridge),
        "flops_share_of_peak": known(position.flops_share),
        "bandwidth_share_of_peak": known(position.bandwidth_share),
        "share_of_roof": known(position.roof_share),
        "bound_by": position.bound_by,
    }


def _text(found: Sequence[tuple[Profile, KernelRow]], notes: Sequence[str], several: bool) -> str:
    if not found:
        return "No kernel fits, or the recording holds no device work."
    rows = [
        (
            row.short,
            shortened(row.op, 12),
            f"{row.count:,}",
            f"{row.total_ns / 1e6:,.2f}",
            percent(row.share),
            {True: "yes", False: "no", None: "?"}[row.matrix_core],
            "" if row.achieved_occupancy is None else f"{100 * row.achieved_occupancy:.0f} %",
            _roof(row.position),
        )
        for _, row in found[:_SHOWN]
    ]
    head = ("kernel", "operation", "count", "ms", "share", "matrix", "occ.", "roof")
    lines = table_of_ranks(head, rows, [each for each, _ in found[:_SHOWN]], several)
    more = len(found) - _SHOWN
    said = [line for note in notes for line in ("", *wrap(printable(note), COLUMNS))]
    return "\n".join([*(line.rstrip() for line in lines), *([f"and {more:,} more; see --json"] if more > 0 else []), *said])


def _roof(position: RooflinePosition) -> str:
    """How much of the lower roof, and which it is; a kernel of which one roof is unknown shows the share of the other."""
    if position.roof_share is not None:
        return f"{100 * position.roof_share:.0f} % {'mem' if position.bound_by == 'memory' else 'arith'}"
    only = [(position.flops_share, "arith"), (position.bandwidth_share, "mem")]
    return next((f"({100 * share:.0f} % {name})" for share, name in only if share is not None), "")
