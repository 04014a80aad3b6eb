"""Jobs in the top bar: there while there are any, with progress and Cancel, by keyboard too, and the end is announced."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.page_checks import faults
from browser.schemes import Scheme
from log_folder import LogFolder, decay
from stepscope.dashboards.context import Project
from stepscope.ingest.loader import Root
from stepscope.jobs.job import Job, State
from stepscope.jobs.queue import JobQueue
from stepscope.model.errors import BadInput
from stepscope.model.user import LOCAL_USER
from stepscope.server.app import Application
from stepscope.server.serving import Server, listen
from stepscope.session.reads import Reads
from stepscope.store.user_state import UserState

pytestmark = pytest.mark.browser


@dataclass
class Served:
    """A real server in this process, whose jobs the test starts itself."""

    address: str
    jobs: JobQueue

    def start(self, title: str) -> tuple[Job[None], threading.Event]:
        """A job that is at 120 of 400 until it is let go on or cancelled."""
        go = threading.Event()

        def work(job: Job[None]) -> None:
            while not go.wait(0.05):
                job.report(120, 400, "series", "310 MB written")

        return self.jobs.submit(None, title, work, owner=LOCAL_USER.id), go


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """The server, on a folder with one run."""
    logs = LogFolder(tmp_path / "logs")
    logs.write("a", {"loss": decay(50)})
    logs.load()
    project = Project(Reads(logs.library), logs.loader, UserState(tmp_path / "data"), (Root("", str(logs.path)),))
    application = Application(project)
    sockets = listen("127.0.0.1", 0)
    server = Server(application)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets)))
    thread.start()
    yield Served(f"http://127.0.0.1:{sockets[0].getsockname()[1]}/", project.jobs)
    application.close()
    server.handle_exit(15, None)
    thread.join(60)


def test_without_jobs_there_is_nothing(charts: ChartsPage, served: Served) -> None:
    charts.open(served.address)
    expect(charts.page.locator("button.jobs")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_job_shows_its_progress_and_is_cancelled_by_keyboard(charts: ChartsPage, served: Served, scheme: Scheme) -> None:
    page = charts.page
    page.emulate_media(color_scheme=scheme)
    charts.open(served.address)
    job, _ = served.start("Export 400 series as CSV")
    button = page.locator("button.jobs")
    expect(button).to_be_visible()
    button.focus()
    page.keyboard.press("Enter")
    bar = page.get_by_role("progressbar", name=job.title)
    expect(bar).to_have_attribute("aria-valuenow", "30")
    expect(page.get_by_role("dialog").get_by_text("120 of 400")).to_be_visible()
    assert faults(page) == []
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Enter")
    charts.wait_until(lambda: job.state is State.CANCELLED, what="a cancelled job")
    expect(page.get_by_role("status").get_by_text(job.title)).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_the_end_of_a_job_is_announced(charts: ChartsPage, served: Served) -> None:
    charts.open(served.address)
    job, go = served.start("Count the stars")
    expect(charts.page.locator("button.jobs")).to_be_visible()
    go.set()
    expect(charts.page.get_by_role("status").get_by_text(job.title)).to_be_visible()
    assert job.state is State.DONE


def test_a_job_that_fails_says_why(charts: ChartsPage, served: Served) -> None:
    charts.open(served.address)

    def fail(_: Job[None]) -> None:
        time.sleep(1)
        raise BadInput("The disk is full.", "full")

    served.jobs.submit(None, "Write a file", fail, owner=LOCAL_USER.id)
    expect(charts.page.get_by_role("status").get_by_text("The disk is full.")).to_be_visible()
    charts.page.locator("button.jobs").click()
    expect(charts.page.get_by_role("dialog").get_by_text("The disk is full.")).to_be_visible()


def test_a_page_that_is_opened_later_shows_what_is_at_work(charts: ChartsPage, served: Served) -> None:
    _, go = served.start("Export 400 series as CSV")
    charts.open(served.address)
    expect(charts.page.locator("button.jobs")).to_be_visible()
    go.set()


def test_reading_the_folder_again_still_works(charts: ChartsPage, served: Served) -> None:
    charts.open(served.address)
    charts.button("Reload the log folder").click()
    expect(charts.page.get_by_role("status").locator(".message")).to_have_count(1)
    expect(charts.button("Reload the log folder")).to_be_enabled()
