"""`stepscope profile transfers`: copies between memories, and what waited for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.profile.reading import csv_option, echo_csv, echo_json, profile_options, read_profiles
from stepscope.cli.terminal import size_of, table

if TYPE_CHECKING:
    from stepscope.analyses.transfers import TransferRow
    from stepscope.model.profile import Profile


@click.command("transfers")
@profile_options
@csv_option
def command(
    profile: str,
    as_json: bool,
    steps_by: str | None,
    max_gib: int | None,
    no_cache: bool,
    as_csv: bool,
) -> None:
    """List the copies of PROFILE by direction and kind of memory.

    Exposed is what a typical step sees of them; blocked is how long host calls waited until such a copy had ended.
    """
    from stepscope.analyses.breakdown import break_down
    from stepscope.analyses.steps import find_steps
    from stepscope.analyses.transfers import transfers

    found: list[tuple[Profile, TransferRow]] = []
    for each in read_profiles(profile, max_gib, cache=not no_cache):
        found += [(each, row) for row in transfers(each, break_down(each, find_steps(each, steps_by)))]
    if as_json:
        echo_json({"transfers": [_answer(each, row) for each, row in found]})
    elif as_csv:
        echo_csv([_answer(each, row) for each, row in found])
    elif not found:
        click.echo("No copies: the recording holds none between memories.")
    else:
        rows = [_line(row) for _, row in found]
        lines = table(("copies", "memory", "count", "bytes", "ms", "GB/s", "exposed", "blocked"), rows)
        click.echo("\n".join(line.rstrip() for line in lines))


def _line(row: TransferRow) -> tuple[str, ...]:
    on_host = [kind for kind in (row.source, row.target) if kind in ("pageable", "pinned")]
    return (
        row.direction,
        on_host[0] if on_host else "",
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
        "device": row.device,
        "host": profile.host,
        "rank": profile.rank if profile.rank >= 0 else None,
        "count": row.count,
        "bytes": row.bytes,
        "total_us": row.total_ns / 1e3,
        "bytes_per_second": row.bandwidth,
        "exposed_us": row.exposed_ns / 1e3,
        "blocked_us": row.blocked_ns / 1e3,
        "blocked_by": row.blocked_by,
    }
