"""The Capture button: only where the operator lists processes, by keyboard too, and a capture that fails is announced."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.charts_page import ChartsPage
from browser.page_checks import faults
from browser.schemes import Scheme
from log_folder import LogFolder, decay
from stepscope.dashboards.context import Project
from stepscope.ingest.loader import Root
from stepscope.server.app import Application
from stepscope.server.serving import Server, listen
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

pytestmark = pytest.mark.browser
LISTED = ("127.0.0.1:1", "127.0.0.1:2")
"""Ports where nothing can listen."""


@contextmanager
def serving(page: Page, folder: Path, *listed: str) -> Iterator[str]:
    """A real server on a folder without profiles."""
    logs = LogFolder(folder / "logs")
    logs.write("a", {"loss": decay(50)})
    logs.load()
    roots = (Root("", str(logs.path)),)
    application = Application(Project(Reads(logs.library), logs.loader, UserState(folder / "data"), roots, capture_from=listed))
    sockets = listen("127.0.0.1", 0)
    server = Server(application)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets)))
    thread.start()
    try:
        yield f"http://127.0.0.1:{sockets[0].getsockname()[1]}/#profile"
    finally:
        page.goto("about:blank")  # It would complain about a server that is gone.
        application.close()
        server.handle_exit(15, None)
        thread.join(60)


def test_without_listed_processes_there_is_no_button(charts: ChartsPage, tmp_path: Path) -> None:
    with serving(charts.page, tmp_path) as address:
        charts.page.goto(address)
        expect(charts.page.get_by_role("heading", name="No profiles yet")).to_be_visible()
        expect(charts.page.get_by_role("button", name="Capture a profile")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_capture_is_started_and_its_failure_announced(charts: ChartsPage, tmp_path: Path, scheme: Scheme) -> None:
    page, charts.may_complain = charts.page, True  # The browser reports every answer that is an error.
    page.emulate_media(color_scheme=scheme)
    with serving(page, tmp_path, *LISTED) as address:
        page.goto(address)
        page.get_by_role("button", name="Capture a profile").press("Enter")
        expect(page.get_by_label("Duration in seconds")).to_have_value("2")
        boxes = [page.get_by_label(each) for each in LISTED]
        for box in boxes:
            expect(box).to_be_checked()
        start = page.get_by_role("button", name="Start capture")
        for box in boxes:
            box.uncheck()
        expect(start).to_be_disabled()
        boxes[0].check()
        assert faults(page) == []
        page.get_by_label("Duration in seconds").fill("0.1")
        start.click()
        expect(page.get_by_text("Capture 127.0.0.1:1").or_(page.get_by_text("stepscope[capture]")).first).to_be_visible()
