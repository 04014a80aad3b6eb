"""Memory as runs have logged it, in rows and sentences, where no profile records it, and the series that users mark as memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from stepscope.analyses.memory.growth import GrowthVerdict
from stepscope.analyses.memory.logged import LEAST_POINTS, Doubt, LoggedLevel, MemorySeries, Trend, memory_series
from stepscope.analyses.memory.slope import Slope
from stepscope.analyses.texts import size_text
from stepscope.model import declared as d
from stepscope.model.errors import BadInput
from stepscope.queries.memory_levels import MemoryLevels, RunOfMemory
from stepscope.queries.memory_tags import UNITS, CapacityFrom, MemoryTag, unit_name, unit_of
from stepscope.queries.names import path_text

HOW_TO_SEE_WHO = (
    "Who holds it, only a profile tells: record one with torch.profiler's profile_memory=True or torch.cuda.memory._dump_snapshot(), "
    "with jax.profiler.save_device_memory_profile(file), or with TensorFlow's host_tracer_level=2."
)
_MOST_RUNS = 1_000
_COUNTED = (
    (GrowthVerdict.GROWS, "growing"),
    (GrowthVerdict.STEADY, "steady"),
    (GrowthVerdict.CANNOT_TELL, "of which it cannot be told"),
)
_BESIDE = {
    CapacityFrom.LIMIT: "Its size is what {} says.",
    CapacityFrom.FREE: "Its size is what is used together with {}.",
    CapacityFrom.PERCENT: "Its size follows from {}.",
}


class SlopeRow(msgspec.Struct, frozen=True):
    """Growth per step or per hour, with the bounds of 95 %."""

    median: Annotated[float, d.number("Median growth, in bytes per step or hour.", "B/step or B/h")]
    low: Annotated[float, d.number("Lower bound (95%).", "B/step or B/h")]
    high: Annotated[float, d.number("Upper bound (95%).", "B/step or B/h")]


class FullRow(msgspec.Struct, frozen=True):
    """When the memory will be full at this rate."""

    step: Annotated[int | None, d.number("Step; null while steps stay the same.", "step")]
    hours: Annotated[float, d.number("Hours after the last point.", "h")]


class RestartRow(msgspec.Struct, frozen=True):
    """Where a new process began to log."""

    step: Annotated[int, d.number("First step after the restart.", "step")]
    time: Annotated[float, d.number("Its wall time, in seconds since 1970.", "s")]


class TrendEnd(msgspec.Struct, frozen=True):
    """An end of the line of median growth."""

    step: Annotated[int, d.number("Step.", "step")]
    time: Annotated[float, d.number("Wall time, in seconds since 1970.", "s")]
    bytes: Annotated[float, d.size("Memory on the line.")]


class TrendOver(StrEnum):
    """What a line of growth runs over."""

    STEP = "step"
    TIME = "time"


class TrendRow(msgspec.Struct, frozen=True):
    """The line of median growth since the last restart."""

    over: Annotated[TrendOver, d.text("What it runs over: steps, or time while steps stay the same.")]
    first: Annotated[TrendEnd, d.nested("Its start.")]
    last: Annotated[TrendEnd, d.nested("Its end.")]


class LoggedMemoryRow(msgspec.Struct, frozen=True):
    """One logged series of memory."""

    run: Annotated[str, d.text("Name of the run.")]
    tag: Annotated[str, d.text("Tag of the series.")]
    name: Annotated[str, d.text("What it measures, such as `GPU 0`.")]
    unit: Annotated[str, d.text("Unit in which it is logged.")]
    marked: Annotated[bool, d.flag("Whether the user has marked it as memory.")]
    sentence: Annotated[str, d.text("Level and growth in a few sentences.")]
    growth: Annotated[str, d.text("Growth in one or two sentences.")]
    source: Annotated[str, d.text("Where the numbers come from, in a few sentences.")]
    last_bytes: Annotated[float, d.size("Newest level.")]
    last_step: Annotated[int, d.number("Newest step.", "step")]
    last_time: Annotated[float, d.number("Wall time of the newest point, in seconds since 1970.", "s")]
    peak_bytes: Annotated[float, d.size("Highest level.")]
    peak_step: Annotated[int, d.number("Step of the highest level.", "step")]
    peak_time: Annotated[float, d.number("Wall time of the highest level, in seconds since 1970.", "s")]
    capacity_bytes: Annotated[float | None, d.size("Size of the memory; null when unknown.")]
    used: Annotated[float | None, d.fraction("Newest level as a share of the size; null when unknown.")]
    points: Annotated[int, d.count("Number of points.")]
    restarts: Annotated[int, d.count("Number of restarts.")]
    restarted: Annotated[list[RestartRow], d.nested("First points after restarts; of many the last 100.")]
    judged_points: Annotated[int, d.count("Number of points since the last restart, from which growth follows.")]
    judged_hours: Annotated[float, d.number("Time that these points cover.", "h")]
    trend: Annotated[TrendRow | None, d.nested("The line of median growth; null when growth is unknown.")]
    bytes_per_step: Annotated[SlopeRow | None, d.nested("Growth per step; null when unknown.")]
    bytes_per_hour: Annotated[SlopeRow | None, d.nested("Growth per hour; null when unknown.")]
    rising: Annotated[float, d.fraction("Share of pairs of points of which the later one is higher.")]
    verdict: Annotated[GrowthVerdict, d.text("Whether it grows.")]
    doubt: Annotated[Doubt | None, d.text("Why it cannot be told whether it grows; null when it can.")]
    full: Annotated[FullRow | None, d.nested("When the memory will be full; null unless it grows and its size is known.")]


class LoggedMemoryRequest(msgspec.Struct, frozen=True):
    """Which run."""

    run: Annotated[str, Meta(max_length=64, description="Id of a run; empty, or one without such series: the last to log memory.")] = ""


class LoggedRunRow(msgspec.Struct, frozen=True):
    """A run that has logged memory."""

    id: Annotated[str, d.text("Id of the run.")]
    name: Annotated[str, d.text("Name of the run.")]
    series: Annotated[int, d.count("Number of its series of memory.")]


class LoggedMemoryAnswer(msgspec.Struct, frozen=True):
    """The memory that one run has logged."""

    epoch: Annotated[int, d.number("Changes with the folder.", "count")]
    runs: Annotated[list[LoggedRunRow], d.nested("All runs that have logged memory.")]
    run: Annotated[str | None, d.text("Id of the run that is answered; null when no run has logged memory.")]
    sentence: Annotated[str, d.text("The series that will be full first, or grows most, in one sentence; empty without any.")]
    series: Annotated[list[LoggedMemoryRow], d.nested("Its series of memory.")]
    advice: Annotated[str, d.text("How to see what holds the memory.")]
    units: Annotated[list[str], d.nested("Units that a series can be marked with.")]


class MarkRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A series to mark as memory, or to unmark."""

    run: Annotated[str, Meta(max_length=64, description="Id of a run in the log folder.")]
    tag: Annotated[str, d.text("Tag of the series.")]
    unit: Annotated[str | None, d.text("Its unit; empty: the one in its name; null: remove the mark.")]


class MarkRow(msgspec.Struct, frozen=True):
    """A series that is marked as memory."""

    tag: Annotated[str, d.text("Tag of the series.")]
    unit: Annotated[str, d.text("Its unit.")]


class MarksAnswer(msgspec.Struct, frozen=True):
    """All marked series of the folder."""

    marks: Annotated[list[MarkRow], d.nested("The series.")]


def unit_to_keep(tag: str, unit: str) -> str:
    """The unit of a mark: as given, or else as the tag's name tells. Raises BadInput."""
    if unit and unit not in UNITS:
        raise BadInput(f"The unit is one of {', '.join(UNITS)}.", "bad_unit")
    return unit or unit_name(unit_of(tag))


def logged_runs(found: Sequence[RunOfMemory]) -> list[LoggedRunRow]:
    """The runs to choose from, of very many the newest."""
    return [LoggedRunRow(str(each.run.id), path_text(each.run.name), each.series) for each in found[:_MOST_RUNS]]


def logged_counts(rows: Sequence[LoggedMemoryRow]) -> str:
    """How many series there are, and how many of them grow."""
    counts = Counter(row.verdict for row in rows)
    return f"{len(rows):,} series, " + ", ".join(f"{counts[verdict]:,} {word}" for verdict, word in _COUNTED if counts[verdict])


def logged_sentence(rows: Sequence[LoggedMemoryRow]) -> str:
    """How many series there are, and which of them is full first, or grows most; empty without any."""
    if not rows:
        return ""
    growing = [row for row in rows if row.verdict == GrowthVerdict.GROWS and row.bytes_per_hour]
    if not growing:
        return f"{logged_counts(rows)}."
    first = min(growing, key=lambda row: (row.full.hours if row.full else float("inf"), -_pace(row)))
    soon = f" in {time_text(first.full.hours)}" if first.full and first.full.hours > 0 else ""
    full = f", and is full{soon}" if first.full else ""
    return f"{logged_counts(rows)}: {first.name} grows by {size_text(_pace(first))} an hour{full}."


def _pace(row: LoggedMemoryRow) -> float:
    return row.bytes_per_hour.median if row.bytes_per_hour else 0.0


def logged_memory_rows(run: str, logged: Iterable[MemoryLevels]) -> Iterator[LoggedMemoryRow]:
    """What each series of a run says; nothing of one without a size."""
    for levels in logged:
        found = memory_series(levels.step, levels.wall, levels.bytes, levels.segment, levels.capacity)
        if found is not None:
            yield _row(run, levels.tag, found)


def _row(run: str, tag: MemoryTag, found: MemorySeries) -> LoggedMemoryRow:
    return LoggedMemoryRow(
        run=run,
        tag=tag.tag,
        name=tag.name,
        unit=tag.unit_name,
        marked=tag.marked,
        sentence=f"{_level_text(found)} {_growth_text(found)}",
        growth=_growth_text(found),
        source=_source_text(tag, found),
        last_bytes=found.last.bytes,
        last_step=found.last.step,
        last_time=found.last.wall,
        peak_bytes=found.peak.bytes,
        peak_step=found.peak.step,
        peak_time=found.peak.wall,
        capacity_bytes=found.capacity,
        used=found.used,
        points=found.points,
        restarts=found.restarts,
        restarted=[RestartRow(point.step, point.wall) for point in found.restarted],
        judged_points=found.judged,
        judged_hours=found.hours,
        trend=_trend_row(found.trend),
        bytes_per_step=_slope_row(found.per_step),
        bytes_per_hour=_slope_row(found.per_hour),
        rising=found.rising,
        verdict=found.verdict,
        doubt=found.doubt,
        full=FullRow(found.full.step, found.full.hours) if found.full else None,
    )


def time_text(hours: float) -> str:
    """A length of time in the unit that fits."""
    seconds = hours * 3600.0
    for unit, length in (("days", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length or (unit == "h" and seconds >= length):
            return f"{seconds / length:,.3g} {unit}"
    return f"{seconds:.3g} s"


def _slope_row(slope: Slope | None) -> SlopeRow | None:
    return SlopeRow(slope.median, slope.low, slope.high) if slope else None


def _trend_row(trend: Trend | None) -> TrendRow | None:
    if trend is None:
        return None
    return TrendRow(TrendOver.STEP if trend.over_steps else TrendOver.TIME, _trend_end(trend.first), _trend_end(trend.last))


def _trend_end(level: LoggedLevel) -> TrendEnd:
    return TrendEnd(level.step, level.wall, level.bytes)


def _source_text(tag: MemoryTag, found: MemorySeries) -> str:
    """Where the numbers come from."""
    parts = [f"From {tag.tag} in {tag.unit_name}, {found.points:,} point{'' if found.points == 1 else 's'}."]
    if found.capacity is not None and tag.beside is not None and tag.beside_is is not None:
        parts.append(_BESIDE[tag.beside_is].format(tag.beside))
    if found.restarts:
        last = "the restart" if found.restarts == 1 else f"the last of {found.restarts:,} restarts"
        parts.append(f"Growth is judged since {last}.")
    return " ".join(parts)


def _level_text(found: MemorySeries) -> str:
    size = f" of {size_text(found.capacity)} ({100 * found.used:.0f}%)" if found.capacity and found.used is not None else ""
    peak, when = found.peak, datetime.fromtimestamp(found.peak.wall).astimezone()
    at_peak = f"at most {size_text(peak.bytes)} at step {peak.step:,}, {when:%Y-%m-%d %H:%M:%S}"
    return f"{size_text(found.last.bytes)}{size} at step {found.last.step:,}; {at_peak}."


def _growth_text(found: MemorySeries) -> str:
    since = f"{time_text(found.hours)} since the last restart" if found.restarts else time_text(found.hours)
    if found.doubt is not None:
        return f"Whether it grows cannot be told: {_doubt_text(found)}"
    if found.verdict is not GrowthVerdict.GROWS or found.per_hour is None:
        return f"It is steady over {since}."
    hourly = found.per_hour
    a_step = f", {size_text(found.per_step.median)} a step" if found.per_step else ""
    pace = f"{size_text(hourly.median)} an hour ({size_text(hourly.low)} to {size_text(hourly.high)}){a_step}"
    return f"It grows by {pace}: later points have more in {100 * found.rising:.0f}% of pairs over {since}.{_full_text(found)}"


def _full_text(found: MemorySeries) -> str:
    if found.full is None:
        return ""
    if found.full.hours <= 0:
        return " It is full."
    step = "" if found.full.step is None else f"at step ~{float(f'{found.full.step:.2g}'):,.0f}, "
    return f" At this pace it is full {step}in {time_text(found.full.hours)}."


def _doubt_text(found: MemorySeries) -> str:
    if found.doubt is Doubt.GIVEN_BACK:
        return "it rose, but much of that was given back; ask again when more is logged."
    if found.doubt is Doubt.NO_TIME:
        return "all points have the same time."
    points = f"{found.judged} point{'' if found.judged == 1 else 's'}"
    since = " since the last restart" if found.doubt is Doubt.RESTARTED else ""
    return f"there {'is' if found.judged == 1 else 'are'} {points}{since}, and it takes {LEAST_POINTS}."
