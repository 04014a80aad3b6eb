"""Memory as a run has logged it: its peak, how steadily it grows since the last restart, and when it would be full."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.memory.growth import GrowthVerdict
from stepscope.analyses.memory.slope import Slope, rising_share, slope_of
from stepscope.model.profile import Float64, Int64

LEAST_POINTS = 8
"""Of fewer points growth cannot be told from noise."""
HOURS_AHEAD = 24.0
_MOST_BLOCKS = 100
"""Pairs are compared: of more points, medians of so many blocks are."""
_POINTS_A_BLOCK = 4
_LEAST_BLOCKS = 10
_RISING = 0.9
_STILL_RISING = 0.75
"""What rises only at first, as caches and pools fill, is not growth: so many pairs of the later half rise too."""
_FELT = 0.1
_LEAST_RISE = 0.01
_GIVEN_BACK = 0.5
_PAUSE_S, _PAUSE_GAPS = 60.0, 20.0
_FRESH = 0.9
"""A new process holds less than this share of what the one before had come to."""
_MOST_RESTARTS = 100
_MOST_BYTES = 2.0**63
_MOST_STEPS = 2.0**53
_LATEST = 1e11
"""Seconds since 1970: later times are broken ones."""


class Doubt(StrEnum):
    """Why growth cannot be told."""

    TOO_FEW = "too_few_points"
    RESTARTED = "restarted_lately"
    NO_TIME = "no_time_passed"
    GIVEN_BACK = "rose_and_was_given_back"


@dataclass(frozen=True, slots=True)
class LoggedLevel:
    """One point of a series."""

    step: int
    wall: float
    bytes: float


@dataclass(frozen=True, slots=True)
class Full:
    """When the memory would be full if it went on growing."""

    step: int | None
    hours: float


@dataclass(frozen=True, slots=True)
class Trend:
    """The line of the median slope through the judged points: over steps, or over time while steps stay the same."""

    over_steps: bool
    first: LoggedLevel
    last: LoggedLevel


@dataclass(frozen=True, slots=True)
class MemorySeries:
    """What one logged series of bytes says."""

    points: int  # without NaN and what cannot be a size
    restarts: int
    restarted: tuple[LoggedLevel, ...]  # the first points after these, of many the last ones
    last: LoggedLevel
    peak: LoggedLevel  # the first time that the most was logged, before or after a restart
    capacity: float | None  # bytes
    judged: int  # points since the last restart
    hours: float  # between the first and the last of these
    trend: Trend | None  # None with too few of these, and when no time passed
    per_step: Slope | None  # bytes; None while steps stay the same
    per_hour: Slope | None
    rising: float  # share of pairs in which the later one has more
    verdict: GrowthVerdict
    doubt: Doubt | None  # for a verdict that cannot be told
    full: Full | None  # only of a memory that grows and whose capacity is known

    @property
    def used(self) -> float | None:
        """The share of the capacity that is used."""
        return self.last.bytes / self.capacity if self.capacity else None


def memory_series(
    step: Int64, wall: Float64, level: Float64, segment: NDArray[np.int32], capacity: float | None = None
) -> MemorySeries | None:
    """Of points in any order, with levels in bytes; `segment` counts restarts. None without a point that can be a size."""
    usable = np.flatnonzero((level >= 0) & (level < _MOST_BYTES) & (wall >= 0) & (wall < _LATEST))
    if not len(usable):
        return None
    order = usable[np.lexsort((wall[usable], segment[usable]))]
    step, wall, level, segment = step[order], wall[order], level[order], segment[order]
    top = int(np.argmax(level))
    since = int(np.count_nonzero(segment < segment[-1]))
    resumed = _resumed(wall[since:], level[since:])
    since += resumed
    size = capacity if capacity is not None and np.isfinite(capacity) and capacity > 0 else None
    times, steps, levels = _blocks(wall[since:]), _blocks(step[since:].astype(np.float64)), _blocks(level[since:])
    hourly, rising = slope_of(times / 3600.0, levels), rising_share(levels)
    hours = float(wall[-1] - wall[since]) / 3600.0
    restarts = int(np.count_nonzero(np.diff(segment))) + (resumed > 0)
    judged = len(step) - since
    verdict, doubt = _judged(levels, hourly, rising, hours, size, judged, restarts)
    stepwise = slope_of(steps, levels)
    begins = [*(np.flatnonzero(np.diff(segment)) + 1).tolist(), *([since] if resumed else [])]
    grows = verdict is GrowthVerdict.GROWS
    return MemorySeries(
        points=len(step),
        restarts=restarts,
        restarted=tuple(_point(step, wall, level, at) for at in begins[-_MOST_RESTARTS:]),
        last=_point(step, wall, level, -1),
        peak=_point(step, wall, level, top),
        capacity=size,
        judged=judged,
        hours=hours,
        trend=None if judged < LEAST_POINTS else _trend(step[since:], wall[since:], (steps, times, levels), stepwise, hourly),
        per_step=stepwise,
        per_hour=hourly,
        rising=rising,
        verdict=verdict,
        doubt=doubt,
        full=_full(int(step[-1]), float(levels[-1]), size, stepwise, hourly) if grows and size and hourly else None,
    )


def _resumed(wall: Float64, level: Float64) -> int:
    """The point at which a process went on where another had ended: nothing was logged for long, and then less was held; 0 for none."""
    if len(wall) < 2:
        return 0
    gaps = np.diff(wall)
    long: list[int] = (np.flatnonzero(gaps > max(_PAUSE_S, _PAUSE_GAPS * float(np.median(gaps)))) + 1).tolist()
    for at in reversed(long[-_MOST_BLOCKS:]):
        if np.median(level[at : at + LEAST_POINTS]) < _FRESH * np.median(level[max(0, at - LEAST_POINTS) : at]):
            return at
    return 0


def _blocks(column: Float64) -> Float64:
    """The points themselves, or medians of even blocks of them, so that noise and single spikes fall out and pairs stay few."""
    count = min(_MOST_BLOCKS, len(column) // _POINTS_A_BLOCK)
    if count < _LEAST_BLOCKS:
        return column
    edges: list[int] = np.linspace(0, len(column), count + 1).astype(np.int64).tolist()
    return np.array([np.median(column[start:end]) for start, end in pairwise(edges)])


def _point(step: Int64, wall: Float64, level: Float64, at: int) -> LoggedLevel:
    return LoggedLevel(int(step[at]), float(wall[at]), float(level[at]))


def _trend(
    step: Int64, wall: Float64, blocks: tuple[Float64, Float64, Float64], stepwise: Slope | None, hourly: Slope | None
) -> Trend | None:
    if hourly is None:
        return None
    steps, times, levels = blocks
    over_steps = stepwise is not None
    x, at = (steps, step.astype(np.float64)) if over_steps else (times, wall)
    slope = stepwise.median if stepwise is not None else hourly.median / 3600.0
    # Through the middle of the points: at 0, which may be far away, digits would be lost.
    middle = float(np.median(x))
    height = float(np.median(levels - slope * (x - middle)))
    first, last = (LoggedLevel(int(step[end]), float(wall[end]), height + slope * (float(at[end]) - middle)) for end in (0, -1))
    return Trend(over_steps, first, last)


def _judged(
    levels: Float64, hourly: Slope | None, rising: float, hours: float, capacity: float | None, points: int, restarts: int
) -> tuple[GrowthVerdict, Doubt | None]:
    if points < LEAST_POINTS:
        return GrowthVerdict.CANNOT_TELL, Doubt.RESTARTED if restarts else Doubt.TOO_FEW
    if hourly is None:
        return GrowthVerdict.CANNOT_TELL, Doubt.NO_TIME
    if hourly.low <= 0 or rising < _RISING or rising_share(levels[len(levels) // 2 :]) < _STILL_RISING:
        return GrowthVerdict.STEADY, None
    held, rise = float(np.median(levels)), hourly.median * hours
    if rise < _LEAST_RISE * held or hourly.median * HOURS_AHEAD < _FELT * (capacity or held):
        return GrowthVerdict.STEADY, None
    if float(np.max(np.maximum.accumulate(levels) - levels)) > _GIVEN_BACK * rise:
        return GrowthVerdict.CANNOT_TELL, Doubt.GIVEN_BACK
    return GrowthVerdict.GROWS, None


def _full(step: int, level: float, capacity: float, stepwise: Slope | None, hourly: Slope) -> Full:
    left = max(0.0, capacity - level)
    steps = left / stepwise.median if stepwise is not None and stepwise.median > 0 else float("inf")
    return Full(step + round(steps) if steps < _MOST_STEPS else None, left / hourly.median)
