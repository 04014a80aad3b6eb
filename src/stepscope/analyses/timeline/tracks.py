"""The tracks of a profile with what each contains, in the order in which a trace shows them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope import _native
from stepscope.model.profile import NONE, Counters, Int64, Profile, Track, TrackPurpose, TrackRole

_ROLES = (TrackRole.THREAD, TrackRole.STREAM, TrackRole.DERIVED, TrackRole.MARKER, TrackRole.COUNTER)
_PURPOSES = {TrackPurpose.MAIN: 0, TrackPurpose.BACKWARD: 1}


@dataclass(frozen=True, slots=True)
class TrackContent:
    """One track. Times are those of the profile; of a counter, those of its samples."""

    id: int  # into Profile.tracks
    name: str
    process: str
    role: TrackRole
    purpose: TrackPurpose
    number: int
    lines: int  # that its spans are drawn on; 0 for a counter
    spans: int
    busy_ns: int  # what its spans cover together
    start: int
    end: int
    samples: int = 0
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class _Sampled:
    start: int
    end: int
    samples: int
    least: float
    most: float


def track_contents(profile: Profile, limit: int, marked_on: int = NONE) -> tuple[list[TrackContent], int]:
    """The tracks that contain anything, and how many there are; with more than `limit`, those with the most busy time.

    Threads come first: the main one (or `marked_on`, whose marks are the steps), backward, then by busy time. Then streams by device.
    """
    spans = profile.spans
    lines, busy, start, end = _native.track_extents(spans.start, spans.end, spans.depth, *track_rows(profile.tracks))
    counted = _counters(profile.counters)
    filled = [place for place, track in enumerate(profile.tracks) if track.last_row > track.first_row or place in counted]
    kept = filled if len(filled) <= limit else sorted(filled, key=lambda place: -int(busy[place]))[:limit]
    found: list[TrackContent] = []
    for place in kept:
        track, sampled = profile.tracks[place], counted.get(place)
        count = track.last_row - track.first_row
        found.append(
            TrackContent(
                id=place,
                name=track.name,
                process=track.process,
                role=TrackRole.COUNTER if sampled and not count else track.role,
                purpose=track.purpose,
                number=track.number,
                lines=int(lines[place]),
                spans=count,
                busy_ns=int(busy[place]),
                start=sampled.start if sampled and not count else int(start[place]),
                end=sampled.end if sampled and not count else int(end[place]),
                samples=sampled.samples if sampled else 0,
                least=sampled.least if sampled else None,
                most=sampled.most if sampled else None,
            )
        )
    main = _main_thread(found, marked_on)
    return sorted(found, key=lambda track: _order(profile.tracks[track.id], track, main)), len(filled)


def track_rows(tracks: list[Track]) -> tuple[Int64, Int64]:
    """First row of each track, and the row after its last."""
    return np.array([track.first_row for track in tracks], np.int64), np.array([track.last_row for track in tracks], np.int64)


def _main_thread(tracks: list[TrackContent], marked_on: int) -> int:
    """The thread that leads: as the format names it, or else the one on which the steps are marked."""
    named = [track.id for track in tracks if track.purpose == TrackPurpose.MAIN]
    return named[0] if named else marked_on


def _order(track: Track, content: TrackContent, main: int) -> tuple[int, ...]:
    role = _ROLES.index(content.role)
    if content.role == TrackRole.THREAD:
        purpose = 0 if content.id == main else _PURPOSES.get(content.purpose, len(_PURPOSES))
        return (role, purpose, -content.busy_ns, content.id)
    return (role, track.device, track.number if content.role == TrackRole.STREAM else 0, content.id)


def _counters(table: Counters) -> dict[int, _Sampled]:
    """What each counter's samples are; those that are no number are left out."""
    good = np.flatnonzero(np.isfinite(table.value))
    if not len(good):
        return {}
    order = good[np.argsort(table.track[good], kind="stable")]
    track, time, value = table.track[order], table.time[order], table.value[order]
    cuts = np.flatnonzero(np.diff(track, prepend=track[0] - 1))
    counts = np.diff(np.append(cuts, len(track)))
    columns = (
        track[cuts].tolist(),
        np.minimum.reduceat(time, cuts).tolist(),
        np.maximum.reduceat(time, cuts).tolist(),
        counts.tolist(),
        np.minimum.reduceat(value, cuts).tolist(),
        np.maximum.reduceat(value, cuts).tolist(),
    )
    return {place: _Sampled(*facts) for place, *facts in zip(*columns, strict=True)}
