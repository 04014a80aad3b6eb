"""Numbers for JSON, which has no NaN and no infinities: those become the words NaN, Infinity and -Infinity."""

from __future__ import annotations

import math
from typing import Literal

JsonNumber = float | Literal["NaN", "Infinity", "-Infinity"]
"""A number that is always there."""

Number = JsonNumber | None
"""A number, or null where there is none."""


def number(value: float | None) -> Number:
    """The value as JSON can carry it."""
    return None if value is None else json_number(value)


def json_number(value: float) -> JsonNumber:
    """A number that is there, as JSON can carry it."""
    if math.isfinite(value):
        return value
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
