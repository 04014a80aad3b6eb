"""One-off start-up: calls and operations that take far longer the first time than ever again. No step has it but the first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.grouping import dense_codes
from stepscope.analyses.intervals import union
from stepscope.analyses.rows import rows_of, rows_of_role, union_of_rows
from stepscope.model.profile import Int32, Int64, Profile, SpanKind, TrackRole
from stepscope.model.steps import Steps

_LEAST_NS = 10_000_000
_LEAST_LAUNCH_NS = 5_000_000
_TIMES_USUAL = 20.0
_LEAST_LATER = 2
"""Of an operation: calls after the first, of which the usual length is known."""
_MOSTLY = 0.5
_NAMED = 3
_CALLS = (SpanKind.RUNTIME, SpanKind.ALLOC)
_WAITS = (SpanKind.SYNC, SpanKind.INPUT, SpanKind.COLLECTIVE, SpanKind.IO)


@dataclass(frozen=True, slots=True)
class Startup:
    """The start-up of one rank."""

    ns: int  # in which any of it runs
    longest: tuple[tuple[str, int], ...]  # names and their nanoseconds, longest first


def startup_of(profile: Profile, rows: Int64) -> Startup:
    """What the rows of start-up take together, and which of them take most."""
    spans = profile.spans
    start, end = union(spans.start[rows], spans.end[rows])
    taken: dict[str, int] = {}
    each: list[int] = rows.tolist()
    for row in each:
        name = profile.names[int(spans.name[row])]
        taken[name] = taken.get(name, 0) + int(spans.end[row] - spans.start[row])
    longest = sorted(taken.items(), key=lambda one: (-one[1], one[0]))
    return Startup(int((end - start).sum()), tuple(longest[:_NAMED]))


def startup_rows(profile: Profile, steps: Steps, control: tuple[int, ...]) -> Int64:
    """Rows of controlling threads, in the order of the table, that begin before the first step ends.

    A runtime call that is made once, or is far longer the first time (context creation); the first launch of a kernel (lazy
    loading); and the first of several equal operations, unless it waits for something (autotuning, libraries).
    """
    spans = profile.spans
    rows = rows_of(profile.tracks[track] for track in control)
    length = spans.end[rows] - spans.start[rows]
    calls = _firsts(profile, rows[np.isin(spans.kind[rows], _CALLS)], least_later=0)
    ops = rows[(spans.kind[rows] == SpanKind.OP)]
    ops = ops[np.isin(spans.name[ops], np.unique(spans.name[rows[(length >= _LEAST_NS) & (spans.kind[rows] == SpanKind.OP)]]))]
    firsts = np.concatenate([calls, _firsts(profile, ops, _LEAST_LATER)])
    found = np.concatenate([_without_waits(profile, firsts), _first_launches(profile)])
    return np.unique(found[spans.start[found] < steps.bounds[1]])


def _firsts(profile: Profile, rows: Int64, least_later: int) -> Int64:
    """The first row of each name that is long, and far longer than the median of those after it."""
    spans = profile.spans
    rows = rows[np.argsort(spans.start[rows], kind="stable")]
    found: list[int] = []
    for name in np.unique(spans.name[rows[spans.end[rows] - spans.start[rows] >= _LEAST_NS]]).tolist():
        mine = rows[spans.name[rows] == name]
        length = spans.end[mine] - spans.start[mine]
        later = length[1:]
        if length[0] >= _LEAST_NS and len(later) >= least_later and (not len(later) or length[0] >= _TIMES_USUAL * np.median(later)):
            found.append(int(mine[0]))
    return np.array(found, np.int64)


def _first_launches(profile: Profile) -> Int64:
    """Launches that are far longer than usual and the first of their kernel."""
    spans = profile.spans
    work = rows_of_role(profile, TrackRole.STREAM)
    work = work[(spans.cause[work] >= 0) & (spans.kind[work] == SpanKind.KERNEL)]
    call: Int32 = spans.cause[work]
    work = work[(spans.kind[call] == SpanKind.RUNTIME)]
    if not len(work):
        return np.zeros(0, np.int64)
    work = work[np.argsort(spans.start[spans.cause[work]], kind="stable")]
    first = spans.cause[work[dense_codes(spans.name[work].astype(np.int64), len(profile.names)).firsts()]].astype(np.int64)
    calls = union_of_rows(profile, spans.cause[work].astype(np.int64))
    usual = float(np.median(spans.end[calls] - spans.start[calls]))
    return first[spans.end[first] - spans.start[first] >= max(_LEAST_LAUNCH_NS, _TIMES_USUAL * usual)]


def _copy_calls(profile: Profile) -> Int64:
    """Calls that start a copy."""
    spans = profile.spans
    work = rows_of_role(profile, TrackRole.STREAM)
    causes = spans.cause[work[spans.kind[work] == SpanKind.COPY]]
    return np.unique(causes[causes >= 0]).astype(np.int64)


def _without_waits(profile: Profile, firsts: Int64) -> Int64:
    """Those in which nothing mostly waits: for the device, for input or for other ranks. A call that copies may wait for the device."""
    spans = profile.spans
    copies = _copy_calls(profile)
    kept: list[int] = []
    each: list[int] = firsts.tolist()
    for row in each:
        last = profile.tracks[int(spans.track[row])].last_row
        ends: Int64 = spans.end[row : row + 1]
        until = row + 1 + int(np.searchsorted(spans.start[row + 1 : last], ends, side="left")[0])
        waits = np.isin(spans.kind[row + 1 : until], _WAITS) | np.isin(np.arange(row + 1, until), copies)
        waited: Int64 = (np.minimum(spans.end[row + 1 : until], spans.end[row]) - spans.start[row + 1 : until])[waits]
        if row not in copies and int(waited.sum()) < _MOSTLY * int(spans.end[row] - spans.start[row]):
            kept.append(row)
    return np.array(kept, np.int64)
