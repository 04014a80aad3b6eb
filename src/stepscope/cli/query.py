"""`stepscope query`: SQL over the tables of log folders, printed or written to a file."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from stepscope.cli.log_folders import parse_roots
from stepscope.cli.opened_folder import opened, states_of
from stepscope.cli.terminal import COLUMNS, count_of, printable, shortened, size_of
from stepscope.cli.written_file import check_name, write_file
from stepscope.model.errors import BadInput
from stepscope.model.number_text import digits

if TYPE_CHECKING:
    from stepscope.sql.database import Database, Question, Result
    from stepscope.sql.table_files import TableFormat

_LEAST_TEXT = 12
_NUMERIC = frozenset({"BIGINT", "INTEGER", "DOUBLE", "FLOAT", "HUGEINT", "SMALLINT", "TINYINT", "UBIGINT", "UINTEGER"})
_UNITS = frozenset({"µs", "ms", "s", "ns", "B", "FLOP", "FLOP/s", "B/s", "B/step"})
"""Units that a head shows; others, such as a count, say no more than the name."""

_SHOWN = 1_000
"""Rows that are printed unless --rows says otherwise."""


@click.command("query")
@click.argument("logdir")
@click.argument("sql", required=False)
@click.option("--tables", is_flag=True, help="List the tables and their columns instead of running a query.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
@click.option("--csv", metavar="FILE", help="Write all rows to a CSV file.")
@click.option("--json-file", metavar="FILE", help="Write all rows to a JSON file.")
@click.option("--parquet", metavar="FILE", help="Write all rows to a Parquet file.")
@click.option("--arrow", metavar="FILE", help="Write all rows to an Arrow file (Feather).")
@click.option("--rows", type=click.IntRange(1), default=_SHOWN, metavar="N", help=f"Most rows to print (default: {_SHOWN}).")
@click.option("--run", "runs", multiple=True, metavar="NAME", help="Read only these runs; * matches any characters. Can be repeated.")
@click.option("--tag", "tags", multiple=True, metavar="NAME", help="Read only these tags; * matches any characters. Can be repeated.")
@click.option("--all-points", is_flag=True, help="Include points that a restart logged again.")
@click.option(
    "--timeout", type=click.FloatRange(0.1, 86_400), default=60.0, metavar="SECONDS", help="Stop after this time (default: 60)."
)
@click.option(
    "--memory", type=click.IntRange(64, 1 << 20), default=2_048, metavar="MIB", help="Most memory of the query (default: 2048)."
)
@click.option("--no-cache", is_flag=True, help="Do not use the cache.")
def command(
    logdir: str,
    sql: str | None,
    tables: bool,
    as_json: bool,
    csv: str | None,
    json_file: str | None,
    parquet: str | None,
    arrow: str | None,
    rows: int,
    runs: tuple[str, ...],
    tags: tuple[str, ...],
    all_points: bool,
    timeout: float,
    memory: int,
    no_cache: bool,
) -> None:
    """Run a SQL query over runs, points, hyperparameters and profiles.

    SQL is one SELECT statement in DuckDB's SQL, or - to read it from standard input. It cannot read files or use the network. Needs
    stepscope[sql].
    """
    if tables:
        click.echo("\n".join(_tables_text()))
        return
    if sql is None:
        raise BadInput('Give a query, such as "SELECT * FROM runs", or --tables to list the tables.', "no_query")
    from stepscope.sql.database import Database, Question
    from stepscope.sql.engine import Limits
    from stepscope.sql.table import Scope

    target = _target((csv, "csv"), (json_file, "json"), (parquet, "parquet"), (arrow, "arrow"))
    text = sys.stdin.read() if sql == "-" else sql
    roots = parse_roots([logdir])
    question = Question(
        Scope(runs, tags, "all" if all_points else "latest"), Limits(timeout, memory << 20), states_of(roots), time.time()
    )
    with opened(roots, not no_cache) as reads:
        database = Database(reads)
        if target is not None:
            _write(database, text, question, *target)
        else:
            _print(database.query(text, question, rows), as_json)


def _target(*asked: tuple[str | None, TableFormat]) -> tuple[str, TableFormat] | None:
    """The one file that is asked for, if any. Raises BadInput."""
    named: list[tuple[str, TableFormat]] = [(target, kind) for target, kind in asked if target is not None]
    if len(named) > 1:
        raise BadInput("Write one file at a time.", "one_file")
    if not named:
        return None
    check_name(named[0][0], {"arrow": (".arrow", ".feather")}.get(named[0][1], (f".{named[0][1]}",)))
    return named[0]


def _write(database: Database, sql: str, question: Question, target: str, kind: TableFormat) -> None:
    from stepscope.sql.table_files import file_pieces

    notes: list[str] = []
    rows = 0
    with database.answering(sql, question, notes) as found:

        def counted() -> Iterator[Any]:
            nonlocal rows
            for batch in found.batches:
                rows += batch.num_rows
                yield batch

        written = write_file(target, file_pieces(found.schema, counted(), kind))
    _say_notes(notes)
    click.echo(f"{printable(target)}: {count_of(rows, 'row')}, {size_of(written)}")


def _print(result: Result, as_json: bool) -> None:
    from stepscope.sql.table_files import file_pieces, json_value

    _say_notes(result.notes)
    if as_json:
        for piece in file_pieces(result.table.schema, result.table.to_batches(), "json"):
            click.echo(piece, nl=False)
    else:
        columns = [[_text(json_value(value)) for value in column.to_pylist()] for column in result.table.columns]
        heads = [
            f"{printable(column.key)} ({column.unit})" if column.unit in _UNITS else printable(column.key) for column in result.columns
        ]
        numeric = [column.type in _NUMERIC or column.type.startswith("DECIMAL") for column in result.columns]
        click.echo("\n".join(aligned(heads, columns, numeric, COLUMNS)))
    if result.more:
        click.echo(f"Only the first {count_of(result.table.num_rows, 'row')} are printed; give --rows N, or write a file.", err=True)


def _say_notes(notes: Sequence[str]) -> None:
    for note in notes:
        click.echo(printable(note), err=True)


def _text(value: object) -> str:
    """A cell as people read it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "true" if value else "false"
    return digits(value, 6) if isinstance(value, float) and math.isfinite(value) else str(value)


def aligned(heads: Sequence[str], columns: Sequence[Sequence[str]], numeric: Sequence[bool], width: int) -> list[str]:
    """Columns below their heads, numbers on the right; text is shortened in the middle where lines would not fit."""
    widths = [max(len(head), *map(len, cells), 0) for head, cells in zip(heads, columns, strict=True)] if columns else []
    texts = [place for place, number in enumerate(numeric) if not number]
    while texts and sum(widths) + 2 * (len(widths) - 1) > width:
        widest = max(texts, key=lambda place: widths[place])
        if widths[widest] <= _LEAST_TEXT:
            break
        widths[widest] -= 1

    def line(cells: Sequence[str]) -> str:
        shown = [shortened(cell, wide) for cell, wide in zip(cells, widths, strict=True)]
        return "  ".join(
            cell.rjust(wide) if number else cell.ljust(wide) for cell, wide, number in zip(shown, widths, numeric, strict=True)
        ).rstrip()

    return [line(heads), *(line(row) for row in zip(*columns, strict=True))]


def _tables_text() -> Iterator[str]:
    """Every table with its columns, units and meanings."""
    from stepscope.sql.all_tables import ALL_TABLES

    for table in ALL_TABLES:
        yield f"{table.name}: {table.meaning}"
        for column in table.columns:
            unit = f" ({column.unit})" if column.unit else ""
            yield f"  {column.key}{unit}: {column.meaning}"
