"""Arithmetic of matrix products and convolutions from the shapes of their inputs, as PyTorch records them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import lru_cache
from typing import cast

import numpy as np

from stepscope.analyses.grouping import dense_codes
from stepscope.analyses.work.convolution_flops import Shape, work_of_convolutions
from stepscope.model.profile import Float64, Profile, SpanKind

_LONGEST = 4096
_LARGEST = 1 << 40
_UNKNOWN = float("nan")


def flops_of_rows(profile: Profile) -> Float64:
    """Floating point operations of every host operation that is a product or convolution of known shapes; nan for everything else."""
    return work_of_rows(profile)[0]


def work_of_rows(profile: Profile) -> tuple[Float64, Float64]:
    """The same, and the numbers that every such operation must at least read and write."""
    spans = profile.spans
    products = np.array([name in _PRODUCTS for name in profile.names] or [False])
    convolutions = work_of_convolutions(profile, shapes_of)
    if not products.any() and not convolutions:
        unknown = np.broadcast_to(np.float64(_UNKNOWN), len(spans))
        return unknown, unknown
    flops, moved = np.full(len(spans), _UNKNOWN), np.full(len(spans), _UNKNOWN)
    rows = np.flatnonzero(products[spans.name] & (spans.kind == SpanKind.OP) & (spans.shape >= 0))
    pairs = spans.name[rows].astype(np.int64) * len(profile.names) + spans.shape[rows]
    names = profile.names
    groups = dense_codes(pairs, len(names) * len(names))
    distinct: list[int] = pairs[groups.firsts()].tolist()
    values = np.array([product_work(names[pair // len(names)], names[pair % len(names)]) for pair in distinct], np.float64)
    if len(distinct):
        flops[rows], moved[rows] = values[groups.code].T
    for row, work in convolutions.items():
        flops[row], moved[row] = work
    return flops, moved


@lru_cache(maxsize=65536)
def shapes_of(text: str) -> list[Shape]:
    """The shapes of an operation's inputs, empty for what is no tensor; none when the text is not understood."""
    if len(text) > _LONGEST:
        return []
    try:
        read = json.loads(text)
        return [_shape(each) for each in cast("list[object]", read)] if isinstance(read, list) else []
    except (ValueError, RecursionError):
        return []


def product_flops(name: str, shapes: str) -> float:
    """Two for each multiplication and addition; nan when the operation or its shapes are not understood."""
    return product_work(name, shapes)[0]


@lru_cache(maxsize=65536)
def product_work(name: str, shapes: str) -> tuple[float, float]:
    """The same, and the numbers of both factors and of the result, each moved once."""
    factors = _PRODUCTS.get(name)
    if factors is None:
        return _UNKNOWN, _UNKNOWN
    try:
        left, right, multiplications = factors(shapes_of(shapes))
    except (ValueError, IndexError, OverflowError):
        return _UNKNOWN, _UNKNOWN
    result = multiplications / left[-1] if left[-1] else 0.0
    return 2.0 * multiplications, math.prod(left) + math.prod(right) + result


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


def _factors(count: Callable[[Shape, Shape], float], first: int) -> Callable[[list[Shape]], tuple[Shape, Shape, float]]:
    """Both factors, which begin at an argument, with the multiplications."""
    return lambda shapes: (shapes[first], shapes[first + 1], count(shapes[first], shapes[first + 1]))


_PRODUCTS: dict[str, Callable[[list[Shape]], tuple[Shape, Shape, float]]] = {
    "aten::mm": _factors(_two_matrices, 0),
    "aten::addmm": _factors(_two_matrices, 1),
    "aten::bmm": _factors(_batched, 0),
    "aten::baddbmm": _factors(_batched, 1),
    "aten::matmul": _factors(_matmul, 0),
    "aten::linear": _factors(_linear, 0),
}
