"""Memory from step to step: how much is allocated when each step ends, how steadily that grows, and what allocated what stays."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.model.profile import NONE, Float64, Int64, Profile

_MOST_STEPS = 500
"""Pairs of steps are compared; of more steps an even choice is taken."""


@dataclass(frozen=True, slots=True)
class MemoryGrowth:
    """One memory (a device's or the host's) at the ends of typical steps."""

    device: int  # into Profile.devices, NONE for the host
    level: Int64  # bytes at each of these ends; relative to the recording's start where the file has no totals
    slope: float  # bytes per step: the median over all pairs of steps (Theil-Sen)
    rising: float  # share of pairs in which the later step has more
    capacity: int  # bytes, 0 when unknown
    grows: tuple[tuple[str, int], ...]  # operations whose memory from before the last step end stays, with its bytes, largest first


def memory_growth(profile: Profile, breakdown: Breakdown) -> tuple[MemoryGrowth, ...]:
    """For every memory of which allocations were recorded."""
    table = profile.allocations
    found: list[MemoryGrowth] = []
    places = _even(list(breakdown.typical))
    for device in map(int, np.unique(table.device)):
        mine = np.flatnonzero(table.device == device)
        times = table.time[mine]
        known = bool((table.allocated[mine] >= 0).all())
        total = table.allocated[mine] if known else np.cumsum(table.bytes[mine])
        at = np.searchsorted(times, breakdown.steps.bounds[1:][places], side="left") - 1
        level = np.where(at >= 0, total[np.maximum(at, 0)], 0)
        slope, rising = theil_sen(breakdown.steps.number[places].astype(np.float64), level.astype(np.float64))
        capacity = profile.devices[device].memory_bytes if device != NONE else 0
        grows = _staying(profile, mine, int(breakdown.steps.bounds[places[0]]), int(breakdown.steps.bounds[places[-1] + 1]))
        found.append(MemoryGrowth(device, level, slope, rising, capacity, grows))
    return tuple(found)


def theil_sen(x: Float64, y: Float64) -> tuple[float, float]:
    """The median slope over all pairs, and the share of pairs that rise."""
    first, second = np.triu_indices(len(x), 1)
    if not len(first):
        return 0.0, 0.0
    change = y[second] - y[first]
    return float(np.median(change / (x[second] - x[first]))), float((change > 0).mean())


def _even(places: list[int]) -> list[int]:
    return (
        places
        if len(places) <= _MOST_STEPS
        else [places[at] for at in np.linspace(0, len(places) - 1, _MOST_STEPS).astype(int).tolist()]
    )


def _staying(profile: Profile, mine: Int64, start: int, end: int) -> tuple[tuple[str, int], ...]:
    """Bytes allocated between the times and not released by the later one, by operation."""
    table, spans = profile.allocations, profile.spans
    live: dict[int, tuple[int, int]] = {}
    for place in mine[(table.time[mine] >= start) & (table.time[mine] < end)].tolist():
        address, size = int(table.address[place]), int(table.bytes[place])
        if size > 0 and address != NONE:
            live[address] = (place, size)
        else:
            live.pop(address, None)
    sums: dict[str, int] = defaultdict(int)
    for place, size in live.values():
        op, row = int(table.op[place]), int(table.row[place])
        name = profile.names[op] if op != NONE else profile.names[int(spans.name[row])] if row != NONE else "unknown"
        sums[name] += size
    return tuple(sorted(sums.items(), key=lambda item: (-item[1], item[0]))[:3])
