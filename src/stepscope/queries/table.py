"""The table under a chart: values of many series at one x, or their statistics over a range of it."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from stepscope._native import SeriesView
from stepscope.model import declared as d
from stepscope.model.identity import TagId
from stepscope.model.numbers import Number, number
from stepscope.model.shared_columns import RunKey, TagName
from stepscope.queries.series import Segments, SeriesReader, Smoothing, Window, native_axis, values_at
from stepscope.queries.view import View


class TableRow(Struct, frozen=True):
    """One series' values: those of the nearest point where `at` was asked for, statistics where a range was; the others are null."""

    run: RunKey
    tag: TagName
    count: Annotated[int, d.count("Finite points in the range; without a range all points.")]
    value: Annotated[Number, d.as_logged("Value of the nearest point.")] = None
    smoothed: Annotated[Number, d.as_logged("Its smoothed value; null without smoothing.")] = None
    step: Annotated[int | None, d.step("Its step.")] = None
    wall: Annotated[Number, d.wall_time("Its wall time.")] = None
    relative: Annotated[Number, d.seconds("Its time since the start of the run's experiment.")] = None
    first: Annotated[Number, d.as_logged("First value in the range.")] = None
    last: Annotated[Number, d.as_logged("Last value in the range.")] = None
    min: Annotated[Number, d.as_logged("Lowest value in the range.")] = None
    min_step: Annotated[int | None, d.step("Step of the lowest value.")] = None
    max: Annotated[Number, d.as_logged("Highest value in the range.")] = None
    max_step: Annotated[int | None, d.step("Step of the highest value.")] = None
    mean: Annotated[Number, d.as_logged("Mean of the values in the range.")] = None
    change: Annotated[Number, d.as_logged("Last value minus the first.")] = None
    change_fraction: Annotated[Number, d.fraction("Change as a share of the first value; null when that is 0.")] = None


def table_row(
    reader: SeriesReader,
    view: View,
    run: str,
    tag_name: str,
    tag: TagId,
    window: Window,
    at: float | None,
    mode: Segments,
    smoothing: Smoothing | None,
) -> TableRow:
    """One row; the window's ends are the range, and statistics are left out when only `at` is asked for."""
    held = reader.open(view.source(run, tag), mode)
    if held is None:
        return TableRow(run, tag_name, 0)
    series = held.series
    x: NDArray[np.float64] | None = None
    if window.axis == "tag":
        other = reader.open(view.source(run, window.x_tag), mode)
        x = np.full(len(series), np.nan) if other is None else values_at(other.series, series.arrays()[0])
    axis, origin = native_axis(window.axis, view.origin(run))
    fields: dict[str, Any] = {"count": len(series)}
    if at is not None:
        place = series.nearest(axis, origin, at) if x is None else _nearest(x, at)
        if place >= 0:
            smooth = None if smoothing is None else float(reader.smoothed(held, smoothing)[place])
            fields |= _point(series, place, view.origin(run), smooth)
    if at is None or math.isfinite(window.low) or math.isfinite(window.high):
        over = series.statistics(axis, origin, window.low, window.high) if x is None else _statistics(series, x, window)
        fields |= _range(over)
    return TableRow(run, tag_name, **fields)


def _point(series: SeriesView, place: int, origin: float, smooth: float | None) -> dict[str, Any]:
    step, wall, value = series.point(place)
    return {
        "value": number(value),
        "smoothed": number(smooth),
        "step": step,
        "wall": number(wall),
        "relative": number(wall - origin),
    }


def _range(over: dict[str, Any]) -> dict[str, Any]:
    if not over["count"]:
        return {"count": 0}
    first, last = float(over["first"]), float(over["last"])
    return {
        "count": int(over["count"]),
        "first": number(first),
        "last": number(last),
        "min": number(float(over["min"])),
        "min_step": int(over["min_step"]),
        "max": number(float(over["max"])),
        "max_step": int(over["max_step"]),
        "mean": number(float(over["mean"])),
        "change": number(last - first),
        "change_fraction": number((last - first) / abs(first)) if first else None,
    }


def _nearest(x: NDArray[np.float64], at: float) -> int:
    known = np.flatnonzero(np.isfinite(x))
    return int(known[np.argmin(np.abs(x[known] - at))]) if len(known) else -1


def _statistics(series: SeriesView, x: NDArray[np.float64], window: Window) -> dict[str, Any]:
    step, _, value, _ = series.arrays()
    inside = np.isfinite(x) & (x >= window.low) & (x <= window.high) & np.isfinite(value)
    step, value = step[inside], value[inside]
    if not len(value):
        return {"count": 0}
    lowest, highest = int(np.argmin(value)), int(np.argmax(value))
    return {
        "count": len(value),
        "first": value[0],
        "last": value[-1],
        "min": value[lowest],
        "min_step": step[lowest],
        "max": value[highest],
        "max_step": step[highest],
        "mean": value.mean(),
    }
