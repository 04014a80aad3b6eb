"""Which part of what the profiler cost is in work that a change takes away: it pays for every span it records."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.intervals import union
from stepscope.analyses.rows import rows_of
from stepscope.analyses.what_if.levers import Lever, around, factors_of
from stepscope.model.profile import Profile, SpanKind

_DEARER = 2.0
"""A span may cost the profiler that many times what another costs: stacks and shapes are recorded with some."""
_NOT_RECORDED = (SpanKind.MARKER, SpanKind.ANNOTATION)


def recorded_share(ranks: Sequence[tuple[Profile, Breakdown]], levers: Sequence[Lever]) -> float:
    """At most, of all ranks; all of it for changes that no span tells of."""
    if any(lever.name == "straggler" for lever in levers):
        return 1.0
    return max(_of_rank(place, profile, breakdown, levers) for place, (profile, breakdown) in enumerate(ranks))


def _of_rank(place: int, profile: Profile, breakdown: Breakdown, levers: Sequence[Lever]) -> float:
    """Spans of control threads that begin inside what goes, and what is around it, among all of them."""
    spans = profile.spans
    gone = np.zeros(len(spans), bool)
    taken: list[tuple[np.ndarray, np.ndarray]] = []
    for lever in levers:
        gone |= factors_of(lever, place, profile, breakdown, floor=False) < 1
        if (beside := around(lever, profile, breakdown)) is not None:
            taken.append(beside)
    rows = rows_of(profile.tracks[track] for track in breakdown.classified.control)
    gone_rows = rows[gone[rows]]
    taken.append((spans.start[gone_rows], spans.end[gone_rows]))
    start, end = union(np.concatenate([each for each, _ in taken]), np.concatenate([each for _, each in taken]))
    counted = spans.start[rows[~np.isin(spans.kind[rows], _NOT_RECORDED)]]
    if not len(start) or not len(counted):
        return 1.0
    before = np.searchsorted(start, counted, side="right") - 1
    inside = int(((before >= 0) & (counted < end[np.maximum(before, 0)])).sum())
    return _DEARER * inside / (_DEARER * inside + len(counted) - inside)
