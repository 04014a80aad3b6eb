"""Smoothing against plain NumPy: known answers, gaps, spikes, ends, and what must stay exactly as it is."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from stepscope._native import EventEncoder, EventFile, NamePool, SeriesView

Values = NDArray[np.float64]
Smooth = Callable[[Values, str, float], Values]

DOUBLE_TENSOR = 2


@pytest.fixture(scope="session")
def smooth(tmp_path_factory: pytest.TempPathFactory) -> Smooth:
    """Writes the values as one series of doubles and smooths that, as the server does."""
    folder = tmp_path_factory.mktemp("smoothing")
    numbers = iter(range(1_000_000))

    def run(values: Values, method: str, amount: float) -> Values:
        return view_of(values, folder / f"events.out.tfevents.{next(numbers)}").smooth(method, amount)

    return run


def view_of(values: Values, path: Path) -> SeriesView:
    encoder = EventEncoder(DOUBLE_TENSOR)
    with path.open("wb") as file:
        for begin in range(0, len(values), 100_000):
            near = enumerate(values[begin : begin + 100_000].tolist(), start=begin)
            encoder.add_scalars([(b"a", step, float(step), value) for step, value in near])
            file.write(encoder.take())
    events = EventFile(str(path), NamePool())
    while events.scan():
        pass
    path.unlink()
    return SeriesView([(events, 0)], "all")


def ema(values: Values, weight: float) -> Values:
    """TensorBoard's definition, word for word."""
    out, last, count = values.copy(), 0.0, 0
    for index, value in enumerate(values.tolist()):
        if math.isfinite(value):
            last = last * weight + (1 - weight) * value
            count += 1
            out[index] = last / (1 - weight**count)
    return out


def windowed(values: Values, window: int, answer: Callable[[Values], float]) -> Values:
    """The answer for the finite values of the window around each finite point, shrunk alike on both sides at the ends."""
    out = values.copy()
    for index in np.flatnonzero(np.isfinite(values)).tolist():
        half = min(window // 2, index, len(values) - 1 - index)
        near = values[index - half : index + half + 1]
        out[index] = answer(near[np.isfinite(near)])
    return out


def gaussian(values: Values, sigma: float) -> Values:
    out = values.copy()
    places = np.arange(len(values))
    finite = np.isfinite(values)
    for index in np.flatnonzero(finite).tolist():
        near = finite & (np.abs(places - index) <= math.floor(4 * sigma))
        weights = np.exp(-(((places[near] - index) / sigma) ** 2) / 2)
        out[index] = math.fsum((weights * values[near]).tolist()) / math.fsum(weights.tolist())
    return out


def mean(values: Values) -> float:
    return math.fsum(values.tolist()) / len(values)


def median(values: Values) -> float:
    return float(np.median(values))


positive = st.floats(0.001, 1000.0)
odd_ones = st.sampled_from([math.nan, math.inf, -math.inf, 1e12])
series = st.lists(st.one_of(positive, positive, positive, odd_ones), min_size=1, max_size=150).map(np.array)


@given(values=series, weight=st.floats(0.0, 0.999))
def test_ema_is_tensorboards(smooth: Smooth, values: Values, weight: float) -> None:
    np.testing.assert_allclose(smooth(values, "ema", weight), ema(values, weight), rtol=1e-11)


@given(values=series, window=st.integers(0, 200))
def test_mean_of_a_centred_window(smooth: Smooth, values: Values, window: int) -> None:
    np.testing.assert_allclose(smooth(values, "mean", window), windowed(values, window, mean), rtol=1e-15)


@given(values=series, window=st.integers(0, 200))
def test_median_of_a_centred_window(smooth: Smooth, values: Values, window: int) -> None:
    np.testing.assert_allclose(smooth(values, "median", window), windowed(values, window, median), rtol=1e-15)


@given(values=series, sigma=st.floats(0.1, 100.0))
def test_gaussian_to_a_millionth(smooth: Smooth, values: Values, sigma: float) -> None:
    np.testing.assert_allclose(smooth(values, "gaussian", sigma), gaussian(values, sigma), rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [7.9, 8.1, 40.0, 300.0])
def test_gaussian_of_ordinary_data_is_right_to_ten_digits(smooth: Smooth, sigma: float) -> None:
    values = np.random.default_rng(1).normal(5.0, 1.0, 4000)
    np.testing.assert_allclose(smooth(values, "gaussian", sigma), gaussian(values, sigma), rtol=1e-10)


@pytest.mark.parametrize(("method", "amount"), [("mean", 101), ("median", 101), ("gaussian", 25.0)])
def test_a_spike_is_forgotten_outside_its_window(smooth: Smooth, method: str, amount: float) -> None:
    calm = np.random.default_rng(2).uniform(1.0, 2.0, 5000)
    spiked = calm.copy()
    spiked[2500] = 1e250
    far = np.abs(np.arange(5000) - 2500) > 100
    np.testing.assert_allclose(smooth(spiked, method, amount)[far], smooth(calm, method, amount)[far], rtol=1e-12)


@pytest.mark.parametrize(("method", "amount"), [("ema", 0.999), ("mean", 1001), ("median", 1001), ("gaussian", 200.0)])
def test_a_constant_stays_exactly_constant(smooth: Smooth, method: str, amount: float) -> None:
    values = np.full(50_000, 0.1)
    values[777] = math.nan
    np.testing.assert_array_equal(smooth(values, method, amount), values)


@pytest.mark.parametrize(("method", "amount"), [("ema", 0.9), ("mean", 11), ("median", 11), ("gaussian", 20.0)])
def test_the_largest_numbers_do_not_overflow(smooth: Smooth, method: str, amount: float) -> None:
    values = np.array([1.7e308, -1.7e308] * 200 + [1.7e308] * 200)
    assert np.isfinite(smooth(values, method, amount)).all()


@pytest.mark.parametrize(("method", "amount"), [("ema", 0.9), ("mean", 11), ("median", 11), ("gaussian", 20.0)])
def test_short_and_empty_of_numbers(smooth: Smooth, method: str, amount: float) -> None:
    np.testing.assert_array_equal(smooth(np.array([3.0]), method, amount), [3.0])
    nothing = np.array([math.nan, math.inf, -math.inf])
    np.testing.assert_array_equal(smooth(nothing, method, amount), nothing)


def test_parameters_out_of_range_are_refused(smooth: Smooth) -> None:
    for method, amount in (("ema", 1.5), ("ema", math.nan), ("gaussian", 0.0), ("gaussian", -1.0), ("mean", -1.0), ("spline", 1.0)):
        with pytest.raises(ValueError, match=r".+"):
            smooth(np.array([1.0, 2.0]), method, amount)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("method", "amount"), [("ema", 0.6), ("ema", 0.999), ("mean", 101), ("median", 101), ("gaussian", 10.0), ("gaussian", 1000.0)]
)
def test_ten_million_points_do_not_drift(tmp_path: Path, method: str, amount: float) -> None:
    values = np.random.default_rng(3).normal(1.0, 0.1, 10_000_000)
    view = view_of(values, tmp_path / "events.out.tfevents.1")
    smoothed = view.smooth(method, amount)
    # What is at the end must not depend on what came before the reach of the window.
    reach = {"ema": 50_000, "mean": 50, "median": 50, "gaussian": int(4 * amount)}[method]
    tail = view_of(values[-2 * reach - 50_000 :], tmp_path / "events.out.tfevents.2").smooth(method, amount)
    np.testing.assert_allclose(smoothed[-10_000:], tail[-10_000:], rtol=1e-10)
