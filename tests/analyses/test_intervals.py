"""Sets of instants behave like sets, compared with sets of whole numbers."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stepscope.analyses.intervals import Intervals, common, lengths_between, lengths_inside, minus, union

PAIRS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8)), max_size=8)


def intervals(pairs: list[tuple[int, int]]) -> Intervals:
    return union(np.array([start for start, _ in pairs], np.int64), np.array([start + length for start, length in pairs], np.int64))


def instants(of: Intervals) -> set[int]:
    return {at for start, end in zip(of[0].tolist(), of[1].tolist(), strict=True) for at in range(start, end)}


def plain(pairs: list[tuple[int, int]]) -> set[int]:
    return {at for start, length in pairs for at in range(start, start + length)}


def is_normal(of: Intervals) -> bool:
    return bool((of[0] < of[1]).all()) and bool((of[0][1:] > of[1][:-1]).all())


@given(PAIRS)
def test_a_union_holds_what_any_interval_holds(pairs: list[tuple[int, int]]) -> None:
    found = intervals(pairs)
    assert instants(found) == plain(pairs)
    assert is_normal(found)


@given(PAIRS, PAIRS)
def test_a_difference_holds_what_only_the_first_holds(these: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
    found = minus(intervals(these), intervals(others))
    assert instants(found) == plain(these) - plain(others)
    assert is_normal(found)


@given(PAIRS, PAIRS)
def test_an_intersection_holds_what_both_hold(these: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
    found = common(intervals(these), intervals(others))
    assert instants(found) == plain(these) & plain(others)


@given(PAIRS, st.lists(st.integers(-5, 45), max_size=6).map(sorted))
def test_the_length_between_bounds(pairs: list[tuple[int, int]], bounds: list[int]) -> None:
    found = lengths_between(intervals(pairs), np.array(bounds, np.int64)).tolist()
    assert found == [len(plain(pairs) & set(range(start, end))) for start, end in itertools.pairwise(bounds)]


@given(PAIRS, PAIRS)
def test_the_length_inside_each_of_many(pairs: list[tuple[int, int]], others: list[tuple[int, int]]) -> None:
    start = np.array([start for start, _ in others], np.int64)
    end = np.array([start + length for start, length in others], np.int64)
    found = lengths_inside(intervals(pairs), start, end).tolist()
    assert found == [len(plain(pairs) & set(range(since, since + length))) for since, length in others]
