"""The rank that the others wait for, and what its own work would be at theirs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.replay import RankInputs, Replay, Scales
from stepscope.model.profile import Float64, Int64

_OWN_WORK = (
    TimeClass.COMPUTE,
    TimeClass.H2D,
    TimeClass.D2H,
    TimeClass.D2D,
    TimeClass.COMPILE,
    TimeClass.GC,
    TimeClass.IO,
    TimeClass.INPUT,
    TimeClass.OP,
    TimeClass.FRAMEWORK,
    TimeClass.PYTHON,
    TimeClass.UNTRACED,
)
"""Classes in which a rank works; in the others it may wait for the device or for another rank."""


def own_work(breakdowns: Sequence[Breakdown]) -> Float64:
    """What each rank's typical step takes without communication."""
    return np.array([breakdown.typical_ns - float(breakdown.typical_parts[TimeClass.COMM]) for breakdown in breakdowns])


def straggler(breakdowns: Sequence[Breakdown]) -> int:
    """The place of the rank with the most work of its own."""
    return int(np.argmax(own_work(breakdowns)))


def straggler_savings(breakdowns: Sequence[Breakdown], factor: float) -> tuple[float, float]:
    """Nanoseconds that every rank's step loses at least and at most, when the straggler works as long as the others do."""
    own, slow = own_work(breakdowns), straggler(breakdowns)
    others = np.delete(own, slow)
    excess = (1 - factor) * max(0.0, float(own[slow]) - float(np.median(others)))
    waiting = float(np.mean([breakdowns[place].typical_parts[TimeClass.COMM] for place in range(len(own)) if place != slow]))
    return min(excess, waiting), excess


def straggler_scales(replay: Replay, factor: float, scales: Sequence[Scales]) -> None:
    """Brings each class of the straggler's own work to the median of the other ranks, where it takes longer."""
    slow = straggler([rank.breakdown for rank in replay.ranks])
    totals = np.array([_totals(rank) for rank in replay.ranks])
    usual = np.median(np.delete(totals, slow, axis=0), axis=0)
    goal = np.minimum(1.0, usual / np.maximum(totals[slow], 1.0))
    left = np.ones(len(TimeClass))
    left[list(_OWN_WORK)] = (factor + (1 - factor) * goal)[list(_OWN_WORK)]
    rank, scale = replay.ranks[slow], scales[slow]
    scale.scale_host(left[rank.host.label])
    scale.untraced *= float(left[TimeClass.UNTRACED])
    scale.ops[:] *= left[rank.breakdown.classified.label[rank.ops]]


def _totals(rank: RankInputs) -> Float64:
    """Time per class and step, of the host's timeline and of the device's operations."""
    bounds = rank.breakdown.steps.bounds
    totals = np.zeros(len(TimeClass))
    host, spans = rank.host, rank.profile.spans
    np.add.at(totals, host.label, _inside(host.start, host.end, bounds))
    totals[TimeClass.UNTRACED] = _inside(*host.untraced, bounds).sum()
    ops = rank.ops[(spans.start[rank.ops] >= bounds[0]) & (spans.start[rank.ops] < bounds[-1])]
    np.add.at(totals, rank.breakdown.classified.label[ops], spans.end[ops] - spans.start[ops])
    return totals / max(1, len(rank.breakdown.steps))


def _inside(start: Int64, end: Int64, bounds: Int64) -> Int64:
    return np.maximum(0, np.minimum(end, bounds[-1]) - np.maximum(start, bounds[0]))
