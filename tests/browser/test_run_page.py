"""A run's own page: what ran, how it was set, its files and their health, all its tags; and the search for tags of every kind."""

from __future__ import annotations

import platform
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import stepscope
from browser.charts_page import ChartsPage
from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.schemes import Scheme
from log_folder import LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    with stepscope.new_run(logs.path, {"layers": [64, 32], "note": "<img src=x onerror='window.ran = 1'>"}, lr=0.1) as run:
        for step in range(4):
            run.train.add_scalar("loss", 1.0 / (step + 1), step)
            run.validation.add_scalar("loss", 2.0 / (step + 1), step)
            run.train.add_text("samples", f"at {step}", step)
        run.train.add_histogram("weights", np.arange(10.0), 0)
        run.train.add_mesh("shape", np.zeros((1, 3, 3), np.float32), global_step=0)
    (logs.path / run.name).rename(logs.path / "first")
    logs.write("plain", {"loss": [1.0]})
    with stepscope.SummaryWriter(logs.path / "told") as writer:
        writer.add_hparams({"lr": 0.5, "model": "<b>small"}, {"best": 1.0}, run_name=".")
        writer.add_text("setup", "first line\nsecond line", 0)
        writer.add_custom_scalars({"All": {"best": ["Multiline", ["best"]]}})
    return serve(logs.path)


def open_page(charts: ChartsPage, address: str, run: str) -> None:
    charts.open(address)
    charts.details(run)
    charts.button("Open run page").click()
    expect(charts.page.get_by_role("article")).to_be_visible()


def test_what_ran_and_how_it_was_set(charts: ChartsPage, address: str) -> None:
    open_page(charts, address, "first")
    page = charts.page
    ran = page.get_by_role("region", name="run", exact=True)
    expect(ran.get_by_role("cell", name="Command")).to_be_visible()
    expect(ran.get_by_role("cell", name="Host", exact=True)).to_be_visible()
    settings = page.get_by_role("region", name="config", exact=True)
    expect(settings.get_by_role("cell", name="lr", exact=True)).to_be_visible()
    assert page.evaluate("window.ran") is None
    expect(page.get_by_role("region", name="samples")).to_have_count(0)
    page.wait_for_url("**#run?*")


def test_files_with_their_health_and_tags_that_lead_to_what_they_hold(charts: ChartsPage, address: str) -> None:
    open_page(charts, address, "first")
    page = charts.page
    expect(page.get_by_role("region", name="Files").get_by_role("cell", name="good")).to_have_count(3)
    tags = page.get_by_role("region", name="Tags")
    expect(tags.get_by_role("heading", level=3).first).to_contain_text("Numbers")
    tags.get_by_role("button", name="samples").click()
    expect(page.get_by_role("figure").first).to_contain_text("at 3")
    page.wait_for_function("() => location.hash.startsWith('#media') && location.hash.includes('kind=text')")


def test_a_run_that_says_nothing_of_itself(charts: ChartsPage, address: str) -> None:
    open_page(charts, address, "plain")
    expect(charts.page.get_by_role("article")).to_contain_text("no settings")


def test_hyperparameters_and_the_host_of_any_writer(charts: ChartsPage, address: str) -> None:
    open_page(charts, address, "told")
    page = charts.page
    settings = page.get_by_role("region", name="Hyperparameters")
    expect(settings.get_by_role("row")).to_have_text(["lr0.5", "model<b>small"])
    expect(page.get_by_role("article")).to_contain_text(f"on {platform.node()}")
    setup = page.get_by_role("region", name="setup").locator("br")
    expect(setup).to_have_count(1)
    page.get_by_role("region", name="Tags").get_by_role("button", name="custom_scalars__config__").click()
    expect(page.get_by_role("article", name="best")).to_be_visible()


def test_a_tag_opened_from_here_leaves_no_filter_behind(charts: ChartsPage, address: str) -> None:
    open_page(charts, address, "first")
    page = charts.page
    tags = page.get_by_role("region", name="Tags")
    expect(tags.get_by_role("button", name="shape")).to_have_count(1)  # a mesh, not its parts
    tags.get_by_role("button", name="weights", exact=True).click()
    page.wait_for_url("**#media?*")
    expect(page.locator("#tag-filter")).to_have_value("^weights$")
    page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Charts").click()
    expect(page.locator("#tag-filter")).to_have_value("")
    page.wait_for_url(lambda url: "#media" not in url)
    page.go_back()
    expect(page.locator("#tag-filter")).to_have_value("^weights$")


@pytest.mark.parametrize(("typed", "kind"), [("weights", "histograms"), ("samples", "text")])
def test_the_search_finds_tags_of_every_kind(charts: ChartsPage, address: str, typed: str, kind: str) -> None:
    charts.open(address)
    page = charts.page
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Find a tag").fill(typed)
    page.get_by_role("dialog").get_by_role("option").first.click()
    page.wait_for_url(f"**kind={kind}*")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overflows_and_everything_can_be_read(browser: Browser, address: str, theme: Scheme) -> None:
    page: Page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=theme)
    open_page(ChartsPage(page), address, "first")
    expect(page.get_by_role("region", name="Tags")).to_be_visible()
    assert not page.evaluate(WIDER_THAN_THE_PAGE)
    assert faults(page) == []
    page.close()
