"""Numbers for JSON, which has no NaN and no infinities: those become the words NaN, Infinity and -Infinity."""

from __future__ import annotations

import math
from typing import Literal

Number = float | Literal["NaN", "Infinity", "-Infinity"] | None


def number(value: float | None) -> Number:
    """The value as JSON can carry it."""
    if value is None or math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
