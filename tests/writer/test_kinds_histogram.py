"""Histograms counted in C++: NumPy's counts for the same edges, and a place for every number there is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import message_fields as mf
from figures import figures
from stepscope._native import EventFile, NamePool, histogram, histogram_edges
from stepscope.model.kinds import Kind
from stepscope.writer import SummaryWriter

EDGES = histogram_edges()


def test_the_edges_are_torchs() -> None:
    sizes = [1e-12]
    while sizes[-1] * 1.1 < 1e20:
        sizes.append(sizes[-1] * 1.1)
    assert EDGES.tolist() == [-size for size in reversed(sizes)] + [0.0] + sizes


@pytest.mark.parametrize("towards", [None, np.inf, -np.inf])
def test_an_edge_and_its_neighbours_are_counted_as_numpy_does(towards: float | None) -> None:
    values = EDGES if towards is None else np.clip(np.nextafter(EDGES, towards), EDGES[0], EDGES[-1])
    assert histogram(values)[0].tolist() == np.histogram(values, EDGES)[0].tolist()


@given(arrays(st.sampled_from([np.float32, np.float64]), st.integers(0, 200)))
def test_every_number_has_its_place(values: Any) -> None:
    counts, low, high, total, squares, finite, nan, infinite = histogram(values)
    known = values[np.isfinite(values)].astype(np.float64)
    assert (finite, nan, infinite) == (known.size, np.isnan(values).sum(), np.isinf(values).sum())
    assert counts.tolist() == np.histogram(known.clip(EDGES[0], EDGES[-1]), EDGES)[0].tolist()
    if known.size:
        assert (low, high) == (known.min(), known.max())
        with np.errstate(over="ignore", invalid="ignore"):
            assert np.isclose(total, known.sum(), atol=abs(known).sum() * 1e-12, equal_nan=True)
            assert np.isclose(squares, (known * known).sum(), equal_nan=True)


def test_other_types_than_floats_are_not_converted_silently() -> None:
    with pytest.raises(TypeError):
        histogram(np.arange(3))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("bins", ["tensorflow", 5])
def test_what_is_not_finite_is_left_out_with_one_warning(
    log: Path, bins: Any, caplog: pytest.LogCaptureFixture, read_files: Callable[[Path], list[Any]]
) -> None:
    with SummaryWriter(log) as writer:
        writer.add_histogram("a", [1.0, np.nan, np.inf], bins=bins)
        writer.add_histogram("b", [np.nan, np.nan], bins=bins)
        writer.add_histogram("c", [np.inf, 2.0], bins=bins)
        writer.flush()
        assert writer._non_finite.count == 5
    (warning,) = [record.getMessage() for record in caplog.records]
    assert figures(warning)[:2] == [2, 3]
    data = next(log.glob("*tfevents*")).read_bytes()
    assert [bytes([10, 1]) + tag in data for tag in (b"a", b"b", b"c")] == [True, False, True]
    assert np.float64(np.inf).tobytes() not in data


def buckets(log: Path) -> list[tuple[list[float], list[float]]]:
    """Limits and counts of every histogram in the one file."""
    events = EventFile(str(next(log.glob("*tfevents*"))), NamePool())
    events.scan()
    found: list[tuple[list[float], list[float]]] = []
    for index in events.series_of_kinds([Kind.HISTOGRAM]):
        _, _, offset, length = (column.tolist() for column in events.blobs(index))
        value = events.read_blob(offset[0], length[0])
        limits, counts = (np.frombuffer(mf.data(value, "Value.histo", f"HistogramProto.{each}")) for each in ("bucket_limit", "bucket"))
        found.append((limits.tolist(), counts.tolist()))
    return found


def test_empty_buckets_at_the_ends_are_left_out(log: Path) -> None:
    with SummaryWriter(log) as writer:
        writer.add_histogram("edges", [1.5, 2.5, 2.5, 4.5], bins=[0.0, 1, 2, 3, 4, 5, 6, 7])
        writer.add_histogram("fewer", [0.5, 1.5, 1.5, 3.5, 4.5], bins=[0.0, 1, 2, 3, 4, 5], max_bins=2)
        writer.add_histogram("same", [0.5, 1.5], bins=[0.0, 1, 1, 2])
    assert buckets(log) == [
        ([1, 2, 3, 4, 5], [0, 1, 2, 0, 1]),
        ([0, 2, 4, 5], [0, 3, 1, 1]),
        ([0, 1, 1, 2], [0, 1, 0, 1]),
    ]


@pytest.mark.parametrize("bins", [[1.0], [2.0, 1.0], [[0.0, 1.0], [1.0, 2.0]]], ids=["one edge", "falling", "a table"])
def test_edges_that_are_none_are_refused(log: Path, bins: Any) -> None:
    with SummaryWriter(log) as writer, pytest.raises(ValueError, match="rising list"):
        writer.add_histogram("a", [1.0], bins=bins)
