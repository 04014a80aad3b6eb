"""Sets of instants, owners of gaps and groups of rows, as the core finds them, agree with their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepscope._native import (
    dense_codes,
    difference_of,
    group_distinct,
    group_firsts,
    group_largest,
    group_sums,
    lengths_before,
    names_of_kinds,
    union_of,
    union_of_labels,
)

END = 24
NOTHING = np.zeros(0, np.int64)

Interval = tuple[int, int]
interval = st.tuples(st.integers(0, END - 1), st.integers(0, 6)).map(lambda drawn: (drawn[0], drawn[0] + drawn[1]))
labelled = st.lists(st.tuples(interval, st.integers(-1, 3)), max_size=10)


def column(values: list[int]) -> np.ndarray:
    return np.array(values, np.int64)


def columns(intervals: list[Interval]) -> tuple[np.ndarray, np.ndarray]:
    return column([start for start, _ in intervals]), column([end for _, end in intervals])


def disjoint(intervals: list[Interval]) -> list[Interval]:
    """Those that begin no earlier than all before them have ended, in time order; empty and touching ones stay."""
    found: list[Interval] = []
    for start, end in sorted(intervals):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


def instants(intervals: list[Interval]) -> set[int]:
    return {at for start, end in intervals for at in range(start, end)}


def painted(found: tuple[np.ndarray, np.ndarray]) -> set[int]:
    """The instants of a set, which must be in its normal form."""
    start, end = found
    assert (start < end).all()
    assert (start[1:] > end[:-1]).all()
    return instants(list(zip(start.tolist(), end.tolist(), strict=True)))


@given(labelled, st.sets(st.integers(0, 3)))
def test_a_union_of_labels_holds_what_is_wanted(given_: list[tuple[Interval, int]], wanted: set[int]) -> None:
    label = np.array([each for _, each in given_], np.int8)
    table = np.array([each in wanted for each in range(4)], np.uint8)
    found = union_of_labels(*columns([each for each, _ in given_]), label, table)
    assert painted(found) == instants([each for each, of in given_ if of in wanted])


def test_a_union_of_many_runs_is_that_of_sorted_intervals() -> None:
    random = np.random.default_rng(3)
    start = random.integers(0, 10**6, 20_000)
    end = start + random.integers(0, 60, len(start))
    order = np.argsort(start, kind="stable")
    by_start = union_of(start[order], end[order])
    tracks = np.argsort(random.integers(0, 7, len(start)) * 10**7 + start, kind="stable")
    for given_ in (np.arange(len(start)), order[::-1], tracks):
        found = union_of(start[given_], end[given_])
        assert np.array_equal(found[0], by_start[0])
        assert np.array_equal(found[1], by_start[1])
    assert 1000 < len(by_start[0]) < len(start), "intervals neither all merge nor none does"


@given(st.lists(interval, max_size=10).map(disjoint), st.lists(interval, max_size=10).map(disjoint))
def test_a_difference_of_sets_with_empty_and_touching_intervals(these: list[Interval], others: list[Interval]) -> None:
    assert painted(difference_of(*columns(these), *columns(others))) == instants(these) - instants(others)


@given(st.lists(interval, max_size=10).map(disjoint), st.lists(st.integers(-3, END + 9), max_size=12))
def test_the_length_before_times_of_any_order(these: list[Interval], times: list[int]) -> None:
    found = lengths_before(*columns(these), column(times)).tolist()
    assert found == [sum(at < time for at in instants(these)) for time in times]


@given(st.lists(st.integers(0, 30), max_size=12))
def test_dense_codes_number_what_is_there_in_its_order(codes: list[int]) -> None:
    number, groups = dense_codes(column(codes), 31)
    there = sorted(set(codes))
    assert groups == len(there)
    assert number.tolist() == [there.index(code) for code in codes]


def test_sums_and_first_rows_of_groups() -> None:
    group = np.array([2, 0, 2, 0, 4], np.int32)
    value = np.array([0.1, 1.0, 0.2, 2.0, 5.0])
    assert group_sums(group, value, 6).tolist() == [3.0, 0.0, 0.1 + 0.2, 0.0, 5.0, 0.0]
    assert group_firsts(group, 6).tolist() == [1, -1, 0, -1, 4, -1]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-3, 3)), max_size=12), st.booleans())
def test_the_largest_and_the_different_values_of_groups(pairs: list[tuple[int, int]], rising: bool) -> None:
    pairs = sorted(pairs, key=lambda pair: pair[1]) if rising else pairs
    columns_ = np.array([group for group, _ in pairs], np.int32), column([value for _, value in pairs])
    places = [[place for place, (group, _) in enumerate(pairs) if group == each] for each in range(4)]
    largest = [max(mine, key=lambda place: (pairs[place][1], place), default=-1) for mine in places]
    assert group_largest(*columns_, 4).tolist() == largest
    assert group_distinct(*columns_, 4).tolist() == [len({pairs[place][1] for place in mine}) for mine in places]


def test_names_of_kinds_are_those_of_the_rows_asked_for() -> None:
    kind = np.array([0, 1, 1, 0, 1], np.int8)
    name = np.array([2, 0, 1, 0, 2], np.int32)
    found = names_of_kinds(kind, name, column([0, 4]), column([2, 5]), 2, 3).reshape(2, 3)
    assert found.tolist() == [[0, 0, 1], [1, 0, 1]]


def test_columns_that_fit_nothing_are_refused() -> None:
    one, two, back = column([1]), column([1, 2]), column([5, 3])
    for refused in (
        lambda: union_of(one, two),
        lambda: union_of_labels(one, one, np.zeros(2, np.int8), np.ones(1, np.uint8)),
        lambda: union_of_labels(one, two[1:], np.array([3], np.int8), np.ones(1, np.uint8)),
        lambda: difference_of(back, back, one, one),
        lambda: difference_of(one, one, back, back),
        lambda: lengths_before(back, back, one),
        lambda: group_sums(np.zeros(1, np.int32), np.zeros(2), 1),
        lambda: group_sums(np.array([1], np.int32), np.zeros(1), 1),
        lambda: group_firsts(np.array([-1], np.int32), 1),
        lambda: group_largest(np.array([1], np.int32), one, 1),
        lambda: group_distinct(np.array([1], np.int32), one, 1),
        lambda: group_distinct(np.array([0, 0, 1], np.int32), column([5, 3, 1]), 1),
        lambda: group_firsts(np.zeros(0, np.int32), -1),
        lambda: dense_codes(column([2]), 2),
        lambda: dense_codes(column([-1]), 2),
        lambda: dense_codes(NOTHING, -1),
        lambda: names_of_kinds(np.zeros(1, np.int8), np.ones(1, np.int32), column([0]), one, 1, 1),
        lambda: names_of_kinds(np.zeros(1, np.int8), np.zeros(1, np.int32), column([0]), column([2]), 1, 1),
    ):
        with pytest.raises(ValueError, match=r"one length|in time order|beyond|negative"):
            refused()
