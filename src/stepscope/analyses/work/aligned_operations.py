"""The same code recorded twice, run eagerly and compiled, side by side: operations of the same name, and their time in each."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from stepscope._native import self_times
from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.rows import are_named, rows_of_role
from stepscope.model.profile import NONE, Int64, Profile, SpanKind, TrackRole
from stepscope.model.span_names import NameRole

_COUNTED = re.compile(r"(?:[._]\d+)+$")
_PREFIXES = ("aten::", "prims::", "_Fused", "_Mkl", "_")


@dataclass(frozen=True, slots=True)
class Side:
    """One operation in one recording, in a typical step."""

    calls: float
    ns: float  # without what runs inside it on its thread


@dataclass(frozen=True, slots=True)
class Aligned:
    """An operation in both recordings; None where one has none of it."""

    name: str
    first: Side | None
    second: Side | None

    @property
    def difference_ns(self) -> float:
        """How much more the second takes."""
        return (self.second.ns if self.second else 0.0) - (self.first.ns if self.first else 0.0)


def align(first: tuple[Profile, Breakdown], second: tuple[Profile, Breakdown]) -> tuple[Aligned, ...]:
    """Operations by name, those that differ most first."""
    ours, theirs = _operations(*first), _operations(*second)
    found = [Aligned(name, ours.get(name), theirs.get(name)) for name in {**ours, **theirs}]
    return tuple(sorted(found, key=lambda one: (-abs(one.difference_ns), one.name)))


def _operations(profile: Profile, breakdown: Breakdown) -> dict[str, Side]:
    """Operations that began in typical steps; without a device a single operation that TensorFlow runs counts with its call."""
    spans, steps = profile.spans, breakdown.steps
    place = np.searchsorted(steps.bounds, spans.start, side="right") - 1
    typical = np.zeros(len(steps) + 1, bool)
    typical[list(breakdown.typical)] = True
    rows = rows_of_role(profile, TrackRole.THREAD)
    operations = (spans.kind[rows] == SpanKind.OP) & ~are_named(profile, rows, NameRole.EAGER_KERNEL)
    rows = rows[operations | are_named(profile, rows, NameRole.EAGER_OPERATION)]
    rows = rows[(place[rows] >= 0) & typical[place[rows]]]
    own = _self_ns(profile, rows)
    code = np.where(spans.op[rows] >= 0, spans.op[rows].astype(np.int64), len(profile.ops) + spans.name[rows].astype(np.int64))
    codes, first, place = np.unique(code, return_index=True, return_inverse=True)
    calls, sums = np.bincount(place, minlength=len(codes)), np.bincount(place, own, len(codes))
    total: dict[str, tuple[float, float]] = {}
    for one, row in enumerate(rows[first].tolist()):
        name = _key(profile, row)
        before = total.get(name, (0.0, 0.0))
        total[name] = (before[0] + float(calls[one]), before[1] + float(sums[one]))
    count = max(1, len(breakdown.typical))
    return {name: Side(times / count, ns / count) for name, (times, ns) in total.items()}


def _self_ns(profile: Profile, rows: Int64) -> Int64:
    """Of operations inside one another the time is the inner one's."""
    label = np.full(len(profile.spans), NONE, np.int8)
    label[rows] = 0
    first = np.array([track.first_row for track in profile.tracks], np.int64)
    last = np.array([track.last_row for track in profile.tracks], np.int64)
    return self_times(profile.spans.start, profile.spans.end, label, first, last)[rows]


def _key(profile: Profile, row: int) -> str:
    """What both recordings call an operation: its type, without marks of who runs it and without numbers."""
    number = int(profile.spans.op[row])
    name = profile.ops[number].type or profile.ops[number].name if number != NONE else profile.names[int(profile.spans.name[row])]
    if alone := profile.name_rules.carried(NameRole.EAGER_OPERATION, name):
        (name,) = alone
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return _COUNTED.sub("", name) or name
