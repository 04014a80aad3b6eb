"""The replay of a what-if below the trace: chosen there, drawn on the same axis, as long as what-if states."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, expect

from browser.page_checks import INKED, WIDER_THAN_THE_PAGE, faults
from browser.profile_page import plain
from browser.sample_profiles import FIRST_STEP, INPUT, write_trace
from browser.schemes import Scheme
from browser.trace_page import LINE, TracePage
from log_folder import LogFolder

STEPS = 20
"""Pixels of the row of steps above the replay's own rows."""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_trace(logs.path / "train", steps=6)
    return serve(logs.path)


def strip(trace: TracePage) -> Locator:
    return trace.page.get_by_role("region", name="Replay")


def tip(trace: TracePage, row: int, ms: float) -> str:
    """What stands beside the pointer over a row of the replay."""
    canvas = strip(trace).locator("canvas")
    box = canvas.bounding_box()
    assert box is not None
    start, end = trace.window()
    canvas.hover(position={"x": (ms - start) / (end - start) * box["width"], "y": STEPS + row * LINE + LINE / 2})
    expect(trace.page.locator(".tip")).to_be_visible()
    return plain(trace.page.locator(".tip").inner_text())


def test_a_what_if_is_shown_in_the_trace(trace: TracePage, address: str) -> None:
    """Without input, 3 of 10 ms, a step takes 7."""
    trace.page.goto(f"{address}#profile?show=whatif&levers=input=0")
    trace.page.get_by_role("button", name="Show in trace").click()
    trace.ready()
    expect(strip(trace)).to_contain_text("Step time 7")
    trace.page.wait_for_function("() => Number(document.querySelector('[data-window]').dataset.window.split(' ')[1]) < 12000")
    assert trace.window() == pytest.approx((0, 10), abs=0.5), "it opens at the step where the replay is aligned"
    expect(trace.page).to_have_url(re.compile(r"[?&]replay=input=0(&|$)"))
    stated = trace.answer("whatif", changes="input=0")["predicted_ms"]["mid"]
    drawn = trace.answer("replay", changes="input=0", start_us=0, end_us=60_000)
    assert drawn["replay_ms"] == pytest.approx(stated, rel=0.01)
    assert {round(step["end_us"] - step["start_us"]) for step in drawn["steps"][:-1]} == {round(1e3 * drawn["replay_ms"])}
    strip(trace).get_by_role("button", name="Close replay").click()
    expect(strip(trace)).to_have_count(0)


def test_moved_and_vanished_work_is_marked(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=0..20000&replay=input=0")
    expect(strip(trace).locator("canvas")).to_be_visible()
    assert "Removed" in tip(trace, 0, 1.5), "input was recorded from 0 to 3 ms"
    assert "3 ms earlier" in tip(trace, 1, 3.0), "the kernel runs from 1 instead of 4 ms"
    canvas = strip(trace).locator("canvas").bounding_box()
    assert canvas is not None
    trace.page.mouse.click(canvas["x"] + canvas["width"] * 1.5 / 20, canvas["y"] + STEPS + LINE / 2)
    expect(trace.details()).to_contain_text(INPUT)


def test_steps_are_aligned_where_the_user_says(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=0..40000&replay=input=0")
    expect(strip(trace).get_by_role("combobox")).to_have_value(str(FIRST_STEP))
    assert "6 ms earlier" in tip(trace, 1, 10.0), "the second step's kernel: 8 to 12 instead of 14 to 18 ms"
    strip(trace).get_by_role("combobox").select_option(str(FIRST_STEP + 1))
    expect(trace.page).to_have_url(re.compile(rf"[?&]alignat={FIRST_STEP + 1}(&|$)"))
    expect(strip(trace).get_by_role("combobox")).to_have_value(str(FIRST_STEP + 1))
    assert "3 ms earlier" in tip(trace, 1, 13.0)


def test_a_step_that_is_not_there_is_refused_in_a_sentence(trace: TracePage, address: str, complaints: list[str]) -> None:
    trace.open(address, f"&replay=kernels=0.5&alignat={FIRST_STEP + 999}")
    expect(strip(trace)).to_contain_text("There is no step")
    assert [("400" in each) for each in complaints] == [True]
    complaints.clear()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_replay_fits_and_has_no_faults(browser: Browser, address: str, scheme: Scheme, width: int) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    trace = TracePage(page)
    trace.open(address, "&us=0..20000&replay=kernels=0.5&path=on")
    expect(strip(trace).locator("canvas")).to_be_visible()
    drawn = strip(trace).locator("canvas").element_handle()
    page.wait_for_function(f"(canvas) => ({INKED})(canvas) > 500", arg=drawn)
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(page) == []
    page.close()
