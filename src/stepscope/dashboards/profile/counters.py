"""Counters on the Profile tab: one line a counter, with its course over the recording reduced to what a chart can show."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.counters import CounterRow, counter_course, counters
from stepscope.analyses.steps import find_steps
from stepscope.dashboards.profile.messages import RangeText, ReadingRow, SessionText, StepsText, WorkerText
from stepscope.model.profile import Profile

MOST_ROWS = 200
_MS = 1e6


class CountersRequest(Struct, frozen=True):
    """Which session and worker (none: the first), and how many columns a chart has."""

    session: SessionText
    worker: WorkerText = ""
    steps: StepsText = ""
    range: RangeText = ""
    columns: Annotated[int, Meta(ge=1, le=4_000)] = 600


class CounterLine(Struct, frozen=True):
    """One counter. `ms` is where columns of its course begin, with the least and most it had in each and what it had at the end."""

    name: str
    process: str
    samples: int
    least: float
    mean: float
    most: float
    last: float
    step_mean: float | None
    step_means: list[float | None]
    ms: list[float]
    low: list[float]
    high: list[float]
    ends: list[float]


class CounterStep(Struct, frozen=True):
    """A step, from the recording's start."""

    step: int
    start_ms: float
    end_ms: float


class CountersAnswer(Struct, frozen=True):
    """The counters in the order of the file, or how far reading has come; at most 200 of `total` are sent.

    Courses lie between `start_ms` and `end_ms`; all times are from the recording's start.
    """

    epoch: int
    reading: ReadingRow | None
    rows: list[CounterLine] | None
    total: int
    steps: list[CounterStep]
    start_ms: float
    end_ms: float


Found = tuple[list[CounterLine], int, list[CounterStep], float, float]


def counter_lines(profile: Profile, steps_by: str, columns: int) -> Found:
    """The lines, how many there are, the steps, and the window of time that they lie in. Raises BadInput."""
    steps = find_steps(profile, steps_by or None)
    rows = counters(profile, steps)
    times = profile.counters.time
    origin = profile.window[0]
    start, end = (min(profile.window[0], int(times.min())), max(profile.window[1], int(times.max()))) if len(times) else profile.window
    bounds: list[int] = steps.bounds.tolist()
    numbers: list[int] = steps.number.tolist()
    marks = [
        CounterStep(number, (first - origin) / _MS, (last - origin) / _MS)
        for number, first, last in zip(numbers, bounds[:-1], bounds[1:], strict=True)
    ]
    lines = [_line(profile, row, (start, end), columns) for row in rows[:MOST_ROWS]]
    return lines, len(rows), marks, (start - origin) / _MS, (end - origin) / _MS


def _line(profile: Profile, row: CounterRow, window: tuple[int, int], columns: int) -> CounterLine:
    course = counter_course(profile, row.track, window, columns)
    return CounterLine(
        name=row.name,
        process=row.process,
        samples=row.count,
        least=row.least,
        mean=row.mean,
        most=row.most,
        last=row.last,
        step_mean=row.step_mean,
        step_means=list(row.step_means),
        ms=((course.time - profile.window[0]) / _MS).tolist(),
        low=course.least.tolist(),
        high=course.most.tolist(),
        ends=course.last.tolist(),
    )
