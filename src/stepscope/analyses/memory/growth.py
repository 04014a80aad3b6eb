"""Memory from step to step: how much is allocated when each step ends, how steadily that grows, and what allocated what stays."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.memory.ledger import Ledger, MatchedBy, ledgers
from stepscope.analyses.memory.slope import Slope, rising_share, slope_of
from stepscope.model.profile import NONE, Int64, Profile

LEAST_STEPS = 5
"""Of fewer typical steps growth cannot be told from noise."""
STEPS_AHEAD = 1_000
_MOST_STEPS = 500
"""Pairs of steps are compared; of more steps an even choice is taken."""
_RISING = 0.9
_OF_CAPACITY = 0.1
_OF_LEVEL = 1.0
"""Where the size of the memory is unknown: what is allocated now doubles within a thousand steps."""


class GrowthVerdict(StrEnum):
    """What the levels at step ends say."""

    GROWS = "grows"
    STEADY = "steady"
    CANNOT_TELL = "cannot_tell"


@dataclass(frozen=True, slots=True)
class MemoryGrowth:
    """One memory (a device's or the host's) at the ends of typical steps."""

    name: str
    device: int  # into Profile.devices, NONE for the host
    level: Int64  # bytes at each of these ends; relative to the recording's start where the file has no totals
    slope: float  # bytes per step: the median over all pairs of steps (Theil-Sen)
    rising: float  # share of pairs in which the later step has more: the confidence of a verdict that it grows
    capacity: int  # bytes, 0 when unknown
    grows: tuple[tuple[str, int], ...]  # operations whose memory from before the last step end stays, with its bytes, largest first
    bounds: tuple[float, float] = (0.0, 0.0)  # of the slope, for 95 %

    @property
    def verdict(self) -> GrowthVerdict:
        """Grows: in nearly all pairs of steps, and by so much that a thousand steps would be felt."""
        if len(self.level) < LEAST_STEPS:
            return GrowthVerdict.CANNOT_TELL
        if self.slope <= 0 or self.rising < _RISING:
            return GrowthVerdict.STEADY
        felt = _OF_CAPACITY * self.capacity if self.capacity > 0 else _OF_LEVEL * max(1, int(self.level[0]))
        return GrowthVerdict.GROWS if self.slope * STEPS_AHEAD > felt else GrowthVerdict.STEADY


def memory_growth(profile: Profile, breakdown: Breakdown) -> tuple[MemoryGrowth, ...]:
    """For every memory of which allocations were recorded in time."""
    places = _even(list(breakdown.typical))
    found = [ledger for ledger in ledgers(profile) if ledger.matched_by is not MatchedBy.SUMS and ledger.timed]
    return tuple(_growth(ledger, breakdown, places) for ledger in found)


def _growth(ledger: Ledger, breakdown: Breakdown, places: list[int]) -> MemoryGrowth:
    steps = breakdown.steps
    at = np.searchsorted(ledger.time, steps.bounds[1:][places], side="left") - 1
    at_first = int(ledger.level[0] - ledger.moves.bytes[ledger.moves.event == 0].sum())
    level = np.where(at >= 0, ledger.level[np.maximum(at, 0)], at_first)
    levels = level.astype(np.float64)
    slope = slope_of(steps.number[places].astype(np.float64), levels) or Slope(0.0, 0.0, 0.0)
    stays = _staying(ledger, int(steps.bounds[places[0]]), int(steps.bounds[places[-1] + 1]))
    bounds = (slope.low, slope.high)
    return MemoryGrowth(ledger.name, ledger.device, level, slope.median, rising_share(levels), ledger.capacity, stays, bounds)


def _even(places: list[int]) -> list[int]:
    if len(places) <= _MOST_STEPS:
        return places
    return [places[at] for at in np.linspace(0, len(places) - 1, _MOST_STEPS).astype(int).tolist()]


def _staying(ledger: Ledger, start: int, end: int) -> tuple[tuple[str, int], ...]:
    """Bytes allocated between the times and not released by the later one, by operation."""
    holdings = ledger.holdings
    first, until = np.searchsorted(ledger.time, [start, end], side="left")
    stays = np.flatnonzero((holdings.first != NONE) & (holdings.first >= first) & (holdings.first < until) & (holdings.last >= until))
    sums = np.zeros(len(ledger.texts), np.int64)
    np.add.at(sums, holdings.op[stays], holdings.bytes[stays])
    most: list[int] = sorted(np.flatnonzero(sums).tolist(), key=lambda one: (-sums[one], ledger.texts[one]))[:3]
    return tuple((ledger.texts[one], int(sums[one])) for one in most)
