"""The longest span of a name, and the longest of a track: where to look first."""

from __future__ import annotations

import numpy as np

from stepscope.model.profile import Profile


def longest_of_name(profile: Profile, row: int) -> int:
    """The row of the longest span that has the name of this one; the first of several."""
    spans = profile.spans
    rows = np.flatnonzero(spans.name == spans.name[row])
    return int(rows[np.argmax(_lengths(profile, rows))])


def longest_on_track(profile: Profile, row: int) -> int:
    """The row of the longest span on the track of this one; the first of several."""
    track = profile.tracks[int(profile.spans.track[row])]
    return track.first_row + int(np.argmax(_lengths(profile, slice(track.first_row, track.last_row))))


def _lengths(profile: Profile, rows: slice | np.ndarray) -> np.ndarray:
    """As floating point: the times of a hostile file are too far apart for integers."""
    return profile.spans.end[rows].astype(np.float64) - profile.spans.start[rows]
