"""Compares two trainings that were timed turn about: how long the second's step is, and how sure that is."""

from __future__ import annotations

import math
import statistics
from typing import Any

SURE = 0.9
"""The interval contains the true ratio at least this often, whatever the noise is distributed like."""
TOO_WIDE = 0.2
"""A training is too noisy to judge anything by it when the interval is wider than this share of the ratio."""
Found = dict[str, Any]


def compared(before: list[list[float]], after: list[list[float]]) -> tuple[Found, Found]:
    """The median step before, and the step after: that before times the median over rounds of the ratio of both.

    A round is a block of each, one right after the other, so that what slows the machine down for longer hurts both alike. The
    interval is that of the median of the ratios by their order alone.
    """
    ratios = sorted(statistics.median(then) / statistics.median(first) for first, then in zip(before, after, strict=True))
    step, left_out = statistics.median(ms for block in before for ms in block), beyond(len(ratios))
    ends = {"low_ms": step * ratios[left_out], "high_ms": step * ratios[-1 - left_out]}
    return (
        {"median_ms": step, "steps": sum(map(len, before))},
        {"median_ms": step * statistics.median(ratios), **ends, "steps": sum(map(len, after))},
    )


def beyond(rounds: int) -> int:
    """How many of the sorted ratios lie outside of the interval at each end: as many as leave it sure enough."""
    outside, left_out = 2.0 / 2**rounds, 0
    while 2 * (left_out + 1) < rounds:
        outside += 2.0 * math.comb(rounds, left_out + 1) / 2**rounds
        if outside > 1 - SURE:
            break
        left_out += 1
    return left_out


def uncertainty(after: Found) -> float:
    """The width of the interval, of the step after."""
    return (after["high_ms"] - after["low_ms"]) / after["median_ms"]


def too_noisy(after: Found) -> bool:
    """Whether nothing can be judged."""
    return uncertainty(after) > TOO_WIDE


def slower(before: Found, after: Found) -> bool:
    """Whether the step after is longer for sure."""
    return after["low_ms"] > before["median_ms"]
