"""Pairs allocations with their releases: by address, or, in files without addresses, by what they have in common, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from stepscope.model.profile import NONE, Int64

Column: TypeAlias = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Lives:
    """Each stretch in which bytes were held; those that events began come first, in their order, then those held before."""

    bytes: Int64
    first: Int64  # the event that began it, NONE when it was held before the first event
    last: Int64  # the event that ended it, the number of events when nothing did
    lost: int  # how many ended without a record, known because their address was handed out again

    def __len__(self) -> int:
        return len(self.bytes)


def pair_by_address(address: Int64, change: Int64) -> Lives:
    """A release ends the allocation before it at its address; an address that is handed out again was released without a record."""
    return _paired([address], change)


def pair_by_likeness(likeness: Sequence[Column], change: Int64) -> Lives:
    """A release ends the newest open allocation of as many bytes that is alike in all columns."""
    columns = [*likeness, np.abs(change)]
    order = np.lexsort((np.arange(len(change)), *reversed(columns)))
    step = np.sign(change)[order]
    after = np.cumsum(step)
    starts = np.flatnonzero(_new_group(columns, order))
    before = np.append(after[starts] - step[starts], 0)
    after -= before[np.cumsum(_new_group(columns, order)) - 1]
    # Open allocations of one likeness are a pile: a release belongs to the allocation that made the pile as high as it found it.
    height = np.empty(len(change), np.int64)
    height[order] = np.where(step > 0, after, after + 1)
    return _paired([*columns, height], change)


def _paired(columns: Sequence[Column], change: Int64) -> Lives:
    """Lives of events of which those alike follow each other in time: begun, ended, begun, …"""
    count = len(change)
    order = np.lexsort((np.arange(count), *reversed(columns)))
    begins = change[order] > 0
    first_alike = _new_group(columns, order)
    next_alike = np.append(~first_alike[1:], False)
    follower = np.append(order[1:], count) if count else np.zeros(0, np.int64)
    ends_at = np.full(count, count, np.int64)
    ends_at[order[begins & next_alike]] = follower[begins & next_alike]
    follows_begin = np.concatenate([[False], begins[:-1]]) & ~first_alike if count else np.zeros(0, bool)
    unmatched = np.sort(order[~begins & ~follows_begin])
    begun = np.flatnonzero(change > 0)
    last = ends_at[begun]
    return Lives(
        bytes=np.concatenate([change[begun], -change[unmatched]]),
        first=np.concatenate([begun, np.full(len(unmatched), NONE)]).astype(np.int64),
        last=np.concatenate([last, unmatched]).astype(np.int64),
        lost=int((change[last[last < count]] > 0).sum()),
    )


def _new_group(columns: Sequence[Column], order: Int64) -> NDArray[np.bool_]:
    """Whether each place of the order differs from the one before in any column."""
    differs = np.zeros(len(order), bool)
    differs[:1] = True
    for column in columns:
        differs[1:] |= column[order][1:] != column[order][:-1]
    return differs
