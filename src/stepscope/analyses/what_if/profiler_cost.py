"""Which part of what the profiler cost is in work that a change takes away: it pays for every span it records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.intervals import lengths_between, minus, union
from stepscope.analyses.rows import are_named, rows_of
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.levers import Lever, around, factors_of
from stepscope.model.profile import Profile, SpanKind
from stepscope.model.span_names import NameRole

_DEARER = 2.0
"""A span may cost the profiler that many times what another costs: stacks and shapes are recorded with some."""
_TRACED = 0.5
"""Of the own time of a recorded Python function: a plain loop took up to twice as long while functions were recorded."""
_SLOWED = (SpanKind.PYTHON, SpanKind.OP, SpanKind.FRAMEWORK, SpanKind.RUNTIME)
_NOT_RECORDED = (SpanKind.MARKER, SpanKind.ANNOTATION)


def recorded_share(ranks: Sequence[tuple[Profile, Breakdown]], levers: Sequence[Lever]) -> float:
    """At most, of all ranks; all of it for changes that no span tells of."""
    if any(lever.name == "straggler" for lever in levers):
        return 1.0
    return max(_of_rank(place, profile, breakdown, levers) for place, (profile, breakdown) in enumerate(ranks))


def _of_rank(place: int, profile: Profile, breakdown: Breakdown, levers: Sequence[Lever]) -> float:
    """Spans of control threads that go, with what is inside them and around them, among all of them.

    Of a Python function only its own time goes, so that what it calls stays.
    """
    spans = profile.spans
    gone = np.zeros(len(spans), bool)
    taken: list[tuple[np.ndarray, np.ndarray]] = []
    for lever in levers:
        gone |= factors_of(lever, place, profile, breakdown, floor=False) < 1
        if (beside := around(lever, place, profile, breakdown)) is not None:
            taken.append(beside)
    rows = rows_of(profile.tracks[track] for track in breakdown.classified.control)
    python = gone & (breakdown.classified.label == TimeClass.PYTHON)
    whole = rows[(gone & ~python)[rows]]
    taken.append((spans.start[whole], spans.end[whole]))
    start, end = union(np.concatenate([each for each, _ in taken]), np.concatenate([each for _, each in taken]))
    counted = rows[~np.isin(spans.kind[rows], _NOT_RECORDED)]
    if not len(counted) or not (len(start) or python.any()):
        return 1.0
    inside = python[counted]
    if len(start):
        before = np.searchsorted(start, spans.start[counted], side="right") - 1
        inside = inside | ((before >= 0) & (spans.start[counted] < end[np.maximum(before, 0)]))
    many = _DEARER * int(inside.sum())
    return many / (many + int((~inside).sum()))


def unslowed_share(ranks: Sequence[tuple[Profile, Breakdown]], levers: Sequence[Lever]) -> float:
    """The part of a typical step that goes and that no profiler slows down, of the rank with least of it: nothing is recorded in it,
    or it sleeps. Whatever the profiler costs elsewhere, this time goes as it was recorded."""
    if any(lever.name == "straggler" for lever in levers):
        return 0.0
    return min(_unslowed(place, profile, breakdown, levers) for place, (profile, breakdown) in enumerate(ranks))


def _unslowed(place: int, profile: Profile, breakdown: Breakdown, levers: Sequence[Lever]) -> float:
    spans, typical = profile.spans, list(breakdown.typical)
    gone = np.ones(len(spans))
    for lever in levers:
        gone *= factors_of(lever, place, profile, breakdown, floor=False)
    rows = rows_of(profile.tracks[track] for track in breakdown.classified.control)
    chosen = rows[(gone[rows] < 1) & (breakdown.exposed[rows] > 0)]
    slowed = rows[np.isin(spans.kind[rows], _SLOWED)]
    sleeps = rows[are_named(profile, rows, NameRole.SLEEP) | are_named(profile, rows, NameRole.WAITS_FOR_THREAD)]
    awake = minus(union(spans.start[slowed], spans.end[slowed]), union(spans.start[sleeps], spans.end[sleeps]))
    left = minus(union(spans.start[chosen], spans.end[chosen]), awake)
    return float(lengths_between(left, breakdown.steps.bounds)[typical].mean()) / (breakdown.typical_ns or 1.0) if typical else 0.0


def traced_python(ranks: Sequence[tuple[Profile, Breakdown]], levers: Sequence[Lever]) -> float:
    """The part of a typical step by which Python that goes may have been slower because it was traced, at most, of all ranks."""
    return max(_slower_python(place, profile, breakdown, levers) for place, (profile, breakdown) in enumerate(ranks))


def _slower_python(place: int, profile: Profile, breakdown: Breakdown, levers: Sequence[Lever]) -> float:
    gone = np.zeros(len(profile.spans), bool)
    for lever in levers:
        gone |= factors_of(lever, place, profile, breakdown, floor=False) < 1
    own = float(breakdown.exposed[gone & (breakdown.classified.label == TimeClass.PYTHON)].sum())
    return _TRACED * own / max(1, len(breakdown.typical)) / (breakdown.typical_ns or 1.0)
