"""When the training's thread and another one run Python at once: only one of both has the interpreter, and the other waits for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope._native import owned_segments
from stepscope.analyses.breakdown import Breakdown, device_segments, host_segments
from stepscope.analyses.host.threads import sleeping_spans
from stepscope.analyses.intervals import Intervals, common, lengths_between, lengths_inside, minus, union, union_labelled
from stepscope.analyses.rows import are_named
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Int64, Profile, SpanKind, TrackRole
from stepscope.model.span_names import NameRole

_NEEDS_IT = (SpanKind.PYTHON, SpanKind.INPUT)
"""What the training's thread runs in Python; a loader of its own process is Python too."""
_OWN = (TimeClass.INPUT, TimeClass.FRAMEWORK, TimeClass.PYTHON)
"""Classes whose time may be waiting for the interpreter; whatever else runs at that moment hides the wait."""


@dataclass(frozen=True, slots=True)
class Contention:
    """Time of steps in which two threads of the process want the interpreter, and no operation runs."""

    per_step_ns: Int64  # of every step
    takes: dict[TimeClass, float]  # nanoseconds of a typical step, by the class that has them in the breakdown
    beside_ns: float  # of a typical step: operations that ran while another thread ran Python, on cores that both need
    row: int  # the function of another thread that ran longest meanwhile; NONE when there is none


def interpreter_contention(profile: Profile, breakdown: Breakdown) -> Contention:
    """Found once. Of the other threads only functions written in Python count: a built-in one may have let the interpreter go."""
    return breakdown.once(interpreter_contention, lambda: _found(profile, breakdown))


def _found(profile: Profile, breakdown: Breakdown) -> Contention:
    others = _of_others(profile, breakdown)
    bounds, typical = breakdown.steps.bounds, list(breakdown.typical)
    if not len(others):
        return Contention(np.zeros(len(breakdown.steps), np.int64), {}, 0.0, NONE)
    start, end, owner = (np.concatenate(each) for each in zip(*others, strict=True))
    theirs = union(start, end)
    both = common(minus(_of_training(profile, breakdown), _hides(profile, breakdown)), theirs)
    input_ns = lengths_between(common(both, _labelled(profile, breakdown, [TimeClass.INPUT])), bounds)
    per_step = lengths_between(both, bounds)
    takes = {
        TimeClass.INPUT: float(input_ns[typical].mean()),
        TimeClass.PYTHON: float((per_step - input_ns)[typical].mean()),
    }
    meanwhile = lengths_inside(both, start, end)
    row = int(owner[int(np.argmax(meanwhile))]) if meanwhile.any() else NONE
    beside = lengths_between(common(theirs, _labelled(profile, breakdown, [TimeClass.COMPUTE])), bounds)[typical]
    return Contention(per_step, {part: ns for part, ns in takes.items() if ns > 0}, float(beside.mean()), row)


def _of_others(profile: Profile, breakdown: Breakdown) -> list[tuple[Int64, Int64, Int64]]:
    """Of every thread that does not run the steps, when a function written in Python is the innermost, and its row."""
    found: list[tuple[Int64, Int64, Int64]] = []
    for place, track in enumerate(profile.tracks):
        if track.role != TrackRole.THREAD or place in breakdown.classified.control:
            continue
        start, end, row = _innermost(profile, np.arange(track.first_row, track.last_row))
        works = (profile.spans.kind[row] == SpanKind.PYTHON) & ~are_named(profile, row, NameRole.BUILT_IN)
        works &= ~sleeping_spans(profile)[row]
        if works.any():
            found.append((start[works], end[works], row[works]))
    return found


def _of_training(profile: Profile, breakdown: Breakdown) -> Intervals:
    """When a thread that runs the steps is in Python and does not merely wait for something else."""
    starts, ends = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for place in breakdown.classified.control:
        track = profile.tracks[place]
        start, end, row = _innermost(profile, np.arange(track.first_row, track.last_row))
        mine = np.isin(profile.spans.kind[row], _NEEDS_IT) & ~sleeping_spans(profile)[row] & ~are_named(profile, row, NameRole.WAIT)
        starts.append(start[mine])
        ends.append(end[mine])
    return union(np.concatenate(starts), np.concatenate(ends))


def _innermost(profile: Profile, rows: Int64) -> tuple[Int64, Int64, Int64]:
    """Stretches of one track with the innermost span of each, by its row."""
    spans = profile.spans
    start, end, owner = owned_segments(spans.start[rows], spans.end[rows], np.zeros(len(rows), np.int8), np.zeros(1, np.int8))
    return start, end, rows[owner]


def _hides(profile: Profile, breakdown: Breakdown) -> Intervals:
    """When anything runs that a step is there for."""
    return _labelled(profile, breakdown, [each for each in TimeClass if each not in (*_OWN, TimeClass.UNTRACED)])


def _labelled(profile: Profile, breakdown: Breakdown, classes: list[TimeClass]) -> Intervals:
    classified = breakdown.classified
    devices = [each for device in classified.devices for each in device_segments(profile, classified, device)]
    tracks = [*devices, *host_segments(profile, classified)]
    return union_labelled([(start, end, label) for start, end, _, label in tracks], [int(each) for each in classes])
