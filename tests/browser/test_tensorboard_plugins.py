"""TensorBoard's plugins in real Chromium: the example speaks with the page, real plots are drawn, and what fails says why."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.page_server import PageServer
from log_folder import LogFolder, decay

EXAMPLE = Path(__file__).resolve().parents[1] / "compat" / "example_plugin"
PLOTS = "tensorboard_plugin_customizable_plots"

pytestmark = [pytest.mark.peers, pytest.mark.slow]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, plugins_python: str) -> Iterator[str]:
    folder = LogFolder(tmp_path_factory.mktemp("logs"))
    folder.write("first", {"loss": decay(50)})
    folder.write("second", {"loss": decay(80)})
    server = PageServer(folder.path, tmp_path_factory.mktemp("homes"))
    server.python = plugins_python
    server.packages = (EXAMPLE,)
    yield server.start()
    server.stop()


def opened(page: Page, address: str, tab: str) -> None:
    page.goto("about:blank")
    page.goto(f"{address}#{tab}")


def test_a_plugin_asks_its_routes_and_the_page_and_reaches_nothing_else(page: Page, address: str) -> None:
    opened(page, address, "greeting")
    frame = page.frame_locator('iframe[title="Greetings"]')
    expect(frame.locator("#routes")).to_have_text("Hello first, second")
    expect(frame.locator("#messages")).to_have_text("Runs: first, second")
    expect(frame.locator("#outside")).to_have_text("outside true, api true")
    expect(page.get_by_role("complementary", name="Run list")).to_have_count(0)


def test_customizable_plots_draws_the_curves(page: Page, address: str) -> None:
    opened(page, address, PLOTS)
    page.frame_locator('iframe[title="CUSTOMIZABLE PLOTS"]').frame_locator("iframe").get_by_text("loss", exact=True).click()
    inner = next(frame for frame in page.frames if frame.url.endswith("static/index.html"))
    expect(inner.locator(".js-plotly-plot .scatterlayer .trace")).to_have_count(2)
    names = inner.locator(".js-plotly-plot .legendtext")
    expect(names).to_have_count(2)
    assert set(names.all_text_contents()) == {"first", "second"}, "in the order in which their answers came"


def test_a_plugin_that_cannot_be_imported_or_drawn_says_why_and_harms_nothing(page: Page, address: str) -> None:
    opened(page, address, "broken")
    expect(page.get_by_role("alert")).to_contain_text("no_such_module_anywhere")
    opened(page, address, "failing")
    expect(page.frame_locator('iframe[title="Failing"]').locator("#stepscope-problem")).to_contain_text("nothing to draw")
    opened(page, address, "scalars")
    expect(page.get_by_role("application").first).to_be_visible()


def test_plugins_are_among_the_tabs(page: Page, address: str) -> None:
    opened(page, address, "scalars")
    page.get_by_role("navigation").get_by_text("Greetings").first.click()
    expect(page.frame_locator('iframe[title="Greetings"]').locator("#routes")).to_have_text("Hello first, second")
