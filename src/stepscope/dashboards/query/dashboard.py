"""The routes of the Query tab: the tables, a query as a job, its first rows, and all of them as a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal

import msgspec

from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.job_routes import JobRow, job_row, made_file, started
from stepscope.dashboards.query import messages as m
from stepscope.dashboards.route import Dashboard, Download, NoFields, Role, Route, Waiting
from stepscope.jobs.job import Job
from stepscope.jobs.made_file import MadeFile, write_made
from stepscope.model.declared import fill_all
from stepscope.model.errors import NeedsExtra, NotThere
from stepscope.sql.all_tables import ALL_TABLES
from stepscope.sql.database import Database, Question, Result
from stepscope.sql.packages import duckdb, pyarrow
from stepscope.sql.table import Scope
from stepscope.sql.table_files import CONTENT_TYPES, file_pieces, json_value

WAIT = 1.0
"""Seconds that a request waits for its query before it answers how far that is."""
LEASE = 10.0
"""A query that nobody has asked for within this time stops: the page was closed."""

_RUN = "query/run"


def tables(_: RequestContext, __: NoFields, ___: Mapping[str, str]) -> m.TablesAnswer:
    """Every table with its columns."""
    rows = [m.SqlTable(table.name, table.meaning, fill_all(m.SqlColumn, table.columns)) for table in ALL_TABLES]
    return m.TablesAnswer(rows, _missing())


def _missing() -> str | None:
    try:
        duckdb()
        pyarrow()
    except NeedsExtra as problem:
        return problem.message
    return None


def run_query(context: RequestContext, request: m.QueryRequest, _: Mapping[str, str]) -> Waiting:
    """Starts a query; its first rows when it is done soon."""
    question = _asking(context, request.segments)

    def work(job: Job[Result]) -> Result:
        job.report(0, words="Reading tables")
        return Database(context.reads).query(request.sql, question(job.checkpoint), request.rows)

    key = (_RUN, context.user.id, context.reads.library.snapshot.epoch, msgspec.json.encode(request))
    job = context.jobs.submit(key, "Query", work, owner=context.user.id, lease=LEASE, keep=False, result_at=_RUN + "/{id}")
    return _running(job)


def queried(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> Waiting:
    """The first rows of a query; waits a little while it runs."""
    job = context.jobs.find(path["id"], context.user.id)
    if not job.result_at.startswith(f"{_RUN}/"):
        raise NotThere("No query has this id; run it again.", "unknown_job")
    return _running(job)


def _running(job: Job[Result]) -> Waiting:
    def answer() -> m.QueryAnswer:
        if not job.over:
            return m.QueryAnswer(job_row(job), [], [], False, None, [])
        found = job.result()
        columns = [[_cell(value) for value in column.to_pylist()] for column in found.table.columns]
        rows = [list(row) for row in zip(*columns, strict=True)]
        return m.QueryAnswer(job_row(job), fill_all(m.SqlColumn, found.columns), rows, found.more, found.seconds, list(found.notes))

    return Waiting(job, WAIT, answer)


def _cell(value: Any) -> m.Cell:  # noqa: ANN401 - any value of an Arrow column
    plain = json_value(value)
    return msgspec.json.encode(plain).decode() if isinstance(plain, dict | list) else plain


def start_file(context: RequestContext, request: m.QueryFileRequest, _: Mapping[str, str]) -> Waiting:
    """Makes the file of a query in the background; waits a little, since most are small."""
    question = _asking(context, request.segments)

    def work(job: Job[MadeFile]) -> MadeFile:
        with Database(context.reads).answering(request.sql, question(job.checkpoint), []) as found:
            pieces = file_pieces(found.schema, _counted(job, found.batches), request.format)
            return write_made(f"query.{request.format}", CONTENT_TYPES[request.format], pieces)

    job = context.jobs.submit(None, f"Query as {request.format} file", work, owner=context.user.id, result_at="query/export/{id}")
    return started(job, WAIT)


def _counted(job: Job[MadeFile], batches: Any) -> Iterator[Any]:  # noqa: ANN401 - pyarrow carries no types
    rows = 0
    for batch in batches:
        yield batch
        rows += batch.num_rows
        job.report(rows, unit="rows")


def file_of(context: RequestContext, _: NoFields, path: Mapping[str, str]) -> Download:
    """The file that a query made."""
    return made_file(context, path["id"])


def _asking(context: RequestContext, segments: Literal["latest", "all"]) -> Callable[[Callable[[], None]], Question]:
    """What is asked, but for who waits for it."""
    states, now = context.states(), context.clock()
    return lambda checkpoint: Question(Scope(segments=segments), states=states, now=now, checkpoint=checkpoint)


QUERY = Dashboard(
    id="query",
    label="Query",
    kinds=frozenset(),
    has_own=lambda context: bool(context.reads.views.view(True).runs),
    routes=(
        Route("GET", "/query/tables", Role.VIEWER, "Tables that SQL can use", tables, NoFields, m.TablesAnswer),
        Route("POST", "/query/run", Role.VIEWER, "Run a SQL query", run_query, m.QueryRequest, m.QueryAnswer),
        Route("GET", "/query/run/{id}", Role.VIEWER, "First rows of a query", queried, NoFields, m.QueryAnswer),
        Route("POST", "/query/export", Role.VIEWER, "Save a query's rows as a file", start_file, m.QueryFileRequest, JobRow),
        Route("GET", "/query/export/{id}", Role.VIEWER, "Download a query's rows", file_of, NoFields, tuple(CONTENT_TYPES.values())),
    ),
)
