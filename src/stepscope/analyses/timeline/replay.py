"""A replay with changes as the trace draws it: one row for the host and one for each stream, beside when everything was recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from stepscope import _native
from stepscope.analyses.what_if.replay import Replayed
from stepscope.model.profile import Float64, Int8, Int64

HOST = -1
"""Track of the threads that control the steps, which a replay has as one."""


@dataclass(frozen=True, slots=True)
class ReplayedItems:
    """Everything that a replay moves, by track and new start. Times in nanoseconds of the profile."""

    track: Int64  # HOST, or the number of a stream's track
    row: Int64  # of the span, or of the span that owns a stretch of the host
    label: Int8  # class of time
    start: Int64
    end: Int64
    recorded_start: Int64
    recorded_end: Int64


@dataclass(frozen=True, slots=True)
class ReplayEntry:
    """Items in one column of the picture, or one item that is wider: the longest of them, and how many they are."""

    item: int
    start: int
    end: int
    count: int


def replayed_items(times: Replayed, shift: float) -> ReplayedItems:
    """All items, moved by `shift` so that a chosen step begins where it was recorded."""
    rank, spans = times.rank, times.rank.profile.spans
    host = rank.host
    row = np.concatenate([host.row[times.host].astype(np.int64), rank.ops])
    track = np.concatenate([np.full(len(times.host), HOST, np.int64), spans.track[rank.ops].astype(np.int64)])
    label = np.concatenate([host.label[times.host], rank.breakdown.classified.label[rank.ops]]).astype(np.int8)
    start = _whole(np.concatenate([times.host_start, times.op_start]) + shift)
    end = np.maximum(start, _whole(np.concatenate([times.host_end, times.op_end]) + shift))
    recorded = (
        np.concatenate([host.start[times.host], spans.start[rank.ops]]),
        np.concatenate([host.end[times.host], spans.end[rank.ops]]),
    )
    order = np.lexsort((start, track))
    return ReplayedItems(track[order], row[order], label[order], start[order], end[order], recorded[0][order], recorded[1][order])


def tracks_of(items: ReplayedItems) -> list[int]:
    """The tracks that there is something on, the host first."""
    return np.unique(items.track).tolist()


def entries_in(
    items: ReplayedItems, tracks: Sequence[int], window: tuple[int, int], columns: int, most: int
) -> list[list[ReplayEntry]]:
    """Of each track what a picture of some columns needs, reduced as the spans of the trace are."""
    first, last = (np.searchsorted(items.track, tracks, side=side) for side in ("left", "right"))
    depth = np.zeros(len(items.start), np.int16)
    start, end, row, count, _, bounds, _, _ = _native.tile_of(
        items.start, items.end, depth, first.astype(np.int64), last.astype(np.int64), *window, columns, 1, most
    )
    rows = list(zip(row.tolist(), start.tolist(), end.tolist(), count.tolist(), strict=True))
    return [[ReplayEntry(*each) for each in rows[begin:until]] for begin, until in pairwise(bounds.tolist())]


def _whole(times: Float64) -> Int64:
    return np.rint(times).astype(np.int64)
