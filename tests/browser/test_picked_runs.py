"""Actions on several runs at once: hide, label, colour, archive, and the comparison of their settings and texts."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from browser.charts_page import ChartsPage
from browser.page_checks import faults
from log_folder import LogFolder
from stepscope.writer import SummaryWriter

RATES = {"one": 0.1, "two": 0.2, "three": 0.3}


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for name, lr in RATES.items():
        with SummaryWriter(str(logs.path / name)) as writer:
            writer.log_config({"lr": lr, "decay": lr / 3, "model": "vit"})
            writer.add_text("notes", f"first line\nuses {name}")
            for step in range(5):
                writer.add_scalar("loss", lr, step)
    return serve(logs.path)


def pick(charts: ChartsPage, *names: str) -> Locator:
    """Picks runs by clicks with Ctrl; the bar of what can be done with them."""
    for name in names:
        charts.button(f"Details of {name}").click(modifiers=["Control"])
    bar = charts.page.get_by_role("toolbar", name="Picked runs")
    expect(bar.get_by_role("status")).to_have_text(re.compile(rf"^{len(names)} "))
    return bar


def test_picked_runs_are_hidden_and_shown_together(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    assert charts.line_count("loss") == 3
    bar = pick(charts, "one", "two")
    bar.get_by_role("button", name="Hide", exact=True).click()
    charts.wait_until(lambda: charts.drawn() == ["three"])
    assert charts.line_count("loss") == 1
    bar.get_by_role("button", name="Show only").click()
    charts.wait_until(lambda: sorted(charts.drawn()) == ["one", "two"])
    bar.get_by_role("button", name="Clear picked runs").click()
    expect(bar).to_have_count(0)


def test_labels_and_colours_are_given_to_all_and_kept(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    bar = pick(charts, "one", "three")
    bar.get_by_role("button", name="Labels of the picked runs").click()
    charts.page.get_by_label("New label").fill("good")
    with charts.page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
        charts.page.keyboard.press("Enter")
    with charts.page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
        bar.get_by_label("Colour").fill("#aa3377")
    charts.reload()
    assert charts.colour("one") == charts.colour("three") == "#aa3377" != charts.colour("two")
    charts.search("label:good")
    charts.wait_until(lambda: sorted(charts.listed()) == ["one", "three"], what="the labelled runs")
    bar = pick(charts, "one")
    bar.get_by_role("button", name="Labels of the picked runs").click()
    charts.button("Remove label good").click()
    charts.wait_until(lambda: charts.listed() == ["three"], what="the run that is still labelled")


def test_archived_runs_come_back(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    pick(charts, "one", "two").get_by_role("button", name="Archive").click()
    charts.wait_until(lambda: charts.listed() == ["three"])
    charts.choose("More for the run list", "Show archived runs (2)")
    pick(charts, "one", "two").get_by_role("button", name="Restore").click()
    charts.wait_until(lambda: len(charts.listed()) == 3, what="the list of all runs, as no archived one is left")


def test_the_keyboard_picks_too(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    for key in ("/", "ArrowDown", "x", "ArrowDown", "ArrowDown", "Shift+X"):
        charts.page.keyboard.press(key)
    bar = charts.page.get_by_role("toolbar", name="Picked runs")
    expect(bar.get_by_role("status")).to_have_text(re.compile("^3 "))
    charts.page.keyboard.press("Escape")
    expect(bar).to_have_count(0)


def test_settings_and_texts_stand_side_by_side(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    pick(charts, "one", "two").get_by_role("button", name="Compare").click()
    settings = charts.page.get_by_role("region", name="Settings")
    lr = settings.get_by_role("row").filter(has=charts.page.get_by_role("rowheader", name="lr", exact=True))
    expect(lr.get_by_role("cell")).to_have_count(2)
    values = {*lr.get_by_role("cell").all_inner_texts()}
    assert values == {"0.1", "0.2"}
    decay = settings.get_by_role("row").filter(has=charts.page.get_by_role("rowheader", name="decay", exact=True))
    assert {*decay.get_by_role("cell").all_inner_texts()} == {"0.03333", "0.06667"}, "numbers as everywhere, whole on hover"
    expect(settings.get_by_role("rowheader", name="model")).to_have_count(0)
    settings.get_by_role("button", name="Show all").click()
    expect(settings.get_by_role("rowheader", name="model")).to_have_count(1)
    notes = charts.page.get_by_role("region", name=re.compile("^notes of"))
    expect(notes.locator("tbody tr").nth(1)).to_be_visible()
    rows = [row.get_by_role("cell").all_inner_texts() for row in notes.locator("tbody tr").all()]
    assert rows[0] == ["first line", "first line"]
    assert {*rows[1]} == {"uses one", "uses two"}
    expect(charts.page).to_have_url(re.compile("#compare.*compare="))
    assert faults(charts.page) == []
    charts.page.reload()
    expect(charts.page.get_by_role("heading", name="Compare 2 runs")).to_be_visible()


def test_names_keep_their_room_beside_values_and_boxes(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    pick(charts, "one")
    name = charts.button("Details of three").bounding_box()
    assert name is not None
    assert name["width"] >= 90
