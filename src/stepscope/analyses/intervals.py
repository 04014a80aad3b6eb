"""Sets of instants as sorted, disjoint intervals: union, difference, intersection, and how much of them lies between bounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from stepscope._native import difference_of, lengths_before, union_of, union_of_labels
from stepscope.model.profile import Int8, Int64

Intervals = tuple[Int64, Int64]

_MOST_LABELS = 128  # a label is a small number


def union(start: Int64, end: Int64) -> Intervals:
    """Intervals of any order and overlap as disjoint ones; empty ones vanish."""
    return union_of(_column(start), _column(end))


def union_labelled(columns: Iterable[tuple[Int64, Int64, Int8]], wanted: Sequence[int]) -> Intervals:
    """The union of all intervals with one of the labels; columns are start, end and label, and a negative label counts nowhere."""
    table = np.zeros(_MOST_LABELS, np.uint8)
    table[list(wanted)] = 1
    found = [union_of_labels(_column(start), _column(end), np.ascontiguousarray(label), table) for start, end, label in columns]
    if len(found) == 1:
        return found[0]
    none = np.zeros(0, np.int64)
    return union(np.concatenate([none, *(start for start, _ in found)]), np.concatenate([none, *(end for _, end in found)]))


def minus(these: Intervals, others: Intervals) -> Intervals:
    """What lies in the first and not in the second; both disjoint and sorted."""
    if not len(these[0]) or not len(others[0]):
        return these
    return difference_of(_column(these[0]), _column(these[1]), _column(others[0]), _column(others[1]))


def common(these: Intervals, others: Intervals) -> Intervals:
    """What lies in both; both disjoint and sorted."""
    return minus(these, minus(these, others))


def lengths_between(these: Intervals, bounds: Int64) -> Int64:
    """Nanoseconds of the set in each [bounds[i], bounds[i + 1])."""
    return np.diff(_length_before(these, bounds))


def lengths_inside(these: Intervals, start: Int64, end: Int64) -> Int64:
    """Nanoseconds of the set in each [start[i], end[i]), which may come in any order and overlap."""
    return _length_before(these, end) - _length_before(these, start)


def _length_before(these: Intervals, time: Int64) -> Int64:
    return lengths_before(_column(these[0]), _column(these[1]), _column(time))


def _column(values: Int64) -> Int64:
    """As the core takes it; mostly as it is."""
    return np.ascontiguousarray(values, np.int64)
