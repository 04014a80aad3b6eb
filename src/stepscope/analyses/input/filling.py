"""Shuffle buffers that are filled while a later step than the first waits for input."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.input.stages import Stage
from stepscope.analyses.intervals import union
from stepscope.model.profile import Int64, Profile

_SHUFFLES = "Shuffle"
_TIMES_THE_OTHERS = 20
"""The call that fills takes as many elements from upstream as the buffer holds, all others take one."""


@dataclass(frozen=True, slots=True)
class Filling:
    """The longest call of a shuffle stage; times in nanoseconds."""

    stage: Stage
    longest_ns: int
    waited_ns: float  # by the consumer meanwhile, in the steps that count
    share: float  # of the steps that count


def shuffle_filling(profile: Profile, breakdown: Breakdown, stages: Iterable[Stage], waits: Int64, first: int) -> Filling | None:
    """The longest that takes many times as long as the others of its stage; steps count from the place `first` on.

    What is filled before the first step is filled once, and belongs to the start.
    """
    begin, end = int(breakdown.steps.bounds[first]), int(breakdown.steps.bounds[-1])
    found: list[Filling] = []
    for stage in stages:
        longest = int(profile.spans.end[stage.row] - profile.spans.start[stage.row])
        others = (stage.total_ns - longest) / max(1, stage.count - 1)
        if stage.kind.startswith(_SHUFFLES) and longest > _TIMES_THE_OTHERS * others:
            waited = _waited_ns(profile, stage, waits, begin, end)
            if waited > 0:
                found.append(Filling(stage, longest, waited, waited / max(1.0, float(end - begin))))
    return max(found, key=lambda one: one.longest_ns, default=None)


def _waited_ns(profile: Profile, stage: Stage, waits: Int64, begin: int, end: int) -> float:
    spans = profile.spans
    start, stop = max(int(spans.start[stage.row]), begin), min(int(spans.end[stage.row]), end)
    since, until = union(spans.start[waits], spans.end[waits])
    return float(np.maximum(0, np.minimum(until, stop) - np.maximum(since, start)).sum())
