"""The table of points: every scalar of every run, in columns that are not copied once more."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from stepscope.model import declared as d
from stepscope.model.errors import TooMuch
from stepscope.queries.tags import scalar_tags
from stepscope.sql.packages import pyarrow
from stepscope.sql.table import Reading, Table

MOST_POINTS = 50_000_000
"""Points that a query reads: 28 bytes of memory each."""
_SMALL = 65_536
"""Series with fewer points share a batch, since each batch costs as much as thousands of points."""


class PointRow(Struct, frozen=True):
    """One point of one series."""

    run: Annotated[str, d.text("Name of the run, as `runs.name`.")]
    tag: Annotated[str, d.text("Name of the series.")]
    step: Annotated[int, d.step("Step of the point.")]
    wall_time: Annotated[float, d.wall_time("When it was logged.")]
    value: Annotated[float, d.as_logged("The value; can be NaN or infinite.")]
    segment: Annotated[int, d.number("Restarts of the run before this point.", "restarts")]
    run_id: Annotated[str, d.text("Id of the run, as `runs.id`.")]


class _Batches:
    """Series as record batches: a long one is a batch without a copy, short ones are put together."""

    def __init__(self) -> None:
        self._arrow = pyarrow()
        names = self._arrow.dictionary(self._arrow.int32(), self._arrow.string())
        int64, float64, int32 = self._arrow.int64(), self._arrow.float64(), self._arrow.int32()
        types = (names, names, int64, float64, float64, int32, names)
        self.schema = self._arrow.schema(list(zip(PointRow.__struct_fields__, types, strict=True)))
        self.batches: list[Any] = []
        self._waiting: list[tuple[tuple[str, str, str], tuple[NDArray[Any], ...]]] = []
        self._rows = 0

    def add(self, names: tuple[str, str, str], arrays: tuple[NDArray[Any], ...]) -> None:
        """Adds the points of a run, tag and run id."""
        if len(arrays[0]) >= _SMALL:
            self._batch([(names, arrays)])
            return
        self._waiting.append((names, arrays))
        self._rows += len(arrays[0])
        if self._rows >= _SMALL:
            self.flush()

    def flush(self) -> None:
        """Makes a batch of what waits for one."""
        if self._waiting:
            self._batch(self._waiting)
        self._waiting, self._rows = [], 0

    def _batch(self, series: list[tuple[tuple[str, str, str], tuple[NDArray[Any], ...]]]) -> None:
        lengths = [len(arrays[0]) for _, arrays in series]
        run, tag, run_id = (self._names([names[place] for names, _ in series], lengths) for place in range(3))
        step, wall, value, segment = (
            self._arrow.array(column[0] if len(column) == 1 else np.concatenate(column))
            for column in zip(*(arrays for _, arrays in series), strict=True)
        )
        self.batches.append(self._arrow.RecordBatch.from_arrays([run, tag, step, wall, value, segment, run_id], schema=self.schema))

    def _names(self, names: list[str], lengths: list[int]) -> Any:  # noqa: ANN401 - pyarrow carries no types
        """One name for each row, written once."""
        known = {name: place for place, name in enumerate(dict.fromkeys(names))}
        codes = np.repeat(np.array([known[name] for name in names], np.int32), lengths)
        return self._arrow.DictionaryArray.from_arrays(self._arrow.array(codes), self._arrow.array(list(known), self._arrow.string()))


def _read(reading: Reading) -> Any:  # noqa: ANN401 - pyarrow carries no types
    reads, scope = reading.reads, reading.scope
    view = reads.views.view()
    found = _Batches()
    points = 0
    for run in view.runs:
        if not scope.has_run(run.name):
            continue
        run_id = str(run.record.id)
        for tag in scalar_tags(view, run_id):
            reading.checkpoint()
            name = reads.views.tag_name(tag)
            held = reads.series.open(view.source(run_id, tag), scope.segments) if scope.has_tag(name) else None
            if held is None:
                continue
            points += len(held.series)
            if points > MOST_POINTS:
                raise TooMuch(f"The runs have more than {MOST_POINTS:,} points; choose runs or tags.", "too_many_points")
            found.add((run.name, name, run_id), held.series.arrays())
    found.flush()
    return pyarrow().Table.from_batches(found.batches, schema=found.schema)


POINTS = Table("points", "Every point of every scalar series.", (PointRow,), _read)
