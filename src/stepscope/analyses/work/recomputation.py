"""Work that is done a second time for the backward pass, and the memory that would be free to keep its results."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.rank_spans import RankSpans
from stepscope.analyses.rows import rows_of_role
from stepscope.model.profile import NONE, Int64, Profile, SpanKind, TrackRole
from stepscope.model.span_names import NameRole


def recomputed(profile: Profile, breakdown: Breakdown, spans: RankSpans) -> Int64:
    """Rows with time of their own."""
    rows = np.union1d(_in_programs(profile), _in_checkpoints(profile, spans))
    return rows[breakdown.exposed[rows] > 0]


def free_memory(profile: Profile) -> float | None:
    """The share of the device's memory that nothing is allocated in at the fullest moment, None when it is not known."""
    table = profile.allocations
    shares: list[float] = []
    for place, device in enumerate(profile.devices):
        level = table.allocated[table.device == place]
        if device.memory_bytes > 0 and len(level) and int(level.max()) > 0:
            shares.append(1 - min(1.0, int(level.max()) / device.memory_bytes))
    return min(shares, default=None)


def _in_programs(profile: Profile) -> Int64:
    """Spans of operations that XLA, or JAX's checkpoint, has doubled."""
    again = [any(profile.name_rules.fits(NameRole.REMATERIALIZED, text) for text in (op.scope, op.name)) for op in profile.ops]
    return np.flatnonzero(np.array([*again, False])[profile.spans.op]) if any(again) else np.zeros(0, np.int64)


def _in_checkpoints(profile: Profile, spans: RankSpans) -> Int64:
    """What runs inside of torch's recomputation, or was launched there, but for the backward pass that it holds too."""
    around = spans.find(NameRole.RECOMPUTE, SpanKind.OP, SpanKind.PYTHON)
    if not len(around):
        return np.zeros(0, np.int64)
    inside = spans.within(around, spans.on_control)
    backward = spans.named(inside[profile.spans.kind[inside] == SpanKind.OP], NameRole.BACKWARD_CALL)
    inside = np.setdiff1d(inside, np.union1d(spans.within(backward, inside), around))
    device = rows_of_role(profile, TrackRole.STREAM)
    cause = profile.spans.cause[device]
    return np.union1d(inside, device[np.isin(cause, inside) & (cause != NONE)])
