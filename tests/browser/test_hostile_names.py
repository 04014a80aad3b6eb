"""Names and texts that try to be markup, paths or layout: shown as they are, run by nobody, and never wider than the page."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, expect

import event_bytes as eb
from browser.charts_page import ChartsPage
from browser.page_clock import let_pass
from log_folder import START, LogFolder

MARKUP = "<img src=x onerror=alert(1)>"
RUNS = [
    MARKUP.replace("/", ""),
    "\"quotes\" and 'more' & `ticks` ${7*7} {{7*7}}",
    "line\nbreak\ttab",
    "\u202egnp.exe\u2066 right to left",
    "zero\u200bwidth\ufeff",
    "..hidden.. and %2e%2e%2f",
    "x" * 250,
    "deep/" + "/".join(["y" * 200] * 8),
    "__proto__",
]
TAGS = [
    MARKUP,
    "<script>alert(2)</script>",
    "../../etc/passwd",
    "javascript:alert(3)",
    "line\nbreak",
    "\u202ereversed",
    "\u200b",
    "wide " * 1000,
    "z" * 5000,
    "__proto__",
    "constructor/hasOwnProperty",
    "a/" * 200,
    "loss",
]
DESCRIPTION = b"<script>alert(4)</script> <a href='javascript:alert(5)'>click</a>"
INERT = """() => ({
  scripts: [...document.scripts].filter((script) => !script.src.startsWith(location.origin)).length,
  images: document.images.length,
  links: [...document.querySelectorAll('a')].filter((link) => !link.href.startsWith(location.origin)).length,
  wide: document.documentElement.scrollWidth - innerWidth,
  polluted: ({}).wide !== undefined || ({}).tall !== undefined,
})"""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for place, run in enumerate(RUNS):
        logs.write(run, {tag: [float(place + step) for step in range(5)] for tag in TAGS}, start=START + place)
    described = eb.value(b"described", eb.message(9, eb.metadata(b"scalars", description=DESCRIPTION)), eb.single(2, 1.0))
    eb.write(logs.path / "described" / "events.out.tfevents.1", eb.version(START), eb.record(eb.event(1, START, eb.summary(described))))
    return serve(logs.path)


@pytest.fixture
def careful(charts: ChartsPage) -> ChartsPage:
    """A page on which no dialog may open."""

    def refuse(dialog: Dialog) -> None:
        dialog.dismiss()
        pytest.fail(f"a name was run as a script: {dialog.message}")

    charts.page.on("dialog", refuse)
    return charts


def assert_inert(charts: ChartsPage) -> None:
    """Nothing of a name became an element, and nothing is wider than the window."""
    found = charts.page.evaluate(INERT)
    assert found == {"scripts": 0, "images": 0, "links": 0, "wide": 0, "polluted": False}


def test_names_are_shown_as_they_are(careful: ChartsPage, address: str) -> None:
    careful.open(address)
    assert len(careful.listed()) == len(RUNS) + 1
    assert any(MARKUP in name for name in careful.listed())
    assert_inert(careful)
    for part in range(12):
        careful.page.locator("main .scroller").evaluate("(scroller, part) => scroller.scrollTo(0, part * 600)", part)
        let_pass(careful.page, 60)
        assert_inert(careful)


def test_every_view_of_the_names_is_inert(careful: ChartsPage, address: str) -> None:
    careful.open(address, "#scalars?tags=^loss$")
    careful.keys("loss", "Home")
    careful.tooltip()
    assert_inert(careful)
    careful.keys("loss", "Enter")
    careful.wait_until(lambda: len(careful.table()) >= len(RUNS) - 1)
    assert_inert(careful)
    for run in careful.listed():
        careful.button(f"Details of {run}").first.click()
        assert_inert(careful)
    careful.page.keyboard.press("Escape")
    careful.page.keyboard.press("Control+k")
    careful.page.keyboard.type("alert")
    expect(careful.page.get_by_role("listbox", name="Matches").get_by_role("option").first).to_contain_text("alert")
    assert_inert(careful)
    careful.page.keyboard.press("Escape")
    careful.button("Folder tree").click()
    assert_inert(careful)
    careful.page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Table").click()
    expect(careful.page.get_by_role("columnheader", name="Status")).to_be_visible()
    assert_inert(careful)


def test_characters_that_hide_or_reorder_others_are_marked_in_tooltips(careful: ChartsPage, address: str) -> None:
    careful.open(address, "#scalars?tags=^loss$")
    careful.search("zero")
    careful.page.get_by_role("searchbox", name="Find runs").press("Enter")
    careful.wait_until(lambda: careful.line_count("loss") == 1)
    careful.keys("loss", "Home")
    assert careful.tooltip().names == ["zero\ufffdwidth\ufffd"]


def test_hostile_tags_can_be_used_like_any_other(careful: ChartsPage, address: str) -> None:
    patterns = {tag: f"^{re.escape(tag)}$" for tag in (MARKUP, "../../etc/passwd", "__proto__")} | {"z" * 5000: "^zzz"}
    for tag, pattern in patterns.items():
        careful.open(address)
        careful.page.get_by_label("Filter tags by regular expression").fill(pattern)
        careful.settle()
        card = careful.page.locator("article")
        expect(card).to_have_count(1)
        card.hover()
        card.get_by_role("button", name="Full width").click()
        card.locator("header button[title='Pin to the top']").click()
        careful.reload()
        expect(careful.page.get_by_role("heading", name="Pinned")).to_be_visible()
        said = careful.page.get_by_role("application").first.get_attribute("aria-label") or ""
        assert said.startswith(f"{tag}: {len(RUNS)} lines")
        assert_inert(careful)


def test_descriptions_and_notes_are_text(careful: ChartsPage, address: str) -> None:
    careful.open(address, "#scalars?tags=^described$")
    careful.button("About described").click()
    expect(careful.page.locator("[popover]:popover-open")).to_contain_text("<script>alert(4)</script>")
    careful.page.keyboard.press("Escape")
    inspector = careful.details("described")
    note = inspector.get_by_label("Note", exact=True)
    with careful.page.expect_response(lambda answer: answer.request.method == "PATCH" and answer.ok):
        note.fill(MARKUP)
        note.blur()
    careful.reload()
    expect(careful.page.get_by_label("Note", exact=True)).to_have_value(MARKUP)
    assert_inert(careful)
