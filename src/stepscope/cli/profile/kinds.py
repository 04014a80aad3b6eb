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
@click.option("--kind", metavar="KIND", help="Show only this category, such as input.")
@click.option("--yours", is_flag=True, help="Show only your own rows.")
@kind_options
def command(as_json: bool, as_csv: bool, kind: str | None, yours: bool) -> None:
    """List span categories: your own rows, then the rules of each profile format.

    To assign categories to your own span names, edit the TOML file on the first line: each category has a list of names, in which *
    matches anything.

    \b
    input = ["load_batch", "fetch_*"]
    io = ["save_*"]
    transform = ["tokenize"]
    allreduce = ["my_allreduce"]

    The first row that matches a name wins. To use another file, give --span-kinds, or set STEPSCOPE_SPAN_KINDS for the server and all
    commands.
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
    lines = [f"Add your own span names to {printable(found.file)}"]
    rows = found.kinds
    if not has_own:
        lines.append("It has no rows yet.")
    for origin, held in dict.fromkeys((row.origin, row.held_against) for row in rows):
        mine = [row for row in rows if (row.origin, row.held_against) == (origin, held)]
        lines += ["", printable(f"{origin}: {held}")]
        lines += [f"  {row.kind:<{_KIND_WIDTH}}{shortened(row.pattern, COLUMNS - _KIND_WIDTH - 2)}" for row in mine]
    return lines
