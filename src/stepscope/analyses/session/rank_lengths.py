"""Whether one rank is the slowest, or ranks are equally fast: how far their typical steps lie apart, beside the noise of steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.noise import difference, estimate

LEAST = 0.01
"""Ranks whose typical steps differ by less are equally fast, however sure the difference is."""
FEW_STEPS_LEAST = 0.05
"""The same where steps are too few to tell their noise."""
_CHANCE = 0.05
_SUREST = 0.9999


@dataclass(frozen=True, slots=True)
class RankLengths:
    """The typical steps of several ranks beside each other."""

    longest: int  # place of the rank with the longest typical step
    apart: float  # the longest typical step over the shortest, less 1
    equal: bool  # whether the longest and the shortest differ by no more than noise
    slowest: int | None  # the longest, when it is longer than every other by more than noise

    @property
    def text(self) -> str:
        """What to say instead of naming the slowest; empty when there is one."""
        if self.slowest is not None:
            return ""
        return (
            f"Ranks have equal step times (within {_percent(self.apart)})."
            if self.equal
            else f"Step times of ranks differ by up to {_percent(self.apart)}."
        )


def rank_lengths(breakdowns: Sequence[Breakdown], leave_out: Sequence[int] = ()) -> RankLengths:
    """Compares the ranks by the mean of their typical steps, each longer one with the next; those of damaged files are left out."""
    typical = [each.typical_ns for each in breakdowns]
    order = sorted(set(range(len(typical))) - set(leave_out), key=lambda place: (-typical[place], place))
    longest, shortest = order[0], order[-1]
    if len(order) < 2:
        return RankLengths(longest, 0.0, equal=True, slowest=None)
    apart = typical[longest] / typical[shortest] - 1 if typical[shortest] > 0 else 0.0
    # The ends of many ranks are apart by chance alone: they are the worst of all pairs.
    within = min(_SUREST, 1 - _CHANCE / (len(order) * (len(order) - 1) / 2))
    equal = not _differ(breakdowns[shortest], breakdowns[longest], within)
    alone = not equal and _differ(breakdowns[order[1]], breakdowns[longest], 1 - _CHANCE)
    return RankLengths(longest, apart, equal, longest if alone else None)


def _differ(shorter: Breakdown, longer: Breakdown, within: float) -> bool:
    before, after = (estimate([each.steps.length[list(each.typical)].astype(np.float64)]) for each in (shorter, longer))
    found = difference(before, after, LEAST * before.mean, within)
    return found.change_ns > FEW_STEPS_LEAST * before.mean if found.noise_ns is None else bool(found.beyond_noise)


def _percent(share: float) -> str:
    """Rounded up, so that it holds."""
    percent = 100 * share
    return f"{math.ceil(percent - 1e-9)}%" if percent >= 10 else f"{max(0.1, math.ceil(10 * percent - 1e-9) / 10):g}%"
