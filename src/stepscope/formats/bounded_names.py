"""Bounds the distinct names of a profile for the analyses: those with most time stay, the others become one; no span is lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stepscope.model.profile import NONE, Float64, Int32, Note, Operation, Profile
from stepscope.model.span_names import OTHER_NAMES

MOST_NAMES = 50_000
"""Of spans, and as many operations and shapes: analyses look at each, and what is beyond has next to no time each."""

_OTHER_OPERATIONS = Operation(OTHER_NAMES, "", "", "", "", "", float("nan"), float("nan"), None)


def with_bounded_names(profile: Profile, most: int = MOST_NAMES) -> Profile:
    """The profile itself where it has no more names; else with one name and one operation for those with the least time."""
    if len(profile.names) <= most and len(profile.ops) <= most:
        return profile
    spans = profile.spans
    length = (spans.end - spans.start).astype(np.float64)
    names, name = profile.names, spans.name
    if (kept := _with_most(name, length, len(names), most)) is not None:
        names = [*names, OTHER_NAMES]
        name = np.where(kept[name], name, np.int32(len(names) - 1))
    ops, op = profile.ops, spans.op
    if (kept := _with_most(op, length, len(ops), most)) is not None:
        ops = [*(each for each, stays in zip(ops, kept.tolist(), strict=True) if stays), _OTHER_OPERATIONS]
        number = np.where(kept, np.cumsum(kept, dtype=np.int32) - 1, np.int32(len(ops) - 1)).astype(np.int32)
        op = np.where(op >= 0, number[op], np.int32(NONE))
    notes = list(profile.notes)
    if names is not profile.names:
        notes.append(_note("names", np.array([text == OTHER_NAMES for text in names])[name], length, most))
    elif ops is not profile.ops:
        notes.append(_note("operations", np.array([*(each.name == OTHER_NAMES for each in ops), False])[op], length, most))
    kept = _with_most(spans.shape, np.ones(len(spans)), len(names), most)
    shape = spans.shape if kept is None else np.where(np.append(kept, False)[spans.shape], spans.shape, np.int32(NONE))
    return _renumbered(replace(profile, names=names, ops=ops, spans=replace(spans, name=name, op=op, shape=shape), notes=notes))


def _with_most(column: Int32, weight: Float64, count: int, most: int) -> NDArray[np.bool_] | None:
    """Which of the numbers stay: those with the most weight, of equal ones the first. None when there are not too many."""
    there = column >= 0
    used = np.flatnonzero(np.bincount(column[there], minlength=count))
    if len(used) <= most:
        return None
    sums = np.bincount(column[there], weight[there], count)
    kept = np.zeros(count, bool)
    kept[used[np.argsort(-sums[used], kind="stable")[:most]]] = True
    return kept


def _note(what: str, folded: NDArray[np.bool_], length: Float64, most: int) -> Note:
    """One is enough: most operations go by the name of their spans."""
    share = float(length[folded].sum()) / max(1.0, float(length.sum()))
    text = (
        f"The profile has more than {most:,} distinct {what}. Those with the least time, {share:.0%} of the time of all spans,"
        f' are shown as "{OTHER_NAMES}" and count in all sums.'
    )
    return Note("warning", "too_many_names", text)


def _renumbered(profile: Profile) -> Profile:
    """Without the names that nothing uses any more; equal names become one."""
    spans, collectives, allocations, aggregates = profile.spans, profile.collectives, profile.allocations, profile.aggregates
    used = np.zeros(len(profile.names) + 1, bool)  # the last is for NONE
    for column in (
        spans.name, spans.shape, collectives.name, collectives.group, collectives.dtype, allocations.allocator, allocations.op,
        allocations.shape, allocations.dtype, aggregates.name,
    ):  # fmt: skip
        used[column] = True
    used[list(profile.listed_phases)] = True
    numbers = np.full(len(used), NONE, np.int32)
    place: dict[str, int] = {}
    for old in np.flatnonzero(used[:-1]).tolist():
        numbers[old] = place.setdefault(profile.names[old], len(place))
    return replace(
        profile,
        names=list(place),
        spans=replace(spans, name=numbers[spans.name], shape=numbers[spans.shape]),
        collectives=replace(
            collectives, name=numbers[collectives.name], group=numbers[collectives.group], dtype=numbers[collectives.dtype]
        ),
        allocations=replace(
            allocations,
            allocator=numbers[allocations.allocator],
            op=numbers[allocations.op],
            shape=numbers[allocations.shape],
            dtype=numbers[allocations.dtype],
        ),
        aggregates=replace(aggregates, name=numbers[aggregates.name]),
        listed_phases={int(numbers[name]): phase for name, phase in profile.listed_phases.items()},
    )
