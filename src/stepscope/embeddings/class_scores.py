"""How well an embedding separates the classes of a label column: purity of nearest neighbours, and silhouette."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope.embeddings.neighbours import Metric, distances

MOST_QUERIES = 2_000
"""Points that are measured, each against all others; of more points an even share of each class is."""
MOST_CLASSES = 500


@dataclass(frozen=True, slots=True)
class ClassScore:
    """One class, or all points."""

    points: int
    measured: int
    """Points that the scores are the mean of."""
    purity: float | None
    """Mean share of a point's k nearest neighbours that are of its class; None without a measured point."""
    silhouette: float | None
    """Mean silhouette: (b − a) / max(a, b), with a the mean distance to its class and b to the nearest other class."""


@dataclass(frozen=True, slots=True)
class ClassScores:
    """All classes, and all points together."""

    classes: tuple[ClassScore, ...]
    total: ClassScore
    neighbours: int


def class_scores(
    values: NDArray[np.float32],
    codes: NDArray[np.int32],
    classes: int,
    neighbours: int,
    metric: Metric,
    pause: Callable[[int], None] = lambda _: None,
) -> ClassScores:
    """Scores of labelled points; `codes` says the class of each, −1 for none, and those count for nobody. `pause` may raise."""
    kept = np.flatnonzero(codes >= 0)
    values, codes = values[kept], codes[kept]
    sizes = np.bincount(codes, minlength=classes)
    neighbours = max(0, min(neighbours, len(values) - 1))
    queries = _queries(codes)
    purity, silhouette = np.full(len(values), np.nan), np.full(len(values), np.nan)
    members = np.zeros((len(values), classes), np.float32)
    members[np.arange(len(values)), codes] = 1
    for part, away in distances(values, queries, metric, pause):
        away[np.arange(len(part)), part] = 0
        silhouette[part] = _silhouettes(away @ members, codes[part], sizes)
        if neighbours:
            away[np.arange(len(part)), part] = np.inf
            nearest = np.argpartition(away, neighbours - 1, axis=1)[:, :neighbours]
            purity[part] = (codes[nearest] == codes[part][:, None]).mean(axis=1)
    own = codes[queries]

    def score(points: int, chosen: NDArray[np.bool_]) -> ClassScore:
        which = queries[chosen]
        return ClassScore(points, len(which), _mean(purity[which]), _mean(silhouette[which]))

    each = tuple(score(int(sizes[one]), own == one) for one in range(classes))
    return ClassScores(each, score(len(values), np.ones(len(queries), bool)), neighbours)


def _queries(codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """All points, or an even share of every class, in which each class has at least one."""
    if len(codes) <= MOST_QUERIES:
        return np.arange(len(codes))
    order = np.argsort(codes, kind="stable")
    first = np.flatnonzero(np.diff(codes[order], prepend=-1))
    spread = np.arange(MOST_QUERIES) * len(codes) // MOST_QUERIES
    return np.unique(order[np.union1d(first, spread)])


def _silhouettes(sums: NDArray[np.float32], own: NDArray[np.int32], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """From the sums of distances to each class; a point that is alone in its class has 0, and one class alone has none."""
    rows = np.arange(len(own))
    alone = sizes[own] <= 1
    inside = sums[rows, own] / np.maximum(sizes[own] - 1, 1)
    means = np.where(sizes > 0, sums / np.maximum(sizes, 1), np.inf)
    means[rows, own] = np.inf
    outside = means.min(axis=1)
    larger = np.maximum(inside, outside)
    found = np.divide(outside - inside, larger, out=np.zeros(len(own)), where=np.isfinite(larger) & (larger > 0))
    return np.where(np.isfinite(outside), np.where(alone, 0.0, found), np.nan)


def _mean(values: NDArray[np.float64]) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None
