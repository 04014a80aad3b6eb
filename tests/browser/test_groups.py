"""Groups of runs: offered for seeds, made by folder or pattern, with the right mean and band."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage, number
from browser.sample_runs import quiet
from log_folder import START, LogFolder

T_975 = 4.302652729911275
"""Student's t for three members."""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    """Two settings with three seeds: constant values 1, 2, 3 and 11, 12, 13."""
    for place, (rate, start) in enumerate((("0.1", 1.0), ("0.01", 11.0))):
        for seed in range(3):
            values = [start + seed] * 40
            quiet(logs.write(f"lr{rate}/seed{seed}", {"loss": values}, start=START + 10 * (3 * place + seed)))
    return serve(logs.path)


def lone_group(charts: ChartsPage) -> tuple[float, float]:
    """The middle and the half height of the band of the one group drawn, from the y axis and its margin of 5 %."""
    low, high = charts.values("loss")
    return (low + high) / 2, (high - low) / 2 / 1.1


def test_replicates_are_offered_not_imposed(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    assert charts.line_count("loss") == 6
    expect(charts.page.get_by_text("6 runs look like 2")).to_be_visible()
    charts.button("Group").click()
    charts.wait_until(lambda: charts.line_count("loss") == 2)
    charts.keys("loss", "Home")
    tooltip = charts.tooltip()
    assert {name: tooltip.value_of(name) for name in tooltip.names} == {"lr0.1 (n = 3)": 2, "lr0.01 (n = 3)": 12}
    expect(charts.page.get_by_role("listitem").filter(has_text="lr0.01")).to_contain_text("n = 3")
    charts.button("Ungroup").click()
    charts.wait_until(lambda: charts.line_count("loss") == 6)


def test_a_refused_offer_is_not_made_again(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.button("Dismiss").click()
    expect(charts.page.get_by_text("look like")).to_have_count(0)
    charts.reload()
    expect(charts.page.get_by_text("look like")).to_have_count(0)


@pytest.mark.parametrize(
    ("band", "middle", "half"),
    [
        ("Mean and 95% confidence interval", 2, T_975 / 3**0.5),
        ("Mean ± standard deviation", 2, 1),
        ("Mean, minimum and maximum", 2, 1),
        ("Median, 10th to 90th percentile", 2, 0.8),
    ],
)
def test_bands_have_their_known_size(charts: ChartsPage, address: str, band: str, middle: float, half: float) -> None:
    charts.open(address, "#scalars?group=path&outliers=on")
    charts.search("/0.1/")
    charts.choose("More for the run list", "Show only the 3 matching runs")
    charts.button("Group runs").click()
    charts.page.get_by_label(band).check()
    charts.wait_until(lambda: lone_group(charts) == pytest.approx((middle, half), abs=2e-3), what=f"a band of {half:.3f}")
    charts.close_panel()
    charts.keys("loss", "End")
    assert charts.tooltip().values == [2]


def test_groups_by_folder_and_by_pattern(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.button("Group runs").click()
    charts.page.get_by_role("radio", name="By folder").check()
    charts.wait_until(lambda: charts.line_count("loss") == 2)
    charts.page.get_by_label("By pattern in the run name").check()
    charts.page.get_by_label("Pattern", exact=True).fill(r"(seed\d)")
    charts.wait_until(lambda: charts.line_count("loss") == 3)
    expect(charts.page.get_by_text("3 groups of the 6 runs shown.")).to_be_visible()
    charts.page.get_by_label("Pattern", exact=True).fill("(")
    expect(charts.page.get_by_role("status").filter(has_text="is not a regular expression")).to_be_visible()
    charts.page.get_by_label("Pattern", exact=True).fill(r"(seed\d)")
    expect(charts.page.get_by_text("3 groups of the 6 runs shown.")).to_be_visible()
    charts.close_panel()
    charts.wait_until(lambda: charts.line_count("loss") == 3)
    charts.keys("loss", "Home")
    assert charts.tooltip().value_of("seed1 (n = 2)") == 7
    charts.reload()
    assert charts.line_count("loss") == 3


def test_list_and_inspector_show_the_groups_that_are_drawn(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?group=path")
    colours = {setting: {charts.colour(f"{setting}/seed{seed}") for seed in range(3)} for setting in ("lr0.1", "lr0.01")}
    assert all(len(found) == 1 for found in colours.values())
    assert colours["lr0.1"] != colours["lr0.01"]
    legend = charts.page.get_by_role("listitem").filter(has_text="lr0.01").locator("rect").first
    assert {legend.get_attribute("fill")} == colours["lr0.01"]
    charts.row("lr0.1/seed2").hover()
    assert "bright" in (charts.row("lr0.1/seed0").locator(".line").get_attribute("class") or "")
    assert "bright" not in (charts.row("lr0.01/seed0").locator(".line").get_attribute("class") or "")

    charts.keys("loss", "Home", "Enter")
    half = T_975 / 3**0.5
    charts.wait_until(lambda: len(charts.table()) == 2)
    for setting, middle in (("lr0.1", 2), ("lr0.01", 12)):
        assert [number(cell) for cell in charts.table()[setting]] == pytest.approx([middle, middle - half, middle + half, 3], rel=1e-3)
    charts.button("Runs of lr0.1").click()
    assert [number(charts.table()[f"lr0.1/seed{seed}"][0]) for seed in range(3)] == [1, 2, 3]
    charts.button("Ungroup").click()
    charts.wait_until(lambda: len(charts.table()) == 6)
    assert len({charts.colour(f"lr0.1/seed{seed}") for seed in range(3)}) == 3


def test_the_tooltip_of_groups_has_their_bands(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?group=path&band=minmax")
    charts.keys("loss", "Home")
    cells = charts.page.locator(".tooltip tbody tr").all_inner_texts()
    assert [row.split("\t")[-4:] for row in cells] == [["12.00", "11", "13", "3"], ["2.00", "1", "3", "3"]]
    assert charts.page.locator(".tooltip th").all_inner_texts()[2:] == ["mean", "low", "high", "n"]


def test_a_run_that_turns_nan_is_missed_in_its_group(charts: ChartsPage, serve: Callable[..., str], tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    logs.write("lr1/seed0", {"loss": [1.0] * 40})
    logs.write("lr1/seed1", {"loss": [9.0] * 20 + [math.nan] * 20})
    charts.open(serve(tmp_path), "#scalars?group=path")
    charts.keys("loss", "Home")
    assert charts.tooltip().values == [5]
    expect(charts.page.locator(".tooltip tbody tr").first).to_contain_text("2")
    charts.keys("loss", "End")
    assert charts.tooltip().values == [1]
    expect(charts.page.locator(".tooltip thead")).to_contain_text("n")
    expect(charts.card("loss").locator("footer")).to_contain_text("1 run ended in NaN")
