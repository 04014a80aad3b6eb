"""Fixtures for tests in real Chromium: the browser, servers on folders, and a page that must not complain."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect

from browser.charts_page import ChartsPage
from browser.page_server import PageServer
from browser.trace_page import TracePage
from log_folder import LogFolder

expect.set_options(timeout=60_000)  # a busy machine is no failure
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of one file share a server, so they run in one process, one after the other."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.xdist_group(f"browser {item.path.stem}"))


def chromium() -> str:
    """The browser's program; a missing one is a skip on a user's machine and a failure in CI."""
    found = os.environ.get("CHROMIUM") or next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), None)
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Chromium is missing, and with CI=true that is a failure.")
        pytest.skip("needs Chromium: `make test` sets it up")
    return found


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """The system's Chromium, which may run as root and must not call home."""
    return {
        "executable_path": chromium(),
        "headless": True,
        # One process for the tabs of all tests, since starting one costs as much as most tests do.
        "args": ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage", "--process-per-site"],
    }


@pytest.fixture(scope="session")
def browser_context_args() -> dict[str, Any]:
    """A laptop's window, where the clipboard may be used as on a user's machine."""
    return {"viewport": {"width": 1280, "height": 800}, "permissions": ["clipboard-read", "clipboard-write"]}


@pytest.fixture(scope="session")
def window(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[BrowserContext]:
    """One window for the tabs of all tests: files of the page and their compiled code stay in its cache, as on a user's machine.

    An empty tab of the same site stays open, so that its process does.
    """
    opened = browser.new_context(**browser_context_args)
    empty = opened.new_page()
    empty.route("**/*", lambda route: route.fulfill(body="", content_type="text/html"))
    empty.goto("http://127.0.0.1/empty")
    yield opened
    opened.close()


@pytest.fixture
def page(window: BrowserContext) -> Iterator[Page]:
    """A tab that knows nothing of the tests before: what they stored is gone, and so are their tabs."""
    empty, opened = window.pages[0], window.new_page()
    origins: set[str] = set()
    opened.on("framenavigated", lambda frame: origins.add("/".join(frame.url.split("/")[:3])))
    yield opened
    for tab in window.pages[1:]:
        tab.close()
    devtools = window.new_cdp_session(empty)
    for origin in origins:
        if origin.startswith("http"):
            devtools.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage,indexeddb,cookies"})
    devtools.detach()


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Starts `stepscope serve FOLDER …` with a data and cache folder of its own, and returns the page's address."""
    started: list[PageServer] = []

    def start(folder: Path, *arguments: str) -> str:
        started.append(PageServer(folder, tmp_path_factory.mktemp("homes"), *arguments))
        return started[-1].start()

    yield start
    for server in started:
        server.stop()


@pytest.fixture
def server_on(tmp_path: Path) -> Iterator[Callable[..., PageServer]]:
    """A server that the test may stop and start again."""
    started: list[PageServer] = []

    def start(folder: Path, *arguments: str) -> PageServer:
        started.append(PageServer(folder, tmp_path / "homes", *arguments))
        started[-1].start()
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> LogFolder:
    """A log folder for the tests of one file to fill."""
    return LogFolder(tmp_path_factory.mktemp("logs"))


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the page reported as errors or warnings so far; a good test ends with this list empty."""
    found: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            found.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


@pytest.fixture
def trace(page: Page, complaints: list[str], request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TracePage]:
    """The trace viewer, which must not complain; it is photographed when a test fails."""
    failures = request.session.testsfailed
    yield TracePage(page)
    if request.session.testsfailed > failures:
        page.screenshot(path=tmp_path / "failed.png")
    assert complaints == []


@pytest.fixture
def charts(page: Page, complaints: list[str], request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ChartsPage]:
    """The page with words for its parts; it must end without a complaint, and leaves a picture behind when a test fails."""
    page.set_default_timeout(60_000)
    parts = ChartsPage(page)
    failures = request.session.testsfailed
    yield parts
    if request.session.testsfailed > failures:
        page.screenshot(path=tmp_path / "failed.png")
    if not parts.may_complain:
        assert complaints == []
