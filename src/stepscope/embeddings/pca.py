"""Principal components of a table of vectors: exact by its smaller side, by random projection when both sides are large."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

COMPONENTS = 10
EXACT_SIDE = 2_048
"""Up to this many dimensions, or points, the components are exact; beyond, a random subspace of twice as many is searched for them."""
_SPARE, _ROUNDS, _SEED = 20, 4, 0


@dataclass(frozen=True, slots=True)
class Components:
    """Positions along the principal axes, the largest first."""

    positions: NDArray[np.float32]
    """Points × components."""
    variance: NDArray[np.float64]
    """Share of the whole variance along each, 0 to 1."""
    is_exact: bool


def principal_components(values: NDArray[np.float32], count: int = COMPONENTS) -> Components:
    """The first components of at least one vector. The sign of each is such that its largest coordinate is positive."""
    points, dimensions = values.shape
    count = min(count, points, dimensions)
    mean = values.mean(axis=0, dtype=np.float64).astype(np.float32)
    centred = values - mean
    exact = min(points, dimensions) <= EXACT_SIDE
    axes, total = _exact_axes(centred, count) if exact else _searched_axes(centred, count)
    positions = centred @ axes
    # An axis may point either way; without a rule, small changes of the data would mirror the picture.
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    positions *= np.where(largest < 0, np.float32(-1), np.float32(1))
    spread = np.einsum("ij,ij->j", positions, positions, dtype=np.float64)
    return Components(positions, spread / total if total > 0 else np.zeros(len(spread)), exact)


def _exact_axes(centred: NDArray[np.float32], count: int) -> tuple[NDArray[np.float32], float]:
    """The axes, and the whole variance times the number of points: the trace of the smaller product."""
    points, dimensions = centred.shape
    if dimensions <= points:
        products = (centred.T @ centred).astype(np.float64)
        _, vectors = np.linalg.eigh(products)
        return np.ascontiguousarray(vectors[:, ::-1][:, :count], np.float32), float(products.trace())
    products = (centred @ centred.T).astype(np.float64)
    _, vectors = np.linalg.eigh(products)
    axes = centred.T @ vectors[:, ::-1][:, :count].astype(np.float32)
    lengths = np.linalg.norm(axes, axis=0)
    # Of fewer points than dimensions one axis has no spread but that of rounding, which is not to be made large.
    used = lengths > 1e-3 * float(lengths.max(initial=0))
    return np.divide(axes, lengths, out=np.zeros_like(axes), where=used), float(products.trace())


def _searched_axes(centred: NDArray[np.float32], count: int) -> tuple[NDArray[np.float32], float]:
    """The same by subspace iteration from random axes, with a few more of them than wanted."""
    random = np.random.default_rng(_SEED)
    basis = random.standard_normal((centred.shape[1], count + _SPARE)).astype(np.float32)
    for _ in range(_ROUNDS):
        basis, _ = np.linalg.qr(centred.T @ (centred @ basis))
    seen = centred @ basis
    _, vectors = np.linalg.eigh((seen.T @ seen).astype(np.float64))
    total = float(np.einsum("ij,ij->", centred, centred, dtype=np.float64))
    return np.ascontiguousarray(basis @ vectors[:, ::-1][:, :count].astype(np.float32)), total
