"""The address: it holds the whole view, brings it back, and takes any garbage without harm."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.page_clock import address_written
from browser.sample_runs import write_three_runs
from log_folder import LogFolder

GARBAGE = [
    "#",
    "#?",
    "#no-such-tab?zoom=1..2",
    "#scalars?zoom=9..1&at=NaN&smooth=magic:1e999&x=%E0%A4%A&tags=%ZZ(&runs=zzz,,&sort=&group=regex:(((",
    "#scalars?look=loss~y=5..1~tall=-9e99&look=~~~&card=~&pins=%00~\u202e&columns=" + "x~" * 500,
    "#scalars?__proto__=1&constructor=2&look=__proto__~wide&zoom=-1e308..1e308",
    "#scalars?zoom=1e300..1.1e300&smooth=ema:-5",
    "#" + "a" * 20_000,
]


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_three_runs(logs)
    return serve(logs.path)


def test_many_choices_come_back_after_a_reload(charts: ChartsPage, address: str) -> None:
    charts.page.set_viewport_size({"width": 1600, "height": 800})  # beside the inspector, a narrower bar has fewer buttons
    charts.open(address)
    charts.swatch("beta").click()
    charts.search("/a$/")
    charts.choose("Sort runs", "Name")
    charts.button("Folder tree").click()
    charts.page.get_by_label("Filter tags by regular expression").fill("loss|acc")
    charts.page.get_by_label("Smoothing amount").fill("0.3")
    charts.page.get_by_label("Smoothing amount").blur()
    charts.button("Log y").click()
    charts.button("Ignore outliers").click()
    charts.display("After a restart").select_option("all")
    charts.display("Tooltip order").select_option("name")
    charts.display("Same y range in each section").check()
    charts.close_panel()
    charts.card("loss").hover()
    charts.card("loss").get_by_role("button", name="Pin loss").click()
    charts.drag("loss", 0.3, 0.5)
    shown = charts.steps("loss")
    charts.page.mouse.click(*charts.place("loss", 0.4))
    heading = charts.page.get_by_role("complementary", name="Inspector").get_by_role("heading", level=2).first
    expect(heading).to_be_visible()
    pinned = heading.inner_text()
    address_written(charts.page)
    before = charts.page.url

    charts.reload()
    assert charts.page.url == before
    assert charts.steps("loss") == shown
    assert charts.listed() == ["alpha", "beta", "gamma"]
    assert charts.drawn() == ["alpha", "gamma"]
    expect(charts.page.get_by_role("searchbox", name="Find runs")).to_have_value("/a$/")
    expect(charts.page.get_by_label("Smoothing amount")).to_have_value("0.3")
    expect(charts.button("Log y")).to_have_attribute("aria-pressed", "true")
    expect(charts.button("Ignore outliers")).to_have_attribute("aria-pressed", "false")
    expect(charts.page.get_by_role("heading", name="Pinned")).to_be_visible()
    expect(heading).to_have_text(pinned)
    expect(charts.display("After a restart")).to_have_value("all")
    expect(charts.display("Tooltip order")).to_have_value("name")
    expect(charts.display("Same y range in each section")).to_be_checked()


def test_a_link_leaves_the_readers_own_settings(charts: ChartsPage, address: str) -> None:
    x, smoothing = charts.page.get_by_label("X axis"), charts.page.get_by_label("Smoothing amount")
    charts.open(address)
    x.select_option("Wall time")
    charts.open(address, "#scalars?x=relative&smooth=ema:0.9")
    expect(x).to_have_value("relative")
    expect(smoothing).to_have_value("0.9")
    charts.button("Ignore outliers").click()
    expect(charts.button("Ignore outliers")).to_have_attribute("aria-pressed", "false")
    charts.open(address)
    expect(x).to_have_value("wall")
    expect(smoothing).to_have_value("0")
    expect(charts.button("Ignore outliers")).to_have_attribute("aria-pressed", "false")


def test_back_goes_to_the_view_before_the_zoom(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.drag("loss", 0.3, 0.5)
    address_written(charts.page)
    assert charts.steps("loss") != (0, 199)
    charts.page.go_back()
    charts.wait_until(lambda: charts.steps("loss") == (0, 199), what="the whole range")


@pytest.mark.parametrize("view", GARBAGE, ids=range(len(GARBAGE)))
def test_garbage_in_the_address_is_harmless(charts: ChartsPage, address: str, view: str) -> None:
    charts.page.goto(address + view)
    expect(charts.button("Charts")).to_be_visible()
    expect(charts.page.get_by_role("grid", name="Runs")).to_be_visible()
    charts.page.goto("about:blank")
    charts.page.goto(address + "#scalars")
    assert charts.line_count("loss") == 3


def test_back_undoes_each_change_of_the_view(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.swatch("beta").click()
    address_written(charts.page)
    charts.choose("Sort runs", "Name")
    address_written(charts.page)
    charts.button("Log y").click()
    address_written(charts.page)
    assert charts.listed() == ["alpha", "beta", "gamma"]
    charts.page.go_back()
    expect(charts.button("Log y")).to_have_attribute("aria-pressed", "false")
    assert charts.listed() == ["alpha", "beta", "gamma"]
    charts.page.go_back()
    charts.wait_until(lambda: charts.listed() == ["gamma", "beta", "alpha"], what="the order before")
    assert charts.drawn() == ["gamma", "alpha"]
    charts.page.go_back()
    charts.wait_until(lambda: charts.drawn() == ["gamma", "beta", "alpha"], what="the runs before")
    charts.page.go_forward()
    charts.wait_until(lambda: charts.drawn() == ["gamma", "alpha"], what="the change again")


def test_views_are_saved_by_name(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.swatch("beta").click()
    charts.button("Log y").click()
    charts.button("Saved views").click()
    charts.page.get_by_label("Name of this view").fill("without beta")
    charts.page.keyboard.press("Enter")
    expect(charts.button("without beta")).to_be_visible()
    charts.open(address)
    assert len(charts.drawn()) == 3
    charts.button("Saved views").click()
    charts.button("without beta").click()
    charts.wait_until(lambda: charts.drawn() == ["gamma", "alpha"], what="the runs of the saved view")
    expect(charts.button("Log y")).to_have_attribute("aria-pressed", "true")
    address_written(charts.page)
    charts.page.go_back()
    charts.wait_until(lambda: len(charts.drawn()) == 3, what="the view before")
    charts.button("Saved views").click()
    charts.button("Remove without beta").click()
    expect(charts.button("without beta")).to_have_count(0)
    charts.open(address)
    charts.button("Saved views").click()
    expect(charts.button("without beta")).to_have_count(0)
