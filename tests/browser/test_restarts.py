"""Odd logs: restarts and what they supersede, two values for one step, and values that are not numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.sample_runs import quiet
from log_folder import START, LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    first = [(step, float(step)) for step in range(100)]
    again = [(step, 1000.0 + step) for step in range(50, 150)]
    quiet(logs.write("restarted", {"loss": first}, file="events.out.tfevents.1", start=START))
    quiet(logs.write("restarted", {"loss": again}, file="events.out.tfevents.2", start=START + 5000))
    twice = [point for step in range(20) for point in ((step, 1.0), (step, 2.0))]
    quiet(logs.write("doubled", {"kernel": twice}))
    broken = [float(step) for step in range(101)]
    broken[50], broken[60], broken[70] = math.nan, math.inf, -math.inf
    quiet(logs.write("broken", {"odd/values": broken}))
    return serve(logs.path)


def test_the_latest_values_replace_those_before_the_restart(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    corner = charts.card("loss").locator(".corner")
    expect(corner).to_contain_text("50 superseded")
    expect(corner).to_contain_text("150 of 200 points")
    charts.keys("loss", "Home", *["Shift+ArrowRight"] * 7)
    tooltip = charts.tooltip()
    assert (tooltip.step, tooltip.values) == (70, [1070])


def test_all_points_and_split_segments(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    corner = charts.card("loss").locator(".corner")
    for mode in ("all", "split"):
        charts.display("After a restart").select_option(mode)
        charts.wait_until(lambda mode=mode: charts.requests.bodies[-1]["segments"] == mode, what=f"a request for {mode}")
        charts.settle()
        expect(corner).to_have_text(re.compile("^200 points"))


def test_the_ruler_marks_the_restart(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    ruler = charts.page.get_by_role("slider", name="Step of all charts")
    expect(ruler.locator("path.restart")).to_have_count(1)
    ruler.focus()
    charts.page.keyboard.press("PageDown")
    expect(ruler).to_have_attribute("aria-valuetext", re.compile("^50; Restart"))


def test_two_values_for_one_step_are_kept_and_said(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    expect(charts.card("kernel")).to_contain_text("two values")
    assert charts.points("kernel") == (40, 40)


def test_values_that_are_no_numbers_are_marks(charts: ChartsPage, address: str) -> None:
    for step, words in ((50, "NaN"), (60, "+Inf"), (70, "−Inf")):
        charts.open(address, f"#scalars?tags=odd&perrow=3&zoom={step - 2}..{step + 2}")
        text = charts.hover("odd/values", 0.52).text
        assert words in text, text
        assert f"step {step}" in text
    charts.open(address, "#scalars?tags=odd")
    assert charts.values("odd/values")[1] < 120
    expect(charts.card("odd/values").locator(".corner")).to_contain_text("1 NaN, 2 Inf")
