"""What the routes of the Query tab take and answer."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from stepscope.dashboards.job_routes import JobRow
from stepscope.model import declared as d
from stepscope.sql.engine import LONGEST_SQL
from stepscope.sql.table_files import TableFormat

MOST_ROWS = 10_000
"""Rows that the page gets; files have all of them."""

Sql = Annotated[str, Meta(max_length=LONGEST_SQL, description="One SELECT statement in DuckDB's SQL.")]
Points = Annotated[Literal["latest", "all"], d.text("Whether `points` has what a restart has logged again.")]
Cell = bool | int | float | str | None


class QueryRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A query whose first rows are answered."""

    sql: Sql
    rows: Annotated[int, Meta(ge=1, le=MOST_ROWS, description="Most rows to answer.")] = 1_000
    segments: Points = "latest"


class QueryFileRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A query whose rows become a file."""

    sql: Sql
    format: Annotated[TableFormat, d.text("Type of the file.")] = "csv"
    segments: Points = "latest"


class SqlColumn(Struct, frozen=True):
    """One column of a table."""

    key: Annotated[str, d.text("Name of the column.")]
    type: Annotated[str, d.text("Type of its values.")]
    unit: Annotated[str, d.text("Unit; empty when it has none.")]
    meaning: Annotated[str, d.text("What it is; empty when unknown.")]


class SqlTable(Struct, frozen=True):
    """One table."""

    name: Annotated[str, d.text("Name of the table.")]
    meaning: Annotated[str, d.text("What its rows are.")]
    columns: Annotated[list[SqlColumn], d.nested("Its columns.")]


class TablesAnswer(Struct, frozen=True):
    """The tables that queries can use."""

    tables: Annotated[list[SqlTable], d.nested("The tables.")]
    missing: Annotated[str | None, d.text("What to install before queries can be run; null when nothing is missing.")]


class QueryAnswer(Struct, frozen=True):
    """The first rows of the answer, or how far the query is."""

    job: Annotated[JobRow, d.nested("The query at work; cancel it as any job.")]
    columns: Annotated[list[SqlColumn], d.nested("The columns of the answer; empty until it is there.")]
    rows: Annotated[list[list[Cell]], d.number("The rows; lists and objects are JSON text.", "`unit` of the column")]
    more: Annotated[bool, d.flag("Whether there are rows after these.")]
    seconds: Annotated[float | None, d.seconds("How long it took; null until the answer is there.")]
    notes: Annotated[list[str], d.nested("What tables leave out, a sentence each.")]
