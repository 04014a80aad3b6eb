"""A call that is repeated at the top of a thread and takes most of its time: the loop's body when nothing marks the steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.model.profile import Int64, Profile, SpanKind, Track, TrackPurpose, TrackRole
from stepscope.model.span_names import NameRole

LEAST_REPEATS = 3
_LEAST_SHARE = 0.5  # of the time that the thread's top spans cover
_MOST_LEVELS = 64
_CALLS = (SpanKind.FRAMEWORK, SpanKind.ANNOTATION, SpanKind.PYTHON)
"""What may be a loop's body, or hold the loop; single operations are repeated everywhere."""
_NOT_ASKED = {TrackPurpose.EXECUTOR, TrackPurpose.INPUT, TrackPurpose.COMMUNICATION, TrackPurpose.OTHER, TrackPurpose.BACKWARD}


@dataclass(frozen=True, slots=True)
class RootCalls:
    """The rows of the repeated call, in time order and without overlap."""

    name: str
    track: int
    rows: Int64


def find_root_calls(profile: Profile) -> RootCalls | None:
    """The repeated call that takes most time of all threads that could run the loop, if there is one."""
    best: RootCalls | None = None
    longest = 0
    for place, track in enumerate(profile.tracks):
        # Of a million threads most have too few spans to repeat anything.
        if track.last_row - track.first_row < LEAST_REPEATS or track.role != TrackRole.THREAD or track.purpose in _NOT_ASKED:
            continue
        rows = _repeated(profile, track)
        total = int((profile.spans.end[rows] - profile.spans.start[rows]).sum())
        if len(rows) >= LEAST_REPEATS and total > longest:
            best, longest = RootCalls(profile.names[int(profile.spans.name[rows[0]])], place, rows), total
    return best


def _repeated(profile: Profile, track: Track) -> Int64:
    """Looks at the top spans; while one span is nearly all there is (a script's main function), looks inside it."""
    spans = profile.spans
    inside = slice(track.first_row, track.last_row)
    parent = spans.parent[inside]
    rows = np.flatnonzero(parent < 0) + track.first_row
    for _ in range(_MOST_LEVELS):
        rows = rows[spans.end[rows] > spans.start[rows]]
        if not len(rows):
            break
        length = spans.end[rows] - spans.start[rows]
        found = _loop_body(profile, rows, length)
        if len(found):
            return found
        widest = int(np.argmax(length))
        if length[widest] < 0.9 * length.sum() or spans.kind[rows[widest]] not in _CALLS:
            break
        if profile.name_rules.fits(NameRole.MODEL_PASS, profile.names[int(spans.name[rows[widest]])]):
            break  # what repeats inside one pass through the model are its layers
        rows = np.flatnonzero(parent == rows[widest]) + track.first_row
    return np.zeros(0, np.int64)


def _loop_body(profile: Profile, rows: Int64, length: Int64) -> Int64:
    """The rows of the name that holds at least half of the time and comes at least three times."""
    spans = profile.spans
    names, where, counts = np.unique(spans.name[rows], return_inverse=True, return_counts=True)
    totals = np.zeros(len(names), np.int64)
    np.add.at(totals, where, length)
    totals[counts < LEAST_REPEATS] = 0
    best = int(np.argmax(totals))
    if totals[best] < _LEAST_SHARE * length.sum() or totals[best] == 0:
        return np.zeros(0, np.int64)
    if profile.name_rules.fits(NameRole.REST, profile.names[int(names[best])]):
        return np.zeros(0, np.int64)
    chosen = rows[where == best]
    if not np.isin(spans.kind[chosen], _CALLS).all():
        return np.zeros(0, np.int64)
    apart = np.concatenate([[True], spans.start[chosen][1:] >= np.maximum.accumulate(spans.end[chosen])[:-1]])
    return chosen[apart]
