"""The run list: finding, drawing, ordering and comparing runs, and the list's own size."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage, number
from browser.sample_runs import NAMES, quiet, write_three_runs
from log_folder import START, LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_three_runs(logs)
    quiet(logs.write("sweep/delta", {"loss": [0.5] * 50, "only/here": [1.0]}, start=START + 7200, gap=60))
    logs.write("sweep/epsilon", {"loss": [0.7] * 30}, start=time.time() - 30)  # live
    return serve(logs.path)


ALL = ["epsilon", "delta", "gamma", "beta", "alpha"]
"""The runs as they stand in the list at first, without their folders."""
SEARCHES = {
    "alp": ["alpha"],
    "SWEEP": ["epsilon", "delta"],
    "sweep -delta": ["epsilon"],
    "/^(alpha|beta)$/": ["beta", "alpha"],
    "loss<0.45": ["beta", "alpha"],
    "loss>=0.5 loss<0.65": ["delta", "gamma"],
    "points<60": ["epsilon", "delta"],
    "status:live": ["epsilon"],
    "-status:live": ["delta", "gamma", "beta", "alpha"],
    "tag:only": ["delta"],
    "nothing-is-called-this": [],
}
HEADINGS = {
    "Run": ["alpha", "beta", "gamma", "delta", "epsilon"],
    "loss": ["alpha", "beta", "delta", "gamma", "epsilon"],
    "Age": ALL,
}
SORTS = {
    "Status": ("epsilon", "delta"),
    "Points": ("alpha", "epsilon"),
    "Duration": ("delta", "epsilon"),
    "Name": ("alpha", "epsilon"),
}
"""The first and the last run after a choice in the sort menu."""


def short(names: list[str]) -> list[str]:
    """Names without their folders."""
    return [name.rsplit("/", 1)[-1] for name in names]


def test_search(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    expect(charts.row("alpha")).to_contain_text("0.2008")  # values have come
    for query, found in SEARCHES.items():
        charts.search(query)
        charts.wait_until(lambda found=found: short(charts.listed()) == found, what=f"{found} for {query}")


def test_a_search_that_is_no_regex_says_so(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.search("/(/")
    expect(charts.page.get_by_text("is not a regular expression.")).to_be_visible()
    charts.search("zzz")
    charts.button("Clear filter").click()
    assert short(charts.listed()) == ALL


def test_a_swatch_hides_and_shows_a_run(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    assert charts.line_count("loss") == 5
    charts.swatch("beta").click()
    assert short(charts.drawn()) == ["epsilon", "delta", "gamma", "alpha"]
    assert charts.line_count("loss") == 4
    assert short(charts.listed()) == ALL
    charts.swatch("beta").click()
    assert charts.line_count("loss") == 5


def test_alt_click_draws_only_one_run_and_then_all(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.swatch("gamma").click(modifiers=["Alt"])
    assert charts.drawn() == ["gamma"]
    assert charts.line_count("loss") == 1
    charts.swatch("gamma").click(modifiers=["Alt"])
    assert short(charts.drawn()) == ALL


def test_none_all_and_only_the_found(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.choose("More for the run list", "Show none")
    assert charts.drawn() == []
    expect(charts.page.get_by_text("No runs are shown")).to_be_visible()
    charts.search("/^[ab]/")
    charts.choose("More for the run list", "Show only the 2 matching runs")
    charts.search("")
    assert charts.drawn() == ["beta", "alpha"]
    charts.choose("More for the run list", "Show all")
    assert short(charts.drawn()) == ALL


def test_colours_do_not_depend_on_what_is_shown(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    before = {name: charts.colour(name) for name in NAMES}
    assert len(set(before.values())) == 3
    charts.search("alpha")
    assert charts.colour("alpha") == before["alpha"]
    charts.swatch("alpha").click(modifiers=["Alt"])
    assert charts.colour("alpha") == before["alpha"]
    charts.reload()
    charts.search("")
    charts.wait_until(lambda: short(charts.listed()) == ALL)
    assert {name: charts.colour(name) for name in NAMES} == before


def test_a_heading_sorts_and_turns_the_order(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    expect(charts.row("alpha")).to_contain_text("0.2008")
    for column, order in HEADINGS.items():
        heading = charts.page.get_by_role("columnheader").filter(has_text=column).get_by_role("button")
        for wanted in (order, order[::-1]):
            heading.click()
            charts.wait_until(lambda wanted=wanted: short(charts.listed()) == wanted, what=f"{wanted} by {column}")


def test_the_sort_menu(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    for item, ends in SORTS.items():
        charts.choose("Sort runs", item)
        charts.wait_until(lambda ends=ends: (short(charts.listed())[0], short(charts.listed())[-1]) == ends, what=f"{ends} by {item}")
        assert sorted(short(charts.listed())) == sorted(ALL)


def test_sorting_by_the_highest_value_of_any_tag(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.button("Sort runs").click()
    charts.button("max of a tag…").click()
    charts.page.get_by_role("combobox", name="Sort by max of tag").fill("two norm")
    charts.page.keyboard.press("Enter")
    charts.wait_until(lambda: short(charts.listed())[:3] == ["gamma", "beta", "alpha"])
    charts.page.wait_for_url("**sort=-max:layers/two/norm*")


def test_tree_and_flat(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.button("Folder tree").click()
    folder = charts.button("Close sweep")
    expect(folder).to_be_visible()
    assert short(charts.listed()) == ALL
    folder.click()
    assert charts.listed() == ["gamma", "beta", "alpha"]
    charts.button("2 of 2 runs of sweep shown").click()
    charts.button("Open sweep").click()
    assert charts.drawn() == ["gamma", "beta", "alpha"]
    charts.button("Folder tree").click()
    expect(charts.button("Close sweep")).to_have_count(0)


def test_a_pinned_run_stays_on_top(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.row("alpha").hover()
    charts.button("Actions for alpha").click()
    with charts.page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
        charts.page.get_by_role("menuitemcheckbox", name="Pin to the top").click()
    assert charts.listed()[0] == "alpha"
    charts.reload()
    assert charts.listed()[0] == "alpha"
    charts.row("alpha").click(button="right")
    with charts.page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
        charts.page.get_by_role("menuitemcheckbox", name="Pin to the top").click()
    assert short(charts.listed()) == ALL


def test_with_a_baseline_every_number_is_a_difference(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.row("beta").click(button="right")
    charts.page.get_by_role("menuitemcheckbox", name="Use as baseline").click()
    assert charts.listed()[0] == "beta"
    values = {name: number(charts.row(name).locator(".cell").first.inner_text().replace("+", "")) for name in NAMES}
    assert values == pytest.approx({"alpha": -0.2008, "beta": 0.4016, "gamma": 0.2008}, abs=1e-4)
    assert charts.row("gamma").locator(".cell").first.inner_text().startswith("+")
    charts.choose("More for the run list", "Clear baseline")
    assert number(charts.row("gamma").locator(".cell").first.inner_text()) == pytest.approx(0.6024)


def test_an_archived_run_is_neither_listed_nor_drawn_until_put_back(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.row("gamma").click(button="right")
    charts.page.get_by_role("menuitem", name="Archive run").click()
    charts.wait_until(lambda: "gamma" not in charts.listed())
    assert charts.line_count("loss") == 4
    charts.choose("More for the run list", "Show archived runs (1)")
    assert charts.listed() == ["gamma"]
    charts.row("gamma").click(button="right")
    charts.page.get_by_role("menuitem", name="Restore run").click()
    charts.wait_until(lambda: len(charts.listed()) == 5, what="the list of all runs, as no archived one is left")
    assert charts.line_count("loss") == 5


def test_the_list_is_resized_collapsed_and_remembered(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    runs = charts.page.get_by_role("region", name="Runs")
    edge = charts.page.get_by_role("separator", name="Width of the run list")
    box = edge.bounding_box()
    assert box is not None
    charts.page.mouse.move(box["x"], 400)
    charts.page.mouse.down()
    charts.page.mouse.move(box["x"] + 100, 400, steps=3)
    charts.page.mouse.up()
    assert (runs.bounding_box() or {})["width"] == pytest.approx(400, abs=2)
    edge.press("ArrowLeft")
    assert (runs.bounding_box() or {})["width"] == pytest.approx(384, abs=2)
    charts.reload()
    assert (runs.bounding_box() or {})["width"] == pytest.approx(384, abs=2)
    charts.page.keyboard.press("Control+.")
    expect(runs).to_have_count(0)
    charts.button("Show the run list").click()
    expect(runs).to_be_visible()


def test_the_table_has_every_highlight_and_more_columns_on_wish(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Table").click()
    heads = charts.page.get_by_role("columnheader")
    expect(heads.filter(has_text="accuracy")).to_have_count(1)
    expect(charts.row("gamma")).to_contain_text("0.9")
    assert heads.filter(has_text="norm").count() == 0
    charts.button("Columns").click()
    charts.page.get_by_role("combobox", name="Add column").fill("one")
    charts.page.keyboard.press("Enter")
    charts.page.keyboard.press("Escape")
    expect(heads.filter(has_text="norm")).to_have_count(1)
    expect(charts.row("gamma")).to_contain_text("201")


def test_the_table_has_the_mean_of_as_many_points_as_asked_for(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Table").click()
    expect(charts.page.get_by_role("columnheader", name="mean of the last 10 points of accuracy")).to_be_visible()
    charts.button("Columns").click()
    count = charts.page.get_by_role("spinbutton", name="Mean of the last")
    count.fill("1")
    count.press("Enter")
    head = charts.page.get_by_role("columnheader", name="mean of the last 1 point of accuracy")
    expect(head).to_be_visible()
    expect(charts.page).to_have_url(re.compile("mean=1"))
    charts.page.keyboard.press("Escape")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    cells = charts.row("gamma")
    expect(cells.get_by_title("last accuracy:")).to_have_text("0.9")
    expect(cells.get_by_title("mean of the last 1 point accuracy:")).to_have_text("0.9")


def test_pointing_at_a_row_makes_its_line_bright(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    curves = charts.chart("loss").locator("canvas").nth(1)
    expect(curves).to_have_css("opacity", "1")
    charts.row("beta").hover()
    expect(curves).to_have_css("opacity", "0.25")
    charts.page.mouse.move(2, 2)
    expect(curves).to_have_css("opacity", "1")
