"""The table below a chart: exact values at its end, at the cursor and at the pinned step, lowest and highest, in a chosen order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from browser.charts_page import ChartsPage, number
from browser.sample_runs import NAMES, STEPS, accuracy, loss, write_three_runs
from browser.schemes import Scheme
from log_folder import LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_three_runs(logs)
    return serve(logs.path)


def table(charts: ChartsPage, tag: str) -> Locator:
    """The table below a tag's chart."""
    return charts.page.get_by_role("table", name=f"Values of {tag}")


def rows(charts: ChartsPage, tag: str) -> dict[str, list[float]]:
    """Value, lowest and highest by run, in the order of the table."""
    found = table(charts, tag).locator("tbody tr").all_inner_texts()
    return {cells[0].strip(): [number(cell) for cell in cells[1:]] for row in found if (cells := row.split("\t"))}


def test_a_card_has_a_table_of_last_lowest_and_highest_values(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.card("loss").hover()
    charts.button("Values of loss").first.click()
    expect(table(charts, "loss").locator("tbody tr")).to_have_count(3)
    found = rows(charts, "loss")
    assert list(found) == ["gamma", "beta", "alpha"]
    for run, name in enumerate(NAMES):
        assert found[name] == pytest.approx([loss(run, STEPS - 1), loss(run, STEPS - 1), loss(run, 0)], rel=1e-3)
    charts.reload()
    expect(table(charts, "loss")).to_be_visible()


def test_the_table_is_sorted_by_its_heads(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?look=loss~table")
    expect(table(charts, "loss").locator("tbody tr")).to_have_count(3)
    for head, names in (("min", ["gamma", "beta", "alpha"]), ("min", ["alpha", "beta", "gamma"]), ("Run", ["alpha", "beta", "gamma"])):
        table(charts, "loss").get_by_role("button", name=head).click()
        assert list(rows(charts, "loss")) == names


def test_one_option_shows_the_values_of_all_runs_at_one_step(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?at=40")
    charts.display("Table of all runs below every chart").check()
    charts.close_panel()
    charts.settle()
    for tag, value in (("loss", loss), ("accuracy", accuracy)):
        expect(table(charts, tag).first.get_by_role("button", name="step 40")).to_be_visible()
        charts.wait_until(lambda tag=tag: len(rows(charts, tag)) == 3)
        for run, name in enumerate(NAMES):
            assert rows(charts, tag)[name][0] == pytest.approx(value(run, 40), rel=1e-3)


def test_the_table_follows_the_cursor(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?look=loss~table")
    tooltip = charts.hover("loss", 0.5, 0.3)
    expect(table(charts, "loss").get_by_role("button", name=f"step {tooltip.step}")).to_be_visible()
    found = rows(charts, "loss")
    for name in NAMES:
        assert found[name][0] == pytest.approx(tooltip.value_of(name), rel=1e-3)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overflows(charts: ChartsPage, address: str, theme: Scheme) -> None:
    charts.page.emulate_media(color_scheme=theme)
    charts.open(address, "#scalars?tables=on")
    expect(table(charts, "loss").first.locator("tbody tr")).to_have_count(3)
    assert charts.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert charts.page.locator(".values").evaluate_all("(all) => all.every((one) => one.scrollWidth <= one.clientWidth)")
