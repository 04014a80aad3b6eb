"""Windows in microseconds become nanoseconds of the profile without losing any, and lists of tracks are checked."""

from __future__ import annotations

import math

import pytest

from analyses.timeline import MS, Timeline
from session.drawn_sessions import drawn
from stepscope.analyses.time_classes import Group
from stepscope.analyses.timeline.groups import NO_GROUP
from stepscope.model.errors import BadInput
from stepscope.model.profile import SpanKind
from stepscope.session.trace_window import MOST_TRACKS, trace_groups, track_numbers, window_ns


def late() -> Timeline:
    """A profile from 5 to 9 ms."""
    line = Timeline()
    line.span("main", 5 * MS, 9 * MS, SpanKind.OP)
    return line


def test_a_window_counts_from_the_start_of_the_profile_and_is_never_cut() -> None:
    profile = late().build()
    assert window_ns(profile, 1, 2) == (5 * MS + 1_000, 5 * MS + 2_000)
    assert window_ns(profile, 0.0004, 0.0006) == (5 * MS, 5 * MS + 1)
    assert window_ns(profile, -100, 4_000) == (5 * MS - 100_000, 9 * MS)


def test_far_windows_are_moved_closer() -> None:
    assert window_ns(late().build(), -1e300, 1e300) == (MS, 13 * MS)


@pytest.mark.parametrize("window", [(math.nan, 1.0), (0.0, math.nan), (-math.inf, 0.0), (0.0, math.inf), (1.0, 0.0)])
def test_windows_that_are_none(window: tuple[float, float]) -> None:
    with pytest.raises(BadInput) as caught:
        window_ns(late().build(), *window)
    assert caught.value.code == "bad_window"


def test_tracks_are_numbers_each_once() -> None:
    profile = drawn().profiles[0]
    assert track_numbers(profile, "") == []
    assert track_numbers(profile, "1, 0,1,") == [1, 0]


@pytest.mark.parametrize("text", ["2", "-1", "x", "1.0", "0x1", "²", "9" * 5_000])
def test_tracks_that_are_not_there(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        track_numbers(drawn().profiles[0], text)
    assert caught.value.code == "bad_tracks"


def test_more_tracks_than_may_be_asked_for() -> None:
    line = Timeline()
    for number in range(MOST_TRACKS + 1):
        line.span(f"thread {number}", 0, MS, SpanKind.OP)
    profile = line.build()
    assert len(track_numbers(profile, ",".join(map(str, range(MOST_TRACKS))))) == MOST_TRACKS
    with pytest.raises(BadInput):
        track_numbers(profile, ",".join(map(str, range(MOST_TRACKS + 1))))


def test_groups_are_those_of_each_span_alone() -> None:
    session = drawn("main   1111\nmain   nnnn\nmain   il..\ngpu 0  ..KH")
    profile = session.profiles[0]
    found = dict(zip((profile.names[name] for name in profile.spans.name.tolist()), trace_groups(session).tolist(), strict=True))
    assert found == {
        "ProfilerStep#1": NO_GROUP,
        "n": NO_GROUP,
        "i": Group.INPUT_WAIT,
        "l": Group.HOST,
        "K": Group.COMPUTE,
        "H": Group.COPY,
    }
