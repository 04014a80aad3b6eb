"""Sets of instants as sorted, disjoint intervals: union, difference, and how much of them lies between bounds."""

from __future__ import annotations

import numpy as np

from stepscope.model.profile import Int64

Intervals = tuple[Int64, Int64]


def union(start: Int64, end: Int64) -> Intervals:
    """Intervals of any order and overlap as disjoint ones; empty ones vanish."""
    there = end > start
    start, end = start[there], end[there]
    if not len(start):
        return start, end
    order = np.argsort(start, kind="stable")
    start, reach = start[order], np.maximum.accumulate(end[order])
    fresh = np.concatenate([[True], start[1:] > reach[:-1]])
    last = np.concatenate([np.flatnonzero(fresh)[1:] - 1, [len(start) - 1]])
    return start[fresh], reach[last]


def minus(these: Intervals, others: Intervals) -> Intervals:
    """What lies in the first and not in the second; both disjoint and sorted."""
    start, end = these
    if not len(start) or not len(others[0]):
        return these
    edges = np.concatenate([start, others[1]])
    until = np.concatenate([end, others[0]])
    edges, until = np.sort(edges), np.sort(until)
    # Each piece begins where one of these begins or another ends, and lasts until the next of the opposite kind.
    place = np.searchsorted(until, edges, side="right")
    kept = place < len(until)
    edges, until = edges[kept], until[place[kept]]
    inside = np.searchsorted(start, edges, side="right") - 1
    good = (inside >= 0) & (edges < end[np.maximum(inside, 0)])
    taken = np.searchsorted(others[0], edges, side="right") - 1
    good &= (taken < 0) | (edges >= others[1][np.maximum(taken, 0)])
    return union(edges[good], until[good])


def lengths_between(these: Intervals, bounds: Int64) -> Int64:
    """Nanoseconds of the set in each [bounds[i], bounds[i + 1])."""
    return np.diff(_length_before(these, bounds))


def lengths_inside(these: Intervals, start: Int64, end: Int64) -> Int64:
    """Nanoseconds of the set in each [start[i], end[i]), which may come in any order and overlap."""
    return _length_before(these, end) - _length_before(these, start)


def _length_before(these: Intervals, time: Int64) -> Int64:
    start, end = these
    if not len(start):
        return np.zeros(len(time), np.int64)
    whole = np.concatenate([[0], np.cumsum(end - start)])
    begun = np.searchsorted(start, time, side="right")
    last = np.maximum(begun - 1, 0)
    return whole[begun] - np.where(begun > 0, np.maximum(end[last] - time, 0), 0)
