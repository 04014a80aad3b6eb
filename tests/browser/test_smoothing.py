"""Smoothing: each method against its definition, the same at every zoom, and the raw values beside it."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import fmean, median

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.page_clock import address_written
from browser.sample_runs import quiet
from log_folder import LogFolder

COUNT = 5000
NOISY = [math.sin(step / 300) + (step * 7919 % 101 - 50) / 50 for step in range(COUNT)]
"""A wave with noise on it."""
AT = 2500


def ema(amount: float) -> float:
    """The debiased exponential moving average at the step AT."""
    total = weight = 0.0
    for value in NOISY[: AT + 1]:
        total, weight = total * amount + value * (1 - amount), weight * amount + (1 - amount)
    return total / weight


def gaussian(sigma: float) -> float:
    """The mean around AT, weighted by a bell of that width."""
    weights = {step: math.exp(-(((step - AT) / sigma) ** 2) / 2) for step in range(AT - 100, AT + 101)}
    return sum(NOISY[step] * weight for step, weight in weights.items()) / sum(weights.values())


EXPECTED = {
    "ema:0.9": ema(0.9),
    "mean:21": fmean(NOISY[AT - 10 : AT + 11]),
    "median:21": median(NOISY[AT - 10 : AT + 11]),
    "gaussian:5": gaussian(5),
}


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    quiet(logs.write("run", {"noisy": NOISY}))
    return serve(logs.path)


def smooth_and_raw(charts: ChartsPage) -> tuple[float, float]:
    """What the tooltip says about the step AT, to which the keyboard goes."""
    charts.keys("noisy", "Home")
    tens, ones = divmod(AT - charts.tooltip().step, 10)
    charts.keys("noisy", *["Shift+ArrowRight"] * tens, *["ArrowRight"] * ones)
    tooltip = charts.tooltip()
    assert tooltip.step == AT
    return tooltip.values[0], tooltip.raw[0]


@pytest.mark.parametrize("smoothing", EXPECTED)
def test_a_value_is_the_same_at_every_zoom(charts: ChartsPage, address: str, smoothing: str) -> None:
    for zoom in ("2495..2505", "2450..2550"):
        charts.open(address, f"#scalars?smooth={smoothing}&zoom={zoom}")
        smooth, raw = smooth_and_raw(charts)
        assert smooth == pytest.approx(EXPECTED[smoothing], abs=2e-3)
        assert raw == pytest.approx(NOISY[AT], abs=1e-3)


def test_the_slider_the_field_and_the_keys_set_the_amount(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    assert charts.requests.bodies[-1]["smoothing"] is None
    field = charts.page.get_by_label("Smoothing amount")
    field.fill("0.5")
    field.blur()
    charts.wait_until(lambda: charts.requests.bodies[-1]["smoothing"] == {"method": "ema", "amount": 0.5})
    slider = charts.page.get_by_role("slider", name="Smoothing")
    expect(slider).to_have_value("0.5")
    slider.press("Home")
    charts.wait_until(lambda: charts.requests.bodies[-1]["smoothing"] is None)
    slider.blur()
    charts.page.keyboard.press("]")
    charts.page.keyboard.press("]")
    charts.wait_until(lambda: charts.requests.bodies[-1]["smoothing"] == {"method": "ema", "amount": 0.2})
    charts.page.get_by_label("Smoothing method").select_option("median")
    charts.wait_until(lambda: charts.requests.bodies[-1]["smoothing"] == {"method": "median", "amount": 21})


def test_raw_values_stay_faint_behind(charts: ChartsPage, address: str) -> None:
    """The noise reaches ±2, its mean only ±1: the axis still spans the raw values."""
    charts.open(address, "#scalars?smooth=mean:501")
    low, high = charts.values("noisy")
    assert low < -1.8
    assert high > 1.8
    charts.keys("noisy", "Home", "Shift+ArrowRight")
    tooltip = charts.tooltip()
    assert len(tooltip.raw) == 1
    assert abs(tooltip.values[0]) < 1.2


def test_smoothing_is_kept_for_the_next_visit(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.page.get_by_label("Smoothing amount").fill("0.7")
    charts.page.get_by_label("Smoothing amount").blur()
    address_written(charts.page)
    charts.open(address)
    expect(charts.page.get_by_label("Smoothing amount")).to_have_value("0.7")
