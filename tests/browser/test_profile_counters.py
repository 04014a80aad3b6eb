"""The Counters part of the Profile tab: numbers, courses with the bounds of steps, the moment looked at, and how to record them."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.profile_page import ProfilePage, plain
from browser.sample_parts import COUNTER, write_parts
from browser.sample_profiles import write_trace
from browser.schemes import Scheme
from log_folder import LogFolder

COUNTERS = "#profile?show=counters"
NAME = f"{COUNTER} percent"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    """The usual counter, and one that is sampled 3,000 times with a peak that no chart may lose."""
    path = write_parts(logs.path / "train")
    trace = json.loads(path.read_text())
    for place in range(3000):
        value = 9_999.0 if place == 1234 else float(place % 7)
        trace["traceEvents"].append({"ph": "C", "name": "<b>power</b>", "pid": 0, "ts": 10 * place, "args": {"W": value}})
    path.write_text(json.dumps(trace))
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def chart(page: Page, name: str) -> Locator:
    return page.get_by_role("img", name=f"{name} over time")


def rows(profile: ProfilePage) -> dict[str, list[str]]:
    return {line[0].removesuffix("process 0"): line[1:7] for line in profile.table("counters")}


def test_numbers_of_every_counter(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.show("Counters")
    found = rows(profile)
    assert found[NAME] == ["12", "0", "47", "80", "0", "47"]
    assert found["<b>power</b> W"][:4] == ["3000", "0", "6.33", "9999"]


def test_a_course_keeps_its_peak_and_has_the_bounds_of_steps(profile: ProfilePage, address: str) -> None:
    profile.open(address, COUNTERS)
    usual, power = chart(profile.page, NAME), chart(profile.page, "<b>power</b> W")
    assert usual.locator("line.bound").count() == 6
    tops = power.locator("path.band").evaluate("(path) => path.getBBox().y")
    assert tops == pytest.approx(1, abs=0.5)
    box = usual.locator("path.course").evaluate("(path) => ({ ...path.getBBox().toJSON?.() ?? {}, width: path.getBBox().width })")
    wide = usual.evaluate("(image) => image.getBoundingClientRect().width")
    assert box["width"] == pytest.approx(wide, rel=0.02)


def test_a_moment_is_looked_at_in_all_charts(profile: ProfilePage, address: str) -> None:
    profile.open(address, COUNTERS)
    page = profile.page
    box = chart(page, NAME).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 20)
    expect(page.get_by_role("toolbar", name="Table of counters")).to_contain_text("at 15 ms, step 1")
    values = [plain(text) for text in page.locator(".now").all_inner_texts()]
    assert values[0] == "80"
    assert len(values) == 2
    page.mouse.move(box["x"] - 200, box["y"])
    expect(page.locator(".now")).to_have_count(0)
    page.get_by_role("slider", name="Time").focus()
    page.keyboard.press("End")
    expect(page.get_by_role("slider", name="Time")).to_have_attribute("aria-valuetext", "at 30\u202fms")
    page.keyboard.press("Escape")
    expect(page.locator(".now")).to_have_count(0)


def test_sort_find_and_csv(profile: ProfilePage, address: str, tmp_path: Path) -> None:
    profile.open(address, COUNTERS)
    profile.sort("counters", "Max")
    assert next(iter(rows(profile))) == "<b>power</b> W"
    profile.page.wait_for_url("**by=-most*")
    profile.page.get_by_label("Filter counters").fill("active")
    expect(profile.page.get_by_role("img")).to_have_count(1)
    with profile.page.expect_download() as saved:
        profile.page.get_by_role("button", name="Save as CSV").click()
    saved.value.save_as(tmp_path / "counters.csv")
    with (tmp_path / "counters.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["name"], row["samples"], row["mean"], row["step_mean"]) == (NAME, "12", "47", "47")


def test_without_counters_the_page_says_how_to_record_them(profile: ProfilePage, serve: Callable[..., str], tmp_path: Path) -> None:
    write_trace(tmp_path / "train")
    profile.page.goto(serve(tmp_path) + COUNTERS)
    expect(profile.page.get_by_role("heading", name="No counters in this profile")).to_be_visible()
    expect(profile.page.get_by_role("region", name="PyTorch on CUDA")).to_contain_text("profiler_metrics")


@pytest.mark.parametrize("width", [1280, 1440])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_whole(browser: Browser, address: str, theme: Scheme, width: int, tmp_path: Path) -> None:
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900})
    page = context.new_page()
    ProfilePage(page).open(address, COUNTERS)
    page.get_by_role("slider", name="Time").focus()
    page.keyboard.press("PageUp")
    page.screenshot(path=tmp_path / f"counters-{theme}-{width}.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(page) == []
    context.close()
