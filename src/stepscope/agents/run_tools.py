"""Tools that look at runs: their list, their tags and series, hyperparameters, and SQL."""

from __future__ import annotations

import time
from typing import Annotated, Any

from msgspec import Meta, Struct, to_builtins

from stepscope.agents.tool import Tool
from stepscope.model.errors import NotThere
from stepscope.model.numbers import json_number
from stepscope.queries.hparams_rows import hparams_rows
from stepscope.queries.names import natural_key
from stepscope.queries.runs import list_runs
from stepscope.queries.series import Window
from stepscope.queries.tags import scalar_tags
from stepscope.queries.view import ShownRun, View
from stepscope.session.limits import contains
from stepscope.session.reads import Reads
from stepscope.sql.database import Database, Question
from stepscope.sql.table_files import json_value

RunName = Annotated[str, Meta(max_length=4_000, description="Name or id of a run, as `runs` has it.")]
_FACTS = ("id", "name", "status", "started", "last_event", "points", "restarts", "profiles", "note", "labels")


class RunsAsked(Struct, forbid_unknown_fields=True):
    """Which runs."""

    contains: Annotated[str, Meta(max_length=1_000, description="Only runs whose name contains this text (case-insensitive).")] = ""
    limit: Annotated[int, Meta(ge=1, le=500, description="Most runs to list.")] = 50


class TagsAsked(Struct, forbid_unknown_fields=True):
    """The run whose tags are listed."""

    run: RunName
    contains: Annotated[str, Meta(max_length=1_000, description="Only tags that contain this text (case-insensitive).")] = ""
    limit: Annotated[int, Meta(ge=1, le=2_000, description="Most tags to list.")] = 500


class SeriesAsked(Struct, forbid_unknown_fields=True):
    """Which series."""

    runs: Annotated[list[RunName], Meta(min_length=1, max_length=20, description="Names or ids of runs.")]
    tag: Annotated[str, Meta(max_length=4_000, description="Name of the scalar series.")]
    points: Annotated[int, Meta(ge=4, le=1_000, description="Most points of each run; first, last, min and max are kept.")] = 100


class HparamsAsked(Struct, forbid_unknown_fields=True):
    """Which columns and rows."""

    metrics: Annotated[list[str], Meta(max_length=20, description="Scalar tags whose last value is added.")] = []
    limit: Annotated[int, Meta(ge=1, le=500, description="Most runs to list.")] = 100


class QueryAsked(Struct, forbid_unknown_fields=True):
    """The query."""

    sql: Annotated[str, Meta(max_length=100_000, description="One SELECT in DuckDB's SQL. DESCRIBE lists the columns of a table.")]
    rows: Annotated[int, Meta(ge=1, le=1_000, description="Most rows to answer.")] = 100


def _runs(reads: Reads, asked: RunsAsked) -> object:
    rows = [row for row in list_runs(reads.views.view(), {}, time.time()) if contains(asked.contains, row.name)]
    plain: list[dict[str, Any]] = to_builtins(rows[: asked.limit])
    return {"total": len(rows), "runs": [{key: row[key] for key in _FACTS} for row in plain]}


def _tags(reads: Reads, asked: TagsAsked) -> object:
    view = reads.views.view()
    run = _named(view, asked.run)
    names = [reads.views.tag_name(tag) for tag in scalar_tags(view, str(run.record.id))]
    names = sorted((name for name in names if contains(asked.contains, name)), key=natural_key)
    return {"run": run.name, "total": len(names), "tags": names[: asked.limit]}


def _series(reads: Reads, asked: SeriesAsked) -> object:
    view = reads.views.view()
    return {"tag": asked.tag, "series": [_one_series(reads, view, _named(view, run), asked) for run in asked.runs]}


def _one_series(reads: Reads, view: View, run: ShownRun, asked: SeriesAsked) -> object:
    window = Window(width=max(1, asked.points // 4))  # a pixel column keeps first, last, lowest and highest
    curve = reads.series.curve(view, str(run.record.id), reads.views.tag_id(asked.tag), window, "latest", None)
    if not curve.points:
        raise NotThere(f"Run {run.name} has no scalar {asked.tag}; `tags` lists its tags.", "unknown_tag")
    steps, values = curve.columns["step"].tolist(), curve.columns["y"].tolist()
    return {
        "run": run.name,
        "points": curve.points,
        "superseded": curve.superseded,
        "restarts": curve.restarts,
        "nan": curve.nan,
        "inf": curve.inf,
        "reduced": not curve.exact,
        "steps": [int(step) for step in steps],
        "values": [json_number(value) for value in values],
    }


def _hparams(reads: Reads, asked: HparamsAsked) -> object:
    columns = hparams_rows(reads.library, reads.views.view(), asked.metrics)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return {"total": len(rows), "rows": [json_value(row) for row in rows[: asked.limit]]}


def _query(reads: Reads, asked: QueryAsked) -> object:
    found = Database(reads).query(asked.sql, Question(now=time.time()), asked.rows)
    units = {column.key: column.unit for column in found.columns if column.unit}
    return {
        "rows": [json_value(row) for row in found.table.to_pylist()],
        "more": found.more,
        "units": units,
        "notes": list(found.notes),
    }


def _named(view: View, name: str) -> ShownRun:
    found = next((run for run in view.runs if name in (run.name, str(run.record.id))), None)
    if found is None:
        raise NotThere(f"There is no run {name}; `runs` lists the runs.", "unknown_run")
    return found


RUNS = Tool("runs", "List training runs, newest first, with status and counts.", RunsAsked, _runs)
TAGS = Tool("tags", "List the scalar series (tags) of a run.", TagsAsked, _tags)
SERIES = Tool("series", "Read a scalar series, such as the loss, of one or more runs.", SeriesAsked, _series)
HPARAMS = Tool("hparams", "List hyperparameters of runs, with the last value of metrics.", HparamsAsked, _hparams)
QUERY = Tool(
    "query",
    "Run a read-only SQL query over the tables runs, points, hparams, steps, ops, kernels, spans, memory and rules.",
    QueryAsked,
    _query,
)
