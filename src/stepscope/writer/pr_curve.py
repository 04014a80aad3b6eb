"""Precision-recall curves: six rows of counts and rates over evenly spaced thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from stepscope.writer.arrays import take
from stepscope.writer.complaints import warn_once
from stepscope.writer.message import Message
from stepscope.writer.summary import Deferred, Moment, checked_tag, float_tensor, metadata_of, value_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_THRESHOLDS = 127
"""torch's own bound."""

_SMALLEST_COUNT = 1e-7
_ROUNDING = 1e-3
"""A softmax in small floats may go so far beyond 1."""


def pr_curve_work(tag: object, labels: object, predictions: object, num_thresholds: int, weights: object, moment: Moment) -> Deferred:
    """The event of a curve computed from labels and predictions between 0 and 1."""
    name = checked_tag(tag)
    truth, guesses = take(labels, "the labels").reshape(-1), take(predictions, "the predictions").reshape(-1)
    weight = None if weights is None else take(weights, "the weights").reshape(-1)
    if len(truth) != len(guesses) or (weight is not None and len(weight) not in (1, len(truth))):
        raise ValueError(
            f"Give as many predictions, and weights, as labels; there are {len(truth)} labels and {len(guesses)} predictions."
        )
    if len(guesses) == 0 or bool(((guesses < -_ROUNDING) | (guesses > 1 + _ROUNDING)).any()):
        raise ValueError("Give at least one prediction, and all of them between 0 and 1.")
    thresholds = _checked(num_thresholds)
    held = truth.nbytes + guesses.nbytes + (0 if weight is None else weight.nbytes)
    return _work(name, lambda: _curve(*_known(name, truth, guesses, weight), thresholds), thresholds, held, moment)


def pr_curve_raw_work(tag: object, rows: Sequence[object], num_thresholds: int, moment: Moment) -> Deferred:
    """The event of a curve that was computed elsewhere: true and false positives, true and false negatives, precision, recall."""
    import numpy as np

    name = checked_tag(tag)
    taken = [take(row, "each row of the curve").reshape(-1) for row in rows]
    if len({len(row) for row in taken}) != 1 or len(taken[0]) == 0:
        raise ValueError(f"Give all six rows of the curve with one length, not with {', '.join(str(len(row)) for row in taken)}.")
    curve = np.stack(taken)
    return _work(name, lambda: curve, _checked(num_thresholds), curve.nbytes, moment)


def _work(name: str, curve: Callable[[], NDArray[Any]], thresholds: int, held_bytes: int, moment: Moment) -> Deferred:
    def make() -> bytes:
        metadata = metadata_of("pr_curves", Message("PrCurvePluginData").integer("num_thresholds", thresholds))
        return moment.event(value_of(name).message("metadata", metadata).message("tensor", float_tensor(curve())))

    return Deferred(make, held_bytes)


def _checked(num_thresholds: int) -> int:
    if num_thresholds < 2:
        raise ValueError(f"Give at least 2 thresholds, not {num_thresholds}.")
    return min(num_thresholds, MOST_THRESHOLDS)


def _known(
    name: str, labels: NDArray[Any], predictions: NDArray[Any], weights: NDArray[Any] | None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Labels, predictions and weights without those whose prediction is NaN, as a model gives them that has gone astray."""
    import numpy as np

    known = ~np.isnan(predictions)
    if not known.all():
        warn_once("%d of the %d predictions of the curve %s are NaN and left out.", int((~known).sum()), len(predictions), name)
    weight = np.broadcast_to(np.ones(1) if weights is None else weights, predictions.shape)
    return labels[known], predictions[known].clip(0, 1), weight[known]


def _curve(labels: NDArray[Any], predictions: NDArray[Any], weight: NDArray[Any], thresholds: int) -> NDArray[Any]:
    """A prediction counts as positive at every threshold up to its own bucket, so counts add up from the right."""
    import numpy as np

    bucket = np.floor(predictions * (thresholds - 1)).astype(np.int64)
    truth = labels.astype(np.float64)
    right = np.bincount(bucket, truth * weight, thresholds)
    wrong = np.bincount(bucket, (1.0 - truth) * weight, thresholds)
    true_positive, false_positive = np.cumsum(right[::-1])[::-1], np.cumsum(wrong[::-1])[::-1]
    true_negative, false_negative = false_positive[0] - false_positive, true_positive[0] - true_positive
    precision = true_positive / np.maximum(_SMALLEST_COUNT, true_positive + false_positive)
    recall = true_positive / np.maximum(_SMALLEST_COUNT, true_positive + false_negative)
    return np.stack([true_positive, false_positive, true_negative, false_negative, precision, recall])
