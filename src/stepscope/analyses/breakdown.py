"""Where a step's time goes: every nanosecond belongs to one class, per device and step; typical steps, outliers, groups."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from stepscope._native import segments_of_tracks, sweep_steps
from stepscope.analyses.program_runs import without_waiting
from stepscope.analyses.steps import Steps, find_steps, step_of_spans
from stepscope.analyses.time_classes import (
    GROUP_OF,
    HIDDEN,
    NOTHING,
    STREAM_PRECEDENCE,
    THREAD_PRECEDENCE,
    Classified,
    Group,
    Segments,
    TimeClass,
    classify,
)
from stepscope.model.profile import Float64, Int32, Int64, MarkerFamily, Part, Profile, TrackRole

CLASSES = len(TimeClass)
_SWEPT = CLASSES - 1  # untraced is what is left
LEAST_FOR_TYPICAL = 4
MOST_SPREAD = 3
"""From shortest to longest, typical steps that differ by more have no mean that says much."""
_MADS = 4.45
_NEAR_MEDIAN = 0.05
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class SlowStep:
    """A step that is not typical, and the class that differs most from the typical mean."""

    place: int
    difference_ns: float  # of the step's length to the typical step
    part: TimeClass
    part_difference_ns: float


@dataclass(frozen=True, slots=True)
class Breakdown:
    """One rank's steps divided; every table of parts is steps x TimeClass in nanoseconds."""

    steps: Steps
    classified: Classified
    device_parts: Int64  # devices x steps x classes; over the classes they sum to the step exactly
    parts: Float64  # mean over devices
    overlapped: Float64  # what each class did while an earlier class had the time, mean over devices
    typical: tuple[int, ...]
    slow: tuple[SlowStep, ...]
    exposed: Float64  # per span: nanoseconds of typical steps that it owns, mean over devices; with untraced they sum to the steps
    kept: dict[Hashable, Any] = field(default_factory=dict[Hashable, Any], init=False, repr=False, compare=False)
    """What `once` has found."""

    def once(self, key: Hashable, find: Callable[[], _Found]) -> _Found:
        """What `find` finds, for analyses that several others ask for; it must depend on the breakdown and the key alone."""
        if key not in self.kept:
            self.kept[key] = find()
        return self.kept[key]

    @property
    def median_ns(self) -> float:
        """Of all steps."""
        return float(np.median(self.steps.length))

    @property
    def p95_ns(self) -> float:
        """Of all steps."""
        return float(np.percentile(self.steps.length, 95))

    @property
    def first_left_out(self) -> bool:
        """Whether the first of so few steps is not typical, because it is unlike the others and may hold the profiler's start."""
        return len(self.steps) < LEAST_FOR_TYPICAL and 0 not in self.typical

    @property
    def has_step_time(self) -> bool:
        """Whether one step time says something: steps were found, and are alike where they are guessed from repeated work."""
        length, source = self.steps.length[list(self.typical)], self.steps.source
        even = float(length.max()) <= MOST_SPREAD * float(length.min())
        return source.family != MarkerFamily.WINDOW and (even or not source.guessed)

    @property
    def warm_up(self) -> int:
        """How many steps begin the recording before the first typical one: compilation, caches, the profiler's start."""
        return 0 if self.steps.before else self.typical[0]

    @property
    def typical_ns(self) -> float:
        """Mean length of typical steps: what the typical parts sum to."""
        return float(self.steps.length[list(self.typical)].mean())

    @property
    def typical_parts(self) -> Float64:
        """Mean over typical steps, per class."""
        return self.parts[list(self.typical)].mean(axis=0)

    @property
    def typical_overlapped(self) -> Float64:
        """Mean over typical steps, per class."""
        return self.overlapped[list(self.typical)].mean(axis=0)


def break_down(profile: Profile, steps: Steps | None = None) -> Breakdown:
    """Divides the steps among classes; finds the steps first when none are given."""
    steps = steps or find_steps(profile)
    if profile.part is not None:
        return _of_part(profile.part, steps)
    return _divided(profile, steps, classify(profile, steps))


def _divided(profile: Profile, steps: Steps, classified: Classified) -> Breakdown:
    typical = typical_steps(steps.length, first_of_all=not steps.before)
    counted = np.zeros(len(steps), np.uint8)
    counted[list(typical)] = 1
    taken: list[Int64] = []
    covered: list[Int64] = []
    exposed: list[Float64] = []
    hosts = host_segments(profile, classified)
    for device in classified.devices:
        tracks = [*device_segments(profile, classified, device), *hosts]
        own, union, rows = sweep_steps(tracks, steps.bounds, _SWEPT, counted, len(profile.spans))
        taken.append(own.reshape(len(steps), _SWEPT))
        covered.append(union.reshape(len(steps), _SWEPT))
        exposed.append(rows)
    device_parts = np.stack([_with_untraced(own, steps.length) for own in taken])
    parts = device_parts.mean(axis=0)
    hidden = np.stack(covered).mean(axis=0) - parts[:, :_SWEPT]
    overlapped = np.concatenate([hidden, np.zeros((len(steps), 1))], axis=1)
    slow = _slow_steps(steps.length, parts, typical)
    return Breakdown(steps, classified, device_parts, parts, overlapped, typical, slow, _mean(exposed))


def _of_part(part: Part, steps: Steps) -> Breakdown:
    """A step's time is divided among all that ran in it, also among work that belongs to the steps around it, by the classes of the
    whole: in any range of steps a step has the same parts."""
    found = _divided(part.whole, steps, classify(part.whole, part.all_steps))
    startup = np.flatnonzero(np.isin(part.rows, found.classified.startup)).astype(np.int64)
    classified = replace(found.classified, label=found.classified.label[part.rows], startup=startup)
    return replace(found, classified=classified, exposed=found.exposed[part.rows])


def typical_steps(length: Int64, *, first_of_all: bool) -> tuple[int, ...]:
    """Steps near the median: within 4.45 median deviations or 5 %; all of them when there are fewer than four.

    Of three, one that is the `first_of_all` recorded is left out when it is not near the other two: it may hold the profiler's start.
    """
    if len(length) >= LEAST_FOR_TYPICAL:
        return tuple(np.flatnonzero(_near_median(length, length)).tolist())
    left_out = first_of_all and len(length) == LEAST_FOR_TYPICAL - 1 and not _near_median(length[:1], length[1:])[0]
    return tuple(range(int(left_out), len(length)))


def _near_median(length: Int64, among: Int64) -> NDArray[np.bool_]:
    """Whether lengths are near the median of those among which they are looked at."""
    median = np.median(among)
    spread = float(np.median(np.abs(among - median)))
    return np.abs(length - median) <= max(_MADS * spread, _NEAR_MEDIAN * float(median))


def group_sums(parts: Float64) -> Float64:
    """Classes, on the last axis, summed into the six groups."""
    sums = np.zeros((*parts.shape[:-1], len(Group)))
    for time_class, group in GROUP_OF.items():
        sums[..., group] += parts[..., time_class]
    return sums


def counts_per_step(profile: Profile, breakdown: Breakdown, rows: Int64, group: Int32, groups: int) -> Float64:
    """How many of these spans a typical step has, by their group."""
    typical = np.zeros(len(breakdown.steps) + 1, bool)  # the last one is of what is in no step
    typical[list(breakdown.typical)] = True
    counted = typical[step_of_spans(profile, breakdown.steps, rows)]
    return np.bincount(group[counted], minlength=groups) / max(1, len(breakdown.typical))


def _slow_steps(length: Int64, parts: Float64, typical: tuple[int, ...]) -> tuple[SlowStep, ...]:
    """The others, each with the class that grew most (or shrank most, in a step that is shorter)."""
    usual_length = float(length[list(typical)].mean())
    usual = parts[list(typical)].mean(axis=0)
    found: list[SlowStep] = []
    for place in sorted(set(range(len(length))) - set(typical)):
        difference = float(length[place]) - usual_length
        change = parts[place] - usual
        part = int(np.argmax(change if difference > 0 else -change))
        found.append(SlowStep(place, difference, TimeClass(part), float(change[part])))
    return tuple(found)


def _mean(columns: list[Float64]) -> Float64:
    """Of columns that nobody else has: they are as long as the profile, so the first is made the mean."""
    found = columns[0]
    for other in columns[1:]:
        found += other
    found /= len(columns)
    return found


def _with_untraced(own: Int64, length: Int64) -> Int64:
    return np.concatenate([own, (length - own.sum(axis=1))[:, None]], axis=1)


def host_segments(profile: Profile, classified: Classified) -> list[Segments]:
    """Who owns the time of the host's threads; the same for every device."""
    return _segments(profile, classified, classified.host_tracks)


def device_segments(profile: Profile, classified: Classified, device: int) -> list[Segments]:
    """Who owns the time of the device's streams; on a CPU-only rank every stream's communication."""
    streams = [place for place, track in enumerate(profile.tracks) if track.role == TrackRole.STREAM]
    return _segments(profile, classified, [place for place in streams if classified.cpu_only or profile.tracks[place].device == device])


def _segments(profile: Profile, classified: Classified, places: Sequence[int]) -> list[Segments]:
    """Who owns the tracks' time; what only hides other work is taken out. Found once, for nearly every analysis asks for it."""
    missing = [place for place in places if place not in classified.segments]
    if missing:
        tracks, spans = [profile.tracks[place] for place in missing], profile.spans
        first, last = (np.array(rows, np.int64) for rows in zip(*((track.first_row, track.last_row) for track in tracks), strict=True))
        orders = [STREAM_PRECEDENCE if track.role == TrackRole.STREAM else THREAD_PRECEDENCE for track in tracks]
        found = segments_of_tracks(spans.start, spans.end, np.ascontiguousarray(classified.label), first, last, orders)
        for place, columns in zip(missing, found, strict=True):
            waits = place in classified.control and len(classified.programs[0]) > 0
            segments = without_waiting(columns, classified.programs, TimeClass.PYTHON, TimeClass.FRAMEWORK) if waits else columns
            label = segments[-1]
            label[label == HIDDEN] = NOTHING
            for column in segments:
                column.setflags(write=False)
            classified.segments[place] = segments
    return [classified.segments[place] for place in places]
