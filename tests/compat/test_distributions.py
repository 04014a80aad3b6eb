"""Percentiles of buckets with known answers, and how many steps of a series are answered (histogram_rows)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from starlette.testclient import TestClient

import histogram_logs as hl
from log_folder import LogFolder
from stepscope.compat.routes.distributions import BASIS_POINTS, percentiles


def test_values_are_spread_evenly_inside_a_bucket() -> None:
    assert percentiles(np.array([[0.0, 10.0, 4.0]])) == [(point, pytest.approx(point / 1000)) for point in BASIS_POINTS]


def test_empty_buckets_are_jumped_over() -> None:
    found = dict(percentiles(np.array([[0.0, 1.0, 5.0], [1.0, 9.0, 0.0], [9.0, 10.0, 5.0]])))
    assert (found[0], found[5000], found[10000]) == (0.0, 9.0, 10.0)
    assert found[1587] == pytest.approx(0.3174)


def test_nothing_has_percentiles_of_zero() -> None:
    assert percentiles(np.zeros((0, 3))) == [(point, 0.0) for point in BASIS_POINTS]
    assert dict(percentiles(np.array([[2.0, 2.0, 0.0]])))[5000] == 2.0


def test_steps_beyond_the_limit_are_at_equal_distances(folder: LogFolder, serve: Callable[..., TestClient]) -> None:
    hl.write(folder.path, "a", *(hl.new("w", step, hl.bell(step)) for step in range(201)))
    client = serve(folder)
    found = client.get("/data/plugin/histograms/histograms?run=a&tag=w").json()
    assert [entry[1] for entry in found] == list(range(0, 201, 4))
    assert found[1][2] == [list(row) for row in hl.bell(4)]
    assert len(client.get("/data/plugin/distributions/distributions?run=a&tag=w").json()) == 201


def test_a_value_that_is_no_histogram_costs_itself_alone(folder: LogFolder, serve: Callable[..., TestClient]) -> None:
    hl.write(folder.path, "a", hl.new("w", 0, hl.bell(0)), hl.raw_tensor("w", 1, b"\x08\x07"), hl.new("w", 2, hl.bell(2)))
    found = serve(folder).get("/data/plugin/histograms/histograms?run=a&tag=w").json()
    assert [entry[1] for entry in found] == [0, 2]
