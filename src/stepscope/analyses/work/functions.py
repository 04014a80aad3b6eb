"""In which function an operation runs, or whether it runs eagerly, from the calls around it and what handed it over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope.model.profile import NONE, FlowKind, Int32, Int64, MarkerFamily, Profile, SpanKind, TrackPurpose, TrackRole

_MOST_CALLS = 256
"""Deeper than any chain of calls; flows of a damaged file may lead in circles."""
_CONTROL = (TrackPurpose.MAIN, TrackPurpose.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Callers:
    """Of some spans: the row of the outermost call of a function around each, and whether it was dispatched without any."""

    function: Int32
    eager: NDArray[np.bool_]


def callers(profile: Profile, rows: Int64) -> Callers:
    """Goes up from each span over the calls that hold it, and over handovers to the thread that asked for it."""
    spans = profile.spans
    found = np.full(len(rows), NONE, np.int32)
    dispatched = np.zeros(len(rows), bool)
    if not len(rows) or profile.framework != "TensorFlow":
        return Callers(found, dispatched)
    is_call = np.zeros(len(spans), bool)
    is_call[profile.markers.row[profile.markers.family == MarkerFamily.ROOT_CALL]] = True
    handed = np.full(len(spans), NONE, np.int32)
    producers = profile.flows.kind == FlowKind.PRODUCER
    handed[profile.flows.target[producers]] = profile.flows.source[producers]
    moved = np.zeros(len(rows), bool)
    at, going = rows.astype(np.int64), np.arange(len(rows))
    for _ in range(_MOST_CALLS):
        here = at[going]
        found[going] = np.where(is_call[here], here, found[going]).astype(np.int32)
        dispatched[going] |= spans.kind[here] == SpanKind.FRAMEWORK
        from_other = handed[here] >= 0
        moved[going] |= from_other
        at[going] = np.where(from_other, handed[here], spans.parent[here])
        going = going[at[going] >= 0]
        if not len(going):
            break
    control = np.array([track.role == TrackRole.THREAD and track.purpose in _CONTROL for track in profile.tracks] or [False])
    eager = dispatched & ~moved & (found == NONE) & control[spans.track[rows]]
    return Callers(found, eager)
