"""Histograms that the core counts, against NumPy: torch's buckets, buckets of equal width, and cells of logged ones."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from stepscope._native import (
    EventFile,
    NamePool,
    even_histogram,
    histogram,
    histogram_buckets,
    histogram_cells,
    histogram_edges,
    histogram_facts,
)
from stepscope.writer import SummaryWriter

EDGES = histogram_edges()


def values_of(kind: str) -> np.ndarray:
    random = np.random.default_rng(4)
    return np.concatenate([random.normal(0, 10.0**power, 200) for power in range(-8, 9, 4)] + [EDGES[::50], -EDGES[::50]]).astype(kind)


def test_edges_rise_and_are_even_about_zero() -> None:
    assert (np.diff(EDGES) > 0).all()
    assert np.array_equal(EDGES, -EDGES[::-1])


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_counts_are_numpys_for_the_same_edges(kind: str) -> None:
    values = values_of(kind)
    counts, low, high, total, squares, finite, nan, infinite = histogram(values)
    inside = np.clip(values.astype(np.float64), EDGES[0], EDGES[-1])
    assert np.array_equal(counts, np.histogram(inside, EDGES)[0])
    exact = values.astype(np.float64)
    assert (low, high, finite, nan, infinite) == (exact.min(), exact.max(), len(values), 0, 0)
    assert total == pytest.approx(math.fsum(exact), abs=1e-12 * math.fsum(abs(exact))), "as exact as sums of such sizes can be"
    assert squares == pytest.approx(math.fsum(exact**2))


def test_what_is_no_number_is_counted_apart() -> None:
    counts, low, high, total, _, finite, nan, infinite = histogram(np.array([1.0, np.nan, np.inf, -np.inf, 3.0]))
    assert (int(counts.sum()), low, high, total, finite, nan, infinite) == (2, 1.0, 3.0, 4.0, 2, 1, 2)


@pytest.mark.parametrize("buckets", [1, 7, 30])
def test_even_buckets_are_numpys(buckets: int) -> None:
    values = np.random.default_rng(5).normal(size=1000)
    counts, low, high, finite, left_out = even_histogram(values, buckets)
    expected, edges = np.histogram(values, buckets)
    assert np.abs(counts - expected).sum() <= 2, "a value on an edge may fall to either side"
    assert (int(counts.sum()), low, high, finite, left_out) == (1000, edges[0], edges[-1], 1000, 0)


def test_equal_values_are_in_the_last_bucket() -> None:
    counts, low, high, finite, _ = even_histogram(np.full(5, 2.0), 4)
    assert (counts.tolist(), low, high, finite) == ([0, 0, 0, 5], 2.0, 2.0, 5)


@pytest.fixture
def logged(tmp_path: Path) -> tuple[EventFile, int]:
    """A file with histograms of 100 numbers from 0 to 1 and of as many from 1 to 2."""
    with SummaryWriter(tmp_path) as writer:
        for step in range(2):
            writer.add_histogram("h", np.linspace(step, step + 1, 100), step)
    (path,) = tmp_path.glob("*tfevents*")
    names = NamePool()
    file = EventFile(str(path), names)
    file.scan()
    return file, [names.name(int(tag)) for tag in file.tag_ids()].index(b"h")


def test_facts_and_cells_of_logged_ones(logged: tuple[EventFile, int]) -> None:
    file, index = logged
    _, _, offset, length = file.blobs(index)
    facts = histogram_facts(file, b"h", offset, length)
    assert (facts["state"].tolist(), facts["total"].tolist(), facts["left_out"].tolist()) == ([0, 0], [100, 100], [0, 0])
    assert facts["high"][0] <= facts["low"][1] + 0.2
    flat = np.zeros(8)
    histogram_cells(file, b"h", offset, length, np.array([1, 1], np.int32), 2, -1.0, 3.0, flat)
    cells = flat.reshape(2, 4)
    assert cells[0].tolist() == [0, 0, 0, 0], "both are in the row that was asked for"
    assert cells[1].sum() == pytest.approx(200)
    assert cells[1, 1] == pytest.approx(100, abs=12)
    state, left, right, counts, bad = histogram_buckets(file.read_blob(int(offset[0]), int(length[0])), b"h")
    assert (state, bad, counts.sum()) == (0, 0, 100)
    assert (left < right).all()


@pytest.mark.parametrize("data", [b"", b"\xff\xff", bytes(40)])
def test_bytes_that_are_no_histogram_say_so(data: bytes) -> None:
    assert histogram_buckets(data, b"h")[0] != 0
