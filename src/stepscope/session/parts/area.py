"""A selected area of the trace: time by name and by track of one worker's whole profile."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from stepscope.analyses.time_classes import Group
from stepscope.analyses.timeline.area import AreaName, AreaTrack, area
from stepscope.analyses.timeline.cut import owning_tracks
from stepscope.analyses.timeline.tiles import shortened
from stepscope.model import declared as d
from stepscope.model.profile import Profile
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Limit, limited
from stepscope.session.part import Answer, Files, Part, Wanted
from stepscope.session.trace_window import EndUs, StartUs, TracksText, trace_groups, track_numbers, window_ns

NO_GROUP = "none"


class AreaWanted(Wanted, frozen=True, kw_only=True):
    """The window, the tracks (empty: all threads and streams), and how many names and tracks are listed."""

    start_us: StartUs
    end_us: EndUs
    tracks: TracksText = ""
    limit: Limit = 0


class AreaRow(Struct, frozen=True, kw_only=True):
    """All spans of one name. Spans that cross the edge of the area are cut there."""

    name: Annotated[str, d.text("Name of the spans, at most 300 characters.")]
    group: Annotated[str, d.text("Group of the longest span in the time breakdown; `none` when it has none.")]
    count: Annotated[int, d.count("Number of spans.")]
    wall_us: Annotated[float, d.us("Sum of durations; a span inside another one of its name counts, too.")]
    self_us: Annotated[float, d.us("Time in which they are the innermost span of their track.")]
    share: Annotated[float, d.fraction("Part of the self time of all spans in the area.")]
    longest_row: Annotated[int, d.number("Row of the longest span in the profile.", "row")]


class AreaTrackRow(Struct, frozen=True, kw_only=True):
    """One track in the area."""

    track: Annotated[int, d.number("Number of the track.", "index")]
    name: Annotated[str, d.text("Name of the thread or stream.")]
    count: Annotated[int, d.count("Number of spans.")]
    busy_us: Annotated[float, d.us("Time in which at least one of its spans runs.")]
    share: Annotated[float, d.fraction("Busy time as part of the length of the area.")]


class SelectedArea(Answer, frozen=True, kw_only=True):
    """What the area contains."""

    rows: Annotated[list[AreaRow], d.nested("Names by self time; at most `limit`.")]
    total: Annotated[int, d.count("Number of all names.")]
    by_track: Annotated[list[AreaTrackRow], d.nested("Tracks by busy time; at most `limit`.")]
    tracks_total: Annotated[int, d.count("Number of all tracks with spans in the area.")]


def _make(session: AnalysedSession, wanted: AreaWanted) -> SelectedArea:
    profile = session.profiles[0].whole
    window = window_ns(profile, wanted.start_us, wanted.end_us)
    tracks = track_numbers(profile, wanted.tracks) or owning_tracks(profile)
    found = area(profile, trace_groups(session), tracks, window)
    return SelectedArea(
        rows=[_row(profile, each) for each in limited(found.names, wanted.limit)],
        total=len(found.names),
        by_track=[_track(profile, each) for each in limited(found.tracks, wanted.limit)],
        tracks_total=len(found.tracks),
    )


def _row(profile: Profile, found: AreaName) -> AreaRow:
    group = Group(found.group).key if found.group < len(Group) else NO_GROUP
    return d.fill(AreaRow, found, name=shortened(profile.names[found.name]), group=group)


def _track(profile: Profile, found: AreaTrack) -> AreaTrackRow:
    return d.fill(AreaTrackRow, found, name=profile.tracks[found.track].name)


AREA = Part("area", "Selected area", AreaWanted, SelectedArea, _make, table="rows", files=Files.ONE, passing=True)
