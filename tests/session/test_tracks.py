"""The tracks of a drawn profile: their order, what each contains, and the steps on the axis of the whole profile."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np

from analyses.timeline import MS, Timeline
from session.drawn_sessions import analysed, drawn
from stepscope.model.profile import NONE, Counters, Profile, SpanKind, Track, TrackPurpose, TrackRole
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.tracks import TRACKS, Tracks, TracksWanted

PICTURE = """
    loader     ffffff..........
    other      ff..............
    backward   .....oo.........
    gpu 1      ....KK..........
    gpu 0/9    ....KKK.........
    gpu 0/7    ....KKKK........
    main       1111111122222222
    main       iii..ooo..lllll.
    main       .....s..........
"""


def asked(session: AnalysedSession, limit: int = 100) -> Tracks:
    return TRACKS.make(session, TracksWanted(limit=limit))


def with_counter(profile: Profile) -> Profile:
    """A counter of three samples, one of them no number, and a track without anything."""
    track = len(profile.tracks)
    rows = len(profile.spans)
    more = [
        Track("power", TrackRole.COUNTER, TrackPurpose.UNKNOWN, "GPU 0", 0, NONE, rows, rows),
        Track("empty", TrackRole.THREAD, TrackPurpose.UNKNOWN, "host", NONE, 5, rows, rows),
    ]
    samples = Counters(np.array([track] * 3, np.int32), np.array([2, 3, 4], np.int64) * MS, np.array([1.5, np.nan, 7.0]))
    return replace(profile, tracks=[*profile.tracks, *more], counters=samples)


def test_tracks_come_in_the_order_of_a_trace() -> None:
    profile = with_counter(Timeline().draw(PICTURE).build())
    found = asked(analysed(profile))
    assert [track.name for track in found.tracks] == ["main", "backward", "loader", "other", "gpu 0/7", "gpu 0/9", "gpu 1", "power"]
    assert [track.id for track in found.tracks] == [
        next(place for place, track in enumerate(profile.tracks) if track.name == row.name) for row in found.tracks
    ]
    assert found.total == 8


def test_steps_are_listed_unless_there_are_more_than_wanted() -> None:
    session = drawn(PICTURE)
    all_steps = asked(session)
    assert [step.step for step in all_steps.steps] == [1, 2]
    assert (all_steps.steps_total, all_steps.steps_start_us, all_steps.steps_end_us) == (2, 0, 16_000)
    assert TRACKS.make(session, TracksWanted(limit=100, most_steps=2)) == all_steps
    few = TRACKS.make(session, TracksWanted(limit=100, most_steps=1))
    assert few == msgspec.structs.replace(all_steps, steps=[])


def test_a_thread_without_a_purpose_leads_when_the_steps_are_marked_on_it() -> None:
    found = asked(drawn("work  ffffffff\nsteps  11112222\nsteps  oo..oo.."))
    assert [track.name for track in found.tracks] == ["steps", "work"]


def test_what_a_track_contains() -> None:
    row = asked(drawn(PICTURE)).tracks[0]
    assert (row.role, row.purpose, row.process, row.number) == ("thread", "main", "host", "1")
    assert (row.lines, row.spans, row.busy_us, row.start_us, row.end_us) == (3, 6, 16_000, 0, 16_000)
    assert (row.samples, row.least, row.most) == (0, None, None)


def test_a_counter_has_its_samples() -> None:
    row = asked(analysed(with_counter(Timeline().draw(PICTURE).build()))).tracks[-1]
    assert (row.role, row.lines, row.spans, row.samples, row.least, row.most) == ("counter", 0, 0, 2, 1.5, 7.0)
    assert (row.start_us, row.end_us) == (2_000, 4_000)


def test_the_limit_keeps_the_busiest_tracks() -> None:
    found = asked(drawn(PICTURE), limit=3)
    assert ([track.name for track in found.tracks], found.total) == (["main", "loader", "gpu 0/7"], 7)


def test_the_profile_and_its_steps() -> None:
    line = Timeline(base_ns=1_700_000_000 * 10**9)
    for step in range(5):
        at = (10 + step * 10) * MS
        line.span("main", at, at + (10 if step != 3 else 10 * 10) * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        if step == 3:
            break
    found = asked(analysed(line.build()))
    assert (found.worker, found.host, found.rank) == ("worker0", "host", None)
    assert (found.started, found.end_us) == (1_700_000_000.01, 130_000)
    assert [(step.step, step.start_us, step.end_us, step.typical) for step in found.steps] == [
        (0, 0, 10_000, True),
        (1, 10_000, 20_000, True),
        (2, 20_000, 30_000, True),
        (3, 30_000, 130_000, False),
    ]


def test_a_range_changes_nothing() -> None:
    whole = drawn()
    part = analysed(whole.profiles[0], chosen="3:5")
    assert asked(part) == asked(whole)
