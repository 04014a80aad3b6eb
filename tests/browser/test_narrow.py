"""A phone, a small window and strong zoom: nothing is wider than the page, bars do not overlap, and a live run can be followed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.page_server import PageServer
from log_folder import LogFolder
from stepscope.writer import SummaryWriter

PHONE = (390, 844)
ZOOMED = (640, 400)  # 1280 x 800 at 200 %
SMALL = (1280, 800)
OVERLAPS = """() => {
  const boxes = [...document.querySelectorAll('.page > header button, .page > header .live')]
    .filter((one) => one.checkVisibility() && one.closest('nav') === null)
    .map((one) => one.getBoundingClientRect());
  return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)).length;
}"""


@pytest.fixture
def growing(tmp_path: Path) -> LogFolder:
    """Two runs that are still written to."""
    logs = LogFolder(tmp_path / "a_folder_with_quite_a_long_name")
    for run in ("first", "second"):
        logs.write(run, {"loss": [1.0] * 10, "accuracy": [0.5] * 10}, start=time.time() - 10)
    return logs


@pytest.fixture
def address(server_on: Callable[..., PageServer], growing: LogFolder) -> str:
    return server_on(growing.path).address


@pytest.mark.parametrize("size", [PHONE, ZOOMED, SMALL])
def test_nothing_is_wider_than_the_window(charts: ChartsPage, address: str, size: tuple[int, int]) -> None:
    charts.page.set_viewport_size({"width": size[0], "height": size[1]})
    charts.open(address)
    tabs = charts.page.get_by_role("navigation", name="Tabs").get_by_role("button")
    for name in ("Charts", "Media", "Table", "Profile"):
        tabs.filter(has_text=name).first.click()
        expect(tabs.filter(has_text=name).first).to_have_attribute("aria-current", "page")
        assert charts.page.evaluate("document.documentElement.scrollWidth") == size[0]
        assert charts.page.evaluate(OVERLAPS) == 0


BAR_VIEWS = {
    "no inspector": "",
    "groups": "?group=path",
    "a step": "?at=4",
    "a range": "?at=2..6",
    "groups and a range": "?group=path&at=2..6",
}


def test_the_bar_of_the_charts_is_one_line_beside_the_inspector(
    charts: ChartsPage, server_on: Callable[..., PageServer], growing: LogFolder
) -> None:
    """What the bar has no room for is in its panel "Display"."""
    with SummaryWriter(growing.path / "third") as writer:
        writer.add_histogram("weights", [1.0, 2.0], 1)
    address = server_on(growing.path).address
    charts.page.set_viewport_size({"width": SMALL[0], "height": SMALL[1]})
    bar = charts.page.get_by_role("toolbar", name="Charts")
    heights: dict[str, float] = {}
    for name, view in BAR_VIEWS.items():
        charts.open(address, f"#scalars{view}")
        expect(charts.button("Kinds of cards")).to_be_visible()
        expect(charts.page.get_by_role("complementary", name="Inspector")).to_have_count(1 if "at=" in view else 0)
        heights[name] = (bar.bounding_box() or {"height": 0})["height"]
        assert bar.evaluate("(bar) => bar.scrollWidth <= bar.clientWidth"), name
    assert {*heights.values()} == {heights["no inspector"]}, heights
    assert heights["no inspector"] < 48
    charts.display("Logarithmic y axis").check()
    charts.page.locator(":popover-open").get_by_label("Smoothing method").select_option("median")
    charts.close_panel()
    expect(charts.card("loss")).to_contain_text("log")
    expect(charts.page.get_by_label("Smoothing method")).to_have_value("median")


def test_a_phone_follows_a_live_run(charts: ChartsPage, address: str, growing: LogFolder) -> None:
    charts.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    charts.open(address)
    assert charts.steps("loss") == (0, 9)
    growing.write("first", {"loss": [(step, 2.0) for step in range(10, 20)]}, start=time.time(), version=False)
    charts.wait_until(lambda: charts.steps("loss") == (0, 19))
    assert (charts.card("loss").bounding_box() or {"width": 0})["width"] > 0.85 * PHONE[0]


def test_the_list_covers_a_narrow_page_when_it_is_asked_for(charts: ChartsPage, address: str) -> None:
    charts.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    charts.open(address)
    listed = charts.page.get_by_role("complementary", name="Run list")
    expect(listed).to_have_count(0)
    charts.page.get_by_role("button", name="Runs", exact=True).click()
    expect(listed).to_be_visible()
    assert (listed.bounding_box() or {"width": 0})["width"] == PHONE[0]
    charts.swatch("second").click()
    charts.page.get_by_role("button", name="Runs", exact=True).click()
    expect(listed).to_have_count(0)
    charts.wait_until(lambda: charts.line_count("loss") == 1)
    charts.page.set_viewport_size({"width": SMALL[0], "height": SMALL[1]})
    expect(listed).to_be_visible()


def test_the_first_tab_key_leads_to_a_chart(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.page.keyboard.press("Tab")
    skip = charts.page.get_by_role("button", name="Go to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    charts.page.keyboard.press("Enter")
    expect(charts.page.get_by_role("application").first).to_be_focused()
    charts.page.keyboard.press("Home")
    assert charts.tooltip().step == 0


def test_the_second_leads_to_the_run_list(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.page.keyboard.press("Tab")
    charts.page.keyboard.press("Tab")
    expect(charts.page.get_by_role("button", name="Go to the run list")).to_be_focused()
    charts.page.keyboard.press("Enter")
    expect(charts.page.get_by_role("searchbox", name="Find runs")).to_be_focused()
