"""Runs that belong together, and too many runs at once: train with validation, and the newest 20 of 40."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.page_server import PageServer
from browser.sample_runs import quiet
from log_folder import START, LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for place, name in enumerate(("small", "large")):
        for role, level in (("train", 1.0), ("validation", 2.0)):
            quiet(logs.write(f"{name}/{role}", {"loss": [level + place] * 50}, start=START + place))
    return serve(logs.path)


@pytest.fixture(scope="module")
def forty(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    logs = LogFolder(tmp_path_factory.mktemp("forty"))
    for place in range(40):
        quiet(logs.write(f"run-{place:02}", {"loss": [float(place)] * 10}, start=START + 60 * place))
    return serve(logs.path)


def test_train_and_validation_are_one_run_with_two_lines(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    assert charts.listed() == ["large", "small"]
    assert charts.line_count("loss") == 4
    charts.keys("loss", "Home")
    tooltip = charts.tooltip()
    assert {name: tooltip.value_of(name) for name in tooltip.names} == {
        "small train": 1,
        "small validation": 2,
        "large train": 2,
        "large validation": 3,
    }
    swatches = charts.page.locator(".tooltip tr")
    styles = {row.locator(".name").inner_text(): row.locator(".swatch").get_attribute("class") or "" for row in swatches.all()}
    assert {name: "dashed" in style for name, style in styles.items()} == {name: "validation" in name for name in styles}
    colours = {row.locator(".name").inner_text(): row.locator(".swatch").get_attribute("style") for row in swatches.all()}
    assert colours["small train"] == colours["small validation"] != colours["large train"]


def test_one_click_splits_them(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    joined = charts.colour("small")
    charts.button("Split train and validation").click()
    assert sorted(charts.listed()) == ["large/train", "large/validation", "small/train", "small/validation"]
    assert charts.line_count("loss") == 4
    assert charts.colour("small/train") == charts.colour("small/validation") == joined
    charts.swatch("small/validation").click()
    assert charts.line_count("loss") == 3
    charts.reload()
    assert len(charts.listed()) == 4


def test_train_and_validation_have_columns_of_their_own(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    head = charts.page.get_by_role("columnheader", name="last of loss (train)")
    expect(head).to_have_text("loss train")
    expect(charts.row("large").get_by_title("last loss (train):")).to_have_text("2")
    edge = charts.page.get_by_role("separator", name="Width of the run list")
    for _ in range(10):
        edge.press("ArrowRight")
    expect(charts.row("large").get_by_title("last loss (validation):")).to_have_text("3")
    charts.page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Table").click()
    for role, level in (("train", "1"), ("validation", "2")):
        expect(charts.row("small").get_by_title(f"last loss ({role}):")).to_have_text(level)
        expect(charts.row("small").get_by_title(f"min loss ({role}):")).to_have_text(f"{level} @ 0")


def test_the_last_values_of_a_run_say_of_which_folder_they_are(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    inspector = charts.details("small")
    values = inspector.locator("dl").last
    expect(values.locator("dt")).to_have_text([re.compile("loss.*train"), re.compile("loss.*validation")])
    expect(values.locator("dd")).to_have_text(["1", "2"])


def test_sorting_by_a_tag_says_which_role_and_shows_its_value(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.button("Sort runs").click()
    charts.button("min of a tag…").click()
    charts.page.get_by_role("combobox", name="Sort by min of tag").fill("validation")
    charts.page.keyboard.press("Enter")
    head = charts.page.get_by_role("columnheader", name="min of loss (validation)")
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(charts.row("small").get_by_title("min loss (validation):")).to_have_text("2")
    assert charts.listed() == ["small", "large"]
    charts.page.wait_for_url("**sort=min:loss@val*")
    charts.reload()
    expect(head).to_have_attribute("aria-sort", "ascending")


def test_the_list_says_what_the_line_styles_mean(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    styles = charts.page.get_by_role("list", name="Line styles").get_by_role("listitem")
    expect(styles).to_have_text(["train", "validation"])
    dashes = [style.evaluate("(line) => getComputedStyle(line).strokeDasharray") for style in styles.locator("line").all()]
    assert dashes[0] == "none" != dashes[1]


def test_of_many_runs_the_newest_twenty_are_drawn(charts: ChartsPage, forty: str) -> None:
    charts.open(forty)
    expect(charts.page.get_by_text("20 of 40 runs shown")).to_be_visible()
    assert charts.line_count("loss") == 20
    assert charts.values("loss")[0] > 15
    charts.button("Show all").click()
    charts.wait_until(lambda: charts.line_count("loss") == 40)
    expect(charts.page.get_by_text("runs shown")).to_have_count(0)
    charts.choose("More for the run list", "Auto: all runs up to 30, otherwise the newest 20")
    charts.wait_until(lambda: charts.line_count("loss") == 20)


def test_folders_of_add_scalars_are_tags_of_their_run(charts: ChartsPage, server_on: Callable[..., PageServer], tmp_path: Path) -> None:
    logs = LogFolder(tmp_path / "torch")
    quiet(logs.write("model", {"lr": [0.1] * 5}))
    for part, level in (("train", 1.0), ("val", 2.0)):
        quiet(logs.write(f"model/loss_{part}", {"loss": [level] * 5}))
    charts.open(server_on(logs.path).address)
    assert charts.listed() == ["model"]
    assert charts.values("loss/train")[0] < 1 < charts.values("loss/train")[1]
    assert charts.line_count("loss/val") == 1
    charts.choose("More for the run list", "Merge add_scalars subfolders into their run")
    charts.wait_until(lambda: sorted(charts.listed()) == ["model", "model/loss_train", "model/loss_val"], what="the folders as runs")
    charts.wait_until(lambda: charts.card("loss").count() == 1, what="their common tag")
    assert charts.line_count("loss") == 2
