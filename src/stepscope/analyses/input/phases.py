"""What preparing a batch consists of: reading, decoding, transforming, collating, pinning, handing over, told by names of spans."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.grouping import dense_codes
from stepscope.analyses.input.upstream import DEEPEST, depth_of, once, without_waiting
from stepscope.analyses.input.waiting import InputTime, innermost, sums_by
from stepscope.analyses.rows import rows_of, union_of_rows
from stepscope.model.profile import NONE, Int8, Int32, Int64, Profile, SpanKind, TrackPurpose
from stepscope.model.span_names import NameRole


class Phase(Enum):
    """Parts of the way of a batch, in its order."""

    READ = "read"
    DECODE = "decode"
    TRANSFORM = "transform"
    SHUFFLE = "shuffle"
    COLLATE = "collate"
    PIN = "pin"
    HAND_OVER = "hand_over"
    UPSTREAM = "upstream"
    OWN_CODE = "own_code"
    UNKNOWN = "unknown"

    @property
    def title(self) -> str:
        """For people."""
        return _TITLES[self]


_TITLES = {
    Phase.READ: "reading",
    Phase.DECODE: "decoding",
    Phase.TRANSFORM: "transforming",
    Phase.SHUFFLE: "shuffling",
    Phase.COLLATE: "collating",
    Phase.PIN: "pinning",
    Phase.HAND_OVER: "transfer between processes",
    Phase.UPSTREAM: "waiting for the previous stage or worker",
    Phase.OWN_CODE: "Python code of the dataset",
    Phase.UNKNOWN: "not recorded",
}

_PHASES = tuple(Phase)
_STAGE_RANK = 2
_LAST_RANK = 4


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """One phase; times in nanoseconds of a typical step."""

    phase: Phase
    exposed_ns: float  # what the step waited for it: over the phases they sum to the step's wait
    beside_ns: float  # of all threads in sum while the step did something else; 0 for waiting, which then costs nothing
    row: int  # the longest span that is in it, of own code the function with most time of its own; NONE when it is what no span tells


def input_phases(profile: Profile, waits: Int64, time: InputTime) -> tuple[PhaseTime, ...]:
    """Phases with any time, in the order of a batch's way; `waits` are the rows in which the consumer waits.

    Each nanosecond of the step's wait belongs to one phase: to what the stage farthest from the consumer does that works then, and to
    waiting only where no recorded thread works.
    """
    rows = union_of_rows(profile, *_inside(profile, waits), _of_input_threads(profile))
    rank, phase = _told_by_names(profile, rows)
    code = _own_code(profile, rows)
    functions = rows[code]
    unnamed = code & (phase == NONE)
    rank[unnamed], phase[unnamed] = _LAST_RANK, _PHASES.index(Phase.OWN_CODE)
    silent = (phase == NONE) & np.isin(rows, waits)
    rank[silent], phase[silent] = _LAST_RANK, _PHASES.index(Phase.UNKNOWN)
    rows, rank, phase = rows[phase >= 0], rank[phase >= 0], phase[phase >= 0]
    start, end, place = own_time = without_waiting(profile, rows, innermost(profile, rows, rank))
    since, until, waited_for = once(own_time, _rank_among_threads(profile, rows, rank, phase)[place])
    exposed = sums_by(phase[waited_for], len(_PHASES), time.exposed(since, until)) / max(1, time.steps)
    beside = sums_by(phase[place], len(_PHASES), time.beside(start, end)) / max(1, time.steps)
    beside[_PHASES.index(Phase.UPSTREAM)] = 0
    longest = {each: _longest(profile, rows[phase == place]) for place, each in enumerate(_PHASES)}
    longest[Phase.OWN_CODE] = _busiest(profile, functions, time, longest[Phase.OWN_CODE])
    return tuple(
        PhaseTime(each, float(exposed[place]), float(beside[place]), longest[each])
        for place, each in enumerate(_PHASES)
        if exposed[place] + beside[place] > 0
    )


def _own_code(profile: Profile, rows: Int64) -> NDArray[np.bool_]:
    """Whether each row is a recorded Python function of whoever wrote the dataset, or of a library that it calls."""
    spans, rules = profile.spans, profile.name_rules
    python = spans.kind[rows] == SpanKind.PYTHON
    names: list[int] = np.unique(spans.name[rows[python]]).tolist()
    aside = [
        name
        for name in names
        if any(rules.fits(role, profile.names[name]) for role in (NameRole.LOADER_CODE, NameRole.PROFILER, NameRole.ASLEEP))
    ]
    return python & ~np.isin(spans.name[rows], aside)


def _busiest(profile: Profile, functions: Int64, time: InputTime, otherwise: int) -> int:
    """The longest call of the function that has most of the step's wait to itself, so that it can be named."""
    start, end, place = innermost(profile, functions)
    own = time.exposed(start, end)
    if not len(own) or not int(own.sum()):
        return otherwise
    name = profile.spans.name[functions]
    most = int(np.argmax(np.bincount(name[place], own)))
    return _longest(profile, functions[name == most])


def _rank_among_threads(profile: Profile, rows: Int64, rank: Int8, phase: Int32) -> Int8:
    """Who is waited for when several threads work: operations, then the stage farthest from the consumer; waiting comes last."""
    names = dense_codes(profile.spans.name[rows].astype(np.int64), len(profile.names))
    depth = np.array([depth_of(profile, int(name)) for name in profile.spans.name[rows][names.firsts()]], np.int8)[names.code]
    found = np.where(rank < _STAGE_RANK, rank, rank + DEEPEST)
    found = np.where((rank == _STAGE_RANK) & (depth > 0), _STAGE_RANK + DEEPEST - depth, found)
    found = np.where(phase == _PHASES.index(Phase.UPSTREAM), _LAST_RANK + DEEPEST + 1, found)
    return np.where(phase == _PHASES.index(Phase.UNKNOWN), _LAST_RANK + DEEPEST + 2, found).astype(np.int8)


def _told_by_names(profile: Profile, rows: Int64) -> tuple[Int8, Int32]:
    """Rank and phase of each row; NONE for a name that tells nothing."""
    names = profile.spans.name[rows]
    groups = dense_codes(names.astype(np.int64), len(profile.names))
    of_name = np.array([_told_by(profile, int(name)) for name in names[groups.firsts()]], np.int32).reshape(-1, 2)
    return of_name[groups.code, 0].astype(np.int8), of_name[groups.code, 1]


def _told_by(profile: Profile, place: int) -> tuple[int, int]:
    """By the user's list, else by the name itself."""
    if (listed := profile.listed_phases.get(place)) is not None:
        return 0, _PHASES.index(Phase(listed))
    found = profile.name_rules.input_phase(profile.names[place])
    return (NONE, NONE) if found is None else (found[0], _PHASES.index(Phase(found[1])))


def _inside(profile: Profile, waits: Int64) -> list[Int64]:
    """The waits, and by track every row that lies wholly in one of them."""
    spans = profile.spans
    found = [waits]
    for place in np.unique(spans.track[waits]):
        track = profile.tracks[int(place)]
        mine = waits[spans.track[waits] == place]
        reach = np.maximum.accumulate(spans.end[mine])
        rows = np.arange(track.first_row, track.last_row, dtype=np.int64)
        around = np.searchsorted(spans.start[mine], spans.start[rows], side="right") - 1
        found.append(rows[(around >= 0) & (spans.end[rows] <= reach[np.maximum(around, 0)])])
    return found


def _of_input_threads(profile: Profile) -> Int64:
    return rows_of(track for track in profile.tracks if track.purpose == TrackPurpose.INPUT)


def _longest(profile: Profile, rows: Int64) -> int:
    if not len(rows):
        return NONE
    return int(rows[int(np.argmax(profile.spans.end[rows] - profile.spans.start[rows]))])
