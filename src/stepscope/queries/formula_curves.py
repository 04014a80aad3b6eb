"""The curve of a formula in one run: its tags joined at the steps that all of them have, then reduced like any curve."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from stepscope.model.identity import TagId
from stepscope.queries.formula import Formula
from stepscope.queries.series import Curve, Held, Points, Segment, Segments, SeriesReader, Smoothing, Window, places_at, reduce_points
from stepscope.queries.view import View


def formula_curve(
    reader: SeriesReader,
    view: View,
    run: str,
    formula: Formula,
    ids: Mapping[str, TagId],
    window: Window,
    mode: Segments,
    smoothing: Smoothing | None,
) -> Curve:
    """The formula at each step that every tag of it has; wall times are the first tag's. Empty when the run lacks a tag.

    The smoothed line is the formula of the smoothed tags, so that it does not depend on which steps they share.
    """
    found = {tag: reader.open(view.source(run, ids[tag]), mode) for tag in formula.tags}
    held = {tag: one for tag, one in found.items() if one is not None}
    if len(held) < len(found):
        return Curve()
    first = held[formula.tags[0]]
    step, wall, _, segment = first.series.arrays()
    places = {tag: np.arange(len(step)) if one is first else places_at(one.series, step) for tag, one in held.items()}
    shared = np.logical_and.reduce([place >= 0 for place in places.values()])
    at = {tag: place[shared] for tag, place in places.items()}
    step, wall, segment = step[shared], wall[shared], segment[shared]
    x = _x(reader, view, run, window, mode, step, wall)
    value = formula.of({tag: one.series.arrays()[2][at[tag]] for tag, one in held.items()})
    smooth = None if smoothing is None else formula.of({tag: reader.smoothed(one, smoothing)[at[tag]] for tag, one in held.items()})
    curve = Curve(points=len(step), restarts=first.series.restarts, segments=_segments(first))
    reduce_points(curve, Points(x, value, step, wall, segment), window, smooth)
    return curve


def _segments(held: Held) -> list[Segment]:
    return [Segment(*segment) for segment in held.series.segments]


def _x(
    reader: SeriesReader, view: View, run: str, window: Window, mode: Segments, step: NDArray[np.int64], wall: NDArray[np.float64]
) -> NDArray[np.float64]:
    if window.axis == "step":
        return step.astype(np.float64)
    if window.axis == "wall":
        return wall
    if window.axis == "relative":
        return wall - view.origin(run)
    other = reader.open(view.source(run, window.x_tag), mode)
    if other is None:
        return np.full(len(step), np.nan)
    place = places_at(other.series, step)
    return np.where(place >= 0, other.series.arrays()[2][np.maximum(place, 0)], np.nan)
