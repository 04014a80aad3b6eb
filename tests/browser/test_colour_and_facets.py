"""Curves coloured by a hyperparameter and divided into small charts by one, in Chromium: values, legend, address and themes."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from browser.charts_page import ChartsPage
from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.schemes import Scheme
from hparam_logs import trial
from log_folder import START, LogFolder

RATES = (1e-4, 1e-3, 1e-2, 1e-1)


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    """Four learning rates with two optimizers each, and a run that has logged no hyperparameters."""
    for place, rate in enumerate(RATES):
        for other, optimizer in enumerate(("adam", "sgd")):
            name = f"{optimizer}-{place}"
            logs.write(name, {"loss": [10 * place + other, 1.0], "acc": [0.1, 0.2]}, start=START + 2 * place + other)
            trial(logs.path / name, {"lr": rate, "optimizer": optimizer})
    logs.write("plain", {"loss": [5.0, 5.0]}, start=START + 20)
    return serve(logs.path)


def legend(charts: ChartsPage) -> Locator:
    """The line that says which colour is which value."""
    return charts.page.get_by_role("group", name="Colours")


def facets(charts: ChartsPage, tag: str) -> list[str]:
    """The names of the small charts of a tag, in the order of the page."""
    names = charts.page.get_by_role("article").filter(has=charts.page.locator(f'button.title[aria-label="{tag}"]'))
    return [str(one.locator(".facet [title]").get_attribute("title")) for one in names.all()]


def test_a_number_is_a_ramp_that_is_logarithmic_where_factors_were_tried(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    before = charts.colour("adam-0")
    charts.button("Group runs").click()
    charts.page.get_by_label("Colour by").select_option("lr")
    charts.close_panel()
    expect(legend(charts)).to_contain_text("no value")
    for place in range(len(RATES)):
        assert charts.colour(f"adam-{place}") == charts.colour(f"sgd-{place}")
    assert len({charts.colour(f"adam-{place}") for place in range(4)}) == 4
    logarithmic = charts.colour("adam-1")
    log = legend(charts).get_by_role("button", name="Log")
    expect(log).to_have_attribute("aria-pressed", "true")
    log.click()
    expect(log).to_have_attribute("aria-pressed", "false")
    assert charts.colour("adam-1") != logarithmic
    charts.reload()
    expect(log).to_have_attribute("aria-pressed", "false")
    legend(charts).get_by_role("button", name="Run colours").click()
    expect(legend(charts)).to_have_count(0)
    assert charts.colour("adam-0") == before


def test_words_have_a_colour_and_a_swatch_each(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?colour=optimizer")
    expect(legend(charts)).to_contain_text("adam")
    shown = {
        one.inner_text().split()[0]: one.locator("rect").first.get_attribute("fill") for one in legend(charts).locator(".value").all()
    }
    assert set(shown) == {"adam", "sgd", "no"}
    assert charts.colour("adam-2") == charts.colour("adam-3") == shown["adam"]
    assert charts.colour("sgd-2") == shown["sgd"]
    assert charts.colour("plain") == shown["no"]


def test_groups_have_the_colour_of_the_value_that_they_share(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?colour=lr")
    colour = charts.colour("adam-3")
    charts.open(address, "#scalars?colour=lr&group=hp:lr")
    group = charts.page.get_by_role("list", name="Groups").get_by_role("listitem").filter(has_text=re.compile(r"0\.1"))
    expect(group.locator("rect").first).to_have_attribute("fill", colour)


def test_facets_are_small_charts_with_one_y_axis_and_stay_in_the_address(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.button("Group runs").click()
    charts.page.get_by_label("Facets by").select_option("optimizer")
    charts.close_panel()
    charts.settle()
    charts.wait_until(lambda: facets(charts, "loss") == ["optimizer = adam", "optimizer = sgd", "without optimizer"])
    labels = [str(one.get_attribute("aria-label")) for one in charts.page.get_by_role("application", name="loss: ").all()]
    assert [label.split(",")[0] for label in labels] == ["loss: 4 lines", "loss: 4 lines", "loss: 1 line"]
    assert len({label.split(", values ")[1] for label in labels}) == 1, labels
    charts.reload()
    assert facets(charts, "loss") == ["optimizer = adam", "optimizer = sgd", "without optimizer"]
    charts.swatch("plain").click()
    charts.wait_until(lambda: facets(charts, "loss") == ["optimizer = adam", "optimizer = sgd"])


def test_facets_and_groups_go_together(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?group=hp:lr&facet=optimizer&tags=loss")
    charts.wait_until(lambda: len(facets(charts, "loss")) == 3)
    first = charts.page.get_by_role("application", name="loss: ").first
    expect(first).to_have_attribute("aria-label", re.compile("^loss: 4 lines"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_whole_in_both_themes(charts: ChartsPage, address: str, scheme: Scheme) -> None:
    charts.page.emulate_media(color_scheme=scheme)
    charts.page.set_viewport_size({"width": 1280, "height": 800})
    charts.open(address, "#scalars?colour=lr&facet=optimizer")
    expect(legend(charts)).to_be_visible()
    assert faults(charts.page) == []
    assert charts.page.evaluate(WIDER_THAN_THE_PAGE) == []
