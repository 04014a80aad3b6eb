"""Groups: several runs of one tag as one line with a band, each run taken on the straight line between its own points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stepscope.model.identity import TagId
from stepscope.queries.series import Segments, SeriesReader, Smoothing, Window, native_axis
from stepscope.queries.student import t_975
from stepscope.queries.view import View

Band = Literal["sd", "ci95", "minmax", "quantile"]
Floats = NDArray[np.float64]

_UNION_LIMIT = 500_000
_CELLS_AT_ONCE = 4_000_000
_MOST_MARKS = 10_000


@dataclass(frozen=True, slots=True)
class Marks:
    """Where runs stop having finite values: x, and the kind as single curves have it (1 NaN, 2 +Inf, 3 −Inf)."""

    x: Floats
    kind: NDArray[np.uint8]
    ended: int
    """Runs whose last value is not finite: the middle goes on without them."""


@dataclass(frozen=True, slots=True)
class GroupLine:
    """A group's middle, band and number of runs at each x, and where runs are lost."""

    runs: int
    x: Floats
    mid: Floats
    low: Floats
    high: Floats
    n: NDArray[np.int32]
    marks: Marks


def group_line(
    reader: SeriesReader,
    view: View,
    runs: Sequence[str],
    tag: TagId,
    window: Window,
    mode: Segments,
    smoothing: Smoothing | None,
    band: Band,
    quantiles: tuple[float, float],
) -> GroupLine:
    """One group over the window. Runs without the tag do not count."""
    lines: list[tuple[Floats, Floats]] = []
    raw: list[tuple[Floats, Floats]] = []
    for run in runs:
        held = reader.open(view.source(run, tag), "all" if mode == "split" else mode)
        if held is None:
            continue
        step, wall, value, _ = held.series.arrays()
        y = value if smoothing is None else reader.smoothed(held, smoothing)
        axis, origin = native_axis(window.axis, view.origin(run))
        x = step.astype(np.float64) if axis == "step" else wall - origin
        raw.append((x, value))
        line = _line(x, y)
        if len(line[0]):
            lines.append(line)
    return _summarise(lines, shared_places([x for x, _ in lines], window), band, quantiles, _marks(raw, window))


def _marks(lines: Sequence[tuple[Floats, Floats]], window: Window) -> Marks:
    """The first of each row of values that are not finite, of every run: the rest of the row says nothing new."""
    xs: list[Floats] = []
    kinds: list[NDArray[np.uint8]] = []
    ended = 0
    for x, y in lines:
        lost = ~np.isfinite(y)
        ended += bool(len(lost) and lost[-1])
        first = lost & ~np.append(False, lost[:-1]) & (x >= window.low) & (x <= window.high)
        xs.append(x[first])
        kinds.append(np.where(np.isnan(y[first]), 1, np.where(y[first] > 0, 2, 3)).astype(np.uint8))
    x, kind = np.concatenate([*xs, np.empty(0)]), np.concatenate([*kinds, np.empty(0, np.uint8)])
    order = np.argsort(x, kind="stable")[:_MOST_MARKS]
    return Marks(x[order], kind[order], ended)


def shared_places(xs: Sequence[Floats], window: Window) -> Floats:
    """Every x logged by any of the (sorted) lines inside the window; when too many, the first and last of each pixel column."""
    inside = [x[np.searchsorted(x, window.low, side="left") : np.searchsorted(x, window.high, side="right")] for x in xs]
    inside = [x for x in inside if len(x)]
    if not inside:
        return np.empty(0)
    limit = 2 * window.width
    if sum(len(x) for x in inside) <= _UNION_LIMIT:
        union = np.unique(np.concatenate(inside))
        if len(union) <= limit:
            return union
    low, high = min(float(x[0]) for x in inside), max(float(x[-1]) for x in inside)
    if window.log_x and high > 0:
        low = max(low, min(float(x[x > 0][0]) for x in inside if x[-1] > 0))
        edges = np.geomspace(low, high, window.width + 1)
    else:
        edges = np.linspace(low, high, window.width + 1)
    found: list[Floats] = []
    for x in inside:
        # The last column is closed on the right, so that the last point is in it.
        cuts = np.searchsorted(x, edges, side="left")
        cuts[-1] = len(x)
        filled = cuts[1:] > cuts[:-1]
        first_here = np.where(filled, x[np.minimum(cuts[:-1], len(x) - 1)], np.nan)
        last_here = np.where(filled, x[cuts[1:] - 1], np.nan)
        found.append(np.stack([first_here, last_here]))
    stacked = np.stack(found)
    first = np.fmin.reduce(stacked[:, 0], axis=0)
    last = np.fmax.reduce(stacked[:, 1], axis=0)
    both = np.concatenate([first, last])
    return np.unique(both[~np.isnan(both)])


def _line(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Finite points by x, the last of those at the same x."""
    finite = np.isfinite(x) & np.isfinite(y)
    if not finite.all():
        x, y = x[finite], y[finite]
    if len(x) > 1 and not (x[1:] > x[:-1]).all():
        order = np.argsort(x, kind="stable")
        x, y = x[order], y[order]
        last = np.append(x[1:] != x[:-1], True)
        x, y = x[last], y[last]
    return x, y


def _summarise(
    lines: Sequence[tuple[Floats, Floats]], places: Floats, band: Band, quantiles: tuple[float, float], marks: Marks
) -> GroupLine:
    size = len(places)
    mid, low, high = np.empty(size), np.empty(size), np.empty(size)
    n = np.empty(size, np.int32)
    stride = max(1, _CELLS_AT_ONCE // max(1, len(lines)))
    for start in range(0, size, stride):
        part = slice(start, min(start + stride, size))
        values = np.stack([np.interp(places[part], x, y, left=np.nan, right=np.nan) for x, y in lines])
        mid[part], low[part], high[part], n[part] = summary(values, band, quantiles)
    some = n > 0
    if not some.all():
        places, mid, low, high, n = places[some], mid[some], low[some], high[some], n[some]
    return GroupLine(len(lines), places, mid, low, high, n, marks)


def summary(values: Floats, band: Band, quantiles: tuple[float, float]) -> tuple[Floats, Floats, Floats, NDArray[np.int32]]:
    """Middle, low, high and count of each column of runs × places; NaN stands for a run that has nothing there."""
    here = ~np.isnan(values)
    n = here.sum(axis=0)
    if band == "quantile":
        ordered = np.sort(values, axis=0)
        middle, low, high = (_quantile(ordered, n, q) for q in (0.5, *quantiles))
        return middle, low, high, n.astype(np.int32)
    some = np.maximum(n, 1)
    mean = np.where(here, values, 0.0).sum(axis=0) / some
    if band == "minmax":
        return mean, np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0), n.astype(np.int32)
    squares = (np.where(here, values - mean, 0.0) ** 2).sum(axis=0)
    spread = np.sqrt(squares / np.maximum(n - 1, 1))
    if band == "ci95":
        factors = np.array([0.0, 0.0] + [t_975(count - 1) / count**0.5 for count in range(2, int(n.max(initial=1)) + 1)])
        spread = spread * factors[n]
    return mean, mean - spread, mean + spread, n.astype(np.int32)


def _quantile(ordered: Floats, n: NDArray[np.intp], q: float) -> Floats:
    """The quantile of the first n of each sorted column, on the straight line between its neighbours."""
    place = q * np.maximum(n - 1, 0)
    below = np.floor(place).astype(np.intp)
    above = np.minimum(below + 1, np.maximum(n - 1, 0))
    columns = np.arange(len(n))
    low, high = ordered[below, columns], ordered[above, columns]
    return low + (high - low) * (place - below)
