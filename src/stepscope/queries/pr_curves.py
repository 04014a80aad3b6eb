"""Precision-recall curves out of summary values, and the area under them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope._native import WIRE, tensor_values
from stepscope.model.errors import NotThere, TooMuch
from stepscope.model.protobuf_fields import BadMessage, fields

MAX_THRESHOLDS = 20_000
ROWS = ("true_positives", "false_positives", "true_negatives", "false_negatives", "precision", "recall")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PrCurve:
    """One curve as it was logged: a column for each row of the tensor, by threshold from 0 to 1."""

    threshold: Floats
    columns: dict[str, Floats]

    def area(self) -> float | None:
        """The area under the line through the points in order of recall; None when no point has a precision.

        A threshold above every prediction calls nothing positive, so that there is no precision to draw. Left of the point with
        the least recall the line goes on at its height; right of the last point there is none.
        """
        called = self.columns["true_positives"] + self.columns["false_positives"]
        precision, recall = self.columns["precision"], self.columns["recall"]
        known = (called > 0) & np.isfinite(precision) & np.isfinite(recall)
        if not known.any():
            return None
        precision, recall = precision[known][::-1], recall[known][::-1]
        order = np.argsort(recall, kind="stable")
        precision, recall = precision[order], recall[order]
        inner = float(np.sum((recall[1:] - recall[:-1]) * (precision[1:] + precision[:-1]) / 2))
        return float(precision[0] * recall[0]) + inner


def pr_curve(value: bytes, tag: bytes) -> PrCurve:
    """The curve that a summary value of that tag holds. Raises NotThere, or TooMuch when it has too many thresholds."""
    known = WIRE["Value"]
    tensor = b""
    names: list[bytes] = []
    try:
        for field in fields(value):
            if field.id in (known["tag"], known["node_name"]):
                names.append(field.data)
            elif field.id == known["tensor"] and field.is_bytes:
                tensor = field.data
    except BadMessage as problem:
        raise NotThere("This value is not a PR curve: its message is corrupt.", "bad_curve") from problem
    if tag not in names:
        raise NotThere("The log file was replaced after it was read; reload the log folder.", "unreadable_value")
    found = tensor_values(tensor, 64 * MAX_THRESHOLDS)
    if found is None or len(found[0]) != 2 or found[0][0] != len(ROWS) or found[0][1] == 0:
        raise NotThere("This value is not a PR curve: it needs six rows of numbers.", "bad_curve")
    shape, numbers = found
    if shape[1] > MAX_THRESHOLDS:
        raise TooMuch(f"This curve has {shape[1]:,} thresholds; up to {MAX_THRESHOLDS:,} can be shown.", "too_many_thresholds")
    rows = numbers.reshape(shape)
    return PrCurve(np.linspace(0.0, 1.0, shape[1]), {name: np.ascontiguousarray(rows[place]) for place, name in enumerate(ROWS)})
