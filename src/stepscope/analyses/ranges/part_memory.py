"""The allocations of a part of a recording: those made in it, and those from before that are still held when it begins."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from stepscope.analyses.memory.lives import pair_by_address
from stepscope.analyses.memory.owners import owner_rows
from stepscope.model.profile import NONE, Allocations, Int32, Int64, Profile


def allocations_of_part(profile: Profile, begin: int, end: int, new: Int32) -> Allocations:
    """`new` has the part's row of every span. What is held before comes first, as if made just before the part, under its own name."""
    table = profile.allocations
    inside = _taken(table, np.flatnonzero((table.time >= begin) & (table.time < end)))
    inside = replace(inside, row=new[inside.row])
    held = [_held(profile, places, begin) for places in _memories(table)]
    before = [each for each in held if each is not None and len(each.time)]
    return inside if not before else _joined([*before, inside])


def _memories(table: Allocations) -> list[Int64]:
    """The events of each memory and allocator that the recording changes."""
    if not len(table.time):
        return []
    pairs = np.column_stack([table.device, table.allocator])
    _, group = np.unique(pairs, axis=0, return_inverse=True)
    group = group.reshape(-1)
    return [np.flatnonzero((group == each) & (table.bytes != 0)) for each in range(int(group.max()) + 1)]


def _held(profile: Profile, places: Int64, begin: int) -> Allocations | None:
    """Allocations made before and released later or never; None where the file has no addresses to tell them by."""
    table = profile.allocations
    earlier = int(np.searchsorted(table.time[places], begin, side="left"))
    if not earlier or bool((table.address[places] == NONE).any()):
        return None
    lives = pair_by_address(table.address[places], table.bytes[places])
    alive = (lives.first != NONE) & (lives.first < earlier) & (lives.last >= earlier)
    rows = places[np.sort(lives.first[alive])]
    found = _taken(table, rows)
    owner = owner_rows(profile, found.row)
    names = np.where(owner >= 0, profile.spans.name[np.maximum(owner, 0)], NONE) if len(profile.spans) else np.full(len(rows), NONE)
    last = int(places[earlier - 1])
    level = int(table.allocated[last])
    # The level rises to what it is when the part begins; what was held before the recording stays below it.
    later = np.append(np.cumsum(found.bytes[::-1])[::-1][1:], 0)
    return replace(
        found,
        time=np.full(len(rows), begin - 1, np.int64),
        row=np.full(len(rows), NONE, np.int32),
        allocated=np.full(len(rows), NONE, np.int64) if level == NONE else level - later,
        reserved=np.full(len(rows), table.reserved[last], np.int64),
        op=np.where(found.op >= 0, found.op, names).astype(np.int32),
    )


def _taken(table: Allocations, places: Int64) -> Allocations:
    return replace(table, **{column.name: getattr(table, column.name)[places] for column in fields(table)})


def _joined(tables: list[Allocations]) -> Allocations:
    return Allocations(
        **{column.name: np.concatenate([getattr(each, column.name) for each in tables]) for column in fields(Allocations)}
    )
