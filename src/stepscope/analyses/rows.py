"""Rows of the span table by the role of their track, by kind and by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from stepscope._native import names_of_kinds
from stepscope.model.profile import Int64, Profile, SpanKind, Track, TrackRole
from stepscope.model.span_names import NameRole


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
    if not len(profile.spans):
        return np.zeros(0, np.int64)
    of_role = np.array([track.role == role for track in profile.tracks], bool)
    return np.flatnonzero(of_role[profile.spans.track] & wanted[profile.spans.kind])


def rows_named(profile: Profile, rows: Int64, role: NameRole) -> Int64:
    """Those of the rows whose name has the role."""
    return rows[are_named(profile, rows, role)]


def are_named(profile: Profile, rows: Int64, role: NameRole) -> NDArray[np.bool_]:
    """For every row whether its name has the role; every name is asked for once."""
    names = profile.spans.name[rows]
    used: list[int] = np.flatnonzero(np.bincount(names, minlength=1)).tolist() if len(rows) else []
    holds = np.zeros(len(profile.names) + 1, bool)
    holds[used] = [profile.name_rules.fits(role, profile.names[name]) for name in used]
    return holds[names]


def names_with(profile: Profile, role: NameRole) -> NDArray[np.bool_]:
    """For every name of the profile whether it has the role; at least one entry."""
    return np.array([profile.name_rules.fits(role, name) for name in profile.names] or [False])


def names_by_kind(profile: Profile, tracks: Sequence[Track]) -> list[list[int]]:
    """For every kind, numbers of the names that its spans on the tracks have."""
    spans, names = profile.spans, len(profile.names)
    first = np.array([track.first_row for track in tracks], np.int64)
    last = np.array([track.last_row for track in tracks], np.int64)
    there = names_of_kinds(spans.kind, spans.name, first, last, len(SpanKind), names).reshape(len(SpanKind), names)
    return [np.flatnonzero(of_kind).tolist() for of_kind in there]


def rows_of_role(profile: Profile, role: TrackRole) -> Int64:
    """All rows on tracks of one role, in the order of the table."""
    return rows_of(track for track in profile.tracks if track.role == role)
