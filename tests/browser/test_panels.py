"""Charts that users add: formulas with right values, scatter plots and bars of the run table; changed, removed, in the address."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from browser.charts_page import ChartsPage, number
from browser.page_clock import address_written
from browser.sample_runs import NAMES, STEPS, loss, write_three_runs
from browser.schemes import Scheme
from log_folder import LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_three_runs(logs)
    return serve(logs.path)


def form(charts: ChartsPage, kind: str) -> Locator:
    """The open form for a kind of chart."""
    charts.button("Add chart").click()
    panel = charts.page.locator(":popover-open form")
    panel.get_by_role("radio", name=kind).check()
    return panel


def card(charts: ChartsPage, title: str) -> Locator:
    """The card of a panel."""
    return charts.page.get_by_role("article", name=title, exact=True)


def test_a_formula_is_drawn_with_its_values(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    panel = form(charts, "Formula")
    panel.get_by_label("Expression").fill("exp(loss) - layers/one/norm")
    panel.get_by_role("button", name="Add").click()
    shown = card(charts, "exp(loss) - layers/one/norm")
    chart = shown.get_by_role("application")
    expect(chart).to_have_attribute("aria-label", re.compile(": 3 lines"))
    charts.settle()
    box = chart.bounding_box()
    assert box is not None
    charts.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tip = charts.tooltip()
    for run, name in enumerate(NAMES):
        expected = math.exp(loss(run, tip.step)) - (tip.step + run)
        assert tip.value_of(name) == pytest.approx(expected, rel=1e-3)
    expect(shown.locator(".corner")).to_contain_text(f"{3 * STEPS}")


def test_a_wrong_formula_is_explained_and_adds_nothing(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    panel = form(charts, "Formula")
    for wrong, place in (("loss +", "character 7"), ("loss/2", "loss/2")):
        panel.get_by_label("Expression").fill(wrong)
        panel.get_by_role("button", name="Add").click()
        expect(panel.get_by_role("alert")).to_contain_text(place)
    charts.may_complain = True
    assert "panel=" not in charts.page.url


def test_a_scatter_plot_takes_two_clicks(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.button("Add chart").click()
    charts.page.locator(":popover-open form").get_by_role("button", name="Add").click()
    expect(card(charts, "Lowest loss against Duration").locator("circle")).to_have_count(3)


def test_the_expression_has_the_focus_when_a_formula_is_changed(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?panel=formula~loss * 2")
    charts.button("Edit loss * 2").click()
    expect(charts.page.get_by_label("Expression", exact=True)).to_be_focused()


def test_runs_are_dots_over_two_columns(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?panel=scatter~points~min:loss")
    shown = card(charts, "Lowest loss against Points")
    dots = shown.locator("circle")
    expect(dots).to_have_count(3)
    # The run with the highest loss is the highest dot.
    heights = {dot.get_attribute("data-run"): float(dot.get_attribute("cy") or "nan") for dot in dots.all()}
    assert sorted(heights, key=lambda run: heights[str(run)]) == ["gamma", "beta", "alpha"]
    dots.first.hover()
    tip = charts.page.locator(".tip")
    name = dots.first.get_attribute("data-run") or ""
    expect(tip).to_contain_text(name)
    assert number(tip.locator("div").last.inner_text().split()[-1]) == pytest.approx(loss(NAMES.index(name), STEPS - 1), rel=1e-3)
    dots.first.click()
    expect(charts.page.get_by_role("complementary", name="Inspector")).to_contain_text(name)


def test_dots_are_reached_with_the_keyboard(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?panel=scatter~min:loss~points")
    chart = card(charts, "Points against Lowest loss").get_by_role("application")
    expect(chart.locator("circle")).to_have_count(3)
    chart.press("ArrowRight")
    expect(chart).to_have_attribute("aria-label", re.compile("alpha"))
    chart.press("ArrowRight")
    expect(chart).to_have_attribute("aria-label", re.compile("beta"))
    chart.press("Enter")
    expect(charts.page.get_by_role("complementary", name="Inspector")).to_contain_text("beta")


def test_bars_are_in_order_and_follow_the_shown_runs(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?panel=bar~min:loss")
    bars = card(charts, "Lowest loss").get_by_role("listitem")
    expect(bars).to_have_text([re.compile(name) for name in NAMES])
    charts.swatch("beta").click()
    expect(bars).to_have_text([re.compile("alpha"), re.compile("gamma")])


def test_a_panel_is_changed_removed_and_kept_in_the_address(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?panel=formula~loss * 2")
    charts.button("Edit loss * 2").click()
    panel = charts.page.locator(":popover-open form")
    panel.get_by_role("radio", name="Bars").check()
    panel.get_by_label("Length", exact=True).select_option(label="accuracy")
    panel.get_by_label("Length: which value").select_option(label="Last")
    panel.get_by_role("button", name="Save").click()
    expect(card(charts, "loss * 2")).to_have_count(0)
    bars = card(charts, "Last accuracy").get_by_role("listitem")
    expect(bars).to_have_text([re.compile(name) for name in reversed(NAMES)])
    charts.reload()
    expect(bars).to_have_count(3)
    charts.button("Remove Last accuracy").click()
    expect(bars).to_have_count(0)
    address_written(charts.page)
    assert "panel=" not in charts.page.url


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overflows(charts: ChartsPage, address: str, theme: Scheme) -> None:
    charts.page.emulate_media(color_scheme=theme)
    charts.open(address, "#scalars?panel=scatter~points~min:loss&panel=bar~min:loss&panel=formula~exp(loss)")
    expect(card(charts, "Lowest loss").get_by_role("listitem")).to_have_count(3)
    assert charts.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert charts.page.locator("article svg text").evaluate_all(
        "(all) => all.every((one) => { const box = one.closest('svg').getBoundingClientRect(), own = one.getBoundingClientRect();"
        " return own.left >= box.left - 1 && own.right <= box.right + 1; })"
    )
