"""`stepscope profile kernels`: the kernels of the devices, longest first."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, limit_option, profile_options, rows_of_text
from stepscope.cli.profile.rank_column import table_of_workers
from stepscope.cli.profile.roof_text import roof_text
from stepscope.cli.terminal import COLUMNS, percent, printable, shortened

if TYPE_CHECKING:
    from stepscope.session.parts.kernels import Kernels

_BY = ("name", "launch", "family", "op", "stream")
_SHOWN = 40


@click.command("kernels")
@profile_options
@csv_option
@limit_option
@click.option("--by", type=click.Choice(_BY), default="name", show_default=True, help="Group rows by this; launch separates grids.")
@click.option("--contains", metavar="TEXT", help="Show only kernels whose name or operation contains TEXT (case-insensitive).")
def command(profile: str, as_json: bool, as_csv: bool, by: str, contains: str | None, **_: object) -> None:
    """List the kernels of PROFILE, longest total duration first.

    Cores says whether a kernel runs on Tensor Cores or Matrix Cores, judged by its name: yes, no, or ? when the name does not
    show it. Roof is the achieved share of what the device allows at the kernel's arithmetic intensity, and whether compute or
    memory is the limit. Occ. is the estimated achieved occupancy; --json also has the theoretical one.
    """
    from stepscope.session.parts.kernels import KERNELS, KernelsBy

    answer = ask(KERNELS, profile, by=KernelsBy(by), contains=contains or "")
    if as_json:
        echo_answer(answer)
    elif as_csv:
        echo_rows(answer.kernels)
    else:
        click.echo(_text(answer))


def _text(answer: Kernels) -> str:
    if not answer.kernels:
        return "No kernels match, or the profile has no device work."
    shown = answer.kernels[: rows_of_text(_SHOWN)]
    rows = [
        (
            row.short,
            shortened(row.op, 12),
            f"{row.count:,}",
            f"{row.total_us / 1e3:,.2f}",
            percent(row.share),
            {True: "yes", False: "no", None: "?"}[row.matrix_core],
            "" if row.achieved_occupancy is None else f"{100 * row.achieved_occupancy:.0f}%",
            roof_text(row),
        )
        for row in shown
    ]
    lines = table_of_workers(("kernel", "operation", "count", "ms", "share", "cores", "occ.", "roof"), rows, shown)
    more = answer.total - len(shown)
    said = [line for note in answer.notes for line in ("", *wrap(printable(note), COLUMNS))]
    return "\n".join([*(line.rstrip() for line in lines), *([f"and {more:,} more; see --limit"] if more > 0 else []), *said])
