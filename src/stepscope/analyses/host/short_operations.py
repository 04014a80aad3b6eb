"""Operations of a host without a device: how many there are in a step, and how short they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.time_classes import SHORT_OP_NS, TimeClass
from stepscope.model.profile import Profile, SpanKind


@dataclass(frozen=True, slots=True)
class ShortOperations:
    """Of all steps."""

    per_step: float
    median_ns: float
    short: float  # share of operations that are
    eager: float  # share of operations that are known to run on their own


def short_operations(profile: Profile, breakdown: Breakdown) -> ShortOperations | None:
    """None when no operation was recorded."""
    spans, label = profile.spans, breakdown.classified.label
    rows = np.flatnonzero((spans.kind == SpanKind.OP) & ((label == TimeClass.OP) | (label == TimeClass.COMPUTE)))
    if not len(rows):
        return None
    length = spans.end[rows] - spans.start[rows]
    eager = np.array([op.eager is True for op in profile.ops] + [False])[spans.op[rows]]
    return ShortOperations(
        per_step=len(rows) / max(1, len(breakdown.steps)),
        median_ns=float(np.median(length)),
        short=float((length < SHORT_OP_NS).mean()),
        eager=float(eager.mean()),
    )
