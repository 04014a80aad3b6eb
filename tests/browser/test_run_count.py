"""One number of runs on every screen, with what it leaves out; and the reason of an invalid pattern, which no hint covers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.sample_runs import quiet
from log_folder import LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for name in ("one/train", "one/validation", "two/train", "two/validation", "plain", "old"):
        quiet(logs.write(name, {"loss": [3.0, 2.0, 1.0]}))
    return serve(logs.path)


def test_every_screen_counts_the_same_runs(charts: ChartsPage, address: str) -> None:
    page = charts.page
    charts.open(address)
    top = page.get_by_role("banner").locator(".words")
    listed = page.get_by_role("region", name="Runs").get_by_role("status")
    expect(top).to_contain_text("4 runs")
    expect(listed.first).to_have_text("4 of 4 runs")
    charts.button("Details of old").click(modifiers=["Control"])
    page.get_by_role("button", name="Archive", exact=True).click()
    expect(top).to_contain_text("3 runs")
    expect(listed.first).to_have_text("3 of 3 runs")
    page.locator("button.folder").click()
    content = page.locator(":popover-open dd").filter(has_text="3 runs")
    expect(content).to_contain_text("1 archived")
    expect(content).to_contain_text("6 folders")
    charts.close_panel()
    charts.button("Group runs").click()
    page.get_by_label("By folder").check()
    expect(page.locator(":popover-open")).to_contain_text("of the 3 runs shown")
    charts.close_panel()
    for tab in ("Table", "Media", "Profile"):
        page.get_by_role("navigation", name="Tabs").get_by_role("button", name=tab).click()
        expect(top).to_contain_text("3 runs")
    page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Table").click()
    expect(page.locator("main").get_by_role("status").first).to_have_text("3 of 3 runs")
    expect(page.locator("main").get_by_role("status").nth(1)).to_contain_text("of 3 runs")


def test_archived_runs_are_counted_and_their_list_ends_with_them(charts: ChartsPage, address: str) -> None:
    page = charts.page
    charts.open(address)
    if "old" in charts.listed():
        charts.button("Details of old").click(modifiers=["Control"])
        page.get_by_role("button", name="Archive", exact=True).click()
        charts.wait_until(lambda: "old" not in charts.listed(), what="a list without the archived run")
    charts.button("More for the run list").click()
    menu = page.get_by_role("menu")
    archived = menu.get_by_role("menuitemcheckbox").filter(has_text="archived")
    expect(archived).to_have_text("Show archived runs (1)")
    archived.click()
    assert charts.listed() == ["old"]
    listed = page.get_by_role("region", name="Runs").get_by_role("status")
    expect(listed.first).to_have_text("1 archived run")
    charts.button("Details of old").click(modifiers=["Control"])
    page.get_by_role("toolbar", name="Picked runs").get_by_role("button", name="Restore").click()
    expect(listed.first).to_have_text("4 of 4 runs")
    assert len(charts.listed()) == 4
    charts.button("More for the run list").click()
    expect(archived).to_be_disabled()


@pytest.mark.parametrize(("name", "typed"), [("Find runs", "/(/"), ("Filter tags by regular expression", "(")])
def test_no_hint_covers_why_a_pattern_is_invalid(charts: ChartsPage, address: str, name: str, typed: str) -> None:
    charts.open(address)
    field = charts.page.get_by_role("searchbox", name=name)
    field.fill(typed)
    reason = charts.page.get_by_role("status").filter(has_text="regular expression")
    expect(reason).to_be_visible()
    words = reason.inner_text()
    charts.page.mouse.move(600, 600)
    field.hover()
    tooltip = charts.page.get_by_role("tooltip")
    expect(tooltip).to_have_text(words)
