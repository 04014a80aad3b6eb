"""`stepscope profile ops`: the operations of host and devices, most exposed first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.rank_column import table_of_ranks
from stepscope.cli.profile.reading import csv_option, echo_csv, echo_json, known, limits_of, profile_options, read_profiles
from stepscope.cli.terminal import percent, shortened, size_of

if TYPE_CHECKING:
    from stepscope.analyses.work.operations import OperationRow
    from stepscope.model.profile import Profile

_BY = ("name", "type", "scope", "module", "program", "shape", "source")
_ORDERS = ("exposed", "self", "total", "count", "name")
_SHOWN = 40


@click.command("ops")
@profile_options
@csv_option
@click.option("--by", type=click.Choice(_BY), default="name", show_default=True, help="What makes one row.")
@click.option("--order", type=click.Choice(_ORDERS), default="exposed", show_default=True, help="What comes first.")
@click.option("--calls", is_flag=True, help="Also runtime, framework and Python calls.")
@click.option("--min-time", type=click.FloatRange(0), default=0.0, metavar="US", help="Only rows of at least so many µs in total.")
@click.option("--min-bytes", type=click.IntRange(0), default=0, metavar="N", help="Only rows that allocate or access at least N bytes.")
@click.option("--contains", metavar="TEXT", help="Only rows whose name holds TEXT, in letters of either case.")
def command(
    profile: str,
    as_json: bool,
    steps_by: str | None,
    max_gib: int | None,
    no_cache: bool,
    as_csv: bool,
    by: str,
    order: str,
    calls: bool,
    min_time: float,
    min_bytes: int,
    contains: str | None,
) -> None:
    """List the operations of PROFILE, on the host and on devices.

    Exposed is the share of a typical step in which an operation is what the step waits for: time hidden behind other work is
    not in it, and all rows (with --calls) and the untraced time sum to the step.
    """
    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.programs.costs import operation_costs
    from stepscope.analyses.steps import find_steps
    from stepscope.analyses.work.operations import By, operations
    from stepscope.formats.xplane.programs import read_programs

    found: list[tuple[Profile, OperationRow]] = []
    profiles = read_profiles(profile, max_gib, cache=not no_cache)
    for each in profiles:
        breakdown = break_down(each, find_steps(each, steps_by))
        costs = operation_costs(each, read_programs(each, limits_of(max_gib))[0])
        rows = operations(each, breakdown, By(by), calls=calls, min_time_ns=round(min_time * 1e3), min_bytes=min_bytes, costs=costs)
        found += [(each, row) for row in rows if contains is None or contains.lower() in row.name.lower()]
    found.sort(key=lambda pair: _rank(pair[1], order))
    if as_json:
        echo_json({"ops": [_answer(each, row) for each, row in found]})
    elif as_csv:
        echo_csv([_answer(each, row) for each, row in found])
    else:
        click.echo(_text(found, len(profiles) > 1))


def _rank(row: OperationRow, order: str) -> tuple[Any, ...]:
    first = {"exposed": -row.exposed_ns, "self": -row.self_ns, "total": -row.total_ns, "count": -row.count, "name": 0}[order]
    return (first, row.name, row.device)


def _answer(profile: Profile, row: OperationRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "type": row.type,
        "kind": row.kind,
        "device": row.device,
        "host": profile.host,
        "rank": profile.rank if profile.rank >= 0 else None,
        "count": row.count,
        "kernels": row.spans if row.device != "host" else None,
        "total_us": row.total_ns / 1e3,
        "self_us": row.self_ns / 1e3,
        "average_us": row.average_ns / 1e3,
        "min_us": row.min_ns / 1e3,
        "max_us": row.max_ns / 1e3,
        "share": row.share,
        "cumulative": row.cumulative,
        "exposed_us": row.exposed_ns / 1e3,
        "exposed": row.exposed_share,
        "eager": row.eager,
        "function": row.function,
        "program": row.program,
        "scope": row.scope,
        "source": row.source,
        "shapes": list(row.shapes),
        "output_shapes": list(row.output_shapes),
        "memory_bytes": row.memory_bytes if row.memory_bytes >= 0 else None,
        "bytes": known(row.bytes),
        "bytes_from": row.bytes_from or None,
        "flops": known(row.flops),
        "flops_from": row.flops_from or None,
    }


def _text(found: Sequence[tuple[Profile, OperationRow]], several: bool) -> str:
    if not found:
        return "No operation fits."
    rows = [
        (
            row.name,
            shortened(row.device, 6),
            f"{row.count:,}",
            f"{row.total_ns / 1e6:,.2f}",
            f"{row.self_ns / 1e6:,.2f}",
            percent(row.exposed_share),
            "" if row.memory_bytes <= 0 else size_of(row.memory_bytes),
        )
        for _, row in found[:_SHOWN]
    ]
    head = ("operation", "where", "count", "total ms", "self ms", "exposed", "memory")
    lines = table_of_ranks(head, rows, [each for each, _ in found[:_SHOWN]], several)
    more = len(found) - _SHOWN
    return "\n".join([*(line.rstrip() for line in lines), *([f"and {more:,} more; see --json"] if more > 0 else [])])
