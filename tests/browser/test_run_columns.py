"""Columns and filters of the run list: settings, best values with their step, hosts, and names that are told apart."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from browser.charts_page import ChartsPage
from browser.sample_runs import quiet
from log_folder import START, LogFolder
from stepscope.writer import SummaryWriter

MODELS = {"resnet50": 0.001, "resnet18": 0.01, "vit": 0.1}


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for place, (model, lr) in enumerate(MODELS.items()):
        folder = logs.path / "sweep" / model
        with SummaryWriter(str(folder)) as writer:
            writer.log_config({"model": model, "optimizer": {"lr": lr, "name": "adam"}})
        host = f"events.out.tfevents.{17 + place}.gpu-{place}.42.0"
        values = [9.0, 1.0 + place, 3.0 + place]
        quiet(logs.write(f"sweep/{model}", {"loss": values, "accuracy": [0.1, 0.9 - 0.1 * place, 0.5]}, start=START + place, file=host))
    return serve(logs.path)


def short(names: list[str]) -> list[str]:
    """Names without their folders."""
    return [name.rsplit("/", 1)[-1] for name in names]


def cell(charts: ChartsPage, run: str, title: str) -> Locator:
    """A cell of a run's row, by the beginning of what it says on hover."""
    return charts.row(f"sweep/{run}").get_by_title(title)


def table(charts: ChartsPage, address: str) -> None:
    """Opens the table with its values."""
    charts.open(address)
    charts.page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Table").click()
    expect(cell(charts, "vit", "optimizer.lr:")).to_have_text("0.1")


SEARCHES = {
    "lr >= 1e-2": ["vit", "resnet18"],
    "model == resnet50": ["resnet50"],
    "model != resnet50": ["vit", "resnet18"],
    "model =~ /^resnet/": ["resnet18", "resnet50"],
    "optimizer.name==adam loss < 4.5": ["resnet18", "resnet50"],
    "min:loss > 1.5 -model =~ vit": ["resnet18"],
    "host:gpu-2": ["vit"],
    "duration > 1h points == 6": ["vit", "resnet18", "resnet50"],
}


def test_filters_know_settings_values_hosts_and_facts(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    for query, found in SEARCHES.items():
        charts.search(query)
        charts.wait_until(lambda found=found: short(charts.listed()) == found, what=f"{found} for {query}")


def test_the_table_shows_settings_that_differ_and_sorts_by_them(charts: ChartsPage, address: str) -> None:
    table(charts, address)
    assert charts.page.get_by_role("columnheader", name="Setting optimizer.name").count() == 0
    head = charts.page.get_by_role("columnheader", name="Setting optimizer.lr")
    head.get_by_role("button").click()
    charts.wait_until(lambda: short(charts.listed()) == ["resnet50", "resnet18", "vit"], what="ascending rates")
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(charts.page).to_have_url(re.compile("sort=hp:optimizer.lr"))


def test_the_best_value_has_its_step_and_a_goal_that_can_be_changed(charts: ChartsPage, address: str) -> None:
    table(charts, address)
    expect(cell(charts, "vit", "min loss:")).to_have_text("3 @ 1")
    expect(cell(charts, "vit", "max accuracy:")).to_have_text("0.7 @ 1")
    charts.button("Columns").click()
    charts.button("Best loss: min").click()
    charts.close_panel()
    expect(cell(charts, "vit", "max loss:")).to_have_text("9 @ 0")
    expect(charts.page).to_have_url(re.compile("goals=loss"))


def test_columns_are_added_and_removed(charts: ChartsPage, address: str) -> None:
    table(charts, address)
    charts.button("Columns").click()
    charts.page.get_by_role("combobox", name="Add column").fill("host")
    charts.page.keyboard.press("Enter")
    charts.page.get_by_role("combobox", name="Add column").fill("")
    charts.button("Remove column status").click()
    charts.close_panel()
    expect(charts.page.get_by_role("columnheader", name="Host")).to_have_count(1)
    expect(charts.row("sweep/vit")).to_contain_text("gpu-2")
    expect(charts.page.get_by_role("columnheader", name="Status")).to_have_count(0)
    expect(charts.page).to_have_url(re.compile("columns=host~-status"))
    charts.page.reload()
    expect(charts.page.get_by_role("columnheader", name="Host")).to_have_count(1)


def test_the_start_that_all_names_share_stands_once(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    expect(charts.page.get_by_title("All names begin with sweep/")).to_have_text("sweep/")
    expect(charts.button("Details of sweep/vit")).to_have_text("vit")


def test_the_table_is_saved_with_whole_values(charts: ChartsPage, address: str, tmp_path: Path) -> None:
    table(charts, address)
    charts.search("model =~ /^resnet/")
    with charts.page.expect_download() as download:
        charts.button("Download CSV").click()
    saved = tmp_path / "runs.csv"
    download.value.save_as(saved)
    with saved.open(newline="", encoding="utf-8") as file:
        found = {row["Run"].rsplit("/", 1)[-1]: row for row in csv.DictReader(file)}
    assert found.keys() == {"resnet18", "resnet50"}
    row = found["resnet18"]
    assert (row["Setting optimizer.lr"], row["last of loss"], row["Best (lowest) loss"], row["Points"]) == ("0.01", "4", "2", "6")


def test_what_names_say_filters_sorts_and_groups(charts: ChartsPage, serve: Callable[..., str], tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    names = ["2026-03-28_resnet50_lr0.001", "2026-04-02_resnet50_lr0.01", "2026-04-03_vit_lr0.1"]
    for place, name in enumerate(names):
        logs.write(name, {"loss": [2.0, 1.0 + place]}, start=START + place)
    charts.open(serve(tmp_path))
    for query, found in {
        "lr >= 1e-2": names[1:],
        "model == resnet50": names[:2],
        "date =~ ^2026-04": names[1:],
        "name.lr < 0.05 name.model =~ res": names[:2],
    }.items():
        charts.search(query)
        charts.wait_until(lambda found=found: sorted(charts.listed()) == found, what=f"{found} for {query}")
    charts.search("")
    charts.page.goto(f"{charts.page.url.split('#')[0]}#scalars?group=hp:name.model")
    charts.settle()
    charts.wait_until(lambda: charts.line_count("loss") == 2, what="a line for each model")
