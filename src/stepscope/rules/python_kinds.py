"""What the Python of a step is: it sleeps, loads data, calls operations one after another, or works on its own."""

from __future__ import annotations

import re
from enum import Enum

import numpy as np

from stepscope.model.profile import NONE, Int64, Profile, SpanKind
from stepscope.rules.facts import Bool, Facts

_SLEEPS = re.compile(r"^<built-in (?:function|method) sleep\b|^\$time sleep$|\btime\.sleep\b")
_PROFILER = re.compile(
    r"^torch/(?:profiler/|autograd/profiler|_C/_profiler)|record_function|RecordFunction|(?:dis|en)able_profiler"
    r"|^\$(?:profiler|profiler_v2)\.py:\d+ |\bTraceMe\b|TraceAnnotation"
)
"""Frames that are there because somebody records: a step has none of them otherwise."""
_WHAT = r"_(?:data|batch(?:es)?|samples?|items?|inputs?|images?)"
_LOADS = re.compile(
    rf"(?:^|[ :._])_*(?:(?:load|fetch)(?:{_WHAT})?|(?:read|next|get|make|prepare|generate){_WHAT}"
    r"|collate(?:_fn)?|__getitem__|__next__)$"
)
_AROUND_OPERATIONS = re.compile(
    r"^nn\.Module: |^torch/(?!utils/data|multiprocessing|distributed/(?:run|launch|elastic))"
    r"|^\$(?:pjit|api|core|array|partial_eval|traceback_util|polymorphic_function|tracing_compilation|concrete_function|atomic_function"
    r"|context|execute|traceback_utils|dispatch)\.py:\d+ "
)
"""What frameworks do in Python before an operation of theirs begins."""
_IN_A_LAYER = re.compile(r"^nn\.Module: |^torch/(?:nn/modules|optim|autograd)/")
_BUILT_IN = re.compile(r"^<built-in |^\$builtins ")
_DEEPEST = 200


class PythonKind(Enum):
    """What has most of the time, because each needs another change."""

    SLEEPS = "sleeps"
    LOADS = "loads"
    CALLS = "calls"  # of operations and layers: Python that every one of them costs
    WORKS = "works"


def without_profiler(profile: Profile, rows: Int64) -> Int64:
    """Rows of Python that would also be there without a recording."""
    return rows[~_Named(profile, _PROFILER).of(rows)]


def by_kind(profile: Profile, rows: Int64) -> dict[PythonKind, Int64]:
    """The rows by what they are; a built-in function is what the function is that calls it."""
    sleeps, caller, loading = _Named(profile, _SLEEPS).of(rows), _callers(profile, rows), _Named(profile, _LOADS)
    loads = ~sleeps & (loading.of(caller) | loading.above(caller))
    calls = ~sleeps & ~loads & (_Named(profile, _AROUND_OPERATIONS).of(caller) | _Named(profile, _IN_A_LAYER).above(caller))
    return {
        PythonKind.SLEEPS: rows[sleeps],
        PythonKind.LOADS: rows[loads],
        PythonKind.CALLS: rows[calls],
        PythonKind.WORKS: rows[~(sleeps | loads | calls)],
    }


def most_of(facts: Facts, kinds: dict[PythonKind, Int64]) -> PythonKind:
    """The kind with most time that nothing hides."""
    return max(kinds, key=lambda kind: float(facts.breakdown.exposed[kinds[kind]].sum()))


def caller_of(profile: Profile, row: int) -> int:
    """The first function above a span that is not built in, NONE when none was recorded."""
    above = int(profile.spans.parent[row])
    found = NONE if above == NONE else int(_callers(profile, np.array([above], np.int64))[0])
    return found if found != NONE and profile.spans.kind[found] == SpanKind.PYTHON else NONE


def loads_data(profile: Profile, row: int) -> bool:
    """Whether the name of a function says that it loads data."""
    return row != NONE and _LOADS.search(profile.names[int(profile.spans.name[row])]) is not None


def _callers(profile: Profile, rows: Int64) -> Int64:
    """For every row itself, or the first above it that is no built-in function."""
    found, built_in = rows.copy(), _Named(profile, _BUILT_IN)
    for _ in range(_DEEPEST):
        above = profile.spans.parent[found]
        climbs = built_in.of(found) & (above != NONE)
        if not climbs.any():
            break
        found[climbs] = above[climbs]
    return found


class _Named:
    """Spans whose name holds a pattern; every name is asked once, when a span has it."""

    def __init__(self, profile: Profile, pattern: re.Pattern[str]) -> None:
        self._profile = profile
        self._pattern = pattern
        self._asked = np.zeros(len(profile.names) + 1, bool)
        self._holds = np.zeros(len(profile.names) + 1, bool)

    def of(self, rows: Int64) -> Bool:
        """For every row whether it is one."""
        names = self._profile.spans.name[rows]
        for name in map(int, np.unique(names[~self._asked[names]])):
            self._holds[name] = self._pattern.search(self._profile.names[name]) is not None
            self._asked[name] = True
        return self._holds[names]

    def above(self, rows: Int64) -> Bool:
        """For every row whether any span above it is one."""
        found, place = np.zeros(len(rows), bool), self._profile.spans.parent[rows].astype(np.int64)
        for _ in range(_DEEPEST):
            left = np.flatnonzero(~found & (place != NONE))
            if not len(left):
                break
            found[left] = self.of(place[left])
            place[left] = self._profile.spans.parent[place[left]]
        return found
