"""Columns of the run list: last, lowest and highest value of a tag for every run, and the mean of its last few points."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from stepscope._native import EventFile
from stepscope.model.identity import TagId
from stepscope.queries.series import SeriesReader, series_parts
from stepscope.queries.view import Source, View
from stepscope.store.kept import Kept

_KEPT_CELLS = 200_000
_KEPT_SUMMARIES = 1_000_000
"""Series whose summaries are kept."""

NAMES = ("last", "last_step", "min", "max")
STEPS = ("min_step", "max_step")
"""Steps of the extremes, which only a look at all points tells."""

_LOOKED_BACK = 10_000
"""How far the mean looks for finite values behind a stretch of NaN."""


class ColumnReader:
    """Reads the columns from the files' own summaries where one file holds the series, and by the restart rule otherwise."""

    def __init__(self, reader: SeriesReader) -> None:
        self._reader = reader
        self._files: Kept[tuple[EventFile, NDArray[np.float64]]] = Kept(_KEPT_SUMMARIES)
        self._means: Kept[tuple[EventFile, NDArray[np.float64], NDArray[np.uint8]]] = Kept(_KEPT_SUMMARIES)
        self._steps: dict[tuple[str, int], tuple[int, list[float]]] = {}

    def columns(
        self, view: View, tags: list[TagId], mean_of: int | None = None, steps: bool = False
    ) -> list[dict[str, NDArray[np.float64]]]:
        """Per tag the columns, one number per run of the view in its order; NaN where a run lacks the tag.

        With mean_of, one more column: the mean of that many last finite values, or of fewer where there are fewer. With steps, two
        more: those of the lowest and the highest value.
        """
        answer: list[dict[str, NDArray[np.float64]]] = []
        for tag in tags:
            cells = np.full((len(view.runs), len(NAMES)), np.nan)
            for row, run in enumerate(view.runs):
                source = view.source(run.record.id, tag)
                if source is not None:
                    self.fill(cells[row], source)
            columns = {name: np.ascontiguousarray(cells[:, place]) for place, name in enumerate(NAMES)}
            if mean_of is not None:
                means = (self.mean(view.source(run.record.id, tag), mean_of) for run in view.runs)
                columns["mean"] = np.fromiter(means, np.float64, len(view.runs))
            if steps:
                found = np.array([self._extremes(view.source(run.record.id, tag)) for run in view.runs]).reshape(-1, len(STEPS))
                columns |= {name: np.ascontiguousarray(found[:, place]) for place, name in enumerate(STEPS)}
            answer.append(columns)
        return answer

    def _extremes(self, source: Source | None) -> list[float]:
        """Steps of the lowest and the highest value, looked for again only when the series has more points."""
        held = None if source is None else self._reader.open(source, "latest")
        if source is None or held is None:
            return [math.nan] * len(STEPS)
        key, points = (str(source.record.id), source.tag), len(held.series)
        known = self._steps.get(key)
        if known is None or known[0] != points:
            if len(self._steps) >= _KEPT_CELLS:
                self._steps.clear()
            over = held.series.statistics("step", 0.0, -np.inf, np.inf)
            known = self._steps[key] = (points, [float(over[name]) if over["count"] else math.nan for name in STEPS])
        return known[1]

    def mean(self, source: Source | None, count: int) -> float:
        """The mean of that many last finite values, or of fewer where there are fewer; NaN where there is none."""
        if source is None:
            return math.nan
        parts = series_parts(source)
        if len(parts) == 1:
            events, index = parts[0]
            means, plain = self.means_of_file(events, count)
            if index < len(plain) and plain[index]:
                return float(means[index])
        held = self._reader.open(source, "latest")
        if held is None:
            return math.nan
        values: list[float] = []
        newest = len(held.series) - 1
        for place in range(newest, max(-1, newest - _LOOKED_BACK), -1):
            value = held.series.point(place)[2]
            if math.isfinite(value):
                values.append(value)
            if len(values) == count:
                break
        return math.fsum(values) / len(values) if values else math.nan

    def fill(self, cell: NDArray[np.float64], source: Source) -> None:
        """Sets one number for each of NAMES; leaves the cell as it is when the series has no finite value."""
        parts = series_parts(source)
        if len(parts) == 1 and not len(parts[0][0].start_steps):
            events, index = parts[0]
            cell[:] = self.of_file(events)[index]
            return
        held = self._reader.open(source, "latest")
        if held is None:
            return
        over = held.series.statistics("step", 0.0, -np.inf, np.inf)
        if over["count"]:
            cell[:] = [over[name] for name in NAMES]

    def means_of_file(self, events: EventFile, count: int) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """Of each series of a file the mean of its last values, and whether the file alone tells it."""

        def make() -> tuple[tuple[EventFile, NDArray[np.float64], NDArray[np.uint8]], int]:
            means, plain = events.tail_means(count, _LOOKED_BACK)
            return (events, means, plain), 1 + len(means)

        _, means, plain = self._means.get((id(events), events.records, events.series_count, count), make)
        return means, plain

    def of_file(self, events: EventFile) -> NDArray[np.float64]:
        """A file's own summary of each of its series, a row of NAMES each; asked for again only when the file has new records."""

        def make() -> tuple[tuple[EventFile, NDArray[np.float64]], int]:
            summaries = events.summaries()
            cells = np.stack([np.asarray(summaries[name], np.float64) for name in NAMES], axis=1)
            return (events, cells), 1 + len(cells)  # the file is held so that its identity stays unique

        return self._files.get((id(events), events.records, events.series_count), make)[1]
