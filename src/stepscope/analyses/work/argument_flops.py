"""Arithmetic of convolutions and attention from the arguments that PyTorch records beside shapes: strides, masks, causality."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np

from stepscope.analyses.attributes import ReadAttributes, attributes_of
from stepscope.analyses.work.convolution_flops import UNKNOWN, Shape, Work, convolution_work
from stepscope.model.profile import Int64, Profile

_ASKED = 3  # calls with the same shapes whose arguments are read: where they differ, nothing is known of any
_MOST_CALLS = 300  # different ones
_LARGEST = 1 << 20
_NO_WINDOW = ("", "None", "-1")

Arguments = list[str]


@dataclass(frozen=True, slots=True)
class CallWork:
    """Of one call, divided equally among its longest kernels."""

    work: Work
    kernels: int = 1


Counted: TypeAlias = Callable[[list[Shape], Arguments], CallWork]


def work_of_calls(profile: Profile, rows: Int64, shapes_of: Callable[[str], list[Shape]], read: ReadAttributes) -> dict[int, CallWork]:
    """By row, of the host operations that are understood and whose arguments the file tells; `shapes_of` reads a text of shapes."""
    spans = profile.spans
    understood = np.array([name in _CALLS for name in profile.names] or [False])
    rows = rows[understood[spans.name[rows]] & (spans.shape[rows] >= 0)]
    if not len(rows):
        return {}
    pairs, group = np.unique(np.stack([spans.name[rows], spans.shape[rows]], axis=1), axis=0, return_inverse=True)
    found: dict[int, CallWork] = {}
    distinct: list[tuple[int, int]] = pairs[:_MOST_CALLS].tolist()
    for place, (name, shape) in enumerate(distinct):
        calls = rows[group.ravel() == place]
        asked = calls[np.unique(np.linspace(0, len(calls) - 1, _ASKED).astype(np.int64))]
        told = [_arguments(attributes_of(profile, int(row), read)) for row in asked]
        if not told[0] or any(each != told[0] for each in told):
            continue
        work = _understood(profile.names[name], shapes_of(profile.names[shape]), told[0])
        if work is not None and not math.isnan(work.work[0]):
            found.update((int(row), work) for row in calls)
    return found


def _understood(name: str, shapes: list[Shape], arguments: Arguments) -> CallWork | None:
    try:
        return _CALLS[name](shapes, arguments)
    except (ValueError, IndexError, ArithmeticError, RecursionError):
        return None


def _arguments(attributes: Mapping[str, object]) -> Arguments:
    try:
        read: object = json.loads(str(attributes.get("Concrete Inputs", "")))
    except (ValueError, RecursionError):
        return []
    return [str(each) for each in cast("list[object]", read)] if isinstance(read, list) else []


def _numbers(text: str, count: int) -> Shape:
    """A list of small numbers, or one for all."""
    read: object = json.loads(text)
    numbers = cast("list[object]", read) if isinstance(read, list) else [read]
    if not all(isinstance(each, int) and 0 <= each < _LARGEST for each in numbers):
        raise ValueError("no sizes")
    found = cast("Shape", numbers)
    return found * count if len(found) == 1 else found


def _convolution(
    stride: int, padding: int, dilation: int, transposed: int | None = None
) -> Callable[[list[Shape], Arguments], CallWork]:
    """A convolution whose arguments stand at these places."""

    def work(shapes: list[Shape], arguments: Arguments) -> CallWork:
        inputs, weight = shapes[0], shapes[1]
        axes = len(weight) - 2
        if transposed is not None and arguments[transposed] != "False":
            return CallWork((2.0 * math.prod(inputs) * math.prod(weight[1:]), math.nan) if arguments[transposed] == "True" else UNKNOWN)
        steps, edges, gaps = (_numbers(arguments[place], axes) for place in (stride, padding, dilation))
        sizes = zip(inputs[2:], weight[2:], steps, edges, gaps, strict=True)
        result = [(size + 2 * edge - gap * (kernel - 1) - 1) // step + 1 for size, kernel, step, edge, gap in sizes]
        return CallWork(convolution_work(inputs, weight, [inputs[0], weight[0], *result]))

    return work


def _both_gradients(shapes: list[Shape], arguments: Arguments) -> CallWork:
    """Of the tensor and of the weight, as the mask says; that of the bias is a sum."""
    gradient, inputs, weight = shapes[:3]
    mask: object = json.loads(arguments[-1].lower())
    flops, moved = convolution_work(inputs, weight, gradient)
    asked = sum(1 for each in cast("list[object]", mask)[:2] if each is True) if isinstance(mask, list) else 0
    return CallWork((asked * flops, asked * moved), asked) if asked else CallWork(UNKNOWN)


def _attention(
    first: int, causal: int, *, heads_last: bool, products: int, lengths: tuple[int, ...] = (), window: tuple[int, ...] = ()
) -> Counted:
    """Attention with the query at a place, and so many products; not where sequences have lengths of their own, or see a window."""

    def work(shapes: list[Shape], arguments: Arguments) -> CallWork:
        query, key, value = shapes[first : first + 3]
        if not len(query) == len(key) == len(value) == 4 or any(shapes[place] for place in lengths):
            return CallWork(UNKNOWN)
        if any(place < len(arguments) and arguments[place] not in _NO_WINDOW for place in window):
            return CallWork(UNKNOWN)
        batch, heads, asked, seen = query[0], query[2 if heads_last else 1], query[1 if heads_last else 2], key[1 if heads_last else 2]
        if arguments[causal] == "False":
            pairs = asked * seen
        elif arguments[causal] == "True" and asked == seen:
            pairs = asked * (asked + 1) // 2
        else:
            return CallWork(UNKNOWN)
        moved = sum(math.prod(each) for each in (query, key, value)) + math.prod(query)
        return CallWork((float(products) * batch * heads * pairs * (query[3] + value[3]), float(moved)))

    return work


_CALLS: dict[str, Counted] = {
    **dict.fromkeys(("aten::conv1d", "aten::conv2d", "aten::conv3d"), _convolution(3, 4, 5)),
    **dict.fromkeys(("aten::convolution", "aten::_convolution", "aten::convolution_overrideable"), _convolution(3, 4, 5, 6)),
    "aten::cudnn_convolution": _convolution(3, 2, 4),
    **dict.fromkeys(
        ("aten::mkldnn_convolution", "aten::miopen_convolution", "aten::miopen_depthwise_convolution"), _convolution(4, 3, 5)
    ),
    "aten::convolution_backward": _both_gradients,
    "aten::_scaled_dot_product_flash_attention": _attention(0, 4, heads_last=False, products=2),
    "aten::_scaled_dot_product_cudnn_attention": _attention(0, 6, heads_last=False, products=2),
    "aten::_flash_attention_forward": _attention(0, 8, heads_last=True, products=2, lengths=(3, 4), window=(11, 12)),
    "aten::_flash_attention_backward": _attention(1, 11, heads_last=True, products=4, lengths=(6, 7), window=(15, 16)),
}
