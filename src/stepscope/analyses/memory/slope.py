"""How fast a level rises: the median slope over all pairs of points, its bounds, and the share of pairs that rise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.model.profile import Float64

_TWO_SIDED_95 = 1.96


@dataclass(frozen=True, slots=True)
class Slope:
    """The median over all pairs (Theil-Sen), with the bounds that hold it in 95 of 100 cases if errors are independent (Sen)."""

    median: float
    low: float
    high: float


def slope_of(x: Float64, y: Float64) -> Slope | None:
    """None when x is the same everywhere."""
    first, second = np.triu_indices(len(x), 1)
    apart = x[second] - x[first]
    kept = apart > 0
    if not kept.any():
        return None
    slopes = np.sort((y[second] - y[first])[kept] / apart[kept])
    reach = _TWO_SIDED_95 * np.sqrt(len(x) * (len(x) - 1) * (2 * len(x) + 5) / 18.0)
    low = max(0, int(np.floor((len(slopes) - reach) / 2)))
    high = min(len(slopes) - 1, int(np.ceil((len(slopes) + reach) / 2)))
    return Slope(float(np.median(slopes)), float(slopes[low]), float(slopes[high]))


def rising_share(levels: Float64) -> float:
    """The share of pairs in which the later one has more."""
    first, second = np.triu_indices(len(levels), 1)
    return float((levels[second] > levels[first]).mean()) if len(first) else 0.0
