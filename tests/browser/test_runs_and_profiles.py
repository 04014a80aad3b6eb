"""Runs lead to their profiles and back: from the inspector, the run's page and the palette."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from browser.charts_page import ChartsPage
from browser.sample_profiles import WRITTEN, write_trace
from log_folder import LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for place, run in enumerate(("first", "second")):
        logs.write(run, {"loss": [0.5, 0.4, 0.3]})
        write_trace(logs.path / run, written=WRITTEN - place * 86_400_000)
    logs.write("plain", {"loss": [0.5, 0.4, 0.3]})
    write_trace(logs.path / "traced", written=WRITTEN - 5 * 86_400_000)
    return serve(logs.path)


def chosen(charts: ChartsPage) -> Locator:
    return charts.page.get_by_role("button", name="Choose a profile")


def test_the_inspector_leads_to_a_profile_and_it_leads_back(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    profiles = charts.details("second").get_by_label("Profiles")
    expect(profiles.get_by_role("button")).to_have_count(1)
    profiles.get_by_role("button").click()
    expect(chosen(charts)).to_contain_text("second")
    expect(charts.page.locator(".sentence")).to_be_visible()
    charts.button("Run page").click()
    expect(charts.page.get_by_role("heading", level=1, name="second")).to_be_visible()
    charts.page.locator("main").get_by_label("Profiles").get_by_role("button").click()
    expect(chosen(charts)).to_contain_text("second")


def test_the_menu_of_a_row_leads_to_its_newest_profile(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    menu = charts.page.get_by_role("menu")
    for run, profiles in (("plain", 0), ("second", 1)):
        charts.row(run).click(button="right")
        expect(menu.get_by_role("menuitem", name="Delete run…")).to_be_visible()
        expect(menu.get_by_role("menuitem", name="Open newest profile")).to_have_count(profiles)
        if profiles == 0:
            charts.close_panel()
    menu.get_by_role("menuitem", name="Open newest profile").click()
    expect(chosen(charts)).to_contain_text("second")


def test_a_run_that_has_only_a_profile_says_so(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    status = charts.row("traced").locator(".status")
    expect(status).to_have_text("profile only")
    status.hover()
    expect(charts.page.get_by_role("tooltip")).to_contain_text("profile")
    charts.details("traced").get_by_label("Profiles").get_by_role("button").click()
    expect(chosen(charts)).to_contain_text("traced")


def test_the_palette_finds_the_profile_of_a_run(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.page.keyboard.press("Control+k")
    charts.page.keyboard.type("second")
    options = charts.page.get_by_role("listbox", name="Matches").get_by_role("option")
    options.filter(has_text="profile").click()
    expect(chosen(charts)).to_contain_text("second")


def test_a_run_without_profiles_names_none(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    expect(charts.details("plain").get_by_label("Profiles")).to_have_count(0)


def test_list_and_ruler_are_away_where_they_change_nothing(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    listed = charts.page.get_by_role("complementary", name="Run list")
    expect(listed).to_be_visible()
    tabs = charts.page.get_by_role("navigation", name="Tabs")
    tabs.get_by_role("button", name="Profile").click()
    expect(charts.page.locator(".sentence")).to_be_visible()
    expect(listed).to_have_count(0)
    expect(charts.page.locator(".page > footer")).to_have_count(0)
    tabs.get_by_role("button", name="Charts").click()
    expect(listed).to_be_visible()
    expect(charts.page.locator(".page > footer")).to_be_visible()
