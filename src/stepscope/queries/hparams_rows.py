"""Hyperparameters of all runs as the columns of one table, with last values of chosen metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stepscope._native import SeriesView
from stepscope.queries.folding import SESSION_START
from stepscope.queries.hparams.records import Value
from stepscope.queries.hyperparameters import session_in
from stepscope.queries.names import natural_key
from stepscope.queries.run_scalars import run_scalars
from stepscope.queries.view import ShownRun, View
from stepscope.store.library import Library


def hparams_rows(library: Library, view: View, metrics: Sequence[str]) -> dict[str, list[Any]]:
    """Columns `run`, one for each hyperparameter, and one for each metric; a run without hyperparameters is left out."""
    tag = library.names.find(SESSION_START)
    rows = [(run, values) for run in view.runs if (values := _of_run(run, tag))]
    rows.sort(key=lambda row: natural_key(row[0].name))
    names = dict.fromkeys(name for _, values in rows for name in values)
    found: dict[str, list[Any]] = {"run": [run.name for run, _ in rows]}
    for name in names:
        found[name if name not in found else f"hparam {name}"] = [values.get(name) for _, values in rows]
    for metric in metrics:
        last = [_last(library, view, run, metric) for run, _ in rows]
        found[metric if metric not in found else f"metric {metric}"] = last
    return found


def _of_run(run: ShownRun, tag: int) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for file in run.files():
        values.update(session_in(file.events, tag).values)
    return values


def _last(library: Library, view: View, run: ShownRun, metric: str) -> float | None:
    source = view.source(run.record.id, library.names.find(metric.encode("utf-8", "surrogatepass")))
    if source is None:
        return None
    series = SeriesView(run_scalars(library, source.record).parts(source.tag), "latest")
    return float(series.arrays()[2][-1]) if len(series) else None
