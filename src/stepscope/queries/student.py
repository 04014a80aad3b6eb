"""Student's t: the quantiles behind confidence bands of few values, by the closed form for whole degrees of freedom."""

from __future__ import annotations

import math
from functools import lru_cache

_NORMAL_975 = 1.959963984540054
_MANY = 200


@lru_cache(maxsize=1024)
def t_975(freedom: int) -> float:
    """The 97.5 % quantile with this many degrees of freedom (1 or more)."""
    return _expansion(freedom) if freedom > _MANY else t_within(0.95, freedom)


@lru_cache(maxsize=1024)
def t_within(chance: float, freedom: int) -> float:
    """The t for which a value lies between -t and t with this chance, at most 0.9999; beyond 200 degrees of freedom that of 200."""
    low, high = 0.0, 1e4
    for _ in range(80):
        middle = (low + high) / 2
        if _within(middle, min(freedom, _MANY)) < chance:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _within(t: float, freedom: int) -> float:
    """The chance of a value between -t and t (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine = math.cos(angle)
    odd = freedom % 2
    term = math.sin(angle) * (cosine if odd else 1.0)
    total = term if freedom > 1 else 0.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    return 2 / math.pi * (angle + total) if odd else total


def _expansion(freedom: int) -> float:
    """Cornish and Fisher's expansion; its error is below 1e-8 beyond 200 degrees of freedom."""
    z, n = _NORMAL_975, float(freedom)
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )
