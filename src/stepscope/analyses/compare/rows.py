"""What each operation, module or kernel takes in every typical step, under names that two recordings share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.grouping import dense_codes
from stepscope.analyses.rows import rows_of_role
from stepscope.analyses.steps import step_of_spans
from stepscope.analyses.work.module_calls import module_calls
from stepscope.analyses.work.operations import own_times
from stepscope.model.profile import NONE, Float64, Int64, Profile, SpanKind, TrackRole

MOST_ROWS = 2_000
_LASTING = 1.5
MOST_STEPS = 500
"""Of more typical steps an even choice is taken."""
_CALLS = (SpanKind.RUNTIME, SpanKind.SYNC, SpanKind.ALLOC, SpanKind.FRAMEWORK, SpanKind.PYTHON)
_NO_WORK = (SpanKind.MARKER, SpanKind.ANNOTATION, SpanKind.OTHER)
OUTSIDE = "(outside modules)"
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{1,16}")
_LINE = re.compile(r"(\.py)\([0-9]{1,9}\): ")


class CompareBy(StrEnum):
    """What makes one row of a comparison."""

    OP = "op"
    MODULE = "module"
    KERNEL = "kernel"


@dataclass(frozen=True, slots=True)
class RowKey:
    """What a row is of, the same in both recordings."""

    name: str
    on_device: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """One row in each typical step, in nanoseconds and executions."""

    exposed: Float64
    busy: Float64  # own time on the host, all time on devices
    count: Float64
    kind: str


def measured_rows(profile: Profile, breakdown: Breakdown, by: CompareBy) -> dict[RowKey, Measured]:
    """The rows that take most time."""
    spans, steps = profile.spans, breakdown.steps
    rows, on_device = _rows(profile, by)
    places = _even(breakdown.typical)
    if not len(rows):
        return {}
    texts, code = _texts(profile, rows, by)
    pairs = dense_codes(code * 2 + on_device, 2 * len(texts))
    first = pairs.firsts()
    column = np.full(len(steps) + 1, NONE, np.int64)  # the last one is of what is in no step
    column[places] = np.arange(len(places))
    belongs = column[step_of_spans(profile, steps, rows)]
    busy = np.where(on_device, spans.end[rows] - spans.start[rows], own_times(profile)[rows])
    largest = _largest(pairs.float_sums(busy.astype(np.float64)) + pairs.float_sums(breakdown.exposed[rows]))
    shape = (len(largest), len(places))
    line = np.full(pairs.groups, NONE, np.int64)
    line[largest] = np.arange(len(largest))
    kept = line[pairs.code] >= 0

    def per_step(values: Float64, at: Int64) -> Float64:
        here = (at >= 0) & kept
        flat = line[pairs.code[here]] * len(places) + at[here]
        return np.bincount(flat, values[here], shape[0] * shape[1]).astype(np.float64).reshape(shape)

    # What goes on through many steps, such as a loop's own frame, is in each of them alike.
    lasting = spans.end[rows] - spans.start[rows] > _LASTING * breakdown.median_ns
    exposed = per_step(np.where(lasting, 0.0, breakdown.exposed[rows]), belongs)
    through = np.bincount(line[pairs.code[lasting & kept]], breakdown.exposed[rows][lasting & kept], shape[0]).astype(np.float64)
    exposed += through[:, None] / max(1, len(breakdown.typical))
    taken = per_step(busy.astype(np.float64), belongs)
    counts = per_step(np.ones(len(rows)), belongs)
    found: dict[RowKey, Measured] = {}
    for place, group in enumerate(largest.tolist()):
        at = int(first[group])
        key = RowKey(texts[int(code[at])], bool(on_device[at]))
        found[key] = Measured(exposed[place], taken[place], counts[place], SpanKind(int(spans.kind[rows[at]])).name.lower())
    return found


def _rows(profile: Profile, by: CompareBy) -> tuple[Int64, np.ndarray]:
    """Spans that are compared, and which of them ran on a device."""
    kinds = profile.spans.kind
    device = rows_of_role(profile, TrackRole.STREAM)
    if by is CompareBy.KERNEL:
        device = device[kinds[device] == SpanKind.KERNEL]
        return device, np.ones(len(device), bool)
    host = rows_of_role(profile, TrackRole.THREAD)
    host = host[~np.isin(kinds[host], _NO_WORK)]
    return np.concatenate([host, device]), np.repeat([False, True], [len(host), len(device)])


def _texts(profile: Profile, rows: Int64, by: CompareBy) -> tuple[list[str], Int64]:
    """Distinct texts, and the place of each row's among them."""
    spans = profile.spans
    op = spans.op[rows].astype(np.int64)
    calls = module_calls(profile) if by is CompareBy.MODULE else None
    if calls is not None:
        return _distinct(["/".join(path) for path in calls.paths] + [OUTSIDE], calls.module[rows])
    if by is CompareBy.MODULE:
        return _distinct([each.scope or OUTSIDE for each in profile.ops] + [OUTSIDE], op)
    own_name = len(profile.ops) + spans.name[rows].astype(np.int64)
    unnamed = np.array([not each.name for each in profile.ops] + [True], bool)
    goes_by_itself = np.isin(spans.kind[rows], _CALLS) | (by is CompareBy.KERNEL) | unnamed[op]
    return _distinct([*(each.name for each in profile.ops), *profile.names], np.where(goes_by_itself, own_name, op))


def lasting_name(name: str) -> str:
    """A name without what changes from run to run: addresses of objects, and lines of functions, which move with every edit."""
    if " at 0x" in name:
        name = _ADDRESS.sub("", name)
    return _LINE.sub(r"\1: ", name, count=1) if ".py(" in name else name


def _distinct(texts: list[str], code: Int64) -> tuple[list[str], Int64]:
    """Equal texts are one; NONE is the last."""
    place: dict[str, int] = {}
    same = np.array([place.setdefault(lasting_name(text), len(place)) for text in texts], np.int64)
    return list(place), same[code]


def _largest(amounts: Float64) -> Int64:
    return np.sort(np.argsort(-amounts, kind="stable")[:MOST_ROWS])


def _even(places: tuple[int, ...]) -> list[int]:
    if len(places) <= MOST_STEPS:
        return list(places)
    return [places[at] for at in np.linspace(0, len(places) - 1, MOST_STEPS).astype(int).tolist()]
