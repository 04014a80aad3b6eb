"""Profiles with counters beside what is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from analyses.timeline import MS, Timeline
from stepscope.model.profile import NONE, Counters, Profile, Track, TrackPurpose, TrackRole


def counted(picture: str, **samples: Sequence[tuple[float, float]]) -> Profile:
    """A drawn profile with counters, whose samples are milliseconds and values."""
    profile = Timeline().draw(picture).build()
    first = len(profile.tracks)
    rows = [(first + place, round(time * MS), value) for place, taken in enumerate(samples.values()) for time, value in taken]
    last = profile.tracks[-1].last_row
    tracks = [Track(name, TrackRole.COUNTER, TrackPurpose.UNKNOWN, "GPU 0", NONE, NONE, last, last) for name in samples]
    table = Counters(
        np.array([row[0] for row in rows], np.int32),
        np.array([row[1] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.float64),
    )
    return replace(profile, tracks=[*profile.tracks, *tracks], counters=table)
