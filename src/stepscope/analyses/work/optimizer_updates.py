"""What an optimizer runs to update all parameters: its marks, and the operations or kernels inside them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.rank_spans import RankSpans
from stepscope.analyses.rows import rows_of_role
from stepscope.model.profile import Int64, Profile, SpanKind, TrackRole
from stepscope.model.span_names import NameRole


@dataclass(frozen=True, slots=True)
class OptimizerUpdates:
    """Updates of all parameters."""

    updates: Int64  # rows of their marks
    each: float  # kernels of one update, or operations without a device
    at_once: bool  # whether any of them takes many parameters


def optimizer_updates(profile: Profile, breakdown: Breakdown, spans: RankSpans) -> OptimizerUpdates:
    """As PyTorch marks them."""
    updates = spans.find(NameRole.OPTIMIZER_STEP, SpanKind.ANNOTATION, SpanKind.OP)
    work = _operations(profile, spans, updates) if breakdown.classified.cpu_only else _kernels(profile, spans, updates)
    return OptimizerUpdates(updates, len(work) / max(1, len(updates)), len(spans.named(work, NameRole.MANY_TENSORS)) > 0)


def _operations(profile: Profile, spans: RankSpans, updates: Int64) -> Int64:
    """The outermost inside the updates, which old recordings call operations too."""
    inner = np.setdiff1d(spans.within(updates, spans.of_kind(SpanKind.OP)), updates)
    return inner[~np.isin(profile.spans.parent[inner], inner)]


def _kernels(profile: Profile, spans: RankSpans, updates: Int64) -> Int64:
    """Those that were launched inside the updates."""
    rows = rows_of_role(profile, TrackRole.STREAM)
    rows = rows[profile.spans.cause[rows] >= 0]
    calls = np.unique(profile.spans.cause[rows]).astype(np.int64)
    return rows[np.isin(profile.spans.cause[rows], spans.within(updates, calls))]
