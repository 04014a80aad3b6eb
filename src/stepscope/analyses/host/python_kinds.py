"""What the Python of a step is: it sleeps, waits for a thread, loads data, makes text, calls operations, or works on its own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.rows import are_named
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Int64, Profile, SpanKind
from stepscope.model.span_names import NameRole

_DEEPEST = 200


class PythonKind(Enum):
    """What has most of the time, because each needs another change."""

    SLEEPS = "sleeps"
    WAITS = "waits"  # for a lock or another thread
    LOADS = "loads"
    FORMATS = "formats"  # makes text of values, with what that computes
    INSIDE = "inside"  # a compiled function calls it in one of its operations
    CALLS = "calls"  # of operations and layers: Python that every one of them costs
    WORKS = "works"


@dataclass(frozen=True, slots=True)
class PythonWork:
    """Python of a typical step that works while nothing else runs."""

    rows: Int64
    by_kind: dict[PythonKind, Int64]
    main: PythonKind  # the kind with most time that nothing hides
    longest: int  # of the main kind the span with most time of its own, NONE without any
    sleeper: int  # the function that calls it when that sleeps; NONE when it was not recorded
    loads: bool  # whether what works, or calls the sleep, loads data by its name


def python_work(profile: Profile, breakdown: Breakdown) -> PythonWork:
    """Python spans with time of their own, without those that only wait for the device, and the profiler's own."""
    rows = np.flatnonzero((breakdown.exposed > 0) & (breakdown.classified.label == TimeClass.PYTHON))
    for_device = are_named(profile, rows, NameRole.WAIT) & ~are_named(profile, rows, NameRole.WAITS_FOR_THREAD)
    rows = rows[~are_named(profile, rows, NameRole.PROFILER) & ~for_device]
    inside = _called_inside(profile, breakdown)
    kinds = python_by_kind(profile, rows) | {PythonKind.INSIDE: inside}
    rows = np.union1d(rows, inside)
    main = max(kinds, key=lambda kind: float(breakdown.exposed[kinds[kind]].sum()))
    mine = kinds[main]
    longest = int(mine[int(np.argmax(breakdown.exposed[mine]))]) if len(mine) else NONE
    sleeper = _caller_of(profile, longest) if main is PythonKind.SLEEPS and longest != NONE else NONE
    loads = main is PythonKind.LOADS or (sleeper != NONE and bool(are_named(profile, np.array([sleeper]), NameRole.LOADS_DATA)[0]))
    return PythonWork(rows, kinds, main, longest, sleeper, loads)


def _called_inside(profile: Profile, breakdown: Breakdown) -> Int64:
    """Operations that call Python, also beside others, whose cores they take; those of the input pipeline are input."""
    rows = np.flatnonzero(np.isin(breakdown.classified.label, [TimeClass.COMPUTE, TimeClass.OP]))
    rows = rows[are_named(profile, rows, NameRole.PYTHON_OPERATION)]
    return rows if float(breakdown.exposed[rows].sum()) > 0 else rows[:0]


def python_by_kind(profile: Profile, rows: Int64) -> dict[PythonKind, Int64]:
    """The rows by what they are; a built-in function is what the function is that calls it."""
    sleeps, caller = are_named(profile, rows, NameRole.SLEEP), _callers(profile, rows)
    waits = ~sleeps & are_named(profile, rows, NameRole.WAITS_FOR_THREAD)
    loads = are_named(profile, caller, NameRole.LOADS_DATA) | _any_above(profile, caller, NameRole.LOADS_DATA)
    loads &= ~(sleeps | waits)
    formats = are_named(profile, rows, NameRole.FORMATS) | _any_above(profile, rows, NameRole.FORMATS)
    formats &= ~(sleeps | waits | loads)
    # A function of a layer calls operations when there are any in it; otherwise it works, wherever it was called.
    holds = _holds_operations(profile)
    in_layer = _any_above(profile, caller, NameRole.LAYER_CODE) & holds[caller]
    an_operation = are_named(profile, rows, NameRole.BUILT_IN) & holds[rows]  # a method of a tensor
    calls = ~(sleeps | waits | loads | formats) & (are_named(profile, caller, NameRole.AROUND_OPERATIONS) | in_layer | an_operation)
    return {
        PythonKind.SLEEPS: rows[sleeps],
        PythonKind.WAITS: rows[waits],
        PythonKind.LOADS: rows[loads],
        PythonKind.FORMATS: rows[formats],
        PythonKind.CALLS: rows[calls],
        PythonKind.WORKS: rows[~(sleeps | waits | loads | formats | calls)],
    }


def _caller_of(profile: Profile, row: int) -> int:
    """The first function above a span that is not built in, NONE when none was recorded."""
    above = int(profile.spans.parent[row])
    found = NONE if above == NONE else int(_callers(profile, np.array([above], np.int64))[0])
    return found if found != NONE and profile.spans.kind[found] == SpanKind.PYTHON else NONE


def _callers(profile: Profile, rows: Int64) -> Int64:
    """For every row itself, or the first above it that is no built-in function."""
    found = rows.copy()
    for _ in range(_DEEPEST):
        above = profile.spans.parent[found]
        climbs = are_named(profile, found, NameRole.BUILT_IN) & (above != NONE)
        if not climbs.any():
            break
        found[climbs] = above[climbs]
    return found


def _holds_operations(profile: Profile) -> NDArray[np.bool_]:
    """For every span whether an operation or a launch lies in it."""
    spans = profile.spans
    found = np.zeros(len(spans), bool)
    above = spans.parent[np.isin(spans.kind, [SpanKind.OP, SpanKind.RUNTIME])].astype(np.int64)
    for _ in range(_DEEPEST):
        above = np.unique(above[above != NONE])
        above = above[~found[above]]
        if not len(above):
            break
        found[above] = True
        above = spans.parent[above].astype(np.int64)
    return found


def _any_above(profile: Profile, rows: Int64, role: NameRole) -> NDArray[np.bool_]:
    """For every row whether the name of any span above it has the role."""
    found, place = np.zeros(len(rows), bool), profile.spans.parent[rows].astype(np.int64)
    for _ in range(_DEEPEST):
        left = np.flatnonzero(~found & (place != NONE))
        if not len(left):
            break
        found[left] = are_named(profile, place[left], role)
        place[left] = profile.spans.parent[place[left]]
    return found
