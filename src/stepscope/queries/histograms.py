"""Histograms of one run and tag over all steps, reduced to what a screen can show: cells of counts, or percentiles."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stepscope._native import histogram_buckets, histogram_cells, histogram_facts
from stepscope.jobs.job import Cancelled
from stepscope.model.errors import NotThere, TooMuch
from stepscope.queries.blobs import BlobReader, BlobSeries, check_file
from stepscope.store.kept import Kept
from stepscope.store.library import FileRecord

Axis = Literal["step", "wall", "relative"]
Floats = NDArray[np.float64]

LEVELS = (0.0, 0.0668, 0.1587, 0.3085, 0.5, 0.6915, 0.8413, 0.9332, 1.0)
"""The shares of values whose limits percentile bands are drawn between: native/histogram_values.hpp has the same."""
MAX_BUCKETS = 100_000
"""Buckets of one value that are listed."""

_GOOD, _UNREADABLE = 0, 1
_PROBLEMS = {
    1: "cannot be read, because the log file was replaced or truncated; reload the log folder",
    2: "are corrupt",
    3: "are not histograms",
    4: "are too large",
}
_KEPT_BYTES = 256 << 20
_AT_ONCE = 1_000
"""Values that are read before somebody may say that they are no longer wanted."""
Paused = Callable[[int], None]
"""Told how many more values were read; raises Cancelled to stop."""
_FARTHEST = 8e307
"""Edges beyond are taken to be there, so that the whole range is a number."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Facts:
    """What is known of every value of a series, in its order. `levels` has a row for each; NaN where there is nothing."""

    series: BlobSeries
    state: NDArray[np.uint8]
    low: Floats
    high: Floats
    total: Floats
    left_out: NDArray[np.int32]
    levels: Floats


@dataclass(frozen=True, slots=True)
class Span:
    """The part of an axis that is wanted, and how many slots there are for it. Infinite ends mean all."""

    axis: Axis = "step"
    low: float = -math.inf
    high: float = math.inf
    slots: int = 200


@dataclass(frozen=True, slots=True)
class Slots:
    """Values gathered by their place on x: each slot has one value when there are enough slots, else those of a stretch of x."""

    steps: int
    """Of the whole series."""
    places: NDArray[np.intp]
    """The good values in range, in order of x."""
    slot: NDArray[np.int32]
    """Of each of those."""
    columns: dict[str, NDArray[Any]]
    """Of each slot: first and last x, the last value's step and wall time, and how many values it has."""
    x_extent: tuple[float, float] | None
    notices: list[str]
    """What is left out, in sentences."""

    def __len__(self) -> int:
        return len(self.columns["count"])

    @property
    def in_range(self) -> int:
        """How many values are in slots."""
        return len(self.places)


@dataclass(frozen=True, slots=True)
class Grid:
    """Mean counts per value, a row of cells from the lowest to the highest for each slot."""

    slots: Slots
    extent: tuple[float, float] | None
    """The lowest and highest edge of any bucket in range."""
    values: tuple[float, float]
    """What the cells span."""
    cells: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Bands:
    """Percentiles: nine for each slot. Of several values in a slot the ends are the lowest and highest, the others means."""

    slots: Slots
    levels: Floats


@dataclass(frozen=True, slots=True)
class Value:
    """One logged histogram as it is in the file."""

    step: int
    wall: float
    left: Floats
    right: Floats
    count: Floats
    left_out: int


class HistogramReader:
    """Reads histograms from log files; keeps what it learned of each value, never buckets."""

    def __init__(self, blobs: BlobReader) -> None:
        self._blobs = blobs
        self._kept: Kept[Facts] = Kept(_KEPT_BYTES)
        self._latest: weakref.WeakValueDictionary[tuple[int, bytes], Facts] = weakref.WeakValueDictionary()

    def facts(self, series: BlobSeries, paused: Paused = lambda _: None) -> Facts:
        """What is known of every value; of a series that has grown only what is new is read. Raises what `paused` raises."""

        def make() -> tuple[Facts, int]:
            # Facts hold their series' files, so that no other file can have the id of one that is still known.
            key = (id(series.files[0].events), series.tag)
            facts = _extend(self._latest.get(key), series, paused)
            self._latest[key] = facts
            return facts, 500 + 110 * len(series)

        while True:
            try:
                return self._kept.get(id(series), make)
            except Cancelled:
                paused(0)  # goes on when it was another's reading that was cancelled, for which this one waited

    def grid(
        self,
        series: BlobSeries,
        origin: float,
        span: Span,
        values: tuple[float, float] | None,
        bins: int,
        paused: Paused = lambda _: None,
    ) -> Grid:
        """The counts of all values in range, in `bins` cells each. Raises what `paused` raises."""
        facts = self.facts(series, paused)
        slots = _slots(facts, origin, span)
        extent = _extent(facts, slots.places)
        low, high = values or _padded(extent)
        sums = np.zeros(len(slots) * bins)
        for file, chosen in _by_file(series, slots.places):
            paused(len(chosen))
            places = slots.places[chosen]
            offset, length = series.offset[places], series.length[places]
            try:
                histogram_cells(file.events, series.tag, offset, length, slots.slot[chosen], len(slots), low, high, sums)
            except OSError as problem:
                raise NotThere("The log file can no longer be read; reload the log folder.", "unreadable_value") from problem
        means = sums.reshape(len(slots), bins) / slots.columns["count"][:, None]
        cells = np.minimum(means, np.finfo(np.float32).max).astype(np.float32)
        return Grid(slots, extent, (low, high), cells.ravel())

    def bands(self, series: BlobSeries, origin: float, span: Span, paused: Paused = lambda _: None) -> Bands:
        """Percentiles of all values in range. Raises what `paused` raises."""
        facts = self.facts(series, paused)
        slots = _slots(facts, origin, span, facts.total > 0)
        if not len(slots):
            return Bands(slots, np.empty(0))
        starts = np.searchsorted(slots.slot, np.arange(len(slots)))
        rows = facts.levels[slots.places]
        levels = np.add.reduceat(rows, starts, axis=0) / slots.columns["count"][:, None]
        levels[:, 0] = np.minimum.reduceat(rows[:, 0], starts)
        levels[:, -1] = np.maximum.reduceat(rows[:, -1], starts)
        return Bands(slots, levels.ravel())

    def value(self, series: BlobSeries, origin: float, axis: Axis, at: float) -> Value:
        """The value nearest to a place on x, with all its buckets. Raises NotThere, or TooMuch when they are too many."""
        distance = np.abs(_on_x(series, origin, axis) - at)
        if not np.isfinite(distance).any():
            raise NotThere("This value no longer exists; fetch the steps again.", "unknown_step")
        place = int(np.nanargmin(distance))
        data = self._blobs.read_value(series, place)
        state, left, right, count, left_out = histogram_buckets(data, series.tag)
        if state != _GOOD:
            raise NotThere(f"The values at step {series.step[place]} {_PROBLEMS[state]}.", "bad_histogram")
        if len(count) > MAX_BUCKETS:
            raise TooMuch(f"This histogram has {len(count):,} buckets; up to {MAX_BUCKETS:,} can be listed.", "too_many_buckets")
        return Value(int(series.step[place]), float(series.wall[place]), left, right, count, left_out)


def _extend(known: Facts | None, series: BlobSeries, paused: Paused) -> Facts:
    """The facts of a series, taking over those that were known of its beginning."""
    size, done = len(series), _known_part(known, series)
    columns: dict[str, NDArray[Any]] = {
        "state": np.full(size, _UNREADABLE, np.uint8),
        "low": np.full(size, np.nan),
        "high": np.full(size, np.nan),
        "total": np.zeros(size),
        "left_out": np.zeros(size, np.int32),
        "levels": np.full((size, len(LEVELS)), np.nan),
    }
    if known is not None and done:
        for name, column in columns.items():
            column[:done] = getattr(known, name)
    for file, chosen in _by_file(series, np.arange(done, size)):
        paused(len(chosen))
        places = chosen + done
        try:
            check_file(file)
            found = histogram_facts(file.events, series.tag, series.offset[places], series.length[places])
            check_file(file)
        except (NotThere, OSError):
            continue  # they stay unreadable
        for name, column in columns.items():
            column[places] = found[name].reshape(column[places].shape)
    return Facts(series, **columns)


def _known_part(known: Facts | None, series: BlobSeries) -> int:
    """How many values at the beginning are those that something is known of."""
    if known is None or len(known.series) > len(series):
        return 0
    before, size = known.series, len(known.series)
    if [id(file.events) for file in before.files] != [id(file.events) for file in series.files]:
        return 0
    same = all(np.array_equal(getattr(before, name), getattr(series, name)[:size]) for name in ("step", "file", "offset", "length"))
    return size if same else 0


def _by_file(series: BlobSeries, places: NDArray[np.intp]) -> Iterator[tuple[FileRecord, NDArray[np.intp]]]:
    """The files of those places, with the indices of their own among them in the file's order, some at a time."""
    file = series.file[places]
    for number, record in enumerate(series.files):
        chosen = np.flatnonzero(file == number)
        ordered = chosen[np.argsort(series.offset[places[chosen]], kind="stable")]
        for start in range(0, len(ordered), _AT_ONCE):
            yield record, ordered[start : start + _AT_ONCE]


def _on_x(series: BlobSeries, origin: float, axis: Axis) -> Floats:
    if axis == "step":
        return series.step.astype(np.float64)
    return series.wall - (origin if axis == "relative" else 0.0)


def _slots(facts: Facts, origin: float, span: Span, usable: NDArray[np.bool_] | None = None) -> Slots:
    series = facts.series
    x = _on_x(series, origin, span.axis)
    finite = np.isfinite(x)
    inside = finite & (x >= span.low) & (x <= span.high)
    good = inside & (facts.state == _GOOD) & (True if usable is None else usable)
    places = np.flatnonzero(good)
    places = places[np.argsort(x[places], kind="stable")]
    at = x[places]
    slot = np.arange(len(places), dtype=np.int32)
    if len(places) > span.slots:
        low, high = max(span.low, float(at[0])), min(span.high, float(at[-1]))
        share = (at - low) / (high - low) if high > low else np.zeros(len(at))
        cut = np.minimum((share * span.slots).astype(np.int64), span.slots - 1)
        slot = np.unique(cut, return_inverse=True)[1].astype(np.int32)
    counts = np.bincount(slot).astype(np.int32)
    last = np.cumsum(counts) - 1
    first = last - counts + 1
    columns: dict[str, NDArray[Any]] = {
        "first_x": at[first],
        "last_x": at[last],
        "first_step": series.step[places][first].astype(np.float64),
        "step": series.step[places][last].astype(np.float64),
        "wall": series.wall[places][last],
        "count": counts,
    }
    extent = (float(x[finite].min()), float(x[finite].max())) if finite.any() else None
    return Slots(len(series), places, slot, columns, extent, _left_out(facts, inside))


def _left_out(facts: Facts, inside: NDArray[np.bool_]) -> list[str]:
    """What is left out of a picture, in words."""
    said: list[str] = []
    for state, words in _PROBLEMS.items():
        count = int(np.count_nonzero(inside & (facts.state == state)))
        if count:
            said.append(f"{count:,} of {len(facts.series):,} values {words}.")
    left_out = facts.left_out[inside]
    if left_out.any():
        values = int(np.count_nonzero(left_out))
        said.append(f"{int(left_out.sum()):,} buckets of {values:,} values have edges or counts that are not numbers and are left out.")
    return said


def _extent(facts: Facts, places: NDArray[np.intp]) -> tuple[float, float] | None:
    low, high = facts.low[places], facts.high[places]
    known = np.isfinite(low) & np.isfinite(high) & (facts.total[places] > 0)
    return (float(low[known].min()), float(high[known].max())) if known.any() else None


def _padded(extent: tuple[float, float] | None) -> tuple[float, float]:
    """A range to draw: some of it around a single value."""
    if extent is None:
        return 0.0, 1.0
    low, high = (min(_FARTHEST, max(-_FARTHEST, edge)) for edge in extent)
    if high > low:
        return low, high
    around = abs(low) / 2 or 0.5
    return low - around, high + around
