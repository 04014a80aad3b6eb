"""Rows of the span table by the role of their track."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from stepscope.model.profile import Int64, Profile, Track, TrackRole


def rows_of(tracks: Iterable[Track]) -> Int64:
    """All rows of the tracks, in the order of the tracks."""
    parts = [np.arange(track.first_row, track.last_row, dtype=np.int64) for track in tracks]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def union_of_rows(profile: Profile, *sets: Int64) -> Int64:
    """Rows that are in any of the sets, each once, in the order of the table."""
    there = np.zeros(len(profile.spans), bool)
    for rows in sets:
        there[rows] = True
    return np.flatnonzero(there)


def rows_of_kinds(profile: Profile, role: TrackRole, wanted: NDArray[np.bool_]) -> Int64:
    """Rows on tracks of one role whose kind is wanted, in the order of the table."""
    kinds = profile.spans.kind
    tracks = [track for track in profile.tracks if track.role == role]
    parts = [np.flatnonzero(wanted[kinds[track.first_row : track.last_row]]) + track.first_row for track in tracks]
    return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def rows_of_role(profile: Profile, role: TrackRole) -> Int64:
    """All rows on tracks of one role, in the order of the table."""
    return rows_of(track for track in profile.tracks if track.role == role)
