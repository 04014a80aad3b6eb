"""The best range that looks at no profile: what an estimate has to beat."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any


def best_guess(pairs: Sequence[tuple[float, float]], widths: Sequence[float]) -> dict[str, Any] | None:
    """The constant range, as shares of the step before, that contains most steps after and is as wide as ours in the median.

    `pairs` are steps before and after, `widths` those of our ranges as shares of the step after. The range is chosen with the answers
    at hand, so no constant does better.
    """
    if not pairs or not widths:
        return None
    shares = sorted(after / before for before, after in pairs)
    wide = statistics.median(widths) / statistics.median(before / after for before, after in pairs)

    def held(low: float) -> int:
        return sum(low <= share <= low + wide for share in shares)

    low = max(shares, key=held)
    return {"low": low, "high": low + wide, "held": held(low)}
