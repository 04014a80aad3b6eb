"""Arithmetic of convolutions from recorded shapes alone: the shape of a gradient is that of the result, which strides decide."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from stepscope.model.profile import NONE, Int64, Profile, SpanKind

Shape = list[int]
Work = tuple[float, float]
"""Floating point operations, and the numbers that must at least be read and written; nan when unknown."""

UNKNOWN: Work = (float("nan"), float("nan"))
_MOST_AXES = 5

FORWARD = frozenset(
    f"aten::{name}"
    for name in (
        *("conv1d", "conv2d", "conv3d", "convolution", "_convolution", "convolution_overrideable", "_conv_depthwise2d"),
        *("cudnn_convolution", "miopen_convolution", "miopen_depthwise_convolution", "mkldnn_convolution"),
        *("thnn_conv2d", "_slow_conv2d_forward", "slow_conv3d", "slow_conv3d_forward"),
    )
)
"""Operations whose first inputs are the tensor and the weight."""
_WHOLE_GRADIENTS: dict[str, tuple[int, int, int]] = {
    "aten::convolution_backward": (1, 0, 2),
    "aten::convolution_backward_overrideable": (1, 0, 2),
    "aten::cudnn_convolution_backward": (0, 1, 2),
    "aten::miopen_convolution_backward": (0, 1, 2),
    "aten::mkldnn_convolution_backward": (0, 1, 2),
}
"""Where they have the tensor, the gradient of the result and the weight."""
_OF_THE_TENSOR = {f"aten::{library}_convolution_backward_input" for library in ("cudnn", "miopen")}
_OF_THE_WEIGHT = {f"aten::{library}_convolution_backward_weight" for library in ("cudnn", "miopen")}
CONVOLUTIONS = FORWARD | _OF_THE_TENSOR | _OF_THE_WEIGHT


def multiplications(inputs: Shape, weight: Shape, result: Shape) -> float:
    """Those of a convolution or a transposed one, and of each of its gradients; nan where the sizes do not tell which it is."""
    if not 3 <= len(weight) == len(inputs) == len(result) <= _MOST_AXES or inputs[0] != result[0] or not weight[1]:
        return math.nan
    plain = weight[0] == result[1] and inputs[1] % weight[1] == 0
    transposed = weight[0] == inputs[1] and result[1] % weight[1] == 0
    of_result, of_inputs = (float(math.prod(each)) * math.prod(weight[1:]) for each in (result, inputs))
    if plain and transposed and of_result != of_inputs:
        return of_result if all(out <= size for out, size in zip(result[2:], inputs[2:], strict=True)) else math.nan
    return of_result if plain else of_inputs if transposed else math.nan


def convolution_work(inputs: Shape, weight: Shape, result: Shape) -> Work:
    """Of the convolution, or of one of its gradients: both move the same numbers."""
    count = multiplications(inputs, weight, result)
    return UNKNOWN if math.isnan(count) else (2.0 * count, float(sum(math.prod(each) for each in (inputs, weight, result))))


def work_of_convolutions(profile: Profile, read: Callable[[str], list[Shape]]) -> dict[int, Work]:
    """By row, of the host operations that convolve; `read` gives the shapes of a text, or none."""
    rows = _rows_named(profile, CONVOLUTIONS)
    if not len(rows):
        return {}
    results = _results(profile, read)
    kept: dict[tuple[int, int, int], Work] = {}
    found: dict[int, Work] = {}
    spans = profile.spans
    for row in map(int, rows):
        name, shape, parent = int(spans.name[row]), int(spans.shape[row]), int(spans.parent[row])
        around = int(spans.shape[parent]) if parent != NONE else NONE
        key = (name, shape, around)
        if key not in kept:
            kept[key] = _work(profile.names[name], read(profile.names[shape]), results, _whole(profile, parent, read))
        found[row] = kept[key]
    return found


def _work(kind: str, shapes: list[Shape], results: dict[str, Shape | None], around: tuple[Shape, Shape, Shape]) -> Work:
    if kind in FORWARD and len(shapes) >= 2:
        result = results.get(_key(shapes[0], shapes[1]))
        return UNKNOWN if result is None else convolution_work(shapes[0], shapes[1], result)
    inputs, gradient, weight = around
    fits = len(shapes) > 2 and shapes[1] == gradient and shapes[2] == (weight if kind in _OF_THE_TENSOR else inputs)
    return convolution_work(inputs, weight, gradient) if fits else UNKNOWN


def _results(profile: Profile, read: Callable[[str], list[Shape]]) -> dict[str, Shape | None]:
    """By shapes of tensor and weight: that of the result, None where gradients of several shapes are recorded."""
    found: dict[str, Shape | None] = {}
    rows = _rows_named(profile, _WHOLE_GRADIENTS)
    pairs: list[tuple[int, int]] = np.unique(np.stack([profile.spans.name[rows], profile.spans.shape[rows]], axis=1), axis=0).tolist()
    for name, shape in pairs:
        inputs, gradient, weight = _chosen(read(profile.names[shape]), _WHOLE_GRADIENTS[profile.names[name]])
        key = _key(inputs, weight)
        found[key] = gradient if found.get(key, gradient) == gradient else None
    return found


def _whole(profile: Profile, row: int, read: Callable[[str], list[Shape]]) -> tuple[Shape, Shape, Shape]:
    """Tensor, gradient and weight of the operation that computes both gradients."""
    name, shape = (int(column[row]) for column in (profile.spans.name, profile.spans.shape))
    places = _WHOLE_GRADIENTS.get(profile.names[name]) if row != NONE and shape != NONE else None
    return ([], [], []) if places is None else _chosen(read(profile.names[shape]), places)


def _chosen(shapes: list[Shape], places: tuple[int, int, int]) -> tuple[Shape, Shape, Shape]:
    if len(shapes) <= max(places):
        return [], [], []
    return shapes[places[0]], shapes[places[1]], shapes[places[2]]


def _rows_named(profile: Profile, names: Iterable[str]) -> Int64:
    wanted = set(names)
    known = np.array([name in wanted for name in profile.names] or [False])
    spans = profile.spans
    return (
        np.flatnonzero(known[spans.name] & (spans.kind == SpanKind.OP) & (spans.shape >= 0)) if known.any() else np.zeros(0, np.int64)
    )


def _key(inputs: Shape, weight: Shape) -> str:
    return f"{inputs} {weight}"
