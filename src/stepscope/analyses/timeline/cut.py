"""The spans of a rectangle of the trace, cut at its edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope import _native
from stepscope.model.profile import Int64, Profile, TrackRole


@dataclass(frozen=True, slots=True)
class CutSpans:
    """Spans by track, each with the time that it has inside the rectangle."""

    rows: Int64
    start: Int64
    end: Int64
    own: Int64  # without the time of spans inside them
    first: Int64  # of each track: place of its first span
    last: Int64  # and the place after its last one

    @property
    def wall(self) -> Int64:
        """Time of each span."""
        return self.end - self.start


def owning_tracks(profile: Profile) -> list[int]:
    """Threads and streams: other tracks repeat what these contain."""
    return [place for place, track in enumerate(profile.tracks) if track.role in (TrackRole.THREAD, TrackRole.STREAM)]


def cut_spans(profile: Profile, tracks: Sequence[int], window: tuple[int, int]) -> CutSpans:
    """All spans of the tracks that overlap the window, and those of no duration that lie in it, in nanoseconds of the profile."""
    spans = profile.spans
    rows = _rows(profile, tracks, window)
    start, end = np.clip(spans.start[rows], *window), np.clip(spans.end[rows], *window)
    first = np.flatnonzero(np.diff(spans.track[rows].astype(np.int64), prepend=-1))
    last = np.append(first, len(rows))[1:]
    own = _native.self_times(start, end, np.zeros(len(rows), np.int8), first, last)
    return CutSpans(rows, start, end, own, first, last)


def _rows(profile: Profile, tracks: Sequence[int], window: tuple[int, int]) -> Int64:
    spans, (start, end) = profile.spans, window
    wanted = np.zeros(len(profile.tracks), bool)
    wanted[list(tracks)] = True
    return np.flatnonzero((spans.start < end) & ((spans.end > start) | (spans.start >= start)) & wanted[spans.track])
