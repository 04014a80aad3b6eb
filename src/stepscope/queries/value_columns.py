"""Columns of the run list: last, lowest and highest value of a tag for every run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepscope.model.identity import TagId
from stepscope.queries.series import SeriesReader, series_parts
from stepscope.queries.view import Source, View

NAMES = ("last", "last_step", "min", "max")


class ColumnReader:
    """Reads the columns from the files' own summaries where one file holds the series, and by the restart rule otherwise."""

    def __init__(self, reader: SeriesReader) -> None:
        self._reader = reader

    def columns(self, view: View, tags: list[TagId]) -> list[dict[str, NDArray[np.float64]]]:
        """Per tag the four columns, one number per run of the view in its order; NaN where a run lacks the tag."""
        summaries: dict[int, dict[str, NDArray[Any]]] = {}
        answer: list[dict[str, NDArray[np.float64]]] = []
        for tag in tags:
            cells = np.full((len(view.runs), len(NAMES)), np.nan)
            for row, run in enumerate(view.runs):
                source = view.source(run.record.id, tag)
                if source is not None:
                    self._fill(cells[row], source, summaries)
            answer.append({name: np.ascontiguousarray(cells[:, place]) for place, name in enumerate(NAMES)})
        return answer

    def _fill(self, cell: NDArray[np.float64], source: Source, summaries: dict[int, dict[str, NDArray[Any]]]) -> None:
        parts = series_parts(source)
        if len(parts) == 1 and not len(parts[0][0].start_steps):
            events, index = parts[0]
            known = summaries.get(id(events))
            if known is None or index >= len(known["last"]):
                known = summaries[id(events)] = events.summaries()
            cell[:] = [known[name][index] for name in NAMES]
            return
        held = self._reader.open(source, "latest")
        if held is None:
            return
        over = held.series.statistics("step", 0.0, -np.inf, np.inf)
        if over["count"]:
            cell[:] = [over[name] for name in NAMES]
