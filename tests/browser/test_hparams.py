"""The HParams tab: its table with known values, every control, files, and what it says without data."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, unquote, urlencode

import pytest
from playwright.sync_api import Locator, expect

from browser.charts_page import ChartsPage
from browser.page_checks import faults
from browser.schemes import Scheme
from hparam_logs import declare, scalar_run, trial
from log_folder import LogFolder
from stepscope import hparams as hp

RATES = (0.001, 0.01)
SEEDS = 3


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    """Two rates with three seeds each, curves in folders of roles, and one run without an optimizer."""
    declare(logs.path, [hp.HParam("lr", display_name="Rate")], [hp.Metric("score"), hp.Metric("loss")])
    for place, rate in enumerate(RATES):
        for seed in range(SEEDS):
            run = logs.path / f"trial-{place}{seed}"
            values = {"lr": rate, "seed": float(seed), "epochs": 20.0} | ({} if (place, seed) == (1, 2) else {"optimizer": "adam<b>"})
            trial(run, values, {"score": [9.0, 1.0 + seed + 4 * place]})
            scalar_run(run / "train", {"loss": [5.0, 1.0 + place, 2.0 + seed]})
            scalar_run(run / "validation", {"loss": [6.0, 3.0]})
    return serve(logs.path)


def show(charts: ChartsPage, address: str, **own: str) -> Locator:
    """Opens the tab with settings of its own, and gives its table."""
    charts.page.goto("about:blank")
    charts.page.goto(f"{address}#hparams?hparams={quote(urlencode(own))}")
    table = charts.page.get_by_role("grid", name="Hyperparameters and metrics")
    expect(table.locator("[data-row]").first).to_be_visible()
    return table


def rows(table: Locator) -> list[str]:
    """The names of the rows in their order."""
    return [row.get_attribute("data-row") or "" for row in table.locator("[data-row]").all()]


def heads(table: Locator) -> list[str]:
    return [text.strip(" ↑↓") for text in table.get_by_role("columnheader").all_inner_texts()]


def cells(table: Locator, column: str) -> list[str]:
    """A column from the top."""
    place = heads(table).index(column) - 1
    return [row.get_by_role("gridcell").nth(place).inner_text().replace("\xa0", " ") for row in table.locator("[data-row]").all()]


def test_every_hyperparameter_and_metric_has_a_column(charts: ChartsPage, address: str) -> None:
    table = show(charts, address)
    assert heads(table) == ["Run", "Status", "Rate", "optimizer", "seed", "score", "loss", "epochs"]
    assert rows(table) == [f"trial-{place}{seed}" for place in range(2) for seed in range(SEEDS)]
    assert cells(table, "score") == ["1", "2", "3", "5", "6", "7"]
    assert cells(table, "loss") == ["2", "3", "4"] * 2
    assert cells(table, "optimizer") == ["adam<b>"] * 5 + ["–"]


def test_the_best_value_and_that_at_a_step(charts: ChartsPage, address: str) -> None:
    table = show(charts, address)
    choice = charts.page.get_by_label("Value of metrics")
    choice.select_option("best")
    charts.wait_until(lambda: cells(table, "loss") == ["1"] * 3 + ["2"] * 3)
    choice.select_option("at")
    charts.page.get_by_label("Step", exact=True).fill("0")
    charts.page.get_by_label("Step", exact=True).press("Enter")
    charts.wait_until(lambda: cells(table, "loss") == ["5"] * 6)
    choice.select_option("mean")
    charts.page.get_by_label("Points of the mean").fill("2")
    charts.page.get_by_label("Points of the mean").press("Enter")
    charts.wait_until(lambda: cells(table, "score") == ["5", "5.5", "6", "7", "7.5", "8"])
    charts.wait_until(lambda: "mean=2" in unquote(unquote(charts.page.url)))
    charts.page.reload()
    expect(table.locator("[data-row]").first).to_be_visible()
    charts.wait_until(lambda: cells(table, "score") == ["5", "5.5", "6", "7", "7.5", "8"], what="the address to keep the reading")


def test_sorting(charts: ChartsPage, address: str) -> None:
    table = show(charts, address)
    table.get_by_role("button", name="score").click()
    expect(table.locator("[data-row]").first).to_have_attribute("data-row", "trial-12")
    table.get_by_role("button", name="score").click()
    expect(table.locator("[data-row]").first).to_have_attribute("data-row", "trial-00")
    table.get_by_role("button", name="optimizer").click()
    charts.wait_until(lambda: rows(table)[-1] == "trial-12", what="the run without a value to be last")


def test_filters_by_interval_values_pattern_and_missing(charts: ChartsPage, address: str) -> None:
    table = show(charts, address)

    def add(column: str) -> Locator:
        charts.button("Add filter").click()
        form = charts.page.get_by_role("dialog", name="Add filter")
        form.get_by_role("option", name=column, exact=True).click()
        return form

    form = add("score")
    form.get_by_label("At least").fill("3")
    form.get_by_label("At most").fill("6")
    form.get_by_role("button", name="Done").click()
    charts.wait_until(lambda: rows(table) == ["trial-02", "trial-10", "trial-11"])
    form = add("Rate")
    form.get_by_label("0.001").uncheck()
    form.get_by_role("button", name="Done").click()
    charts.wait_until(lambda: rows(table) == ["trial-10", "trial-11"])
    form = add("Run")
    form.get_by_label("Pattern of Run").fill("0$")
    form.get_by_role("button", name="Done").click()
    charts.wait_until(lambda: rows(table) == ["trial-10"])
    charts.wait_until(lambda: '"run","re"' in unquote(unquote(charts.page.url)))
    charts.page.reload()
    expect(table.locator("[data-row]").first).to_be_visible()
    charts.wait_until(lambda: rows(table) == ["trial-10"], what="the address to keep the filters")
    for chip in range(3):
        expect(charts.page.locator("[data-filter]")).to_have_count(3 - chip)
        charts.page.locator("[data-filter]").first.get_by_role("button", name=re.compile("^Remove")).click()
    form = add("optimizer")
    form.get_by_label("Missing values of optimizer").select_option("missing")
    form.get_by_role("button", name="Done").click()
    charts.wait_until(lambda: rows(table) == ["trial-12"])


def test_groups_of_repeats_have_mean_and_deviation(charts: ChartsPage, address: str) -> None:
    table = show(charts, address, groups="1")
    assert "seed" not in heads(table)
    assert cells(table, "Runs") == ["3", "2", "1"]
    assert cells(table, "score") == ["2 ± 1", "5.5 ± 0.7071", "7"]
    expect(table.get_by_title("n = 3").first).to_be_visible()


def test_differences_only_and_columns(charts: ChartsPage, address: str) -> None:
    table = show(charts, address)
    charts.button("Differences only").click()
    charts.wait_until(lambda: "epochs" not in heads(table))
    charts.button("Columns").click()
    form = charts.page.get_by_role("dialog", name="Columns")
    form.get_by_role("group", name="Columns").get_by_label("seed").uncheck()
    form.get_by_role("option", name="loss (validation)").click()
    charts.wait_until(lambda: heads(table) == ["Run", "Status", "Rate", "optimizer", "score", "loss", "loss (validation)"])
    charts.wait_until(lambda: cells(table, "loss (validation)") == ["3"] * 6)


def test_a_baseline_shows_differences(charts: ChartsPage, address: str) -> None:
    table = show(charts, address)
    table.locator("[data-row=trial-01]").hover()
    table.get_by_role("button", name="Baseline trial-01").click()
    charts.wait_until(lambda: cells(table, "score") == ["−1", "2", "+1", "+3", "+4", "+5"])
    charts.button("Remove the baseline").click()
    charts.wait_until(lambda: cells(table, "score")[0] == "1")


def test_a_row_opens_to_its_charts_and_shares_colour_and_selection(charts: ChartsPage, address: str) -> None:
    table = show(charts, address)
    table.get_by_role("button", name="Charts of trial-00").click()
    inside = charts.page.get_by_role("group", name="Charts of the row")
    expect(inside.get_by_role("article")).to_have_count(2)
    listed = charts.page.get_by_role("grid", name="Runs")
    table.get_by_role("button", name="Hide trial-00").click()
    expect(listed.get_by_role("button", name="Show trial-00")).to_be_visible()
    table.get_by_role("button", name="Show trial-00").click()
    expect(listed.get_by_role("button", name="Hide trial-00")).to_be_visible()


def test_the_keyboard_moves_opens_and_sets_a_baseline(charts: ChartsPage, address: str) -> None:
    table = show(charts, address)
    table.focus()
    for key in ("ArrowDown", "b", "End", "Home", "Enter"):
        table.press(key)
    charts.wait_until(lambda: cells(table, "score")[1] == "2" and cells(table, "score")[0] == "−1")
    expect(charts.page.get_by_role("group", name="Charts of the row")).to_be_visible()


def drawing(charts: ChartsPage, address: str, name: str, **own: str) -> Locator:
    """Opens a view that is drawn."""
    charts.page.goto("about:blank")
    charts.page.goto(f"{address}#hparams?hparams={quote(urlencode(own))}")
    group = charts.page.get_by_role("group", name=name, exact=True)
    expect(group.get_by_role("img")).to_be_visible()
    return group


def test_a_brush_on_an_axis_filters_everywhere(charts: ChartsPage, address: str) -> None:
    group = drawing(charts, address, "Parallel coordinates", show="parallel")
    expect(group.locator("[data-lines]")).to_have_attribute("data-lines", "6")
    axis = group.locator('[data-axis="m:score@"]').bounding_box()
    assert axis is not None
    # From 1 below to 7 above: the upper half is what is above 4.
    x, top, middle = axis["x"], axis["y"] - 2, axis["y"] + axis["height"] / 2
    charts.page.mouse.move(x, top)
    charts.page.mouse.down()
    charts.page.mouse.move(x, (top + middle) / 2)
    charts.page.mouse.move(x, middle)
    charts.page.mouse.up()
    expect(group.locator("[data-lines]")).to_have_attribute("data-lines", "3")
    expect(charts.page.locator('[data-filter="m:score@"]')).to_have_text("5 ≤ score ≤ 7")
    views = charts.page.get_by_role("group", name="View", exact=True)
    views.get_by_role("button", name="Table").click()
    table = charts.page.get_by_role("grid", name="Hyperparameters and metrics")
    charts.wait_until(lambda: rows(table) == ["trial-10", "trial-11", "trial-12"])
    views.get_by_role("button", name="Parallel coordinates").click()
    expect(group.get_by_role("img")).to_be_visible()
    charts.page.mouse.click(x, middle)
    expect(group.locator("[data-lines]")).to_have_attribute("data-lines", "6")


def test_axes_have_scales_and_lines_are_coloured_by_a_metric(charts: ChartsPage, address: str) -> None:
    group = drawing(charts, address, "Parallel coordinates", show="parallel")
    scale = group.get_by_label("Scale of Rate")
    for name in ("log", "quantile", "linear"):
        scale.select_option(name)
        expect(scale).to_have_value(name)
    charts.page.get_by_label("Colour by").select_option("score")
    charts.wait_until(lambda: "colour=m:score@" in unquote(unquote(charts.page.url)))


def test_scatter_plots_draw_what_the_filters_keep(charts: ChartsPage, address: str) -> None:
    group = drawing(charts, address, "Scatter plots", show="matrix", f=json.dumps(["h:lr", "in", 0.005, None]))
    expect(group.locator("[data-dots]")).to_have_attribute("data-dots", "3")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("show_as", "name"), [("parallel", "Parallel coordinates"), ("matrix", "Scatter plots")])
def test_drawings_are_whole_in_both_themes(charts: ChartsPage, address: str, scheme: Scheme, show_as: str, name: str) -> None:
    charts.page.emulate_media(color_scheme=scheme)
    drawing(charts, address, name, show=show_as, colour="m:score@")
    assert faults(charts.page) == []


@pytest.mark.parametrize("form", ["CSV", "JSON", "LaTeX"])
def test_files_have_the_rows_shown(charts: ChartsPage, address: str, tmp_path: Path, form: str) -> None:
    own = {"sort": "m:score@", "down": "1", "f": json.dumps(["h:lr", "in", 0.005, None])}
    show(charts, address, **own)
    charts.button("Download").click()
    with charts.page.expect_download() as download:
        charts.page.get_by_role("menuitem", name=form).click()
    saved = tmp_path / "table"
    download.value.save_as(saved)
    text = saved.read_text(encoding="utf-8")
    if form == "LaTeX":
        assert re.findall(r"trial-\d+", text) == ["trial-12", "trial-11", "trial-10"]
        assert text.startswith("\\begin{tabular}")
        return
    found = json.loads(text) if form == "JSON" else list(csv.DictReader(text.splitlines()))
    assert [(row["Run"], float(row["score"]), float(row["lr"])) for row in found] == [
        ("trial-12", 7.0, 0.01),
        ("trial-11", 6.0, 0.01),
        ("trial-10", 5.0, 0.01),
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("groups", ["", "1"])
def test_the_page_is_whole_in_both_themes(charts: ChartsPage, address: str, scheme: Scheme, groups: str) -> None:
    charts.page.emulate_media(color_scheme=scheme)
    show(charts, address, groups=groups)
    assert faults(charts.page) == []


def test_a_folder_without_hyperparameters_says_how_to_log_them(
    charts: ChartsPage, serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    empty = LogFolder(tmp_path_factory.mktemp("without"))
    empty.write("a", {"loss": [1.0, 2.0]})
    charts.page.goto(f"{serve(empty.path)}#hparams")
    for name in ("Stepscope", "PyTorch", "TensorFlow", "Keras"):
        expect(charts.page.get_by_role("region", name=name)).to_be_visible()
    assert faults(charts.page) == []


def test_importance_says_what_it_knows_and_what_it_does_not(charts: ChartsPage, address: str) -> None:
    show(charts, address)
    charts.button("Importance").click()
    few = charts.page.get_by_role("group", name="Importance")
    expect(few).to_contain_text("at least 20 runs")
    expect(few.get_by_role("row").filter(has_text="Rate")).to_contain_text("–")
    charts.page.get_by_label("Importance for", exact=True).select_option("loss")
    expect(few.get_by_role("table", name="Importance for loss")).to_be_visible()
    charts.page.wait_for_url(re.compile("target"))
    assert faults(charts.page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_importance_ranks_hyperparameters(charts: ChartsPage, serve: Callable[..., str], tmp_path: Path, scheme: Scheme) -> None:
    for place in range(24):
        values = {"lr": 10.0 ** -(place % 6), "batch": float(16 << place // 6 % 2), "optimizer": "adam" if place % 4 else "sgd"}
        trial(tmp_path / f"run-{place}", values, {"accuracy": [0.0, place % 6 + 0.01 * (place % 4)]})
    charts.page.emulate_media(color_scheme=scheme)
    show(charts, serve(tmp_path))
    charts.button("Importance").click()
    table = charts.page.get_by_role("table", name="Importance for accuracy")
    expect(table.locator("tbody tr").first).to_contain_text("lr", timeout=60_000)
    assert table.locator("tbody tr").count() == 3
    expect(charts.page.get_by_role("group", name="Importance").get_by_role("status")).to_contain_text("random forest explains")
    assert faults(charts.page) == []
