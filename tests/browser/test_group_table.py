"""The table of groups: means and intervals with known answers, sorted, in a file with the same numbers, and back to runs."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from browser.charts_page import ChartsPage
from browser.sample_runs import quiet
from browser.schemes import Scheme
from log_folder import LogFolder

LAST = {"lr1": [1.0, 2.0, 3.0, 4.0, 5.0], "lr2": [4.0, 4.0], "lr3": [9.0]}
T_4 = 2.7764451
HALF = T_4 * (2.5 / 5) ** 0.5
"""Of 1 to 5: the variance is 2.5."""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for group, values in LAST.items():
        for seed, value in enumerate(values):
            quiet(logs.write(f"{group}_seed{seed}", {"loss": [10.0, value]}))
    return serve(logs.path)


def show(charts: ChartsPage, address: str, more: str = "") -> Locator:
    """Opens the table of groups."""
    charts.page.goto("about:blank")
    charts.page.goto(f"{address}#table?group=regex:(lr[0-9])&columns=loss{more}")
    table = charts.page.get_by_role("table", name="Groups of runs")
    expect(table.locator("tbody tr")).to_have_count(3)
    expect(table.locator("tbody tr").first.locator("td").nth(1)).not_to_have_text("–")
    return table


def rows(table: Locator) -> list[list[str]]:
    """The cells of each row."""
    return [[cell.strip() for cell in row.split("\t")] for row in table.locator("tbody tr").all_inner_texts()]


def test_groups_have_mean_interval_and_size(charts: ChartsPage, address: str) -> None:
    found = rows(show(charts, address))
    assert [row[:2] for row in found] == [["lr1", "5"], ["lr2", "2"], ["lr3", "1"]]
    assert [row[2].split(" ± ") for row in found] == [["3", f"{HALF:.3f}"], ["4", "0"], ["9"]]


def test_groups_are_sorted_by_any_column(charts: ChartsPage, address: str) -> None:
    table = show(charts, address)
    for head, names in (("n", ["lr1", "lr2", "lr3"]), ("Last loss", ["lr1", "lr2", "lr3"]), ("Last loss", ["lr3", "lr2", "lr1"])):
        table.get_by_role("button", name=head).click()
        assert [row[0] for row in rows(table)] == names


def test_the_file_has_the_same_numbers(charts: ChartsPage, address: str, tmp_path: Path) -> None:
    show(charts, address)
    with charts.page.expect_download() as download:
        charts.button("Download CSV").click()
    saved = tmp_path / "groups.csv"
    download.value.save_as(saved)
    with saved.open(newline="", encoding="utf-8") as file:
        first, second, third = csv.DictReader(file)
    assert (first["group"], first["runs"]) == ("lr1", "5")
    assert float(first["Last loss: mean"]) == 3
    assert float(first["Last loss: 95% confidence ±"]) == pytest.approx(HALF, rel=1e-6)
    assert (second["Last loss: n"], third["Last loss: 95% confidence ±"], third["Lowest loss: mean"]) == ("2", "", "9")


def test_a_search_narrows_groups_and_runs_return(charts: ChartsPage, address: str) -> None:
    table = show(charts, address)
    charts.search("lr1_seed0")
    expect(table.locator("tbody tr")).to_have_count(1)
    charts.search("")
    charts.button("Rows per group").click()
    expect(table).to_have_count(0)
    charts.wait_until(lambda: len(charts.listed()) == sum(map(len, LAST.values())))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overflows(charts: ChartsPage, address: str, theme: Scheme) -> None:
    charts.page.emulate_media(color_scheme=theme)
    show(charts, address)
    assert charts.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
