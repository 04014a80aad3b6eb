"""Histogram summaries: torch's buckets, counted in C++ by the writer's thread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from stepscope.writer.arrays import take
from stepscope.writer.complaints import warn
from stepscope.writer.message import Message
from stepscope.writer.summary import Deferred, Moment, checked_tag, value_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Bins = str | int | Sequence[float]

_METHODS = ("tensorflow", "auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt")


class _Counted(NamedTuple):
    counts: NDArray[Any]
    edges: NDArray[Any]
    statistics: dict[str, float]
    left_out: int


class NonFinite:
    """Says once per writer that values are left out of histograms, and counts them for the rest of its life."""

    def __init__(self) -> None:
        """None so far."""
        self.count = 0

    def add(self, tag: str, count: int, of: int) -> None:
        """Counts; the first time with a warning."""
        if count and not self.count:
            warn(
                "%d of the %d values of the histogram %s are NaN or infinite and are left out. This message appears once.",
                count,
                of,
                tag,
            )
        self.count += count


def histogram_work(tag: object, values: object, bins: object, max_bins: int | None, non_finite: NonFinite, moment: Moment) -> Deferred:
    """The event of a histogram of all the values, whatever their shape."""
    name = checked_tag(tag)
    array = take(values, "the values").reshape(-1)
    if array.size == 0:
        raise ValueError("Give a histogram at least one value; the array is empty.")
    if max_bins is not None and max_bins < 1:
        raise ValueError(f"Give max_bins of at least 1, not {max_bins}.")
    edges = _checked_bins(bins)

    def make() -> bytes | None:
        counted = _count_default(array) if edges is None else _count(array, edges)
        non_finite.add(name, counted.left_out, array.size)
        return moment.event(_value(name, counted, max_bins)) if counted.statistics["num"] else None

    return Deferred(make, array.nbytes)


def histogram_raw_work(tag: object, statistics: dict[str, float], limits: object, counts: object, moment: Moment) -> Deferred:
    """The event of a histogram that was counted elsewhere; `limits` are the buckets' right ends."""
    name = checked_tag(tag)
    right, inside = take(limits, "bucket_limits").reshape(-1), take(counts, "bucket_counts").reshape(-1)
    if len(right) != len(inside):
        raise ValueError(f"Give as many bucket_counts as bucket_limits; there are {len(inside)} and {len(right)}.")
    numbers = {field: float(value) for field, value in statistics.items()}
    return Deferred(lambda: moment.event(_message(name, numbers, right, inside)), right.nbytes + inside.nbytes)


def _checked_bins(bins: object) -> Any:  # noqa: ANN401 (what NumPy takes)
    """None for torch's own buckets, else what NumPy's histogram takes."""
    if isinstance(bins, str):
        if bins not in _METHODS:
            raise ValueError(f"Give bins as one of {', '.join(_METHODS)}, a number or a list of edges, not as {bins!r}.")
        return None if bins == "tensorflow" else bins
    if isinstance(bins, int):
        if bins < 1:
            raise ValueError(f"Give at least 1 bin, not {bins}.")
        return bins
    edges = take(bins, "bins")
    if edges.ndim != 1 or edges.size < 2 or not bool((edges[1:] >= edges[:-1]).all()):
        raise ValueError("Give bins as a rising list of at least two edges.")
    return edges


def _count_default(array: NDArray[Any]) -> _Counted:
    import numpy as np

    from stepscope._native import histogram, histogram_edges

    usable = array if array.dtype.name in ("float32", "float64") else array.astype(np.float64)
    counts, low, high, total, squares, finite, nan, infinite = histogram(np.ascontiguousarray(usable))
    statistics = {"min": low, "max": high, "num": float(finite), "sum": total, "sum_squares": squares}
    return _Counted(counts, histogram_edges(), statistics, nan + infinite)


def _count(array: NDArray[Any], bins: Any) -> _Counted:  # noqa: ANN401 (what NumPy takes)
    import numpy as np

    values = array.astype(np.float64)
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return _Counted(np.zeros(1), np.zeros(2), {"num": 0.0}, values.size)
    counts, edges = np.histogram(finite, bins=bins)
    statistics = {
        "min": float(finite.min()),
        "max": float(finite.max()),
        "num": float(finite.size),
        "sum": float(finite.sum()),
        "sum_squares": float(finite.dot(finite)),
    }
    return _Counted(counts, edges, statistics, values.size - finite.size)


def _value(name: str, counted: _Counted, max_bins: int | None) -> Message:
    """Leaves out the empty buckets at both ends, but for one at the left, whose limit is where the others begin."""
    import numpy as np

    counts, edges = counted.counts, counted.edges
    if max_bins is not None and len(counts) > max_bins:
        counts, edges = _fewer(counts, edges, max_bins)
    (filled,) = np.nonzero(counts)
    first, end = (int(filled[0]), int(filled[-1]) + 1) if filled.size else (0, len(counts))
    return _message(name, counted.statistics, edges[first : end + 1], np.concatenate([[0], counts[first:end]]))


def _fewer(counts: NDArray[Any], edges: NDArray[Any], max_bins: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Neighbours joined, as many as it takes."""
    import numpy as np

    joined = len(counts) // max_bins
    missing = -len(counts) % joined
    fewer = np.pad(counts, (0, missing)).reshape(-1, joined).sum(axis=-1)
    return fewer, np.append(edges[:-1:joined], edges[-1])


def _message(name: str, statistics: dict[str, float], limits: NDArray[Any], counts: NDArray[Any]) -> Message:
    histogram = Message("HistogramProto")
    for field, value in statistics.items():
        histogram.double(field, value)
    histogram.array("bucket_limit", limits, "<f8").array("bucket", counts, "<f8")
    return value_of(name).message("histo", histogram)
