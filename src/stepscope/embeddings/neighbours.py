"""Nearest neighbours of points, exactly: one pass over all vectors takes milliseconds, less than an index takes to be built."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Metric = Literal["cosine", "euclidean"]
_BLOCK_VALUES = 1 << 24
"""Distances that are in memory at once."""


def unit_rows(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors of length one; a vector of zeros stays one."""
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    return np.divide(values, lengths, out=np.zeros_like(values), where=lengths > 0)


def neighbours_of(values: NDArray[np.float32], point: int, count: int, metric: Metric) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The nearest other points and their distances, nearest first; of equally near ones the first."""
    if metric == "cosine":
        units = unit_rows(values)
        away = 1 - units @ units[point]
    else:
        away = np.linalg.norm(values - values[point], axis=1)
    away[point] = np.inf
    count = min(count, len(values) - 1)
    nearest = np.argpartition(away, count - 1)[:count] if 0 < count < len(away) else np.arange(len(away))[:count]
    # Ties at the border may be cut anywhere; inside, points are in order.
    order = np.lexsort((nearest, away[nearest]))
    found = nearest[order].astype(np.int64)
    return found, np.maximum(away[found], 0).astype(np.float32)


def distances(
    values: NDArray[np.float32], queries: NDArray[np.int64], metric: Metric, pause: Callable[[int], None]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
    """Distances of some points to all points, in blocks: (queries, queries × points). `pause` is told of the queries done."""
    table = unit_rows(values) if metric == "cosine" else values
    squares = np.einsum("ij,ij->i", table, table)
    block = max(1, _BLOCK_VALUES // max(1, len(values)))
    for first in range(0, len(queries), block):
        part = queries[first : first + block]
        pause(first)
        products = table[part] @ table.T
        if metric == "cosine":
            yield part, np.maximum(1 - products, 0)
        else:
            yield part, np.sqrt(np.maximum(squares[part][:, None] + squares[None, :] - 2 * products, 0))
