"""Absurd profiles in the trace: every span is in an entry or counted, answers stay small, and nothing fails."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dashboards.profile_server import ProfileServer
from stepscope._native import ProfileBuilder
from stepscope.analyses.timeline.tiles import LONGEST_NAME, tiles
from stepscope.analyses.timeline.tracks import track_contents
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.model.profile import Profile, SpanKind, TrackRole
from stepscope.queries.trace_export import trace_pieces

MEGABYTE = 1_000_000
BURST = 5_000
TRACKS = 1_000_000


def odd_profile() -> Profile:
    """Spans that overlap, that have no length, that begin before the profile, and with a name of a megabyte."""
    builder = ProfileBuilder()
    track = builder.add_track("odd", TrackRole.THREAD, process="p")
    for place in range(200):
        builder.add_span(track, place * 10, place * 10 + 25, "overlaps", SpanKind.OTHER)
    for _ in range(BURST):
        builder.add_span(track, 500, 500, "burst", SpanKind.OTHER)
    for start in (-(10**9), -5, -1):
        builder.add_span(track, start, start + 4, "negative", SpanKind.OTHER)
    builder.add_span(track, 0, 3000, "n" * MEGABYTE, SpanKind.OTHER)
    return profile_from_columns(builder.finish(), format="test", path="x")


@pytest.mark.parametrize("columns", [1, 7, 2048])
@pytest.mark.parametrize("lines", [1, 3, 255])
def test_every_span_is_in_one_entry_or_counted_as_hidden(columns: int, lines: int) -> None:
    profile = odd_profile()
    made = tiles(profile, np.zeros(len(profile.spans), np.uint8), [0], profile.window, columns, lines)
    (track,) = made.tracks
    assert int(track.count.sum()) + track.hidden == len(profile.spans) == 200 + BURST + 3 + 1
    assert all(len(name) <= LONGEST_NAME for name in made.names)
    for line in set(track.line.tolist()):
        start = track.start[track.line == line]
        assert (np.diff(start) >= 0).all()


def test_its_parts_and_files_are_answered(tmp_path: Path) -> None:
    server = ProfileServer(tmp_path / "logs")
    server.put("train", "worker0", odd_profile)
    (session,) = server.sessions()
    (track,) = server.part("tracks", session["id"], limit=10)["tracks"]
    assert track["spans"] == len(odd_profile().spans)
    assert server.part("search", session["id"], text="burst", limit=20_000)["total"] == BURST
    names = {row["name"][:8]: row["count"] for row in server.part("area", session["id"], start_us=-1e9, end_us=1e9)["rows"]}
    assert names == {"overlaps": 200, "burst": BURST, "negative": 3, "n" * 8: 1}
    for format in ("pftrace", "json", "speedscope"):
        assert len(b"".join(trace_pieces(odd_profile(), format))) < 3 * MEGABYTE


@pytest.mark.slow
def test_of_a_million_tracks_the_busiest_are_listed() -> None:
    profile = with_tracks(TRACKS)
    found, total = track_contents(profile, 2000)
    assert (len(found), total) == (2000, TRACKS)
    assert f"thread {TRACKS - 1}" in {track.name for track in found}


@pytest.mark.slow
def test_very_many_tracks_are_answered(tmp_path: Path) -> None:
    server = ProfileServer(tmp_path / "logs")
    server.put("train", "worker0", lambda: with_tracks(50_000))
    (session,) = server.sessions()
    found = server.part("tracks", session["id"], limit=2000)
    assert (len(found["tracks"]), found["total"]) == (2000, 50_000)


def with_tracks(count: int) -> Profile:
    """One span on every track, the longest on the last."""
    builder = ProfileBuilder()
    for place in range(count):
        track = builder.add_track(f"thread {place}", TrackRole.THREAD, process=f"p{place % 3}")
        builder.add_span(track, place, place + 1 + (place == count - 1) * 100, "work", SpanKind.OTHER)
    return profile_from_columns(builder.finish(), format="test", path="x")
