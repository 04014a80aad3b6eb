"""Buckets of equal width: every value is counted once, where TensorFlow's rule puts it."""

from __future__ import annotations

import numpy as np
import pytest

from stepscope._native import even_histogram


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_buckets_are_those_of_the_rule(dtype: type) -> None:
    values = np.random.default_rng(1).normal(size=10_000).astype(dtype)
    counts, low, high, finite, left_out = even_histogram(values, 30)
    wide = values.astype(np.float64)
    places = np.minimum(np.floor((wide - wide.min()) / ((wide.max() - wide.min()) / 30)), 29).astype(int)
    assert counts.tolist() == np.bincount(places, minlength=30).tolist()
    assert (low, high, finite, left_out) == (wide.min(), wide.max(), 10_000, 0)


def test_equal_values_are_in_the_last_bucket() -> None:
    counts, low, high, finite, _ = even_histogram(np.full(7, 2.5), 4)
    assert (counts.tolist(), low, high, finite) == ([0, 0, 0, 7], 2.5, 2.5, 7)


def test_what_is_not_finite_is_counted_apart() -> None:
    counts, low, high, finite, left_out = even_histogram(np.array([np.nan, 0.0, np.inf, 1.0, -np.inf]), 2)
    assert (counts.tolist(), low, high, finite, left_out) == ([1, 1], 0.0, 1.0, 2, 3)


def test_the_whole_range_of_numbers_fits() -> None:
    greatest = np.finfo(np.float64).max
    counts, low, high, _, _ = even_histogram(np.array([-greatest, -greatest / 2, greatest / 2, greatest]), 2)
    assert (counts.tolist(), low, high) == ([2, 2], -greatest, greatest)


@pytest.mark.parametrize("values", [[], [float("nan")]])
def test_nothing_to_count(values: list[float]) -> None:
    counts, _, _, finite, _ = even_histogram(np.array(values, np.float64), 3)
    assert (counts.tolist(), finite) == ([0, 0, 0], 0)


def test_no_buckets() -> None:
    assert even_histogram(np.array([1.0, 2.0]), 0)[0].tolist() == []
