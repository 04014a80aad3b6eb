"""Sampled counters: their values over the profile and in each step, and their course in as many columns as a chart has."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.counters import CounterRow as Found
from stepscope.analyses.counters import counter_course, counters
from stepscope.analyses.steps import find_steps
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.model.profile import Profile
from stepscope.model.steps import Steps
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Host, Limit, Rank, Worker, limited
from stepscope.session.part import Answer, Files, Part, Wanted

_MS = 1e6
_VALUE = "unit of the counter"


class CountersWanted(Wanted, frozen=True, kw_only=True):
    """How many counters are listed, and how finely their courses are drawn."""

    columns: Annotated[int, Meta(ge=0, le=4_000, description="Number of columns of each course; 0: no courses.")] = 0
    limit: Limit = 0


class CounterInStep(Struct, frozen=True, kw_only=True):
    """The value of a counter in one step."""

    step: Annotated[int, d.number("Number of the step.", "step")]
    mean: Annotated[float | None, d.number("Mean over time in the step; null before the first sample.", _VALUE)]


class CounterCourse(Struct, frozen=True, kw_only=True):
    """A counter over time, reduced to columns. Columns before the first sample are left out."""

    ms: Annotated[list[float], d.ms("Start of each column, from the start of the profile.")]
    low: Annotated[list[float], d.number("Lowest value in each column.", _VALUE)]
    high: Annotated[list[float], d.number("Highest value in each column.", _VALUE)]
    ends: Annotated[list[float], d.number("Value at the end of each column.", _VALUE)]


class CounterRow(Struct, frozen=True, kw_only=True):
    """One counter. A sample is valid until the next one."""

    name: Annotated[str, d.text("Name of the counter.")]
    process: Annotated[str, d.text("Device or process it belongs to.")]
    worker: Worker
    host: Host
    rank: Rank
    samples: Annotated[int, d.count("Number of samples.")]
    least: Annotated[float, d.number("Smallest sample.", _VALUE)]
    mean: Annotated[float, d.number("Mean over time.", _VALUE)]
    most: Annotated[float, d.number("Largest sample.", _VALUE)]
    last: Annotated[float, d.number("Last sample.", _VALUE)]
    step_mean: Annotated[float | None, d.number("Median of the means of all steps; null when no step has a sample.", _VALUE)]
    steps: Annotated[list[CounterInStep], d.nested("The mean of each step.")]
    course: Annotated[CounterCourse | None, d.nested("The counter over time; null unless `columns` are asked for.")]


class CounterStep(Struct, frozen=True, kw_only=True):
    """A step on the time axis of the courses."""

    step: Annotated[int, d.number("Number of the step.", "step")]
    start_ms: Annotated[float, d.ms("Start of the step, from the start of the profile.")]
    end_ms: Annotated[float, d.ms("End of the step, from the start of the profile.")]


class CounterAxis(Struct, frozen=True, kw_only=True):
    """The time axis of a worker's courses."""

    worker: Worker
    host: Host
    rank: Rank
    start_ms: Annotated[float, d.ms("Start of the axis, from the start of the profile; negative when a sample lies before it.")]
    end_ms: Annotated[float, d.ms("End of the axis, from the start of the profile.")]
    steps: Annotated[list[CounterStep], d.nested("The steps.")]


class Counters(Answer, frozen=True, kw_only=True):
    """The table of counters."""

    counters: Annotated[list[CounterRow], d.nested("The rows in the order of the file, one worker after another.")]
    total: Annotated[int, d.count("Number of all rows; at most `limit` are listed.")]
    axes: Annotated[list[CounterAxis], d.nested("The time axis of each worker.")]


def _make(session: AnalysedSession, wanted: CountersWanted) -> Counters:
    places = session.places(wanted.worker)
    found = [(place, row) for place in places for row in counters(session.profiles[place], _steps(session, place))]
    return Counters(
        counters=[_row(session, place, row, wanted.columns) for place, row in limited(found, wanted.limit)],
        total=len(found),
        axes=[_axis(session, place) for place in places],
    )


def _steps(session: AnalysedSession, place: int) -> Steps:
    profile = session.profiles[place]
    return session.once(("steps", place), lambda: find_steps(profile, session.steps_by))


def _window(profile: Profile) -> tuple[int, int]:
    """From the first to the last time of the profile and of its samples, which may lie outside of its spans."""
    times = profile.counters.time
    start, end = profile.window
    return (min(start, int(times.min())), max(end, int(times.max()))) if len(times) else (start, end)


def _axis(session: AnalysedSession, place: int) -> CounterAxis:
    profile, steps = session.profiles[place], _steps(session, place)
    origin = profile.window[0]
    start, end = _window(profile)
    bounds: list[int] = steps.bounds.tolist()
    numbers: list[int] = steps.number.tolist()
    return fill(
        CounterAxis,
        profile,
        **session.whose(place),
        start_ms=(start - origin) / _MS,
        end_ms=(end - origin) / _MS,
        steps=[
            CounterStep(step=number, start_ms=(first - origin) / _MS, end_ms=(last - origin) / _MS)
            for number, first, last in zip(numbers, bounds[:-1], bounds[1:], strict=True)
        ],
    )


def _row(session: AnalysedSession, place: int, row: Found, columns: int) -> CounterRow:
    profile = session.profiles[place]
    numbers: list[int] = _steps(session, place).number.tolist()
    return fill(
        CounterRow,
        row,
        **session.whose(place),
        samples=row.count,
        steps=[CounterInStep(step=number, mean=mean) for number, mean in zip(numbers, row.step_means, strict=True)],
        course=_course(profile, row.track, columns) if columns else None,
    )


def _course(profile: Profile, track: int, columns: int) -> CounterCourse:
    course = counter_course(profile, track, _window(profile), columns)
    return CounterCourse(
        ms=((course.time - profile.window[0]) / _MS).tolist(),
        low=course.least.tolist(),
        high=course.most.tolist(),
        ends=course.last.tolist(),
    )


COUNTERS = Part("counters", "Counters", CountersWanted, Counters, _make, table="counters", files=Files.SAMPLED)
