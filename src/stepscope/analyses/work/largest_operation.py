"""The operation with most compute of its own, beside the least time that its arithmetic and its bytes need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.devices.peaks import Peaks
from stepscope.analyses.rank_spans import RankSpans
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.executions import host_operation_of
from stepscope.analyses.work.product_flops import product_flops
from stepscope.model.profile import NONE, Int64, Profile

_ORDINARY = "fp32"
_MOST_ASKED = 20_000
"""Spans, one after another, whose arithmetic is counted: the others are more of the same."""


@dataclass(frozen=True, slots=True)
class LargestOperation:
    """Spans of no known operation count by their own name."""

    name: str
    rows: Int64
    longest: int  # the span with most time of its own


@dataclass(frozen=True, slots=True)
class Roof:
    """How long the operation would take at the device's peaks, beside how long it takes, in nanoseconds."""

    least_ns: float
    took_ns: float
    bound_by: str


def largest_operation(profile: Profile, breakdown: Breakdown, spans: RankSpans) -> LargestOperation | None:
    """None when nothing that computes was recorded."""
    rows = spans.labelled(TimeClass.COMPUTE)
    if not len(rows):
        return None
    op, ops = profile.spans.op[rows], profile.ops
    key = np.where(op >= 0, op, len(ops) + profile.spans.name[rows]).astype(np.int64)
    best = int(np.argmax(np.bincount(key, breakdown.exposed[rows])))
    mine = rows[key == best]
    longest = int(mine[int(np.argmax(breakdown.exposed[mine]))])
    return LargestOperation(ops[best].name if best < len(ops) else spans.name(int(mine[0])), mine, longest)


def roof_of(profile: Profile, breakdown: Breakdown, largest: LargestOperation, peaks: Peaks) -> Roof | None:
    """From the operation's own costs where a compiler tells them, otherwise from the shapes of products; None when neither is known."""
    spans, rows = profile.spans, largest.rows[:_MOST_ASKED]
    op = int(spans.op[rows[0]])
    hosts = np.unique(host_operation_of(profile, rows))
    hosts = hosts[hosts >= 0]
    known = profile.ops[op] if op != NONE else None
    flops = bytes_ = float("nan")
    if known is not None and not np.isnan(known.flops):
        runs = len(hosts) or len(rows)
        flops, bytes_ = known.flops * runs, known.bytes * runs
    elif len(hosts):
        names = profile.names
        pairs, counts = np.unique(np.stack([spans.name[hosts], spans.shape[hosts]]), axis=1, return_counts=True)
        each = [product_flops(names[int(name)], names[int(shape)]) if shape != NONE else float("nan") for name, shape in pairs.T]
        flops = float(np.dot(each, counts))
    longest = int(rows[int(np.argmax(breakdown.exposed[rows]))])
    peak = peaks.flops.get(profile.name_rules.number_format(profile.names[int(spans.name[longest])]) or _ORDINARY)
    arithmetic = 1e9 * flops / peak if peak and not np.isnan(flops) else float("nan")
    traffic = 1e9 * bytes_ / peaks.bandwidth if peaks.bandwidth and not np.isnan(bytes_) else float("nan")
    if np.isnan(arithmetic) and np.isnan(traffic):
        return None
    least = float(np.nanmax([arithmetic, traffic]))
    took = float((spans.end[rows] - spans.start[rows]).sum())
    return Roof(least, took, "memory" if traffic == least else "arithmetic")
