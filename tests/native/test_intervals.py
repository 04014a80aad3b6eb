"""The sweeps agree, to the nanosecond, with looking at every instant one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepscope._native import (
    group_totals,
    inside_same_key,
    owned_pieces,
    owned_segments,
    segments_of_tracks,
    self_times,
    sweep_steps,
)

LABELS = 4
END = 24

Span = tuple[int, int, int]
span = st.tuples(st.integers(0, END - 1), st.integers(0, 8), st.integers(-1, LABELS - 1)).map(
    lambda drawn: (drawn[0], min(END, drawn[0] + drawn[1]), drawn[2])
)
track = st.lists(span, max_size=12).map(lambda spans: sorted(spans, key=lambda each: (each[0], -each[1])))


def columns(spans: list[Span]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    start, end, label = zip(*spans, strict=True) if spans else ((), (), ())
    return np.array(start, np.int64), np.array(end, np.int64), np.array(label, np.int8)


def owner_at(spans: list[Span], precedence: list[int], time: int) -> int:
    """The row that owns an instant, by the definition."""
    rows = [row for row, (start, end, label) in enumerate(spans) if start <= time < end and label >= 0]
    return min(rows, key=lambda row: (precedence[spans[row][2]], -row)) if rows else -1


@given(track, st.permutations(range(LABELS)))
def test_owners_are_those_of_the_definition(spans: list[Span], precedence: list[int]) -> None:
    start, end, row = owned_segments(*columns(spans), np.array(precedence, np.int8))
    painted = [-1] * END
    for begin, stop, owner in zip(start.tolist(), end.tolist(), row.tolist(), strict=True):
        assert painted[begin:stop] == [-1] * (stop - begin), "segments overlap"
        painted[begin:stop] = [owner] * (stop - begin)
    assert painted == [owner_at(spans, precedence, time) for time in range(END)]


@given(st.lists(st.tuples(track, st.permutations(range(LABELS))), min_size=1, max_size=4))
def test_segments_of_several_tracks_are_those_of_each(tracks: list[tuple[list[Span], list[int]]]) -> None:
    spans = [span for each, _ in tracks for span in each]
    ends = np.cumsum([len(each) for each, _ in tracks]).astype(np.int64)
    first = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    found = segments_of_tracks(*columns(spans), first, ends, [np.array(order, np.int8) for _, order in tracks])
    for (each, order), before, (start, end, row, label) in zip(tracks, first.tolist(), found, strict=True):
        alone = owned_segments(*columns(each), np.array(order, np.int8))
        assert (start.tolist(), end.tolist()) == (alone[0].tolist(), alone[1].tolist())
        assert row.tolist() == [before + one for one in alone[2].tolist()]
        assert label.tolist() == [spans[one][2] for one in row.tolist()]


def test_many_rows_are_divided_by_several_threads_as_by_one() -> None:
    random = np.random.default_rng(5)
    start = np.sort(random.integers(0, 10**9, (4, 60_000)), axis=1)
    end = start + random.integers(0, 10**6, start.shape)
    label = random.integers(-1, LABELS, start.shape).astype(np.int8)
    first = np.arange(4, dtype=np.int64) * start.shape[1]
    order = np.arange(LABELS, dtype=np.int8)
    given_columns = start.ravel(), end.ravel(), label.ravel()
    together = segments_of_tracks(*given_columns, first, first + start.shape[1], [order] * 4)
    selves = self_times(*given_columns, first, first + start.shape[1])
    for place in range(4):
        alone = owned_segments(start[place], end[place], label[place], order)
        assert all(np.array_equal(one, other) for one, other in zip(together[place][:2], alone[:2], strict=True))
        nothing = np.zeros(1, np.int64)
        mine = self_times(start[place], end[place], label[place], nothing, nothing + start.shape[1])
        assert np.array_equal(selves[first[place] : first[place] + start.shape[1]], mine)


@given(st.lists(track, min_size=1, max_size=4))
def test_self_times_sum_to_what_the_spans_cover(tracks: list[list[Span]]) -> None:
    spans = [span for each in tracks for span in each]
    ends = np.cumsum([len(each) for each in tracks]).astype(np.int64)
    first = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    self_time = self_times(*columns(spans), first, ends)
    for each, begin, stop in zip(tracks, first.tolist(), ends.tolist(), strict=True):
        covered = sum(any(s <= time < e and label >= 0 for s, e, label in each) for time in range(END))
        assert int(self_time[begin:stop].sum()) == covered


@given(st.lists(track, min_size=1, max_size=4), st.lists(st.integers(0, END), min_size=2, max_size=5).map(sorted), st.data())
def test_a_sweep_divides_every_instant_once(tracks: list[list[Span]], bounds: list[int], data: st.DataObject) -> None:
    order = list(range(LABELS))
    counted = data.draw(st.lists(st.integers(0, 1), min_size=len(bounds) - 1, max_size=len(bounds) - 1))
    rows = max(len(each) for each in tracks)
    given_tracks = []
    for each in tracks:
        start, end, row = owned_segments(*columns(each), np.array(order, np.int8))
        given_tracks.append((start, end, row, columns(each)[2][row]))
    taken, covered, exposed = sweep_steps(given_tracks, np.array(bounds, np.int64), LABELS, np.array(counted, np.uint8), rows)
    steps = len(bounds) - 1
    want_taken, want_covered, want_exposed = np.zeros((steps, LABELS)), np.zeros((steps, LABELS)), np.zeros(rows)
    for step in range(steps):
        for time in range(bounds[step], bounds[step + 1]):
            owners = [owner_at(each, order, time) for each in tracks]
            active = [
                (each[owner][2], place, owner) for place, (each, owner) in enumerate(zip(tracks, owners, strict=True)) if owner >= 0
            ]
            for label in {label for label, _, _ in active}:
                want_covered[step, label] += 1
            if active:
                label, _, owner = min(active)
                want_taken[step, label] += 1
                want_exposed[owner] += counted[step]
    assert taken.reshape(steps, LABELS).tolist() == want_taken.tolist()
    assert covered.reshape(steps, LABELS).tolist() == want_covered.tolist()
    assert exposed.tolist() == want_exposed.tolist()
    step, start, end, row, label = owned_pieces(given_tracks, np.array(bounds, np.int64), LABELS, np.array(counted, np.uint8))
    pieces = np.zeros((steps, LABELS))
    np.add.at(pieces, (step, label), end - start)
    assert pieces.tolist() == (want_taken * np.array(counted)[:, None]).tolist()
    assert np.bincount(row, end - start, rows).tolist() == want_exposed.tolist()
    assert (start[1:] >= end[:-1]).all()


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(-1, 2)), max_size=14))
def test_rows_inside_rows_of_the_same_key(drawn: list[tuple[int, int]]) -> None:
    # Any earlier row may be the parent, so that paths are left and entered again as overlapping lanes do it.
    parent = [row - 1 - back if row - 1 - back >= 0 else -1 for row, (back, _) in enumerate(drawn)]
    key = [each for _, each in drawn]

    def has_same_above(row: int) -> bool:
        up = parent[row]
        while up >= 0 and key[up] != key[row]:
            up = parent[up]
        return up >= 0 and key[row] >= 0

    found = inside_same_key(np.array(parent, np.int32), np.array(key, np.int32), 3)
    assert found.tolist() == [int(has_same_above(row)) for row in range(len(drawn))]


def test_more_tracks_than_bits_in_a_word() -> None:
    one = (np.array([5], np.int64), np.array([9], np.int64), np.array([0], np.int32), np.array([1], np.int8))
    late = (np.array([0], np.int64), np.array([6], np.int64), np.array([1], np.int32), np.array([0], np.int8))
    taken, covered, exposed = sweep_steps([one] * 130 + [late], np.array([0, 10], np.int64), 2, np.ones(1, np.uint8), 2)
    assert (taken.tolist(), covered.tolist(), exposed.tolist()) == ([6, 3], [6, 4], [3, 6])


def test_the_end_of_time() -> None:
    last = np.iinfo(np.int64).max
    one = (np.array([5], np.int64), np.array([9], np.int64), np.array([0], np.int32), np.array([1], np.int8))
    endless = (np.array([7], np.int64), np.array([last], np.int64), np.array([1], np.int32), np.array([0], np.int8))
    taken, _, _ = sweep_steps([one, endless], np.array([0, 20], np.int64), 2, np.ones(1, np.uint8), 2)
    assert taken.tolist() == [13, 2]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-(2**40), 2**40)), min_size=1))
def test_totals_of_groups(rows: list[tuple[int, int]]) -> None:
    group, value = (np.array(column) for column in zip(*rows, strict=True))
    total, least, most = group_totals(group.astype(np.int32), value.astype(np.int64), 4)
    for number in set(group.tolist()):
        mine = value[group == number]
        assert (total[number], least[number], most[number]) == (mine.sum(), mine.min(), mine.max())


def test_groups_beyond_their_number_are_refused() -> None:
    with pytest.raises(ValueError, match="beyond"):
        group_totals(np.array([2], np.int32), np.array([1], np.int64), 2)


@pytest.mark.parametrize(
    ("start", "end", "label", "said"),
    [([1, 0], [2, 2], [0, 0], "order"), ([0], [1, 2], [0], "length"), ([0], [1], [7], "precedence")],
)
def test_what_cannot_be_swept_is_refused(start: list[int], end: list[int], label: list[int], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        owned_segments(np.array(start, np.int64), np.array(end, np.int64), np.array(label, np.int8), np.zeros(2, np.int8))


def test_rows_beyond_the_table_are_refused() -> None:
    track = (np.array([0], np.int64), np.array([9], np.int64), np.array([3], np.int32), np.array([0], np.int8))
    with pytest.raises(ValueError, match="row"):
        sweep_steps([track], np.array([0, 10], np.int64), 1, np.ones(1, np.uint8), 2)
