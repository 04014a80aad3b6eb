"""`stepscope profile roofline`: what operations achieve of what the device allows."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import ask, echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, limit_option, profile_options, rows_of_text
from stepscope.cli.profile.rank_column import table_of_workers
from stepscope.cli.profile.roof_text import roof_text
from stepscope.cli.terminal import COLUMNS, billions, percent, printable, shortened

if TYPE_CHECKING:
    from stepscope.session.parts.roofline import Roofline

_SHOWN = 40


@click.command("roofline")
@profile_options
@csv_option
@limit_option
@click.option("--contains", metavar="TEXT", help="Show only operations and kernels containing TEXT (case-insensitive).")
def command(profile: str, as_json: bool, as_csv: bool, contains: str | None, **_: object) -> None:
    """Compare what the operations of PROFILE achieve with what the device allows.

    Lists operations of compiled programs and kernels whose FLOPs or bytes are known: FLOP per byte, FLOP/s, bytes/s, and the share of
    the lower roof at that intensity. MFU is the time that the known FLOPs of a typical step would take at the device's peak, as a
    share of the step.
    """
    from stepscope.session.parts.roofline import ROOFLINE

    answer = ask(ROOFLINE, profile, contains=contains or "")
    if as_json:
        echo_answer(answer)
    elif as_csv:
        echo_rows(answer.points)
    else:
        click.echo(_text(answer))


def _text(answer: Roofline) -> str:
    from stepscope.analyses.roofline.roofline import prefixed

    lines = [line for rank in answer.ranks if rank.utilisation for line in wrap(rank.utilisation.sentence, COLUMNS)]
    shown = answer.points[: rows_of_text(_SHOWN)]
    rows = [
        (
            point.name,
            shortened(point.detail, 14),
            percent(point.share),
            prefixed(point.flops_per_byte, ""),
            billions(point.flops_per_second),
            billions(point.bytes_per_second),
            roof_text(point, "!" if point.implausible else ""),
        )
        for point in shown
    ]
    if rows:
        heads = ("operation", "kernel or kind", "time", "FLOP/B", "GFLOP/s", "GB/s", "of roof")
        lines += [*([""] if lines else []), *(line.rstrip() for line in table_of_workers(heads, rows, shown))]
    if answer.total > len(shown):
        lines.append(f"and {answer.total - len(shown):,} more; see --limit")
    for note in dict.fromkeys(note for rank in answer.ranks for note in rank.notes):
        lines += ["", *wrap(printable(note), COLUMNS)] if lines else wrap(printable(note), COLUMNS)
    return "\n".join(lines)
