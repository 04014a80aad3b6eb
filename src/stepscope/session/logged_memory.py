"""Memory that runs have logged: one row a series with its level, its growth and when it will be full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Annotated

from msgspec import Struct

from stepscope.analyses.memory.growth import GrowthVerdict
from stepscope.analyses.memory.logged import Doubt, LoggedLevel, MemorySeries, Trend, memory_series
from stepscope.analyses.memory.slope import Slope
from stepscope.model import declared as d
from stepscope.model.shared_columns import TagName
from stepscope.queries.memory_levels import memory_levels
from stepscope.queries.memory_tags import MemoryTag
from stepscope.queries.names import path_text
from stepscope.session.logged_memory_texts import HOW_TO_SEE_OWNERS, growth_text, level_text, source_text, summary_text
from stepscope.store.library import Library, RunRecord


class SlopeRow(Struct, frozen=True):
    """Growth per step or per hour, with the bounds of 95 %."""

    median: Annotated[float, d.number("Median growth, in bytes per step or hour.", "B/step or B/h")]
    low: Annotated[float, d.number("Lower bound (95%).", "B/step or B/h")]
    high: Annotated[float, d.number("Upper bound (95%).", "B/step or B/h")]


class FullRow(Struct, frozen=True):
    """When the memory will be full at this rate."""

    step: Annotated[int | None, d.number("Step; null while steps stay the same.", "step")]
    hours: Annotated[float, d.number("Hours after the last point.", "h")]


class RestartRow(Struct, frozen=True):
    """Where a new process began to log."""

    step: Annotated[int, d.number("First step after the restart.", "step")]
    time: Annotated[float, d.number("Its wall time, in seconds since 1970.", "s")]


class TrendEnd(Struct, frozen=True):
    """An end of the line of median growth."""

    step: Annotated[int, d.number("Step.", "step")]
    time: Annotated[float, d.number("Wall time, in seconds since 1970.", "s")]
    bytes: Annotated[float, d.size("Memory on the line.")]


class TrendOver(StrEnum):
    """What a line of growth runs over."""

    STEP = "step"
    TIME = "time"


class TrendRow(Struct, frozen=True):
    """The line of median growth since the last restart."""

    over: Annotated[TrendOver, d.text("What it runs over: steps, or time while steps stay the same.")]
    first: Annotated[TrendEnd, d.nested("Its start.")]
    last: Annotated[TrendEnd, d.nested("Its end.")]


class LoggedMemoryRow(Struct, frozen=True):
    """One logged series of memory."""

    run: Annotated[str, d.text("Name of the run.")]
    tag: TagName
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
    doubt: Annotated[Doubt | None, d.text("Why growth is unknown; null when it is known.")]
    full: Annotated[FullRow | None, d.nested("When the memory will be full; null unless it grows and its size is known.")]


class LoggedMemory(Struct, frozen=True, kw_only=True):
    """Memory that one or several runs have logged."""

    sentence: Annotated[str, d.text("The series that will be full first, or grows most, in one sentence; empty without any.")]
    series: Annotated[list[LoggedMemoryRow], d.nested("Series of memory, run by run.")]
    advice: Annotated[str, d.text("How to see memory by owner.")]


def logged_memory(library: Library, runs: Iterable[RunRecord], marks: Mapping[str, str] | None = None) -> LoggedMemory:
    """What the runs have logged; `marks` are the series that the user marks as memory, with their units."""
    found = [each for run in runs for each in _series(library, run, marks)]
    return LoggedMemory(
        sentence=summary_text([(tag.name, series) for _, tag, series in found]),
        series=[_row(*each) for each in found],
        advice=HOW_TO_SEE_OWNERS,
    )


def _series(library: Library, run: RunRecord, marks: Mapping[str, str] | None) -> Iterator[tuple[str, MemoryTag, MemorySeries]]:
    """The series of one run, with its name; those without any size are left out."""
    for levels in memory_levels(library, run, marks):
        found = memory_series(levels.step, levels.wall, levels.bytes, levels.segment, levels.capacity)
        if found is not None:
            yield path_text(run.name), levels.tag, found


def _row(run: str, tag: MemoryTag, found: MemorySeries) -> LoggedMemoryRow:
    return LoggedMemoryRow(
        run=run,
        tag=tag.tag,
        name=tag.name,
        unit=tag.unit_name,
        marked=tag.marked,
        sentence=f"{level_text(found)} {growth_text(found)}",
        growth=growth_text(found),
        source=source_text(tag, found),
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


def _slope_row(slope: Slope | None) -> SlopeRow | None:
    return SlopeRow(slope.median, slope.low, slope.high) if slope else None


def _trend_row(trend: Trend | None) -> TrendRow | None:
    if trend is None:
        return None
    return TrendRow(TrendOver.STEP if trend.over_steps else TrendOver.TIME, _trend_end(trend.first), _trend_end(trend.last))


def _trend_end(level: LoggedLevel) -> TrendEnd:
    return TrendEnd(level.step, level.wall, level.bytes)
