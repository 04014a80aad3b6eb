"""What the browser fetches before the charts can be used, and that everything else comes when it is opened."""

from __future__ import annotations

import re
from collections.abc import Callable
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from playwright.sync_api import Page, Response, expect

from browser.charts_page import ChartsPage
from browser.page_server import PageServer
from browser.sample_runs import write_three_runs
from log_folder import LogFolder

ASSETS = Path(__file__).resolve().parents[2] / "src" / "stepscope" / "server" / "page" / "assets"
MOST_KILOBYTES = 150
MOST_FONT_KILOBYTES = 120
# What is fetched ahead of use is no part of the first load.
NEVER_IDLE = "window.requestIdleCallback = () => 0"
PROFILE_START = "No profiles yet"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_three_runs(logs)
    return serve(logs.path)


def files_of(page: Page) -> dict[str, Response]:
    """The files of the page that arrive from now on, by name; answers of the API are no files."""
    found: dict[str, Response] = {}

    def note(response: Response) -> None:
        if "/api/" not in response.url:
            found[response.url.rsplit("/", 1)[-1]] = response

    page.on("response", note)
    return found


def sent_kilobytes(files: list[Response]) -> float:
    """What the server sent, which is gzipped where that helps."""
    return sum(int(file.headers["content-length"]) for file in files) / 1000


def test_the_first_load_is_small(charts: ChartsPage, address: str, record_property: Callable[[str, object], None]) -> None:
    charts.page.add_init_script(NEVER_IDLE)
    files = files_of(charts.page)
    charts.open(address)
    assert charts.line_count("loss") == 3
    fonts = [file for name, file in files.items() if name.endswith(".woff2")]
    others = [file for name, file in files.items() if not name.endswith(".woff2")]
    for name, file in files.items():
        if name.endswith((".js", ".css")):
            assert file.headers["content-encoding"] == "gzip", name
            assert "immutable" in file.headers["cache-control"], name
    record_property("first_load_kilobytes", sent_kilobytes(others))
    record_property("first_load_files", len(files))
    record_property("font_kilobytes", sent_kilobytes(fonts))
    assert 0 < sent_kilobytes(others) < MOST_KILOBYTES, sorted(files)
    assert sent_kilobytes(fonts) < MOST_FONT_KILOBYTES, sorted(files)


def test_words_and_charts_are_in_fonts_of_the_page(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    families = "() => [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family)"
    assert {family.strip("'\"") for family in charts.page.evaluate(families)} == {"Inter", "JetBrains Mono"}
    # Figures have one width, also where a canvas draws them.
    widths = """() => {
      const pen = document.createElement('canvas').getContext('2d');
      pen.font = '12px ' + getComputedStyle(document.body).fontFamily;
      return [...'0123456789'].map((figure) => pen.measureText(figure).width);
    }"""
    assert len(set(charts.page.evaluate(widths))) == 1


def test_no_files_of_code_import_each_other_in_a_circle() -> None:
    """One of them would run before what it needs is there, and its tab would not open."""
    imported = re.compile(r"""(?:from|import)\s*["'`]\./([^"'`]+\.js)["'`]""")
    imports = {path.name: set(imported.findall(path.read_text())) for path in ASSETS.glob("*.js")}
    assert len(imports) > 20
    assert any(imports.values())
    TopologicalSorter(imports).prepare()


def test_a_tab_comes_when_the_pointer_nears_it(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    files = files_of(charts.page)
    tab = charts.page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Profile")
    tab.hover()
    first = {"OverviewPart.js", "OverviewPart.css"}  # the view that the tab opens with
    charts.wait_until(lambda: first <= {re.sub(r"-[\w-]{8}\.", ".", name) for name in files}, what="code and style of the tab Profile")
    before: set[str] = set()
    while before != set(files):
        before = set(files)
        charts.page.wait_for_timeout(500)
    tab.click()
    expect(charts.page.get_by_text(PROFILE_START)).to_be_visible()
    assert {name for name in files if name.endswith((".js", ".css"))} <= before


def test_what_may_be_opened_next_comes_while_nothing_else_is_done(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    files = files_of(charts.page)
    charts.wait_until(lambda: any(name.startswith("RunPage") for name in files), what="the code of a run's page")
    charts.settle()
    before = set(files)
    expect(charts.details("alpha")).to_be_visible()
    assert {name for name in files if name.endswith((".js", ".css"))} <= before


def test_a_tab_that_does_not_come_is_said_and_tried_again(
    charts: ChartsPage, server_on: Callable[..., PageServer], tmp_path: Path
) -> None:
    charts.may_complain = True
    logs = LogFolder(tmp_path / "logs")
    write_three_runs(logs)
    server = server_on(logs.path)
    charts.open(server.address)
    server.kill()
    charts.page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Profile").click()
    alert = charts.page.get_by_role("main").get_by_role("alert")
    retry = alert.get_by_role("button", name="Retry")
    expect(retry).to_be_visible()
    retry.click()
    expect(retry).to_be_enabled()
    server.start()
    retry.click()
    expect(charts.page.get_by_text(PROFILE_START)).to_be_visible()
    expect(alert).to_have_count(0)


def test_files_of_another_version_ask_for_a_reload(charts: ChartsPage, address: str) -> None:
    charts.may_complain = True
    charts.open(address)
    charts.page.route("**/assets/**", lambda route: route.fulfill(status=404, body=""))
    charts.page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Profile").click()
    reload = charts.page.get_by_role("main").get_by_role("alert").get_by_role("button", name="Reload")
    expect(reload).to_be_visible()
    charts.page.unroute("**/assets/**")
    reload.click()
    expect(charts.page.get_by_text(PROFILE_START)).to_be_visible()
