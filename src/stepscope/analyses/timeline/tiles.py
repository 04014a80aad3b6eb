"""The spans of chosen tracks in a window of time, with those narrower than a column summed up, so that an answer fits a screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from stepscope import _native
from stepscope.analyses.timeline.groups import Uint8
from stepscope.analyses.timeline.tracks import track_rows
from stepscope.model.profile import Float64, Int32, Profile

MOST_ENTRIES = 2_000_000
LONGEST_NAME = 300

_US = 1e3


@dataclass(frozen=True, slots=True)
class TrackTile:
    """Entries of one track, by line and then by time. Times are µs since the start of the profile."""

    track: int
    hidden: int  # spans in the window on deeper lines
    start: Float64
    end: Float64
    row: Int32  # the longest of the spans
    name: Int32  # of that one, into Tiles.names
    line: Uint8
    group: Uint8
    count: Int32


@dataclass(frozen=True, slots=True)
class Tiles:
    """One window of several tracks."""

    names: list[str]
    tracks: list[TrackTile]
    columns: int  # that were used: fewer than asked for when there would be too many entries


def tiles(
    profile: Profile,
    groups: Uint8,
    tracks: Sequence[int],
    window: tuple[int, int],
    columns: int,
    lines: int,
    most: int = MOST_ENTRIES,
) -> Tiles:
    """Every span of the tracks that touches the window, in nanoseconds of the profile, is in exactly one entry or `hidden`."""
    spans, origin = profile.spans, profile.window[0]
    bounds_of_rows = track_rows([profile.tracks[track] for track in tracks])
    start, end, row, count, line, bounds, hidden, used = _native.tile_of(
        spans.start, spans.end, spans.depth, *bounds_of_rows, *window, columns, lines, most
    )
    numbers, name = _numbered(spans.name[row], len(profile.names))
    start_us, end_us, group = (start - origin) / _US, (end - origin) / _US, groups[row]
    places = [slice(first, last) for first, last in pairwise(bounds.tolist())]
    return Tiles(
        names=[shortened(profile.names[number]) for number in numbers],
        tracks=[
            TrackTile(track, below, start_us[here], end_us[here], row[here], name[here], line[here], group[here], count[here])
            for track, below, here in zip(tracks, hidden.tolist(), places, strict=True)
        ],
        columns=used,
    )


def shortened(name: str) -> str:
    """A name as a trace shows it: names of templated kernels have thousands of characters."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _numbered(name: Int32, names: int) -> tuple[list[int], Int32]:
    """The distinct names, and for every entry the place of its own among them."""
    used = np.zeros(names, bool)
    used[name] = True
    distinct = np.flatnonzero(used)
    place = np.zeros(names, np.int32)
    place[distinct] = np.arange(len(distinct), dtype=np.int32)
    return distinct.tolist(), place[name]
