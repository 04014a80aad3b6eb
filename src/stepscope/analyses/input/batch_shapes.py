"""The size of a batch by the shapes that PyTorch records: of what the model's first layer takes, where a second place confirms it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar, cast

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.model.profile import Int64, Profile, SpanKind

_LONGEST = 4096
_MOST_STEPS = 64
_SAME = 0.8  # of the steps that are looked at: the last batch of an epoch is often smaller

Shapes = list[object]
Told = TypeVar("Told")
_CONVOLUTIONS = {f"aten::conv{dimensions}d": dimensions + 2 for dimensions in (1, 2, 3)}
"""Their inputs have examples first, and one dimension less when there is only one example."""
_LOSSES = {
    "aten::cross_entropy_loss",
    "aten::mse_loss",
    "aten::l1_loss",
    "aten::smooth_l1_loss",
    "aten::huber_loss",
    "aten::binary_cross_entropy",
    "aten::binary_cross_entropy_with_logits",
    "aten::nll_loss",
    "aten::nll_loss_nd",
}
_ATTENTION = "aten::scaled_dot_product_attention"


@dataclass(frozen=True, slots=True)
class ToldByShapes:
    """Examples of a step, and the places whose shapes agree on it, in words."""

    size: int
    places: str


def batch_by_shapes(profile: Profile, breakdown: Breakdown, fetches: int) -> ToldByShapes | None:
    """What one rank's step works on; None where shapes were not recorded, or could be of something else than examples.

    A convolution's input has examples first. Of other layers that is only believed when the target of the loss, or the batch of an
    attention, is as long: shapes hold sequences and tokens as well. `fetches` is how many batches all steps fetched, 0 when unknown.
    """
    steps = [_Step(profile, rows) for rows in _rows_of_steps(profile, breakdown)]
    first = _common(steps, _Step.first_layer)
    if first is None:
        return None
    layer, size = first
    confirmed = [words for words, told in ((_THE_LOSS, _Step.loss), (_AN_ATTENTION, _Step.attention)) if _common(steps, told) == size]
    if layer not in _CONVOLUTIONS and not confirmed:
        return None
    times = _batches_of_a_step(steps, fetches / max(1, len(breakdown.steps)))
    if times is None:
        return None
    places = " and of ".join(["the first layer's input", *confirmed])
    return ToldByShapes(size * times, f"{places}, {times:,} times a step" if times > 1 else places)


_THE_LOSS, _AN_ATTENTION = "the loss", "an attention"


class _Step:
    """The operations with shapes of one step, in the order in which they began."""

    def __init__(self, profile: Profile, rows: Int64) -> None:
        spans = profile.spans
        self._pairs = [(profile.names[int(spans.name[row])], profile.names[int(spans.shape[row])]) for row in rows]

    def first_layer(self) -> tuple[str, int] | None:
        """The first layer and the first dimension of what it takes."""
        layers = ((name, _LAYERS[name](shapes)) for name, shapes in self._pairs if name in _LAYERS)
        return next(((name, size) for name, size in layers if size is not None), None)

    def loss(self) -> int | None:
        """How many targets the first loss has."""
        return next((_first_dimension(shapes, 1) for name, shapes in self._pairs if name in _LOSSES), None)

    def attention(self) -> int | None:
        """The first dimension of what the first attention takes, which has heads, places and features after it."""
        return next((_first_dimension(shapes, 0, 4) for name, shapes in self._pairs if name == _ATTENTION), None)

    def repeats(self) -> tuple[int, int]:
        """How often the first layer's shapes come, and the first loss's."""
        counts = Counter(self._pairs)
        layer = next((pair for pair in self._pairs if pair[0] in _LAYERS and _LAYERS[pair[0]](pair[1]) is not None), None)
        loss = next((pair for pair in self._pairs if pair[0] in _LOSSES), None)
        return counts[layer] if layer else 0, counts[loss] if loss else 0


def _batches_of_a_step(steps: list[_Step], fetches: float) -> int | None:
    """One, or as many as gradients are accumulated over; None where that cannot be told from layers that look alike."""
    repeats = _common(steps, _Step.repeats)
    if repeats is None:
        return None
    layers, losses = repeats
    if fetches > 0:
        fetched = round(fetches)
        return fetched if abs(fetches - fetched) < 0.1 and fetched in (1, layers) else None
    return layers if layers == 1 or layers == losses else None


def _rows_of_steps(profile: Profile, breakdown: Breakdown) -> list[Int64]:
    """Of some typical steps, the rows that may tell, in the order of time."""
    spans, bounds = profile.spans, breakdown.steps.bounds
    known = np.array([name in _LAYERS or name in _LOSSES or name == _ATTENTION for name in profile.names] or [False])
    rows = np.flatnonzero(known[spans.name] & (spans.kind == SpanKind.OP) & (spans.shape >= 0))
    rows = rows[np.argsort(spans.start[rows], kind="stable")]
    start = spans.start[rows]
    places = breakdown.typical[:: max(1, len(breakdown.typical) // _MOST_STEPS)]
    return [rows[(start >= bounds[place]) & (start < bounds[place + 1])] for place in places]


def _common(steps: list[_Step], told: Callable[[_Step], Told | None]) -> Told | None:
    """What nearly all steps tell alike."""
    counts = Counter(found for step in steps if (found := told(step)) is not None)
    best = max(counts, key=lambda found: counts[found], default=None)
    return best if best is not None and counts[best] >= _SAME * len(steps) else None


def _sizes(shapes: str, place: int) -> list[int]:
    """The dimensions of one of an operation's inputs; none when it is no tensor."""
    if len(shapes) > _LONGEST:
        return []
    try:
        read = json.loads(shapes)
    except (ValueError, RecursionError):
        return []
    inputs = cast("Shapes", read) if isinstance(read, list) else []
    found = inputs[place] if place < len(inputs) else None
    sizes = cast("Shapes", found) if isinstance(found, list) else []
    return cast("list[int]", sizes) if all(type(size) is int and size > 0 for size in sizes) else []


def _first_dimension(shapes: str, place: int, dimensions: int | None = None) -> int | None:
    sizes = _sizes(shapes, place)
    return sizes[0] if sizes and dimensions in (None, len(sizes)) else None


def _layer(place: int, dimensions: int | None = None) -> Callable[[str], int | None]:
    return lambda shapes: _first_dimension(shapes, place, dimensions)


_LAYERS: Mapping[str, Callable[[str], int | None]] = {
    "aten::linear": _layer(0),
    "aten::embedding": _layer(1),
    **{name: _layer(0, dimensions) for name, dimensions in _CONVOLUTIONS.items()},
}
