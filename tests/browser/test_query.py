"""The Query tab in a real browser: tables, rows with units, errors with their place, links, cancel, downloads, and both looks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.schemes import Scheme
from log_folder import LogFolder

pytestmark = [pytest.mark.browser, pytest.mark.slow]
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for run, start in (("first", 1.0), ("second", 2.0)):
        logs.write(run, {"loss": [start / (step + 1) for step in range(1_500)]})
    logs.write("hostile", {HOSTILE: [1.0]})
    return serve(logs.path)


def open_query(page: Page, address: str, sql: str = "") -> None:
    page.goto(f"{address}#query{'?sql=' + quote(sql) if sql else ''}")
    expect(
        page.get_by_role("button", name="Run", exact=True).or_(page.get_by_role("button", name="Cancel", exact=True))
    ).to_be_visible()


def cells(page: Page) -> list[list[str]]:
    expect(page.get_by_role("table", name="Result")).to_be_visible()
    return [row.locator("td").all_inner_texts() for row in page.locator("tbody tr[aria-rowindex]").all()]


def test_a_table_is_opened_and_a_query_run_with_the_keyboard(page: Page, address: str) -> None:
    open_query(page, address)
    tables = page.get_by_role("navigation", name="Tables")
    names = tables.locator("button[aria-expanded]")
    expect(names).to_have_count(9)
    assert len({round(sign.bounding_box()["x"]) for sign in names.locator(".sign").all()}) == 1, "names begin at one line"  # pyright: ignore[reportOptionalSubscript]
    tables.get_by_role("button", name="Open points").click()
    expect(page.get_by_role("status").filter(has_text="100 rows")).to_be_visible()
    editor = page.get_by_role("textbox", name="SQL")
    expect(editor).to_have_value("SELECT *\nFROM points\nLIMIT 100")
    editor.fill("SELECT run, max(step) AS step, min(value) FROM points WHERE tag = 'loss' GROUP BY run ORDER BY run")
    editor.press("Control+Enter")
    expect(page.locator("th", has_text="min(")).to_be_visible()
    assert cells(page) == [["first", "1499", "0.000666667"], ["second", "1499", "0.00133333"]]


def test_a_link_runs_its_query_and_says_that_there_are_more_rows(page: Page, address: str) -> None:
    open_query(page, address, "SELECT step, tag FROM points ORDER BY tag, step")
    expect(page.get_by_role("status").filter(has_text="First")).to_contain_text("1000 rows")
    rows = page.get_by_role("region", name="Result")
    rows.evaluate("(part) => { part.scrollTop = part.scrollHeight; }")
    expect(page.locator('tbody tr[aria-rowindex="1001"]')).to_contain_text("499")
    assert page.locator("tbody tr[aria-rowindex]").count() < 200


def test_hostile_names_are_text(page: Page, address: str) -> None:
    page.on("dialog", lambda _: pytest.fail("a dialog opened"))
    open_query(page, address, "SELECT DISTINCT tag, ['<b>'] AS list FROM points WHERE tag <> 'loss'")
    assert cells(page) == [[HOSTILE, '["<b>"]']]


def test_an_error_shows_its_place_and_keeps_the_last_rows(page: Page, address: str) -> None:
    open_query(page, address, "SELECT name FROM runs ORDER BY name")
    assert [row[0] for row in cells(page)] == ["first", "hostile", "second"]
    editor = page.get_by_role("textbox", name="SQL")
    editor.fill("SELECT name,\n  nosuch\nFROM runs")
    page.get_by_role("button", name="Run", exact=True).click()
    alert = page.get_by_role("alert")
    expect(alert.locator("pre")).to_have_text("  nosuch\n  ^")
    alert.get_by_role("button", name="Line 2, column 3").click()
    assert editor.evaluate("(part) => part.selectionStart") == 15
    assert len(cells(page)) == 3


def test_a_long_query_is_cancelled(page: Page, address: str) -> None:
    open_query(page, address, "SELECT count(*) FROM range(1000000000000)")
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_all_rows_are_downloaded(page: Page, address: str) -> None:
    open_query(page, address, "SELECT run, step FROM points WHERE tag = 'loss'")
    page.get_by_role("button", name="Download all rows").click()
    with page.expect_download(timeout=60_000) as started:
        page.get_by_role("menuitem", name="JSON").click()
    assert started.value.suggested_filename == "query.json"
    assert len(json.loads(Path(started.value.path()).read_text())) == 3_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_looks_right(page: Page, address: str, scheme: Scheme) -> None:
    page.emulate_media(color_scheme=scheme)
    open_query(page, address, "SELECT name, bytes, points, started, status FROM runs")
    cells(page)
    page.get_by_role("navigation", name="Tables").get_by_role("button", name="points", exact=True).click()
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(page) == []
