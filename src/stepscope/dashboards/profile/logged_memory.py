"""Memory as runs have logged it, in rows and sentences, for folders whose profiles record none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice

import msgspec

from stepscope.analyses.memory.growth import GrowthVerdict
from stepscope.analyses.memory.logged import LEAST_POINTS, Doubt, MemorySeries, Slope, memory_series
from stepscope.dashboards.profile.memory import size_text
from stepscope.queries.memory_levels import MemoryLevels
from stepscope.queries.memory_tags import MemoryTag

HOW_TO_SEE_WHO = (
    "Who holds it, only a profile tells: record one with torch.profiler's profile_memory=True or torch.cuda.memory._dump_snapshot(), "
    "with jax.profiler.save_device_memory_profile(file), or with TensorFlow's host_tracer_level=2, and give it to this command."
)
_MOST_NOTES = 20


class SlopeRow(msgspec.Struct, frozen=True):
    """Bytes per step or hour, with the bounds of 95 %."""

    median: float
    low: float
    high: float


class FullRow(msgspec.Struct, frozen=True):
    """When the memory would be full."""

    step: int | None
    hours: float


class LoggedMemoryRow(msgspec.Struct, frozen=True):
    """One series of one run."""

    run: str
    tag: str
    name: str
    sentence: str
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
    judged_points: int
    judged_hours: float
    bytes_per_step: SlopeRow | None
    bytes_per_hour: SlopeRow | None
    rising: float
    verdict: str
    doubt: str | None
    full: FullRow | None


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
        sentence=f"{_level_text(found)} {_growth_text(found)}",
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
        judged_points=found.judged,
        judged_hours=found.hours,
        bytes_per_step=_slope_row(found.per_step),
        bytes_per_hour=_slope_row(found.per_hour),
        rising=found.rising,
        verdict=found.verdict,
        doubt=found.doubt,
        full=FullRow(found.full.step, found.full.hours) if found.full else None,
    )


def logged_memory_notes(logged: Iterable[MemoryLevels]) -> list[str]:
    """What a run's system metrics say, a sentence or two a memory; without those of which nothing was ever used."""
    used = (row for row in logged_memory_rows("", logged) if row.peak_bytes > 0)
    return [f"Logged memory, {row.name}: {row.sentence}" for row in islice(used, _MOST_NOTES)]


def time_text(hours: float) -> str:
    """A length of time in the unit that fits."""
    seconds = hours * 3600.0
    for unit, length in (("days", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length or (unit == "h" and seconds >= length):
            return f"{seconds / length:,.3g} {unit}"
    return f"{seconds:.3g} s"


def _slope_row(slope: Slope | None) -> SlopeRow | None:
    return SlopeRow(slope.median, slope.low, slope.high) if slope else None


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
