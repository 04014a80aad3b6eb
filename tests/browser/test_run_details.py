"""What the user says about a run: its name, note and colour, kept by the server and never in the log folder."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.sample_runs import write_three_runs
from log_folder import LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_three_runs(logs)
    return serve(logs.path)


def change(charts: ChartsPage, run: str, field: str, text: str) -> None:
    """Fills a field of a run's details and waits until the server has kept it."""
    inspector = charts.page.get_by_role("complementary", name="Inspector")
    if not inspector.is_visible():
        charts.details(run)
    with charts.page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
        inspector.get_by_label(field, exact=True).fill(text)
        inspector.get_by_label(field, exact=True).blur()


def test_a_name_is_kept_and_found_in_list_chart_and_search(charts: ChartsPage, address: str, logs: LogFolder) -> None:
    files = sorted(path.name for path in logs.path.rglob("*"))
    charts.open(address)
    change(charts, "alpha", "Name", "my best run")
    charts.button("Close the inspector").click()
    charts.reload()
    assert charts.listed() == ["gamma", "beta", "my best run"]
    charts.search("best")
    assert charts.listed() == ["my best run"]
    charts.keys("loss", "Home")
    assert "my best run" in charts.tooltip().names
    change(charts, "my best run", "Name", "")
    charts.search("")
    charts.wait_until(lambda: "alpha" in charts.listed())
    assert sorted(path.name for path in logs.path.rglob("*")) == files


def test_a_note_is_kept_shown_and_searched(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    change(charts, "beta", "Note", "warm-up was too short")
    charts.reload()
    expect(charts.page.get_by_label("Note", exact=True)).to_have_value("warm-up was too short")
    charts.search("note:warm-up")
    charts.wait_until(lambda: charts.listed() == ["beta"])
    change(charts, "beta", "Note", "")
    charts.wait_until(lambda: charts.listed() == [])


def test_a_colour_is_kept_and_can_be_given_back(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    before = {name: charts.colour(name) for name in charts.listed()}
    change(charts, "gamma", "Colour", "#123456")
    charts.reload()
    assert charts.colour("gamma") == "#123456"
    assert {name: charts.colour(name) for name in ("alpha", "beta")} == {name: before[name] for name in ("alpha", "beta")}
    with charts.page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
        charts.button("Reset colour").click()
    assert charts.colour("gamma") == before["gamma"]


def test_the_path_is_said_once_unless_the_run_has_another_name(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    inspector = charts.details("beta")
    expect(inspector.get_by_text("beta", exact=True)).to_have_count(1)
    change(charts, "beta", "Name", "second try")
    expect(inspector.get_by_role("heading", name="second try")).to_be_visible()
    expect(inspector.get_by_text("beta", exact=True)).to_have_count(1)
    change(charts, "second try", "Name", "")
    expect(inspector.get_by_role("heading", name="beta")).to_be_visible()


def test_details_say_what_is_known(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    inspector = charts.details("gamma")
    expect(inspector).to_contain_text("1400 in 7 tags")
    expect(inspector).to_contain_text("1 file")
    expect(inspector).to_contain_text("3 min 19 s")
    expect(inspector).to_contain_text("0.6024")


def test_a_refused_change_is_taken_back_and_said(charts: ChartsPage, address: str) -> None:
    charts.may_complain = True
    charts.open(address)
    refusal = {"error": {"code": "refused", "message": "The disk is full: free some space."}}
    charts.page.route(
        "**/api/v1/runs",
        lambda route: route.fulfill(status=500, json=refusal) if route.request.method == "PATCH" else route.continue_(),
    )
    inspector = charts.details("beta")
    inspector.get_by_label("Name", exact=True).fill("lost")
    inspector.get_by_label("Name", exact=True).blur()
    expect(charts.page.get_by_text("The disk is full: free some space.")).to_be_visible()
    assert "beta" in charts.listed()
