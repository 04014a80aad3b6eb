"""What a rectangle of the trace contains: time by name and by track, with everything cut at its edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope import _native
from stepscope.analyses.grouping import dense_codes
from stepscope.analyses.timeline.cut import cut_spans
from stepscope.analyses.timeline.groups import Uint8
from stepscope.model.profile import Int64, Profile


@dataclass(frozen=True, slots=True)
class AreaName:
    """All spans of one name in the area."""

    name: int  # into Profile.names
    group: int  # of the longest span
    count: int
    wall_ns: int  # sum of durations
    self_ns: int  # without the time of spans inside them
    share: float  # of the self time of everything in the area
    longest_row: int


@dataclass(frozen=True, slots=True)
class AreaTrack:
    """One track in the area."""

    track: int
    count: int
    busy_ns: int  # what its spans cover together
    share: float  # of the area's length


@dataclass(frozen=True, slots=True)
class Area:
    """Names by self time and tracks by busy time, the largest first."""

    names: tuple[AreaName, ...]
    tracks: tuple[AreaTrack, ...]


def area(profile: Profile, groups: Uint8, tracks: Sequence[int], window: tuple[int, int]) -> Area:
    """Sums over all spans of the tracks that overlap the window, in nanoseconds of the profile."""
    cut = cut_spans(profile, tracks, window)
    busy = _native.track_extents(cut.start, cut.end, profile.spans.depth[cut.rows], cut.first, cut.last)[1]
    track = profile.spans.track[cut.rows]
    length = max(1, window[1] - window[0])
    columns = (track[cut.first].tolist(), (cut.last - cut.first).tolist(), busy.tolist())
    by_track = [AreaTrack(place, count, time, time / length) for place, count, time in zip(*columns, strict=True)]
    return Area(
        _by_name(profile, groups, cut.rows, cut.wall, cut.own),
        tuple(sorted(by_track, key=lambda each: (-each.busy_ns, each.track))),
    )


def _by_name(profile: Profile, groups: Uint8, rows: Int64, wall: Int64, own: Int64) -> tuple[AreaName, ...]:
    name = profile.spans.name[rows].astype(np.int64)
    named = dense_codes(name, len(profile.names))
    longest = named.largest(wall)
    row = rows[longest]
    total = max(1, int(own.sum()))
    columns = (
        name[longest].tolist(),
        groups[row].tolist(),
        named.counts().tolist(),
        named.sums(wall).tolist(),
        named.sums(own).tolist(),
        row.tolist(),
    )
    found = [
        AreaName(number, group, count, wall_ns, self_ns, self_ns / total, longest_row)
        for number, group, count, wall_ns, self_ns, longest_row in zip(*columns, strict=True)
    ]
    return tuple(sorted(found, key=lambda each: (-each.self_ns, -each.wall_ns, each.name)))
