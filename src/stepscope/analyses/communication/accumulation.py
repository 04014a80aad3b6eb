"""How often gradients are reduced for one update of the parameters: more than once, where they are accumulated over several passes."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.rows import rows_named
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Profile, SpanKind
from stepscope.model.span_names import NameRole

_MARKED = (SpanKind.ANNOTATION, SpanKind.OP)


def reductions_per_update(profile: Profile, breakdown: Breakdown) -> float | None:
    """Passes of a model that communicate before the next one begins, for each update; None where passes or updates are not recorded."""
    spans, bounds = profile.spans, breakdown.steps.bounds
    inside = (spans.start >= bounds[0]) & (spans.start < bounds[-1])
    marked = np.flatnonzero(inside & np.isin(spans.kind, _MARKED))
    passes = np.sort(spans.start[rows_named(profile, marked, NameRole.SYNCED_PASS)])
    updates = len(rows_named(profile, marked, NameRole.OPTIMIZER_STEP))
    if not len(passes) or not updates:
        return None
    collectives = spans.start[np.flatnonzero(inside & (breakdown.classified.label == TimeClass.COMM))]
    place = np.searchsorted(passes, collectives, side="right")
    return len(np.unique(place[place > 0])) / updates
