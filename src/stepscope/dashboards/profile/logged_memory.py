"""Memory as runs have logged it, in rows and sentences, where no profile records it, and the series that users mark as memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from stepscope.analyses.memory.growth import GrowthVerdict
from stepscope.analyses.memory.logged import LEAST_POINTS, Doubt, LoggedLevel, MemorySeries, Trend, memory_series
from stepscope.analyses.memory.slope import Slope
from stepscope.dashboards.profile.memory import size_text
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
    """Bytes per step or hour, with the bounds of 95 %."""

    median: float
    low: float
    high: float


class FullRow(msgspec.Struct, frozen=True):
    """When the memory would be full."""

    step: int | None
    hours: float


class RestartRow(msgspec.Struct, frozen=True):
    """Where a new process began to log."""

    step: int
    time: float


class TrendEnd(msgspec.Struct, frozen=True):
    """An end of the line of the median slope."""

    step: int
    time: float
    bytes: float


class TrendRow(msgspec.Struct, frozen=True):
    """The line of the median slope: over steps, or over time while steps stay the same."""

    over: str
    first: TrendEnd
    last: TrendEnd


class LoggedMemoryRow(msgspec.Struct, frozen=True):
    """One series of one run."""

    run: str
    tag: str
    name: str
    unit: str
    marked: bool
    sentence: str
    growth: str
    source: str
    last_bytes: float
    last_step: int
    last_time: float
    peak_bytes: float
    peak_step: int
    peak_time: float
    capacity_bytes: float | None
    used: float | None
    points: int
    restarts: int
    restarted: list[RestartRow]
    judged_points: int
    judged_hours: float
    trend: TrendRow | None
    bytes_per_step: SlopeRow | None
    bytes_per_hour: SlopeRow | None
    rising: float
    verdict: str
    doubt: str | None
    full: FullRow | None


class LoggedMemoryRequest(msgspec.Struct, frozen=True):
    """Which run; none, or one without such series: that which logged memory last."""

    run: Annotated[str, Meta(max_length=64)] = ""


class LoggedRunRow(msgspec.Struct, frozen=True):
    """A run that has logged memory."""

    id: str
    name: str
    series: int


class LoggedMemoryAnswer(msgspec.Struct, frozen=True):
    """What one run has logged about memory; `runs` are all that have, and `units` those that a series may be marked with."""

    epoch: int
    runs: list[LoggedRunRow]
    run: str | None
    sentence: str
    series: list[LoggedMemoryRow]
    advice: str
    units: list[str]


class MarkRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A series of the folder that a run is in, and its unit: "" for the one that its name tells, null to take the mark away."""

    run: Annotated[str, Meta(max_length=64)]
    tag: str
    unit: str | None


class MarkRow(msgspec.Struct, frozen=True):
    """A series that is marked as memory."""

    tag: str
    unit: str


class MarksAnswer(msgspec.Struct, frozen=True):
    """All that are marked in the folder."""

    marks: list[MarkRow]


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
    return TrendRow("step" if trend.over_steps else "time", _trend_end(trend.first), _trend_end(trend.last))


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
    size = f" of {size_text(found.capacity)} ({100 * found.used:.0f} %)" if found.capacity and found.used is not None else ""
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
    return f"It grows by {pace}: later points have more in {100 * found.rising:.0f} % of pairs over {since}.{_full_text(found)}"


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
