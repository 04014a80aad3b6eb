"""Curves: one series over its run's files, reduced to what a screen can show, smoothed on the full data."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from stepscope._native import EventFile, SeriesView
from stepscope.model import declared as d
from stepscope.model.errors import BadInput
from stepscope.model.identity import TagId
from stepscope.queries.view import Source, View
from stepscope.store.kept import Kept

NO_TAG = TagId(-1)

Axis = Literal["step", "wall", "relative", "tag"]
Segments = Literal["latest", "all", "split"]
"""How restarts are shown: superseded points hidden, every point as one line, or every point with its segment."""
Method = Literal["ema", "mean", "median", "gaussian"]

MAX_WINDOW = 100_001
"""The widest window of a smoothing, in points."""

_KEPT_VIEW_POINTS = 32_000_000
_KEPT_SMOOTH_BYTES = 256 << 20
_KEPT_COUNTS = 20_000


class Smoothing(Struct, frozen=True, forbid_unknown_fields=True):
    """A way to smooth."""

    method: Annotated[Method, d.text("Exponential moving average (debiased), or mean, median or Gaussian over a window.")]
    amount: Annotated[
        float,
        d.number("Weight from 0 to 0.9999 for `ema`; odd window for `mean` and `median`; sigma for `gaussian`.", "fraction or points"),
    ]

    def check(self) -> None:
        """Raises BadInput when the amount does not fit the method."""
        if self.method == "ema":
            if not 0 <= self.amount <= 0.9999:
                raise BadInput("The amount of ema smoothing must be from 0 to 0.9999.", "bad_smoothing")
        elif not 0 < self.amount <= MAX_WINDOW:
            raise BadInput(f"The amount of {self.method} smoothing must be above 0 and at most {MAX_WINDOW:,}.", "bad_smoothing")
        elif self.method != "gaussian" and (self.amount != int(self.amount) or int(self.amount) % 2 == 0):
            raise BadInput(f"The window of {self.method} smoothing must be an odd whole number of points.", "bad_smoothing")


class Segment(Struct, frozen=True):
    """A segment of a series between two restarts."""

    first_step: Annotated[int, d.step("Its first step.")]
    last_step: Annotated[int, d.step("Its last step.")]
    points: Annotated[int, d.count("Number of its points.")]
    superseded: Annotated[int, d.count("Points of it that a later segment has written again.")]
    cause: Annotated[str, d.text("Why it starts: `start`, `new_file`, `session_start` or `repeat`.")]


@dataclass(frozen=True, slots=True)
class Window:
    """The part of x that is wanted and how many pixel columns there are for it. Infinite ends mean all."""

    axis: Axis = "step"
    x_tag: TagId = NO_TAG
    low: float = -math.inf
    high: float = math.inf
    width: int = 640
    log_x: bool = False


@dataclass(slots=True)
class Curve:
    """A reduced series; `columns` are the arrays of the frame. The counts are those of the HTTP contract."""

    points: int = 0
    superseded: int = 0
    restarts: int = 0
    in_range: int = 0
    exact: bool = True
    x_extent: tuple[float, float] | None = None
    y_extent: tuple[float, float] | None = None
    y_inner: tuple[float, float] | None = None
    nan: int = 0
    inf: int = 0
    notices: list[str] = field(default_factory=list[str])
    segments: list[Segment] = field(default_factory=list[Segment])
    columns: dict[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[Any]])


@dataclass(frozen=True, slots=True)
class Held:
    """A series view with the key it is kept under; the parts are held so that their identity stays unique."""

    key: Hashable
    parts: list[tuple[EventFile, int]]
    series: SeriesView


class _Counts:
    """Points of each series of a file, asked for again only when the file has new records: a file gives all at once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[EventFile, int, NDArray[np.int64]]] = {}

    def count(self, events: EventFile, index: int) -> int:
        """The series' points now."""
        records = events.records
        known = self._known.get(id(events))
        if known is None or known[1] != records or index >= len(known[2]):
            if len(self._known) >= _KEPT_COUNTS:
                self._known.clear()
            known = self._known[id(events)] = (events, records, events.counts())
        return int(known[2][index])


class SeriesReader:
    """Opens series and keeps the latest views and smoothed arrays, as long as no part has grown."""

    def __init__(self) -> None:
        self._views: Kept[Held] = Kept(_KEPT_VIEW_POINTS)
        self._smooth: Kept[NDArray[np.float64]] = Kept(_KEPT_SMOOTH_BYTES)
        self._counts = _Counts()

    def open(self, source: Source | None, mode: Segments) -> Held | None:
        """The series with the restart rule applied; None when there is none."""
        if source is None:
            return None
        parts = series_parts(source)
        if all(index < 0 for _, index in parts):
            return None
        key = (source.record.id, source.tag, mode, self._state(parts))

        def make() -> tuple[Held, int]:
            series = SeriesView(parts, mode)
            return Held(key, parts, series), 100 + series.points

        return self._views.get(key, make)

    def _state(self, parts: list[tuple[EventFile, int]]) -> Hashable:
        """Changes when the series would: points, session starts, or which files were written at the same time."""
        state: list[tuple[int, int, int, bool]] = []
        newest = -math.inf
        for events, index in parts:
            starts = len(events.start_steps)
            if index < 0:
                state.append((id(events), -1, starts, False))
                continue
            state.append((id(events), self._counts.count(events, index), starts, events.first_wall < newest))
            newest = max(newest, events.last_wall)
        return tuple(state)

    def smoothed(self, held: Held, smoothing: Smoothing) -> NDArray[np.float64]:
        """The smoothed value of each shown point of the full series."""

        def make() -> tuple[NDArray[np.float64], int]:
            values = held.series.smooth(smoothing.method, smoothing.amount)
            return values, 100 + values.nbytes

        return self._smooth.get((held.key, smoothing.method, smoothing.amount), make)

    def curve(
        self,
        view: View,
        run: str,
        tag: TagId,
        window: Window,
        mode: Segments,
        smoothing: Smoothing | None,
    ) -> Curve:
        """One series reduced to the window; an empty curve when there is no such series."""
        held = self.open(view.source(run, tag), mode)
        if held is None:
            return Curve()
        series = held.series
        smooth = None if smoothing is None else self.smoothed(held, smoothing)
        curve = Curve(
            points=series.points,
            superseded=series.superseded,
            restarts=series.restarts,
            notices=list(series.notices),
            segments=[Segment(*segment) for segment in series.segments],
        )
        if window.axis == "tag":
            other = self.open(view.source(run, window.x_tag), mode)
            _reduce_by_tag(curve, series, None if other is None else other.series, window, smooth)
        else:
            _reduce(curve, series, window, view.origin(run), smooth)
        return curve


def series_parts(source: Source) -> list[tuple[EventFile, int]]:
    """The run's files that have the series, with its place in them, and (at -1) those whose session starts may cut it."""
    parts: list[tuple[EventFile, int]] = []
    for file in source.record.files:
        index = file.events.find(source.tag)
        if index >= 0 or len(file.events.start_steps):
            parts.append((file.events, index))
    return parts


def native_axis(axis: Axis, origin: float) -> tuple[Literal["step", "wall"], float]:
    """How the native core measures the axis: by steps, or by wall time since an origin."""
    if axis == "step":
        return "step", 0.0
    return "wall", origin if axis == "relative" else 0.0


def _reduce(curve: Curve, series: SeriesView, window: Window, origin: float, smooth: NDArray[np.float64] | None) -> None:
    axis, zero = native_axis(window.axis, origin)
    place = (axis, zero, window.low, window.high, window.width, window.log_x)
    raw = series.reduce(*place)
    extent = series.extent(axis)
    curve.x_extent = None if extent is None else (extent[0] - zero, extent[1] - zero)
    curve.in_range, curve.exact = int(raw["in_range"]), bool(raw["exact"])
    curve.y_extent, curve.y_inner = raw["y_extent"], raw["y_inner"]
    curve.nan, curve.inf = int(raw["nan"]), int(raw["inf"])
    curve.columns = {name: raw[name] for name in ("x", "y", "step", "wall", "segment", "mark_x", "mark_kind")}
    if window.axis in ("step", "wall"):
        curve.columns[window.axis] = curve.columns["x"]
    if smooth is not None:
        line = series.reduce(*place, smooth)
        curve.columns |= {"smooth_x": line["x"], "smooth_y": line["y"], "smooth_segment": line["segment"]}


def _reduce_by_tag(
    curve: Curve, series: SeriesView, other: SeriesView | None, window: Window, smooth: NDArray[np.float64] | None
) -> None:
    """x is another tag's value at the same step: points stay in the order they were logged in."""
    if other is None:
        return
    step, wall, value, segment = series.arrays()
    reduce_points(curve, Points(values_at(other, step), value, step, wall, segment), window, smooth)


@dataclass(frozen=True, slots=True)
class Points:
    """Points that no file has as they are; one entry of each array for each of them. A point without x is not drawn."""

    x: NDArray[np.float64]
    value: NDArray[np.float64]
    step: NDArray[np.int64]
    wall: NDArray[np.float64]
    segment: NDArray[np.int32]


def reduce_points(curve: Curve, points: Points, window: Window, smooth: NDArray[np.float64] | None) -> None:
    """Fills a curve with points that were computed, reduced to the window."""
    x, value = points.x, points.value
    known = np.isfinite(x)
    if not known.any():
        return
    curve.x_extent = (float(x[known].min()), float(x[known].max()))
    if window.log_x:
        known &= x > 0
    inside = known & (x >= window.low) & (x <= window.high)
    curve.in_range = int(inside.sum())
    # One point on either side of what is inside, so that lines reach the edge.
    near = inside.copy()
    near[:-1] |= inside[1:]
    near[1:] |= inside[:-1]
    near &= known
    finite = np.isfinite(value)
    seen = value[inside & finite]
    if len(seen):
        curve.y_extent = (float(seen.min()), float(seen.max()))
        sample = seen[:: max(1, len(seen) // 65_536)]
        low, high = np.quantile(sample / 2, [0.05, 0.95])  # of halves, whose differences never overflow
        curve.y_inner = (2 * float(low), 2 * float(high))
    curve.nan = int(np.isnan(value[inside]).sum())
    curve.inf = int(np.isinf(value[inside]).sum())
    marks = np.flatnonzero(inside & ~finite)
    places = np.flatnonzero(near & finite)
    kept = _thin(value, places, window.width)
    curve.exact = len(kept) == len(places)
    curve.columns = {
        "x": x[kept],
        "y": value[kept],
        "step": points.step[kept].astype(np.float64),
        "wall": points.wall[kept],
        "segment": points.segment[kept],
        "mark_x": x[marks],
        "mark_kind": np.where(np.isnan(value[marks]), 1, np.where(value[marks] > 0, 2, 3)).astype(np.uint8),
    }
    if smooth is not None:
        kept = _thin(smooth, np.flatnonzero(near & np.isfinite(smooth)), window.width)
        curve.columns |= {"smooth_x": x[kept], "smooth_y": smooth[kept], "smooth_segment": points.segment[kept]}


def places_at(series: SeriesView, steps: NDArray[np.int64]) -> NDArray[np.intp]:
    """The place of the series' point at each of the steps; of several at one step the last, -1 where it has none."""
    step = series.arrays()[0]
    if not len(step):
        return np.full(len(steps), -1, np.intp)
    order = np.argsort(step, kind="stable")
    place = np.searchsorted(step[order], steps, side="right") - 1
    found = order[np.maximum(place, 0)]
    return np.where((place >= 0) & (step[found] == steps), found, -1)


def values_at(series: SeriesView, steps: NDArray[np.int64]) -> NDArray[np.float64]:
    """The series' value at each of the steps; of several at one step the last, NaN where it has none."""
    place = places_at(series, steps)
    found = place >= 0
    values = np.full(len(steps), np.nan)
    values[found] = series.arrays()[2][place[found]]
    return values


def _thin(y: NDArray[np.float64], places: NDArray[np.intp], width: int) -> NDArray[np.intp]:
    """Of the places at most four in each of `width` stretches of equal count: the first, last, lowest and highest."""
    size = -(-len(places) // width)
    if size <= 4:
        return places
    rows = -(-len(places) // size)
    first = np.arange(rows) * size
    last = np.minimum(first + size, len(places)) - 1
    padded = np.full(rows * size, np.nan)
    padded[: len(places)] = y[places]
    cells = padded.reshape(rows, size)
    lowest = first + np.nanargmin(cells, axis=1)
    highest = first + np.nanargmax(cells, axis=1)
    return places[np.unique(np.concatenate([first, last, lowest, highest]))]
