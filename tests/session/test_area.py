"""`cut` and `area`: a selected area cuts spans at its edges, and self time on a track adds up to its busy time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyses.timeline import MS, Timeline
from session.drawn_sessions import analysed, drawn
from stepscope.analyses.timeline.area import area
from stepscope.model.errors import BadInput
from stepscope.model.profile import SpanKind
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.area import AREA, AreaWanted, SelectedArea

PICTURE = """
    main     1111111111
    main     pppppppp..
    main     .ooo.oo...
    main     ..l.......
    gpu 0    ...KKKK.K.
"""


def asked(session: AnalysedSession, start_ms: float, end_ms: float, tracks: str = "", limit: int = 0) -> SelectedArea:
    return AREA.make(session, AreaWanted(start_us=start_ms * 1e3, end_us=end_ms * 1e3, tracks=tracks, limit=limit))


def test_time_by_name_is_cut_at_the_edges() -> None:
    found = asked(drawn(PICTURE), 2, 6, tracks="0")
    assert {row.name: (row.count, row.wall_us, row.self_us) for row in found.rows} == {
        "ProfilerStep#1": (1, 4_000, 0),
        "p": (1, 4_000, 1_000),
        "o": (2, 3_000, 2_000),
        "l": (1, 1_000, 1_000),
    }
    assert [row.name for row in found.rows] == ["o", "p", "l", "ProfilerStep#1"]
    assert {row.name: row.share for row in found.rows} == {"o": 0.5, "p": 0.25, "l": 0.25, "ProfilerStep#1": 0}
    assert {row.name: row.group for row in found.rows} == {"o": "host", "p": "host", "l": "host", "ProfilerStep#1": "none"}


def test_the_longest_span_is_that_with_the_most_time_inside() -> None:
    session = drawn(PICTURE)
    spans = session.profiles[0].spans
    (row,) = (row for row in asked(session, 3, 9).rows if row.name == "o")
    assert spans.start[row.longest_row] == 5 * MS


def test_time_by_track() -> None:
    found = asked(drawn(PICTURE), 2, 6)
    assert [(row.track, row.name, row.count, row.busy_us, row.share) for row in found.by_track] == [
        (0, "main", 5, 4_000, 1.0),
        (1, "gpu 0", 1, 3_000, 0.75),
    ]
    assert (found.total, found.tracks_total) == (5, 2)
    assert sum(row.share for row in found.rows) == pytest.approx(1)


def test_derived_tracks_count_only_when_asked_for() -> None:
    line = Timeline(derived={"gpu 0/9"}).draw(PICTURE).draw("gpu 0/9  ..KKK")
    session = analysed(line.build())
    everywhere = {row.name for row in asked(session, 0, 10).by_track}
    assert everywhere == {"main", "gpu 0"}
    assert [row.name for row in asked(session, 0, 10, tracks="2").by_track] == ["gpu 0/9"]


def test_limits_and_totals() -> None:
    found = asked(drawn(PICTURE), 0, 10, limit=1)
    assert (len(found.rows), found.total, len(found.by_track), found.tracks_total) == (1, 5, 1, 2)


def test_an_area_without_spans() -> None:
    found = asked(drawn(PICTURE), 20, 30)
    assert (found.rows, found.by_track) == ([], [])


def test_spans_of_no_duration_are_counted_where_they_are() -> None:
    line = Timeline()
    line.span("main", 0, 10 * MS, SpanKind.OP, "around")
    line.span("main", 4 * MS, 4 * MS, SpanKind.OP, "instant")
    session = analysed(line.build())
    assert [row.count for row in asked(session, 4, 5).rows if row.name == "instant"] == [1]
    assert [row for row in asked(session, 3, 4).rows if row.name == "instant"] == []


def test_a_range_changes_nothing() -> None:
    whole = drawn()
    assert asked(analysed(whole.profiles[0], chosen="3:5"), 0, 40) == asked(whole, 0, 40)


@pytest.mark.parametrize(
    ("start", "end", "tracks"), [(2, 1, ""), (float("nan"), 1, ""), (0, float("inf"), ""), (0, 1, "9"), (0, 1, "a")]
)
def test_areas_that_are_none(start: float, end: float, tracks: str) -> None:
    with pytest.raises(BadInput):
        asked(drawn(), start, end, tracks)


@given(
    st.recursive(st.just([]), lambda inner: st.lists(st.tuples(st.integers(0, 3), inner), max_size=3), max_leaves=12),
    st.integers(0, 40),
    st.integers(0, 40),
)
def test_self_time_of_nested_spans_is_their_busy_time(tree: list[tuple[int, list[object]]], one: int, other: int) -> None:
    line = Timeline()
    line.span("main", 0, 1, SpanKind.OP, "first")

    def place(node: list[tuple[int, list[object]]], at: int) -> int:
        for gap, inner in node:
            begin = at + gap
            at = place(inner, begin) + 1  # type: ignore[arg-type]
            line.span("main", begin, at, SpanKind.OP, f"n{len(line.spans) % 3}")
        return at

    place(tree, 1)
    profile = line.build()
    window = min(one, other), max(one, other)
    found = area(profile, np.zeros(len(profile.spans), np.uint8), [0], window)
    start, end = profile.spans.start.tolist(), profile.spans.end.tolist()
    covered = {
        instant for first, last in zip(start, end, strict=True) for instant in range(max(first, window[0]), min(last, window[1]))
    }
    assert sum(each.self_ns for each in found.names) == len(covered) == sum(each.busy_ns for each in found.tracks)
    walls = sum(max(0, min(last, window[1]) - max(first, window[0])) for first, last in zip(start, end, strict=True))
    assert sum(each.wall_ns for each in found.names) == walls
