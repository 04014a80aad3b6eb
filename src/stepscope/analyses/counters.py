"""Sampled counters: what each measured over time and in each step, and its course reduced to as many columns as a chart has pixels.

A sample holds until the next one of its counter, the last one until the end of the recording.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.model.profile import Float64, Int64, Profile
from stepscope.model.steps import Steps

_HUGE = 1e280
"""Larger values, multiplied by nanoseconds, can overflow a float."""


@dataclass(frozen=True, slots=True)
class CounterRow:
    """One counter; its mean is over time, not over samples."""

    track: int
    name: str
    process: str  # "host", the device's name or the process that sampled it
    count: int
    least: float
    mean: float
    most: float
    last: float
    step_means: tuple[float | None, ...]  # one a step, None for a step before the first sample

    @property
    def step_mean(self) -> float | None:
        """The median of its means over steps; None when no step has one."""
        known = [mean for mean in self.step_means if mean is not None]
        return float(np.median(known)) if known else None


@dataclass(frozen=True, slots=True)
class CounterCourse:
    """A counter over time: the least and the most it had in each column, and what it had at the column's end.

    Columns that no sample and no held value reach are left out; `time` is where each begins.
    """

    time: Int64
    least: Float64
    most: Float64
    last: Float64


def counters(profile: Profile, steps: Steps) -> list[CounterRow]:
    """All counters in the order of their tracks; samples that are no number are left out."""
    return [_row(profile, steps, track) for track in _counted(profile)]


def counter_course(profile: Profile, track: int, window: tuple[int, int], columns: int) -> CounterCourse:
    """The course of one counter over a window of time; nothing between its least and its most of a column is lost."""
    time, value = _samples(profile, track)
    start, end = window
    edges = start + (np.arange(columns + 1) * max(1, end - start)) // columns
    first = np.searchsorted(time, edges[:-1], side="left")
    after = np.searchsorted(time, edges[1:], side="left")
    after[-1] = np.searchsorted(time, end, side="right")
    # What held when the column began counts for it too, unless its first sample lies exactly there.
    held = (first > 0) & ~((first < len(time)) & (time[np.minimum(first, len(time) - 1)] == edges[:-1]))
    low, high = first - held, np.maximum(after, first)
    seen = np.flatnonzero(high > low)
    if not len(seen):
        none = np.zeros(0)
        return CounterCourse(np.zeros(0, np.int64), none, none, none)
    cuts = np.stack([low[seen], high[seen]], axis=1).ravel()
    padded = np.append(value, value[-1])  # reduceat takes no cut at the very end
    return CounterCourse(
        edges[:-1][seen],
        np.minimum.reduceat(padded, cuts)[::2],
        np.maximum.reduceat(padded, cuts)[::2],
        value[high[seen] - 1],
    )


def _counted(profile: Profile) -> list[int]:
    good = np.isfinite(profile.counters.value)
    found: list[int] = np.unique(profile.counters.track[good]).tolist()
    return found


def _samples(profile: Profile, track: int) -> tuple[Int64, Float64]:
    """Time and value of one counter's samples, in time order."""
    table = profile.counters
    first, last = np.searchsorted(table.track, [track, track + 1]).tolist()
    mine = first + np.flatnonzero(np.isfinite(table.value[first:last]))
    order = mine[np.argsort(table.time[mine], kind="stable")]
    return table.time[order], table.value[order]


def _row(profile: Profile, steps: Steps, track: int) -> CounterRow:
    time, value = _samples(profile, track)
    ends = np.array([max(profile.window[1], int(time[-1]))], np.int64)
    whole = _means(time, value, time[:1], ends)[0]
    means = _means(time, value, steps.bounds[:-1], steps.bounds[1:])
    return CounterRow(
        track=track,
        name=profile.tracks[track].name,
        process=profile.tracks[track].process,
        count=len(time),
        least=float(value.min()),
        mean=float(whole) if np.isfinite(whole) else float(value[-1]),
        most=float(value.max()),
        last=float(value[-1]),
        step_means=tuple(float(mean) if np.isfinite(mean) else None for mean in means),
    )


def _means(time: Int64, value: Float64, start: Int64, end: Int64) -> Float64:
    """Means of the held value over stretches of time, from the first sample on; nan for what ends before it."""
    start = np.maximum(start, time[0])
    length = (end - start).astype(np.float64)
    found = np.full(len(start), np.nan)
    there = length > 0
    highest = float(np.abs(value).max())
    unit = highest if highest > _HUGE else 1.0
    taken = _integral(time, value / unit, end[there]) - _integral(time, value / unit, start[there])
    # Sums of large values may miss by a little; a mean never lies outside of what it is the mean of.
    found[there] = np.clip(taken / length[there], value.min() / unit, value.max() / unit) * unit
    return found


def _integral(time: Int64, value: Float64, until: Int64) -> Float64:
    """Value times nanoseconds from the first sample to each moment."""
    sums = np.concatenate([[0.0], np.cumsum(value[:-1] * np.diff(time).astype(np.float64))])
    place = np.searchsorted(time, until, side="right") - 1
    return sums[place] + value[place] * (until - time[place]).astype(np.float64)
