"""What is said of memory that runs have logged: level, growth and source of a series, and a summary of several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from stepscope.analyses.memory.growth import GrowthVerdict
from stepscope.analyses.memory.logged import LEAST_POINTS, Doubt, MemorySeries
from stepscope.analyses.texts import size_text
from stepscope.model.number_text import three_digits
from stepscope.queries.memory_tags import CapacityFrom, MemoryTag

HOW_TO_SEE_OWNERS = (
    "Only a profile shows memory by owner: capture one with torch.profiler's profile_memory=True or "
    "torch.cuda.memory._dump_snapshot(), with jax.profiler.save_device_memory_profile(file), or with TensorFlow's host_tracer_level=2."
)
_COUNTED = ((GrowthVerdict.GROWS, "growing"), (GrowthVerdict.STEADY, "steady"), (GrowthVerdict.CANNOT_TELL, "unknown"))
_CAPACITY = {
    CapacityFrom.LIMIT: "Its size is {}.",
    CapacityFrom.FREE: "Its size is the used memory plus {}.",
    CapacityFrom.PERCENT: "Its size follows from {}.",
}


def summary_text(found: Sequence[tuple[str, MemorySeries]]) -> str:
    """How many series there are, and which of them is full first, or grows most; empty without any."""
    if not found:
        return ""
    counts = Counter(series.verdict for _, series in found)
    counted = f"{len(found):,} series: " + ", ".join(f"{counts[verdict]:,} {word}" for verdict, word in _COUNTED if counts[verdict])
    growing = [(name, series) for name, series in found if series.verdict is GrowthVerdict.GROWS and series.per_hour]
    if not growing:
        return f"{counted}."
    name, first = min(growing, key=lambda each: (each[1].full.hours if each[1].full else float("inf"), -_pace(each[1])))
    soon = f" in {time_text(first.full.hours)}" if first.full and first.full.hours > 0 else ""
    full = f" and will be full{soon}" if soon else " and is full" if first.full else ""
    return f"{counted}. {name} grows by {size_text(_pace(first))} per hour{full}."


def _pace(series: MemorySeries) -> float:
    return series.per_hour.median if series.per_hour else 0.0


def source_text(tag: MemoryTag, found: MemorySeries) -> str:
    """Where the numbers come from."""
    parts = [f"From {tag.tag} in {tag.unit_name}, {found.points:,} point{'' if found.points == 1 else 's'}."]
    if found.capacity is not None and tag.beside is not None and tag.beside_is is not None:
        parts.append(_CAPACITY[tag.beside_is].format(tag.beside))
    if found.restarts:
        last = "the restart" if found.restarts == 1 else f"the last of {found.restarts:,} restarts"
        parts.append(f"Growth is computed since {last}.")
    return " ".join(parts)


def level_text(found: MemorySeries) -> str:
    """Newest and highest level."""
    size = f" of {size_text(found.capacity)} ({100 * found.used:.0f}%)" if found.capacity and found.used is not None else ""
    peak, when = found.peak, datetime.fromtimestamp(found.peak.wall).astimezone()
    at_peak = f"peak {size_text(peak.bytes)} at step {peak.step:,}, {when:%Y-%m-%d %H:%M:%S}"
    return f"{size_text(found.last.bytes)}{size} at step {found.last.step:,}; {at_peak}."


def growth_text(found: MemorySeries) -> str:
    """Whether it grows, how fast, and when it will be full."""
    since = f"{time_text(found.hours)} since the last restart" if found.restarts else time_text(found.hours)
    if found.doubt is not None:
        return f"Growth is unknown: {_doubt_text(found)}"
    if found.verdict is not GrowthVerdict.GROWS or found.per_hour is None:
        return f"It is steady over {since}."
    hourly = found.per_hour
    a_step = f", {size_text(found.per_step.median)} per step" if found.per_step else ""
    pace = f"{size_text(hourly.median)} per hour ({size_text(hourly.low)} to {size_text(hourly.high)}){a_step}"
    return f"It grows by {pace}: in {100 * found.rising:.0f}% of pairs of points over {since}, the later is higher.{_full_text(found)}"


def time_text(hours: float) -> str:
    """A length of time in the unit that fits."""
    seconds = hours * 3600.0
    for unit, length in (("days", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2 * length or (unit == "h" and seconds >= length):
            return f"{three_digits(seconds / length)} {unit}"
    return f"{three_digits(seconds)} s"


def _full_text(found: MemorySeries) -> str:
    if found.full is None:
        return ""
    if found.full.hours <= 0:
        return " It is full."
    step = "" if found.full.step is None else f"at step ~{float(f'{found.full.step:.2g}'):,.0f}, "
    return f" At this rate it will be full {step}in {time_text(found.full.hours)}."


def _doubt_text(found: MemorySeries) -> str:
    if found.doubt is Doubt.GIVEN_BACK:
        return "it rose, but much of that was released; look again when more is logged."
    if found.doubt is Doubt.NO_TIME:
        return "all points have the same time."
    points = f"{found.judged} point{'' if found.judged == 1 else 's'}"
    since = " since the last restart" if found.doubt is Doubt.RESTARTED else ""
    return f"there {'is' if found.judged == 1 else 'are'} {points}{since}, and {LEAST_POINTS} are needed."
