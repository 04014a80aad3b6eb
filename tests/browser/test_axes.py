"""Axes: what x is, logarithms, fixed and shared ranges, and zooming that brings more detail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.sample_runs import quiet, write_three_runs
from log_folder import START, LogFolder

LONG = 20_000


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_three_runs(logs)
    spiky = [1 + step % 7 / 7 for step in range(200)]
    spiky[120] = 1e6
    quiet(logs.write("alpha", {"spiky/loss": spiky}, file="events.out.tfevents.2", version=False, start=START))
    quiet(logs.write("long", {"curve/long": [float(step * 7919 % 1000) for step in range(LONG)]}, start=START - 9000, gap=0.01))
    return serve(logs.path)


def last_range(charts: ChartsPage) -> list[float] | None:
    """The x range of the newest request for curves."""
    return charts.requests.bodies[-1]["range"]


def test_x_can_be_time(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    axis = charts.page.get_by_label("X axis")
    axis.select_option("relative")
    charts.wait_until(lambda: "0 s to 3 min 19 s" in charts.summary("loss").replace("\u202f", " "))
    assert charts.requests.bodies[-1]["x"] == "relative"
    axis.select_option("wall")
    charts.wait_until(lambda: "2023-11-1" in charts.summary("loss"))
    assert charts.requests.bodies[-1]["x"] == "wall"
    axis.select_option("step")
    charts.wait_until(lambda: charts.steps("loss") == (0, 199))


def test_x_can_be_another_tag(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.page.get_by_label("X axis").select_option("tag")
    charts.button("Tag of the x axis").click()
    charts.page.get_by_role("combobox", name="Tag of the x axis").fill("two")
    charts.page.keyboard.press("Enter")
    charts.wait_until(lambda: "layers/two/norm 0 to layers/two/norm 400" in charts.summary("loss"), what="x of the tag")
    charts.swatch("alpha").click(modifiers=["Alt"])
    charts.keys("loss", "End")
    tooltip = charts.tooltip()
    assert tooltip.head == "layers/two/norm 398"
    assert tooltip.values == pytest.approx([0.2008], abs=1e-4)


def test_logarithmic_x_says_what_it_leaves_out_in_a_foot_that_is_whole(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?logx=on&at=9")
    foot = charts.card("loss").locator("footer")
    expect(foot).to_contain_text("3 points at x ≤ 0")
    cut = foot.locator("span").evaluate_all("(parts) => parts.filter((part) => part.scrollWidth > part.clientWidth + 1).length")
    assert cut == 0
    charts.open(address, "#scalars?logx=off")
    expect(foot).not_to_contain_text("log axis")


def test_logarithmic_y_says_what_it_leaves_out(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    assert charts.values("accuracy")[0] < 0
    charts.button("Log y").click()
    charts.wait_until(lambda: charts.values("accuracy")[0] > 0)
    assert "3 values ≤ 0" in charts.summary("accuracy")
    charts.button("Log y").click()
    charts.card_menu("loss", "Logarithmic y axis")
    charts.settle()
    assert "≤ 0" not in charts.summary("accuracy")
    expect(charts.card("loss").get_by_text("log", exact=True)).to_be_visible()


def test_logarithmic_x(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.display("Logarithmic x axis").check()
    charts.wait_until(lambda: charts.requests.bodies[-1]["log_x"] is True)
    charts.wait_until(lambda: charts.steps("loss") == (1, 199), what="a first step above zero")


def test_a_fixed_y_range_and_back(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.card_menu("loss", "Set y range…")
    charts.page.get_by_label("From", exact=True).fill("0.5")
    charts.page.get_by_label("to", exact=True).fill("2")
    charts.button("Set").click()
    assert charts.values("loss") == (0.5, 2)
    assert "outside" in charts.summary("loss")
    charts.reload()
    assert charts.values("loss") == (0.5, 2)
    charts.card("loss").get_by_role("button", name="Fit y axis to data").click()
    assert charts.values("loss")[1] > 3


def test_one_y_range_per_section(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tags=norm")
    assert charts.values("layers/one/norm")[1] < charts.values("layers/two/norm")[1] / 1.5
    charts.display("Same y range in each section").check()
    charts.wait_until(lambda: charts.values("layers/one/norm") == charts.values("layers/two/norm"), what="one range")
    assert charts.values("layers/one/norm")[1] >= 375  # the 95th percentile of all three runs


def test_a_fixed_x_range_for_all_charts(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.button("Display").click()
    charts.page.get_by_label("From", exact=True).fill("20")
    charts.page.get_by_label("to", exact=True).fill("60")
    charts.button("Set").click()
    charts.wait_until(lambda: charts.steps("loss") == (20, 60))
    assert charts.steps("accuracy") == (20, 60)
    assert last_range(charts) == [20, 60]
    charts.close_panel()
    charts.button("Reset zoom").click()
    charts.wait_until(lambda: charts.steps("loss") == (0, 199))


def test_zooming_by_drag_brings_more_detail(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tags=curve")
    drawn, every = charts.points("curve/long")
    assert every == LONG
    assert drawn < LONG / 4
    answers: list[Any] = []
    charts.page.on("response", lambda answer: answers.append(answer) if answer.url.endswith("/scalars/series") else None)
    charts.drag("curve/long", 0.45, 0.48)
    asked = last_range(charts)
    assert asked is not None
    assert 200 < asked[1] - asked[0] < 1500
    assert charts.steps("curve/long") == pytest.approx(asked, abs=1)
    charts.wait_until(lambda: len(answers) > 0)
    # Every step of the view is there: the cursor goes from one to the next.
    charts.keys("curve/long", "ArrowRight")
    first = charts.tooltip().step
    charts.keys("curve/long", "ArrowRight", "ArrowRight")
    assert charts.tooltip().step == first + 2
    assert charts.tooltip().values == [(first + 2) * 7919 % 1000]
    charts.chart("curve/long").dblclick()
    charts.wait_until(lambda: charts.steps("curve/long") == (0, LONG - 1))
    assert last_range(charts) is None
    assert charts.page.get_by_role("complementary", name="Inspector").count() == 0


def test_zooming_one_chart_zooms_all(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.drag("loss", 0.3, 0.5)
    assert charts.steps("accuracy") == charts.steps("loss")
    low, high = charts.steps("loss")
    assert 30 < low < high < 120
    expect(charts.button("Reset zoom")).to_be_visible()
    charts.page.keyboard.press("0")
    charts.wait_until(lambda: charts.steps("loss") == (0, 199))


def test_a_box_zooms_y_of_that_chart_only(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    before = charts.values("accuracy")
    charts.page.mouse.move(*charts.place("loss", 0.3, 0.3))
    charts.page.mouse.down()
    charts.page.mouse.move(*charts.place("loss", 0.4, 0.5), steps=3)
    charts.page.mouse.move(*charts.place("loss", 0.5, 0.7), steps=3)
    charts.page.mouse.up()
    charts.settle()
    low, high = charts.values("loss")
    assert 0 < low < high < 3
    assert high - low < 1.6
    assert charts.values("accuracy")[1] <= before[1]


def test_panning_moves_the_view(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tags=curve&zoom=5000..6000")
    assert charts.steps("curve/long") == (5000, 6000)
    charts.drag("curve/long", 0.6, 0.4, key="Shift")
    charts.wait_until(lambda: (last_range(charts) or [0])[0] > 5000)
    low, high = last_range(charts) or [0, 0]
    assert 5100 < low < 5400
    assert high - low == pytest.approx(1000, rel=0.01)


def test_the_wheel_with_ctrl_and_the_keys_zoom(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.hover("loss", 0.5)
    charts.page.keyboard.down("Control")
    charts.page.mouse.wheel(0, -300)
    charts.page.keyboard.up("Control")
    charts.wait_until(lambda: charts.steps("loss") != (0, 199))
    low, high = charts.steps("loss")
    assert 20 < low < high < 180
    charts.keys("loss", "0")
    charts.wait_until(lambda: charts.steps("loss") == (0, 199))
    charts.keys("loss", "+")
    charts.wait_until(lambda: charts.steps("loss") != (0, 199))


def test_the_ruler_zooms_all_charts(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    ruler = charts.page.get_by_role("slider", name="Step of all charts")
    box = ruler.bounding_box()
    assert box is not None
    charts.page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 10)
    charts.page.mouse.down()
    charts.page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 10, steps=4)
    charts.page.mouse.up()
    charts.wait_until(lambda: last_range(charts) is not None)
    assert last_range(charts) == pytest.approx([LONG / 4, LONG * 3 / 4], rel=0.02)
    assert charts.steps("loss") == charts.steps("accuracy") == pytest.approx(last_range(charts), abs=1)


def test_outliers_are_left_out_of_the_range_and_an_arrow_says_so(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tags=spiky")
    assert charts.values("spiky/loss")[1] < 3
    assert "1 value outside" in charts.summary("spiky/loss")
    charts.button("Ignore outliers").click()
    charts.wait_until(lambda: charts.values("spiky/loss")[1] > 9e5)
    assert "outside" not in charts.summary("spiky/loss")
