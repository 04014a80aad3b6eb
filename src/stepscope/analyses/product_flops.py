"""Arithmetic of matrix products from the shapes of their inputs, as PyTorch records them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import lru_cache
from typing import cast

import numpy as np

from stepscope.analyses.grouping import dense_codes
from stepscope.model.profile import Float64, Profile, SpanKind

_LONGEST = 4096
_LARGEST = 1 << 40
_UNKNOWN = float("nan")

Shape = list[int]


def flops_of_rows(profile: Profile) -> Float64:
    """Floating point operations of every host operation that is a product of known shapes; nan for everything else."""
    spans = profile.spans
    found = np.full(len(spans), _UNKNOWN)
    products = np.array([name in _PRODUCTS for name in profile.names] or [False])
    if not products.any():
        return found
    rows = np.flatnonzero(products[spans.name] & (spans.kind == SpanKind.OP) & (spans.shape >= 0))
    pairs = spans.name[rows].astype(np.int64) * len(profile.names) + spans.shape[rows]
    names = profile.names
    groups = dense_codes(pairs, len(names) * len(names))
    distinct: list[int] = pairs[groups.firsts()].tolist()
    values = [product_flops(names[pair // len(names)], names[pair % len(names)]) for pair in distinct]
    found[rows] = np.array(values, np.float64)[groups.code]
    return found


@lru_cache(maxsize=65536)
def product_flops(name: str, shapes: str) -> float:
    """Two for each multiplication and addition; nan when the operation or its shapes are not understood."""
    count = _PRODUCTS.get(name)
    if count is None or len(shapes) > _LONGEST:
        return _UNKNOWN
    try:
        read = json.loads(shapes)
        return 2.0 * count([_shape(each) for each in cast("list[object]", read)]) if isinstance(read, list) else _UNKNOWN
    except (ValueError, IndexError, RecursionError):
        return _UNKNOWN


def _shape(value: object) -> Shape:
    """A list of sizes; anything else is no tensor."""
    if not isinstance(value, list):
        return []
    sizes = cast("list[object]", value)
    if not all(isinstance(size, int) and 0 <= size < _LARGEST for size in sizes):
        raise ValueError("no sizes")
    return cast("Shape", sizes)


def _two_matrices(left: Shape, right: Shape) -> float:
    rows, inner = left[-2:]
    return float(rows) * inner * right[-1] if right[-2] == inner else _UNKNOWN


def _batched(left: Shape, right: Shape) -> float:
    return _two_matrices(left, right) * left[0] if left[0] == right[0] and len(left) == len(right) == 3 else _UNKNOWN


def _matmul(left: Shape, right: Shape) -> float:
    """All but the last two sizes are a batch, which either side may lack; a vector is a row or a column."""
    left = [1, *left] if len(left) == 1 else left
    right = [*right, 1] if len(right) == 1 else right
    batch = max(math.prod(left[:-2]), math.prod(right[:-2]))
    return _two_matrices(left, right) * batch


def _linear(inputs: Shape, weight: Shape) -> float:
    return float(math.prod(inputs)) * weight[0] if inputs[-1] == weight[-1] else _UNKNOWN


_PRODUCTS: dict[str, Callable[[list[Shape]], float]] = {
    "aten::mm": lambda shapes: _two_matrices(shapes[0], shapes[1]),
    "aten::addmm": lambda shapes: _two_matrices(shapes[1], shapes[2]),
    "aten::bmm": lambda shapes: _batched(shapes[0], shapes[1]),
    "aten::baddbmm": lambda shapes: _batched(shapes[1], shapes[2]),
    "aten::matmul": lambda shapes: _matmul(shapes[0], shapes[1]),
    "aten::linear": lambda shapes: _linear(shapes[0], shapes[1]),
}
