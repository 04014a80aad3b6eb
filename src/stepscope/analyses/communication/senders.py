"""The calls of the host that send messages: no file ties them, but one call begins before each message and after the one before."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.rows import rows_of
from stepscope.model.profile import Int64, Profile, SpanKind

MOST_NAMES = 1_000


def senders(profile: Profile, breakdown: Breakdown, messages: Int64) -> Int64:
    """Rows of operations of control threads, one for each of the messages' rows; none when no name fits all of them."""
    none = np.zeros(0, np.int64)
    if not len(messages):
        return none
    spans = profile.spans
    begins = np.sort(spans.start[messages])
    rows = rows_of([profile.tracks[place] for place in breakdown.classified.control])
    rows = rows[spans.kind[rows] == SpanKind.OP]
    names, counts = np.unique(spans.name[rows], return_counts=True)
    best, nearest = none, np.inf
    for name in names[counts >= len(messages)][:MOST_NAMES].tolist():
        mine = rows[spans.name[rows] == name]
        mine = mine[np.argsort(spans.start[mine], kind="stable")]
        last = np.searchsorted(spans.start[mine], begins, side="right") - 1
        if last[0] < 0 or len(np.unique(last)) < len(last):
            continue
        found = mine[last]
        distance = float(np.median(begins - spans.start[found]))
        if (spans.start[found][1:] >= begins[:-1]).all() and distance < nearest:
            best, nearest = found, distance
    return best
