"""Several profiles along one quantity, such as the batch size or the step they begin at: time, throughput, use and memory."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.memory.held import memory
from stepscope.analyses.memory.ledger import MatchedBy
from stepscope.analyses.noise import BETWEEN_RECORDINGS, FEWEST_STEPS, estimate
from stepscope.analyses.session.summary import Summary
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.throughput.throughput import throughput
from stepscope.analyses.time_classes import Group
from stepscope.queries.student import t_within

MOST_GROWING = 5
_HOLDERS = 2_000
_GREW = 0.01
"""Of the peak: operations that hold less more than this are not named."""


@dataclass(frozen=True, slots=True)
class MemoryPeak:
    """The most that one memory held, and which operations held it then."""

    memory: str
    bytes: int
    held: dict[str, int]


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One profile. Times are of a typical step in nanoseconds."""

    label: str
    position: float | None  # the label as a number, None when it is none
    first_step: int
    steps: int
    step_ns: float
    noise_ns: float | None  # 95 % of such profiles lie this near; None with too few steps to tell
    steps_per_second: float
    examples_per_second: float | None
    groups: tuple[float, ...]  # fractions of the step, per Group
    peaks: tuple[MemoryPeak, ...]

    @property
    def computing(self) -> float:
        """The part of a step in which the device computes."""
        return self.groups[Group.COMPUTE]

    @property
    def peak(self) -> MemoryPeak | None:
        """Of the first memory: a device's where there is one."""
        return self.peaks[0] if self.peaks else None


@dataclass(frozen=True, slots=True)
class Growing:
    """An operation whose memory at the peak is larger in the last profile than in the first."""

    memory: str
    op: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Trend:
    """Profiles in the order of their positions, or as given where some label is no number."""

    by: str
    points: tuple[TrendPoint, ...]
    growing: tuple[Growing, ...]

    @property
    def sentence(self) -> str:
        """From the first to the last: the step's time, throughput where it is known, and memory."""
        first, last = self.points[0], self.points[-1]
        times = f"step time changes from {milliseconds(first.step_ns)} to {milliseconds(last.step_ns)}"
        said = [f"From {self.by} {first.label} to {last.label} {times}"]
        if first.examples_per_second and last.examples_per_second:
            said.append(f"{last.examples_per_second / first.examples_per_second:.2f} times the examples per second")
        if first.peak and last.peak and first.peak.memory == last.peak.memory and first.peak.bytes > 0:
            said.append(f"{last.peak.bytes / first.peak.bytes:.2f} times the memory")
        return f"{said[0]}{', with ' if said[1:] else ''}{' and '.join(said[1:])}."


def trend(summaries: Sequence[Summary], labels: Sequence[str], by: str, examples: Sequence[float | None] | None = None) -> Trend:
    """`examples` are those of one step, by profile; None where they are not known."""
    counts = examples or [None] * len(summaries)
    points = [_point(*each) for each in zip(summaries, labels, counts, strict=True)]
    positions = [point.position for point in points]
    if all(position is not None for position in positions):
        points.sort(key=lambda point: point.position or 0.0)
    return Trend(by, tuple(points), _growing(points[0], points[-1]))


def along(found: Sequence[Summary], logged: Sequence[dict[str, str]]) -> tuple[str, list[str]]:
    """What profiles differ in, and the label of each: the only number among the logged hyperparameters that is another one in each
    profile, else the step at which each begins, else the name of its folder or file."""
    shared = [name for name in logged[0] if all(name in each for each in logged)]
    differ = [
        name
        for name in shared
        if len({each[name] for each in logged}) == len(logged) and all(position_of(each[name]) is not None for each in logged)
    ]
    if len(differ) == 1:
        return differ[0], [each[differ[0]] for each in logged]
    steps = [str(int(each.breakdowns[0].steps.number[0])) for each in found]
    if len(set(steps)) == len(steps):
        return "step", steps
    paths = [each.profiles[0].path for each in found]
    folders = [os.path.basename(os.path.dirname(path)) for path in paths]
    return "profile", folders if len(set(folders)) == len(folders) else [os.path.basename(path) for path in paths]


def batch_of(found: Summary, logged: dict[str, str]) -> float | None:
    """How many examples one rank's step takes, where shapes and what is logged tell and agree."""
    return throughput(found.profiles, found.breakdowns, logged=logged).batch


def position_of(label: str) -> float | None:
    """The label as a number, if it is one that can be drawn."""
    try:
        number = float(label)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _point(found: Summary, label: str, examples: float | None) -> TrendPoint:
    lengths = [each.steps.length[list(each.typical)].astype(np.float64) for each in found.breakdowns]
    step = estimate(lengths)
    enough = step.steps >= FEWEST_STEPS
    noise = t_within(0.95, max(1, int(step.freedom))) * math.sqrt(step.variance) if enough else None
    rate = 1e9 / step.mean if step.mean > 0 else 0.0
    return TrendPoint(
        label=label,
        position=position_of(label),
        first_step=int(found.breakdowns[0].steps.number[0]),
        steps=min(len(each.steps) for each in found.breakdowns),
        step_ns=step.mean,
        noise_ns=None if noise is None else max(noise, BETWEEN_RECORDINGS * step.mean),
        steps_per_second=rate,
        examples_per_second=None if examples is None else examples * rate * len(found.profiles),
        groups=tuple(found.groups.tolist()),
        peaks=_peaks(found),
    )


def _peaks(found: Summary) -> tuple[MemoryPeak, ...]:
    """The largest over ranks, by memory, devices first."""
    peaks: dict[str, MemoryPeak] = {}
    for profile, breakdown in zip(found.profiles, found.breakdowns, strict=True):
        for use in memory(profile, breakdown.steps):
            name = use.ledger.name
            if use.ledger.matched_by is MatchedBy.SUMS or (name in peaks and peaks[name].bytes >= use.peak_bytes):
                continue
            held: dict[str, int] = {}
            for each in use.at_peak[:_HOLDERS]:
                held[each.op] = held.get(each.op, 0) + each.bytes
            peaks[name] = MemoryPeak(name, use.peak_bytes, held)
    return tuple(peaks.values())


def _growing(first: TrendPoint, last: TrendPoint) -> tuple[Growing, ...]:
    before = {peak.memory: peak.held for peak in first.peaks}
    found = [
        Growing(peak.memory, op, before[peak.memory].get(op, 0), size)
        for peak in last.peaks
        if peak.memory in before
        for op, size in peak.held.items()
        if size - before[peak.memory].get(op, 0) > _GREW * peak.bytes
    ]
    return tuple(sorted(found, key=lambda each: (each.before - each.after, each.op))[:MOST_GROWING])
