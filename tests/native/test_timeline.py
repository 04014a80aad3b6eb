"""Tiles of tracks agree with a slow reference: nothing visible is missing, counts add up, and an entry's row is its longest span."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepscope._native import tile_of, track_extents

END = 60
MANY = 1 << 40

Span = tuple[int, int, int]
"""Start, end and line."""


@dataclass(frozen=True)
class Entry:
    """One entry of a tile."""

    start: int
    end: int
    row: int
    count: int
    line: int


@st.composite
def tracks(draw: st.DrawFn) -> list[list[Span]]:
    """Tracks whose spans do not overlap on a line, in the order of their starts, longest first."""
    found: list[list[Span]] = []
    for _ in range(draw(st.integers(0, 3))):
        spans: list[Span] = []
        for line in range(draw(st.integers(0, 3))):
            at = 0
            for gap, length in draw(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 20)), max_size=10)):
                spans.append((at + gap, min(END, at + gap + length), line) if at + gap <= END else (END, END, line))
                at = spans[-1][1]
        found.append(sorted(spans, key=lambda span: (span[0], -span[1])))
    return found


def columns(drawn: list[list[Span]]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    spans = [span for track in drawn for span in track]
    ends = np.cumsum([len(track) for track in drawn]).astype(np.int64)
    start, end, line = zip(*spans, strict=True) if spans else ((), (), ())
    first = np.concatenate([[0], ends[:-1]]).astype(np.int64) if drawn else ends
    return np.array(start, np.int64), np.array(end, np.int64), np.array(line, np.int16), first, ends


def entries(
    drawn: list[list[Span]], window: tuple[int, int], wide: int, lines: int, most: int = MANY
) -> tuple[list[list[Entry]], list[int], int]:
    start, end, row, count, line, bounds, hidden, used = tile_of(*columns(drawn), *window, wide, lines, most)
    every = [Entry(*each) for each in zip(*(one.tolist() for one in (start, end, row, count, line)), strict=True)]
    return [every[first:last] for first, last in pairwise(bounds.tolist())], hidden.tolist(), used


def expected(track: list[Span], before: int, window: tuple[int, int], wide: int, lines: int) -> list[Entry]:
    """By the definition, one line after another."""
    width = max(1, window[1] - window[0]) / wide
    found: list[Entry] = []
    for line in range(lines):
        groups: dict[tuple[str, int], list[int]] = {}
        for place, (start, end, at) in enumerate(track):
            if at != line or start > window[1] or end < window[0]:
                continue
            alone = end - start >= width
            groups.setdefault(("wide", place) if alone else ("column", math.floor((start - window[0]) / width)), []).append(place)
        for places in groups.values():
            longest = max(places, key=lambda place: (track[place][1] - track[place][0], -place))
            last = max(track[place][1] for place in places)
            found.append(Entry(track[places[0]][0], last, before + longest, len(places), line))
    return found


@given(tracks(), st.integers(0, END), st.integers(0, END), st.sampled_from([1, 2, 3, 4, 10, 30, 1000]), st.integers(1, 4))
def test_entries_are_those_of_the_definition(drawn: list[list[Span]], one: int, other: int, wide: int, lines: int) -> None:
    window = min(one, other), max(one, other)
    found, hidden, used = entries(drawn, window, wide, lines)
    before = 0
    for track, mine, below in zip(drawn, found, hidden, strict=True):
        order = sorted(expected(track, before, window, wide, lines), key=lambda entry: (entry.line, entry.start, entry.row))
        assert sorted(mine, key=lambda entry: (entry.line, entry.start, entry.row)) == order
        assert mine == sorted(mine, key=lambda entry: (entry.line, entry.start)), "not by line and time"
        touching = [span for span in track if span[0] <= window[1] and span[1] >= window[0]]
        shown = [span for span in touching if span[2] < lines]
        assert (sum(entry.count for entry in mine), below) == (len(shown), len(touching) - len(shown))
        for start, end, line in shown:
            assert any(entry.line == line and entry.start <= start and end <= entry.end for entry in mine), "a span is missing"
        before += len(track)
    assert used == wide


def test_too_many_entries_make_columns_wider_and_lose_no_span() -> None:
    track = [(2 * place, 2 * place + 1, 0) for place in range(1000)]
    (found,), _, used = entries([track], (0, 2000), 1000, 1, most=100)
    assert (used, len(found) <= 100, sum(entry.count for entry in found)) == (62, True, 1000)


def test_one_column_is_answered_whatever_it_has() -> None:
    (found,), _, used = entries([[(0, 9, line) for line in range(20)]], (0, 9), 8, 20, most=10)
    assert (used, len(found)) == (1, 20)


@given(tracks())
def test_extents_are_those_of_the_spans(drawn: list[list[Span]]) -> None:
    lines, busy, start, end = (column.tolist() for column in track_extents(*columns(drawn)))
    for place, track in enumerate(drawn):
        covered = {instant for one, other, _ in track for instant in range(one, other)}
        assert busy[place] == len(covered)
        assert lines[place] == max((line + 1 for _, _, line in track), default=0)
        assert start[place] == min((one for one, _, _ in track), default=0)
        assert end[place] == max((other for _, other, _ in track), default=0)


@pytest.mark.parametrize(("window", "wide", "lines"), [((5, 4), 1, 1), ((0, 1), 0, 1), ((0, 1), 1, 0), ((0, 1), 1, 256)])
def test_windows_that_are_none_are_refused(window: tuple[int, int], wide: int, lines: int) -> None:
    with pytest.raises(ValueError, match="window"):
        entries([[(0, 1, 0)]], window, wide, lines)


def test_rows_beyond_the_table_are_refused() -> None:
    start, end, line, _, _ = columns([[(0, 1, 0)]])
    for first, last in (((-1,), (1,)), ((0,), (2,)), ((1,), (0,)), ((0, 0), (1,))):
        rows = np.array(first, np.int64), np.array(last, np.int64)
        with pytest.raises(ValueError, match=r"rows|length"):
            tile_of(start, end, line, *rows, 0, 1, 1, 1, MANY)
        with pytest.raises(ValueError, match=r"rows|length"):
            track_extents(start, end, line, *rows)
