"""The demo's data: points on intertwined spiral arms, with noise, to be told apart by arm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ARMS = 3
_TURNS = 1.25
_NOISE = 0.07


@dataclass(frozen=True, slots=True)
class Points:
    """Places in the plane, (n, 2), and the arm each belongs to, (n,)."""

    places: NDArray[np.float64]
    arms: NDArray[np.int64]


def spirals(count: int, random: np.random.Generator) -> Points:
    """Draws points evenly along the arms; the same generator state gives the same points."""
    arms = random.integers(0, ARMS, count)
    along = np.sqrt(random.uniform(0.01, 1.0, count))
    angle = 2 * np.pi * (_TURNS * along + arms / ARMS)
    places = along[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return Points(places + random.normal(0.0, _NOISE, places.shape), arms)
