"""The overview on paper: light whatever the screen is, without controls, whole, and saying what `profile report` says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.page_checks import cut_texts
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import FIRST_STEP, write_trace
from cli.profile_terminal import Terminal
from log_folder import LogFolder

SLOW = FIRST_STEP + 3
LIGHT_COMPUTE = [89, 123, 255]
SHEET = 700
SHARPNESS = 3
HAS_COLOUR = """(canvas, colour) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    for (let at = 0; at < data.length; at += 4)
        if (colour.every((value, place) => data[at + place] === value)) return true;
    return false;
}"""


@pytest.fixture(scope="module")
def trace(logs: LogFolder) -> Path:
    return write_trace(logs.path / "train", slow={SLOW: 6.0})


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder, trace: Path) -> str:
    assert trace.exists()
    return serve(logs.path)


@pytest.fixture
def paper(browser: Browser, address: str) -> Iterator[Page]:
    """The overview as a dark screen would print it."""
    context = browser.new_context(color_scheme="dark", viewport={"width": 800, "height": 1100})
    page = context.new_page()
    ProfilePage(page).open(address)
    page.emulate_media(media="print", color_scheme="dark")
    yield page
    context.close()


def test_paper_is_light_and_charts_are_drawn_for_it(paper: Page, tmp_path: Path) -> None:
    assert paper.locator("html").evaluate("(root) => getComputedStyle(root).colorScheme") == "light"
    assert paper.locator(".sentence").evaluate("(words) => getComputedStyle(words).color") == "rgb(27, 31, 38)"
    strip = paper.get_by_role("region", name="Steps").locator("canvas").first
    expect(strip).to_be_visible()
    paper.wait_for_function(
        f"(colour) => ({HAS_COLOUR})(document.querySelector('[aria-label=Steps] canvas'), colour)", arg=LIGHT_COMPUTE
    )
    paper.screenshot(path=tmp_path / "paper.png", full_page=True)


def test_controls_stay_on_the_screen(paper: Page) -> None:
    for name in ("Save", "All operations", "Data quality"):
        expect(paper.get_by_role("button", name=name)).to_have_count(0)
    expect(paper.get_by_role("navigation")).to_have_count(0)
    expect(paper.get_by_text("drag to select a range")).to_be_hidden()


def test_charts_are_drawn_for_the_width_of_a_sheet(paper: Page) -> None:
    """A browser that prints lays the page out anew, but measures nothing again."""
    strip = paper.get_by_role("region", name="Steps").locator("canvas")
    on_screen = strip.evaluate("(canvas) => [canvas.width, canvas.clientWidth * devicePixelRatio]")
    assert on_screen[0] == on_screen[1] > SHEET
    paper.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert strip.evaluate("(canvas) => canvas.width") == SHEET * SHARPNESS
    assert strip.evaluate(HAS_COLOUR, LIGHT_COMPUTE)
    paper.evaluate("dispatchEvent(new Event('afterprint'))")
    paper.wait_for_function("(width) => document.querySelector('[aria-label=Steps] canvas').width === width", arg=on_screen[0])


def test_everything_is_there_and_nothing_is_cut(paper: Page) -> None:
    assert cut_texts(paper, "main") == []
    assert paper.locator("main footer").evaluate("(foot) => getComputedStyle(foot).position") == "static"
    where = paper.get_by_role("region", name="Most exposed operations").bounding_box()
    under = paper.locator("main footer").bounding_box()
    assert where is not None
    assert under is not None
    assert under["y"] >= where["y"] + where["height"]
    assert paper.evaluate("document.documentElement.scrollWidth") <= 800


def test_it_says_what_the_report_in_the_terminal_says(paper: Page, trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = Terminal(capsys).json("report", trace)
    shown = plain(paper.locator("main").inner_text())
    assert report["summary"] in shown.replace("\n", " ")
    for found in [each for each in report["findings"] if each["verdict"] == "fires"][:3]:
        assert found["title"] in shown
        assert found["summary"] in shown
    legend = ProfilePage(paper).legend()
    assert legend["Compute"].endswith(f"{100 * report['breakdown']['compute']:.0f}%")
    assert legend["Input wait"].endswith(f"{100 * report['breakdown']['input_wait']:.0f}%")
    for row in report["most_exposed"][:3]:
        assert row["name"][:20] in shown.replace("\n", "")
