"""Reading values: the tooltip under the pointer, a pinned step and a pinned range, against what was logged."""

from __future__ import annotations

import json
from collections.abc import Callable
from statistics import fmean

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage, number
from browser.sample_runs import NAMES, loss, quiet, write_three_runs
from log_folder import LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_three_runs(logs)
    for place in range(7):
        quiet(logs.write(f"many/{place}", {"many/value": [float(place)] * 100}))
    return serve(logs.path)


def test_the_tooltip_tells_the_values_of_a_step(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    for x in (0.2, 0.5, 0.7):
        tooltip = charts.hover("loss", x)
        assert 10 < tooltip.step < 190
        assert {name: tooltip.value_of(name) for name in NAMES} == pytest.approx(
            {name: loss(run, tooltip.step) for run, name in enumerate(NAMES)}, abs=6e-4
        )


def test_the_nearest_line_is_bright_in_every_card_and_in_the_list(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.page.mouse.move(*charts.place("accuracy", 0.6, 0.9))  # just above the axis, where alpha is
    expect(charts.page.locator(".tooltip tr.nearest .name")).to_have_text("alpha")
    assert "bright" in (charts.row("alpha").locator(".line").get_attribute("class") or "")
    assert "bright" not in (charts.row("gamma").locator(".line").get_attribute("class") or "")
    expect(charts.chart("loss").locator("canvas").nth(1)).to_have_css("opacity", "0.25")


@pytest.mark.parametrize(
    ("order", "names"),
    [("value", ["gamma", "beta", "alpha"]), ("value_ascending", ["alpha", "beta", "gamma"]), ("name", ["alpha", "beta", "gamma"])],
)
def test_the_order_of_the_tooltip(charts: ChartsPage, address: str, order: str, names: list[str]) -> None:
    charts.open(address)
    charts.display("Tooltip order").select_option(order)
    charts.close_panel()
    assert charts.hover("loss", 0.5, 0.3).names == names


def test_the_nearest_line_comes_first_when_asked(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tooltip=nearest")
    assert charts.hover("accuracy", 0.7, 0.9).names[0] == "alpha"
    assert charts.hover("accuracy", 0.7, 0.1).names == ["gamma", "beta", "alpha"]


def test_five_rows_and_wall_time_with_shift(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tags=many")
    tooltip = charts.hover("many/value", 0.5, 0.5)
    assert len(tooltip.names) == 5
    assert sorted(tooltip.values) == [1, 2, 3, 4, 5]
    assert "2023" not in tooltip.text
    charts.page.keyboard.down("Shift")
    charts.page.mouse.move(*charts.place("many/value", 0.51, 0.5))
    assert "2023-11-14" in charts.tooltip().text
    charts.page.keyboard.up("Shift")


def test_the_cursor_is_shared_by_all_charts(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    above = charts.chart("accuracy").locator("canvas").nth(2)
    blank = above.evaluate("(canvas) => canvas.toDataURL()")
    charts.hover("loss", 0.5)
    charts.wait_until(lambda: above.evaluate("(canvas) => canvas.toDataURL()") != blank, what="a cursor in the other chart")
    assert charts.page.locator("footer svg line.cursor").count() == 1


def test_a_click_pins_the_step(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    step = charts.hover("loss", 0.4).step
    charts.page.mouse.click(*charts.place("loss", 0.4))
    inspector = charts.page.get_by_role("complementary", name="Inspector")
    expect(inspector.get_by_role("heading")).to_have_text(f"Step {step}")
    charts.wait_until(lambda: len(charts.table()) == 3)
    for run, name in enumerate(NAMES):
        value, at = charts.table()[name]
        assert number(value) == pytest.approx(loss(run, step), rel=1e-3)
        assert number(at) == step
    charts.page.keyboard.press("Escape")
    expect(inspector).to_have_count(0)


def test_the_table_shows_another_tag_and_differences_to_a_baseline(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?at=100")
    inspector = charts.page.get_by_role("complementary", name="Inspector")
    charts.button("Tag of the table").click()
    charts.page.get_by_role("combobox", name="Tag of the table").fill("one/norm")
    charts.page.keyboard.press("Enter")
    charts.wait_until(lambda: charts.table().get("gamma", [""])[0] == "102")
    charts.row("beta").click(button="right")
    charts.page.get_by_role("menuitemcheckbox", name="Use as baseline").click()
    expect(inspector.get_by_role("columnheader", name="Difference")).to_be_visible()
    assert [number(charts.table()[name][1].replace("+", "")) for name in NAMES] == [-1, 0, 1]


def test_a_pinned_range_has_the_numbers_of_all_its_points(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    with charts.page.expect_request("**/scalars/table") as request:
        charts.drag("loss", 0.3, 0.6, key="Alt")
    low, high = json.loads(request.value.post_data or "{}")["range"]
    steps = [step for step in range(200) if low <= step <= high]
    assert 30 < len(steps) < 120
    charts.wait_until(lambda: len(charts.table().get("alpha", [])) == 5)
    for run, name in enumerate(NAMES):
        values = [loss(run, step) for step in steps]
        last, least, most, mean, change = (number(cell.replace("+", "")) for cell in charts.table()[name])
        assert last == pytest.approx(values[-1], rel=1e-3)
        assert (least, most) == pytest.approx((min(values), max(values)), rel=1e-3)
        assert mean == pytest.approx(fmean(values), rel=1e-3)
        assert change == pytest.approx(values[-1] - values[0], rel=1e-3)


def test_the_ruler_pins_a_step_and_moves_it(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    ruler = charts.page.get_by_role("slider", name="Step of all charts")
    box = ruler.bounding_box()
    assert box is not None
    charts.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 12)
    heading = charts.page.get_by_role("complementary", name="Inspector").get_by_role("heading")
    charts.wait_until(lambda: heading.count() == 1)
    step = number(heading.inner_text().removeprefix("Step "))
    assert step == pytest.approx(99.5, abs=1)
    ruler.press("ArrowRight")
    expect(heading).not_to_have_text(f"Step {step:g}")
    assert number(heading.inner_text().removeprefix("Step ")) == pytest.approx(step + 2, abs=1)
    charts.button("Unpin").click()
    expect(heading).to_have_count(0)


def test_the_tooltip_lists_all_lines_when_asked(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tags=many")
    assert charts.hover("many/value", 0.5, 0.5).text.endswith("2 more")
    charts.display("All runs in the tooltip").check()
    charts.close_panel()
    tooltip = charts.hover("many/value", 0.52, 0.5)
    assert tooltip.values == [6, 5, 4, 3, 2, 1, 0]
