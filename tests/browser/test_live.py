"""While training goes on: new points, runs that come and go, pausing, and a server that dies and comes back."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.page_clock import let_pass
from browser.page_server import PageServer
from log_folder import LogFolder


@pytest.fixture
def growing(tmp_path: Path) -> LogFolder:
    """A run with ten points, which tests add to."""
    logs = LogFolder(tmp_path / "growing")
    now = time.time()
    logs.write("first", {"loss": [1.0] * 10}, start=now - 10)
    return logs


def add(logs: LogFolder, first: int, count: int, value: float = 1.0, run: str = "first") -> None:
    """Appends points to a run."""
    points = [(step, value) for step in range(first, first + count)]
    logs.write(run, {"loss": points}, start=time.time(), gap=0.001, version=False)


def test_points_appear_by_themselves(charts: ChartsPage, server_on: Callable[..., PageServer], growing: LogFolder) -> None:
    charts.open(server_on(growing.path).address)
    assert charts.steps("loss") == (0, 9)
    for round_ in range(1, 6):
        add(growing, 10 * round_, 10, value=1.0 + round_)
        last = 10 * round_ + 9
        charts.wait_until(lambda last=last: charts.steps("loss") == (0, last))
    assert charts.points("loss") == (60, 60)
    charts.wait_until(lambda: "6" in charts.row("first").locator(".cell").first.inner_text(), what="the new last value")
    expect(charts.row("first").locator(".status")).to_have_text("live")
    expect(charts.page.locator("header .live")).to_contain_text("60 points, 1 run live")


def test_runs_come_and_go(charts: ChartsPage, server_on: Callable[..., PageServer], growing: LogFolder) -> None:
    charts.open(server_on(growing.path).address)
    assert charts.listed() == ["first"]
    colour = charts.colour("first")
    growing.write("second", {"loss": [2.0] * 5, "fresh/tag": [1.0]}, start=time.time())
    charts.wait_until(lambda: "second" in charts.listed(), what="the new run")
    charts.wait_until(lambda: charts.line_count("loss") == 2, what="its line")
    expect(charts.page.get_by_role("heading", level=2).filter(has_text="fresh")).to_be_visible()
    assert charts.colour("first") == colour
    shutil.rmtree(growing.path / "first")
    charts.wait_until(lambda: charts.listed() == ["second"], what="a list without the deleted run")
    charts.wait_until(lambda: charts.line_count("loss") == 1)


def test_nothing_moves_while_paused(charts: ChartsPage, server_on: Callable[..., PageServer], growing: LogFolder) -> None:
    charts.open(server_on(growing.path).address)
    charts.button("Pause live updates").click()
    add(growing, 10, 10)
    expect(charts.page.locator("header .live")).to_contain_text("20 points, paused")
    assert charts.steps("loss") == (0, 9)
    charts.button("Resume live updates").click()
    charts.wait_until(lambda: charts.steps("loss") == (0, 19))


def test_reload_reads_a_folder_not_watched(charts: ChartsPage, server_on: Callable[..., PageServer], growing: LogFolder) -> None:
    charts.open(server_on(growing.path, "--reload_interval", "0").address)
    add(growing, 10, 10)
    let_pass(charts.page, 1500)
    assert charts.steps("loss") == (0, 9)
    charts.button("Reload the log folder").click()
    expect(charts.page.get_by_text("Reloaded")).to_be_visible()
    charts.wait_until(lambda: charts.steps("loss") == (0, 19))


def test_a_zoomed_view_stays_where_it_is(charts: ChartsPage, server_on: Callable[..., PageServer], growing: LogFolder) -> None:
    charts.open(server_on(growing.path).address, "#scalars?zoom=2..6&at=4")
    add(growing, 10, 10)
    expect(charts.page.locator("header .live")).to_contain_text("20 points")
    let_pass(charts.page, 300)
    assert charts.steps("loss") == (2, 6)
    expect(charts.page.get_by_role("heading", name="Step 4")).to_be_visible()


def test_a_dead_server_is_noticed_and_its_return_too(
    charts: ChartsPage, server_on: Callable[..., PageServer], growing: LogFolder
) -> None:
    charts.may_complain = True
    server = server_on(growing.path)
    charts.open(server.address)
    server.kill()
    notice = charts.page.get_by_role("alert").filter(has_text="not responding")
    expect(notice).to_be_visible()
    expect(notice).to_contain_text("Retrying in")
    assert charts.line_count("loss") == 1  # what was there stays
    add(growing, 10, 10)
    server.start()
    with contextlib.suppress(PlaywrightTimeoutError):  # it may have come back by itself
        charts.button("Retry now").click(timeout=1_000)
    expect(notice).to_have_count(0)
    charts.wait_until(lambda: charts.steps("loss") == (0, 19), what="points written while the server was away")


def test_ages_and_values_are_never_cut(charts: ChartsPage, server_on: Callable[..., PageServer], tmp_path: Path) -> None:
    logs = LogFolder(tmp_path / "ages")
    for minutes in (59, 23 * 60, 1097 * 24 * 60):
        logs.write(f"ended-{minutes}-minutes-ago", {"loss": [-0.01234]}, start=time.time() - 60 * minutes - 5)
    charts.open(server_on(logs.path).address)
    charts.wait_until(lambda: "−0.01234" in charts.row("ended-59-minutes-ago").inner_text())
    cut = """() => [...document.querySelectorAll('.cell')]
      .filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => `${cell.innerText} ${cell.scrollWidth}`)"""
    assert charts.page.evaluate(cut) == []


REQUESTS_PER_SECOND = 3


def test_growing_runs_make_few_requests(charts: ChartsPage, server_on: Callable[..., PageServer], tmp_path: Path) -> None:
    """One stream says what changed; all cards that grew ask together, not more often than every second."""
    logs, rounds = LogFolder(tmp_path / "many"), 40
    tags = [f"part/tag{place}" for place in range(8)]
    for run in ("one", "two", "three"):
        logs.write(run, {tag: [1.0] * 10 for tag in tags}, start=time.time() - 10)
    charts.open(server_on(logs.path).address)
    made: list[str] = []
    charts.page.on("request", lambda request: made.append(request.url))
    began = time.monotonic()
    for place in range(rounds):
        for run in ("one", "two", "three"):
            logs.write(run, {tag: [(10 + place, 1.0)] for tag in tags}, start=time.time(), version=False)
        let_pass(charts.page, 100)
    charts.wait_until(lambda: charts.steps(tags[0]) == (0, 9 + rounds), what="the last points")
    seconds = time.monotonic() - began
    assert not [url for url in made if "live" in url], "the stream was opened again"
    assert len(made) <= REQUESTS_PER_SECOND * (seconds + 2), made
