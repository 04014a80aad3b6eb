"""What an epoch's time consists of: its first step, training, validation, checkpoints, and what lies between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.intervals import Intervals, lengths_between, minus, union
from stepscope.analyses.ranges.chosen import find_epochs
from stepscope.analyses.rows import rows_named, rows_of, rows_of_kinds
from stepscope.analyses.steps import Steps
from stepscope.model.profile import Float64, Int64, Profile, SpanKind, TrackRole
from stepscope.model.span_names import NameRole
from stepscope.queries.epoch_series import EpochSeries, LoggedPoints

_LONGEST_S = 1e9
_MOST_EPOCHS = 1e9
_MOST_STEPS = 0.95
_WHOLE = 1e-6


@dataclass(frozen=True, slots=True)
class Epoch:
    """Seconds of one epoch; the parts exclude one another and sum to it. None is unknown."""

    number: int
    steps: int
    seconds: float
    first_step: float | None
    train: float | None  # all other steps
    validation: float | None
    checkpoint: float | None
    between: float | None  # none of these
    examples_per_second: float | None = None


@dataclass(frozen=True, slots=True)
class LoggedSteps:
    """A series that a run has logged: steps, when, and values."""

    step: Int64
    wall: Float64
    value: Float64


def epochs_of_profile(profile: Profile, breakdown: Breakdown) -> list[Epoch]:
    """By the annotations that mark epochs; empty when none does."""
    steps = breakdown.steps
    number, bounds = _marked(profile, steps)
    if not len(number):
        return []
    first, others = _training(profile, steps, bounds)
    checkpoint = _spans(profile, [SpanKind.IO])
    validation = minus(_validation(profile), checkpoint)
    taken = union(np.concatenate([checkpoint[0], validation[0]]), np.concatenate([checkpoint[1], validation[1]]))
    parts = [lengths_between(part, bounds) for part in (minus(first, taken), minus(others, taken), validation, checkpoint)]
    found: list[Epoch] = []
    for place, epoch in enumerate(number.tolist()):
        length = int(bounds[place + 1] - bounds[place])
        own = [int(part[place]) for part in parts]
        begun = (steps.marker >= bounds[place]) & (steps.marker < bounds[place + 1])
        seconds = [part / 1e9 for part in (*own, length - sum(own))]
        found.append(Epoch(epoch, int(np.count_nonzero(begun)), length / 1e9, *seconds))
    return found


def _marked(profile: Profile, steps: Steps) -> tuple[Int64, Int64]:
    """Numbers of epochs and the times between them: by markers that carry numbers, else by annotations called epoch."""
    marked = find_epochs(profile, steps)
    if marked is not None:
        return marked.number, marked.bounds
    spans = profile.spans
    annotations = np.zeros(len(SpanKind), bool)
    annotations[SpanKind.ANNOTATION] = True
    rows = rows_of_kinds(profile, TrackRole.THREAD, annotations)
    rows = rows_named(profile, rows, NameRole.EPOCH)
    rows = rows[np.argsort(spans.start[rows], kind="stable")]
    if not len(rows):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    reach = np.maximum.accumulate(spans.end[rows])
    kept: list[int] = rows[np.append([True], spans.start[rows[1:]] >= reach[:-1])].tolist()
    numbers = [profile.name_rules.carried(NameRole.EPOCH, profile.names[int(spans.name[row])]) for row in kept]
    counted = [int(found[0]) if found and found[0] else place for place, found in enumerate(numbers)]
    return np.array(counted, np.int64), np.append(spans.start[kept], spans.end[kept[-1]])


def epochs_logged(series: EpochSeries) -> list[Epoch]:
    """By what a run has logged; empty when it tells of no epoch."""
    if series.by_epoch is not None:
        return _by_epoch(series.by_epoch)
    seconds, rate, ends, steps = (points and _taken(points) for points in (series.seconds, series.rate, series.ends, series.steps))
    return epochs_of_series(seconds, rate, ends, steps, {part: _taken(points) for part, points in series.parts.items()})


def _by_epoch(points: LoggedPoints) -> list[Epoch]:
    """From one point to the next; how many steps that took is not told, and the first one's start is not known."""
    lengths = zip(points.step[1:].tolist(), np.diff(points.step).tolist(), np.diff(points.wall).tolist(), strict=True)
    return [Epoch(number, 0, seconds, *[None] * 5) for number, since, seconds in lengths if since == 1 and 0 <= seconds < _LONGEST_S]


def _taken(points: LoggedPoints) -> LoggedSteps:
    return LoggedSteps(points.step, points.wall, points.value)


def epochs_of_series(
    seconds: LoggedSteps | None,
    rate: LoggedSteps | None,
    ends: LoggedSteps | None,
    step_time: LoggedSteps | None,
    parts: dict[str, LoggedSteps],
) -> list[Epoch]:
    """By what a run has logged: seconds of each epoch, examples a second, the step at which each ended, and seconds of steps.

    `parts` are series of seconds beside the steps, by the name of the part ("validation", "checkpoint"). All are sorted by step.
    """
    ends = _last_of_each(ends)
    lengths = dict(zip(seconds.step.tolist(), seconds.value.tolist(), strict=True)) if seconds else _between_ends(ends)
    rates = dict(zip(rate.step.tolist(), rate.value.tolist(), strict=True)) if rate else {}
    limits = _step_limits(ends)
    found: list[Epoch] = []
    for number, length in sorted(lengths.items()):
        if not 0 <= length < _LONGEST_S:
            continue
        low, high = limits.get(number, (0, -1))
        mine = _inside(step_time, low, high)
        extra = {name: float(_inside(series, low, high).sum()) for name, series in parts.items()}
        # Where only every tenth step was logged, the others would be taken for time between steps.
        known = len(mine) > 0 and len(mine) >= _MOST_STEPS * (high - low)
        first, rest = (float(mine[0]), float(mine[1:].sum())) if known else (None, None)
        validation, checkpoint = (extra.get(name) if known else None for name in ("validation", "checkpoint"))
        told = sum(each or 0.0 for each in (first, rest, validation, checkpoint))
        between = max(0.0, length - told) if known else None
        found.append(Epoch(number, max(0, high - low), float(length), first, rest, validation, checkpoint, between, rates.get(number)))
    return found


def _training(profile: Profile, steps: Steps, bounds: Int64) -> tuple[Intervals, Intervals]:
    """The first step of each epoch, and all others: what the markers themselves cover, since steps touch."""
    end = _marker_ends(profile, steps)
    place = np.searchsorted(bounds, steps.marker, side="right") - 1
    first = np.append([True], np.diff(place) > 0)
    return union(steps.marker[first], end[first]), union(steps.marker[~first], end[~first])


def _marker_ends(profile: Profile, steps: Steps) -> Int64:
    """The end of each marker's own span; the step's where its source marks none."""
    rows = profile.markers.row[profile.spans.track[profile.markers.row] == steps.source.track]
    ends = dict(zip(profile.spans.start[rows].tolist(), profile.spans.end[rows].tolist(), strict=True))
    known = [min(ends.get(start, until), until) for start, until in zip(steps.marker.tolist(), steps.bounds[1:].tolist(), strict=True)]
    return np.array(known, np.int64)


def _spans(profile: Profile, kinds: Sequence[SpanKind]) -> Intervals:
    rows = rows_of(track for track in profile.tracks if track.role == TrackRole.THREAD)
    rows = rows[np.isin(profile.spans.kind[rows], kinds)]
    return union(profile.spans.start[rows], profile.spans.end[rows])


def _validation(profile: Profile) -> Intervals:
    rows = rows_of(track for track in profile.tracks if track.role == TrackRole.THREAD)
    rows = rows[np.isin(profile.spans.kind[rows], [SpanKind.ANNOTATION, SpanKind.MARKER])]
    rows = rows_named(profile, rows, NameRole.VALIDATION)
    return union(profile.spans.start[rows], profile.spans.end[rows])


def _between_ends(ends: LoggedSteps | None) -> dict[int, float]:
    """Without logged lengths an epoch lasts from one's end to the next's; the first one's start is not known."""
    if ends is None or len(ends.step) < 2:
        return {}
    numbers: list[int] = np.round(ends.value[1:]).astype(np.int64).tolist()
    return dict(zip(numbers, np.diff(ends.wall).tolist(), strict=True))


def _step_limits(ends: LoggedSteps | None) -> dict[int, tuple[int, int]]:
    """From `ends`, whose values are epochs at steps: the steps of each epoch, without and with its last."""
    if ends is None or not len(ends.step):
        return {}
    last: list[int] = ends.step.tolist()
    numbers: list[int] = np.round(ends.value).astype(np.int64).tolist()
    found = {number: (before, after) for number, before, after in zip(numbers[1:], last[:-1], last[1:], strict=True)}
    begin = _before_the_first(last)
    return found if begin is None else {numbers[0]: (begin, last[0])} | found


def _before_the_first(last: list[int]) -> int | None:
    """The step before the first epoch's: steps count from 0 or 1, as the second epoch tells. None where a run went on from later."""
    if len(last) == 1:
        return -1
    length = last[1] - last[0]
    if last[0] > 1.5 * length + 1:
        return None
    return 0 if last[0] == length else -1


def _last_of_each(ends: LoggedSteps | None) -> LoggedSteps | None:
    """The last point of each epoch's number: some loggers write the number at every step. A number that is none ends no epoch."""
    if ends is None:
        return None
    whole = (np.abs(ends.value) < _MOST_EPOCHS) & (np.abs(ends.value - np.round(ends.value)) < _WHOLE)
    step, wall, value = ends.step[whole], ends.wall[whole], np.round(ends.value[whole])
    last = np.append(value[1:] != value[:-1], [True])[: len(value)]
    return LoggedSteps(step[last], wall[last], value[last])


def _inside(series: LoggedSteps | None, low: int, high: int) -> Float64:
    """Values of steps after `low`, up to and with `high`."""
    if series is None:
        return np.zeros(0)
    first, last = np.searchsorted(series.step, [low, high], side="right")
    return series.value[first:last]
