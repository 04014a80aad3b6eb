"""The first visit: what is on screen without a click, in both themes and at three widths, and that it stays on the server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.charts_page import ChartsPage
from browser.page_checks import INKED, WIDER_THAN_THE_PAGE, faults
from browser.page_server import PageServer
from browser.sample_runs import NAMES, write_three_runs
from browser.schemes import Scheme
from log_folder import LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_three_runs(logs)
    return serve(logs.path)


def look(browser: Browser, address: str, theme: Scheme, width: int) -> tuple[Page, list[str]]:
    """A page in a theme and a width, and what went wrong on it: console errors, refused content, foreign requests."""
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900})
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith((address, "blob:", "data:")) else wrong.append(request.url))
    page.add_init_script("addEventListener('securitypolicyviolation', (event) => console.error('refused: ' + event.blockedURI))")
    page.goto(address)
    ChartsPage(page).settle()
    return page, wrong


@pytest.mark.parametrize("width", [1280, 1440, 2560])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_whole(browser: Browser, address: str, theme: Scheme, width: int, tmp_path: Path) -> None:
    page, wrong = look(browser, address, theme, width)
    page.screenshot(path=tmp_path / f"{theme}-{width}.png")
    charts = ChartsPage(page)
    for tag in ("loss", "accuracy", "optimizer/lr", "time/step_ms"):
        assert charts.line_count(tag) == len(NAMES)
        for canvas in charts.chart(tag).locator("canvas").all()[:2]:  # axes and labels, then the curves
            assert canvas.evaluate(INKED) > 300, f"{tag} is blank"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    brightness = sum(int(part) for part in background.strip("rgb()").split(",")) / 3
    assert (brightness < 60) == (theme == "dark")
    assert faults(page) == []
    assert wrong == []
    page.context.close()


def test_highlights_come_first_then_sections(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    headings = [text.split("\n")[0] for text in charts.page.get_by_role("heading", level=2).all_inner_texts()]
    assert headings[:2] == ["Highlights", "layers"]
    first = [charts.page.locator("article h3 button").nth(place).get_attribute("title") or "" for place in range(4)]
    assert [title.split("\n")[0] for title in first] == ["loss", "accuracy", "optimizer/lr", "time/step_ms"]


def test_sections_beyond_the_third_are_closed(charts: ChartsPage, server_on: Callable[..., PageServer], tmp_path: Path) -> None:
    logs = LogFolder(tmp_path / "sections")
    logs.write("run", {f"{section}/value": [1.0, 2.0] for section in "abcde"})
    charts.open(server_on(logs.path).address)
    charts.page.locator("main .scroller").evaluate("(scroller) => scroller.scrollTo(0, 1e6)")
    sections = charts.page.locator("h2 button")
    expect(sections.last).to_contain_text("e")
    states = {one.inner_text().split("\n")[0]: one.get_attribute("aria-expanded") for one in sections.all()}
    assert [states[section] for section in "cde"] == ["true", "false", "false"]


def test_runs_are_listed_newest_first_with_a_value_and_an_age(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    assert charts.listed() == ["gamma", "beta", "alpha"]
    assert charts.drawn() == ["gamma", "beta", "alpha"]
    expect(charts.row("alpha")).to_contain_text("0.2008")  # 1 / (1 + 199 / 50)
    expect(charts.row("alpha")).to_contain_text(re.compile(r"\d\s[dy]"))
    expect(charts.row("alpha").locator(".status")).to_have_text("stale")


def test_the_ruler_spans_the_steps_of_all_charts(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    ruler = charts.page.get_by_role("slider", name="Step of all charts")
    expect(ruler).to_have_attribute("aria-valuemin", "0")
    expect(ruler).to_have_attribute("aria-valuemax", "199")
    assert ruler.locator("text").count() >= 4


def test_the_top_bar_says_how_much_there_is(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    expect(charts.page.locator("header .live")).to_contain_text("4200 points, 3 runs")
    tabs = charts.page.get_by_role("navigation", name="Tabs").get_by_role("button").all_inner_texts()
    assert tabs == ["Charts", "Media", "Table", "Profile", "Graphs", "Query", "More"]


def test_the_first_curve_comes_soon(browser: Browser, address: str, record_property: Callable[[str, object], None]) -> None:
    """Recorded, not judged: a busy machine would make it a matter of luck."""
    page, _ = look(browser, address, "light", 1280)
    paints = json.loads(page.evaluate("JSON.stringify(performance.getEntriesByType('paint'))"))
    record_property("first_paint_ms", paints[0]["startTime"])
    assert paints[0]["startTime"] > 0
    page.context.close()
