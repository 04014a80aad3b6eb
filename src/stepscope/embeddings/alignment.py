"""Aligns one layout with another of the same points, so that what moves between steps is the data and not the axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def aligned(positions: NDArray[np.float32], reference: NDArray[np.float32]) -> NDArray[np.float32]:
    """The positions moved, and rotated or mirrored, to be as near as possible to the reference (orthogonal Procrustes); never scaled.

    Both have a row for each point; a reference of more columns is cut.
    """
    width = positions.shape[1]
    target = reference[:, :width].astype(np.float64)
    source = positions.astype(np.float64)
    middle, wanted = source.mean(axis=0), target.mean(axis=0)
    left, _, right = np.linalg.svd((source - middle).T @ (target - wanted))
    return ((source - middle) @ (left @ right) + wanted).astype(np.float32)
