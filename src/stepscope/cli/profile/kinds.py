"""`stepscope profile kinds`: the table by which spans get their kinds from their names, and the file for names of the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from stepscope.cli.profile.asking import echo_answer, echo_rows
from stepscope.cli.profile.options import csv_option, kind_options, own_kinds
from stepscope.cli.terminal import COLUMNS, printable, shortened
from stepscope.model.errors import BadInput

if TYPE_CHECKING:
    from stepscope.queries.span_categories import SpanCategories

_KIND_WIDTH = 16


@click.command("kinds")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@csv_option
@click.option("--kind", metavar="KIND", help="Only rows of this kind, such as input.")
@click.option("--yours", is_flag=True, help="Only rows of your own.")
@kind_options
def command(as_json: bool, as_csv: bool, kind: str | None, yours: bool) -> None:
    """List which names of spans mean what: your own rows, then those that each format of recordings knows.

    Write names of your own into the file that is named first, as TOML: by kind, a list of names, in which * stands for anything.

    \b
    input = ["load_batch", "fetch_*"]
    io = ["save_*"]
    transform = ["tokenize"]
    allreduce = ["my_allreduce"]

    The first row that fits a name decides. Or give another file with --span-kinds, or name it in STEPSCOPE_SPAN_KINDS, which holds for
    the server and for all verbs.
    """
    from stepscope.queries.span_categories import span_categories

    table = own_kinds().table()
    if table.problem:
        raise BadInput(table.problem, "bad_span_kinds")
    answer = span_categories(table, kind, yours=yours)
    if as_json:
        echo_answer(answer)
    elif as_csv:
        echo_rows(answer.kinds)
    else:
        click.echo("\n".join(_lines(answer, any(row.yours for row in table.rows))))


def _lines(found: SpanCategories, has_own: bool) -> list[str]:
    """The file to edit, and a table for each origin."""
    lines = [f"Write names of your own into {printable(found.file)}"]
    rows = found.kinds
    if not has_own:
        lines.append("It has none yet.")
    for origin, held in dict.fromkeys((row.origin, row.held_against) for row in rows):
        mine = [row for row in rows if (row.origin, row.held_against) == (origin, held)]
        lines += ["", printable(f"{origin}: {held}")]
        lines += [f"  {row.kind:<{_KIND_WIDTH}}{shortened(row.pattern, COLUMNS - _KIND_WIDTH - 2)}" for row in mine]
    return lines
