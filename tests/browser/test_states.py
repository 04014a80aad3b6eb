"""What the page says when there is nothing, not yet, or not all: empty, loading, damaged, unreadable, failing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from browser.charts_page import ChartsPage
from browser.page_server import PageServer
from browser.sample_runs import quiet, write_three_runs
from log_folder import LogFolder

SILENT_FEED = "window.EventSource = class { addEventListener() {} close() {} }"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_three_runs(logs)
    damaged = logs.write("damaged", {"loss": [0.5] * 100})
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 0xFF
    damaged.write_bytes(content)
    quiet(damaged)
    return serve(logs.path)


def alter(page: Page, path: str, change: dict[str, Any]) -> None:
    """Changes fields of a JSON answer on its way to the page."""

    def answer(route: Route) -> None:
        route.fulfill(json={**route.fetch().json(), **change})

    page.route(path, answer)


def test_an_empty_folder_says_what_was_searched_and_how_to_log(
    charts: ChartsPage, server_on: Callable[..., PageServer], tmp_path: Path
) -> None:
    folder = tmp_path / "nothing here"
    folder.mkdir()
    charts.page.goto(server_on(folder).address)
    page = charts.page
    expect(page.get_by_role("heading", name="No data yet")).to_be_visible()
    expect(page.get_by_text(str(folder), exact=True)).to_be_visible()
    expect(page.locator("pre")).to_contain_text("writer.add_scalar(")
    charts.button("Copy code").click()
    lines = page.evaluate("navigator.clipboard.readText()")
    # What the page advises works, and shows up without a reload.
    exec(lines, {"loss": 0.5, "step": 1})
    charts.wait_until(lambda: charts.listed() == ["my-run"], what="the run that was logged as advised")
    assert charts.line_count("loss") == 1


def test_a_missing_folder_is_told_from_an_empty_one(charts: ChartsPage, server_on: Callable[..., PageServer], tmp_path: Path) -> None:
    folder = tmp_path / "later"
    charts.page.goto(server_on(folder).address)
    page = charts.page
    expect(page.get_by_role("heading", name="Log folder not found")).to_be_visible()
    expect(page.get_by_text(str(folder), exact=True)).to_be_visible()
    LogFolder(folder).write("run", {"loss": [1.0, 2.0]})
    charts.wait_until(lambda: charts.listed() == ["run"], what="the run in the folder that was created")


def test_loading_tells_files_and_bytes(charts: ChartsPage, address: str) -> None:
    charts.page.add_init_script(SILENT_FEED)
    loading = {"state": "loading", "files_done": 12, "files": 40, "bytes_done": 10 << 20, "bytes": 70 << 20}
    alter(charts.page, "**/api/v1/folder", {"loading": loading})
    alter(charts.page, "**/api/v1/runs*", {"runs": []})
    charts.page.goto(address)
    expect(charts.page.get_by_role("heading", name="Reading the log folder")).to_be_visible()
    bar = charts.page.get_by_role("progressbar", name="Reading the log folder")
    words = (bar.get_attribute("aria-valuetext") or "").replace("\u202f", " ")
    assert re.findall(r"\d+(?: MiB)?", words) == ["12", "40", "10 MiB", "70 MiB"]


def test_a_slow_card_says_that_it_loads(charts: ChartsPage, address: str) -> None:
    held: list[Route] = []
    charts.page.route("**/scalars/series", lambda route: held.append(route))
    charts.page.goto(address + "#scalars?tags=^loss$")
    expect(charts.card("loss").get_by_text("Loading…").first).to_be_visible()
    for route in held:
        route.continue_()
    charts.page.unroute("**/scalars/series")
    assert charts.line_count("loss") == 4


def test_a_card_that_fails_says_why_and_tries_again(charts: ChartsPage, address: str) -> None:
    charts.may_complain = True
    problem = {"error": {"code": "internal", "message": "The curve could not be read: see the server's messages."}}

    def fail_for_loss(route: Route) -> None:
        if '"loss"' in (route.request.post_data or ""):
            route.fulfill(status=500, json=problem)
        else:
            route.continue_()

    charts.page.route("**/scalars/series", fail_for_loss)
    charts.page.goto(address + "#scalars?tags=^loss$")
    alert = charts.card("loss").get_by_role("alert")
    expect(alert).to_contain_text("The curve could not be read")
    charts.page.unroute("**/scalars/series")
    alert.get_by_role("button", name="Retry").click()
    expect(alert).to_have_count(0)
    assert charts.line_count("loss") == 4


def test_a_server_that_never_answered_is_said(charts: ChartsPage, address: str) -> None:
    charts.may_complain = True
    charts.page.add_init_script(SILENT_FEED)
    charts.page.route("**/api/v1/**", lambda route: route.abort())
    charts.page.goto(address)
    expect(charts.page.get_by_role("heading", name="not responding")).to_be_visible()


def test_a_damaged_file_costs_one_record_and_has_a_badge(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    expect(charts.row("damaged").get_by_title("1 corrupt records skipped").or_(charts.row("damaged").locator(".amber"))).to_be_visible()
    charts.page.get_by_role("button", name="corrupt record").click()
    dialog = charts.page.get_by_role("dialog", name="File health")
    row = dialog.get_by_role("row").filter(has_text="damaged/")
    expect(row).to_contain_text("damaged")
    expect(dialog).to_contain_text("1 file")
    cells = row.get_by_role("cell").all_inner_texts()
    assert [cells[1], cells[3]] == ["damaged", "1"]
    charts.page.keyboard.press("Escape")
    charts.swatch("damaged").click(modifiers=["Alt"])
    assert charts.points("loss") == (99, 99)


def test_an_unreadable_folder_is_named(charts: ChartsPage, address: str) -> None:
    trouble = [{"path": "/data/runs/secret", "reason": "permission denied"}]
    charts.page.add_init_script(SILENT_FEED)
    alter(charts.page, "**/api/v1/folder", {"unreadable": trouble, "skipped_records": 0})
    alter(charts.page, "**/api/v1/health*", {"unreadable": trouble})
    charts.page.goto(address)
    charts.settle()
    charts.page.locator("header button.amber").click()
    dialog = charts.page.get_by_role("dialog", name="File health")
    expect(dialog).to_contain_text("/data/runs/secret: permission denied")
