"""Measures an open page in real Chromium: requests and frames while runs grow, and while the pointer moves over many lines."""

from __future__ import annotations

import math
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from client import Server
from first_paint import SWITCHES, chromium
from stepscope.writer import SummaryWriter

RUNS, TAGS, ROUNDS_PER_SECOND = 3, 12, 10
SECONDS = 300.0
LINES, POINTS, MOVES = 1000, 1000, 400
SETTLE_MS = 6000
COUNT_FRAMES = """() => {
  let last = performance.now();
  window.gaps = [];
  const frame = () => {
    const now = performance.now();
    window.gaps.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""


@contextmanager
def growing(folder: Path) -> Iterator[None]:
    """Runs that are written to all the time."""
    ended = threading.Event()

    def write() -> None:
        with ExitStack() as stack:
            writers = [stack.enter_context(SummaryWriter(folder / f"run{number}")) for number in range(RUNS)]
            step = 0
            while not ended.wait(1 / ROUNDS_PER_SECOND):
                for writer in writers:
                    for tag in range(TAGS):
                        writer.add_scalar(f"group{tag % 3}/tag{tag}", math.exp(-step / 500), step)
                    writer.flush()
                step += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def opened(browser: Browser, address: str) -> Page:
    """A fresh page that has drawn its charts."""
    page = browser.new_context(viewport={"width": 1600, "height": 1000}).new_page()
    page.goto(address)
    page.get_by_role("application").first.wait_for(timeout=60_000)
    page.wait_for_timeout(SETTLE_MS)
    return page


def spread(gaps: list[float]) -> dict[str, float]:
    """Milliseconds between frames."""
    return {"median_ms": statistics.median(gaps), "p95_ms": statistics.quantiles(gaps, n=20)[-1], "longest_ms": max(gaps)}


def while_growing(browser: Browser, top: Path, seconds: float) -> dict[str, Any]:
    """Requests and frames of a page that shows growing runs; the stream of live events is one request, made before."""
    folder = top / "growing"
    with growing(folder):
        time.sleep(2)
        with Server(folder, home=top) as server:
            page = opened(browser, server.address)
            made: list[str] = []
            page.on("request", lambda request: made.append(request.url))
            page.evaluate(COUNT_FRAMES)
            page.wait_for_timeout(1000 * seconds)
            gaps: list[float] = page.evaluate("window.gaps")
            page.context.close()
    return {"requests_per_second": len(made) / seconds, "frames": spread(gaps)}


def over_many_lines(browser: Browser, top: Path) -> dict[str, Any]:
    """Frames while the pointer moves over a chart of many lines, and the requests that this makes."""
    folder = top / "many"
    for run in range(LINES):
        with SummaryWriter(folder / f"run{run:04}") as writer:
            for step in range(POINTS):
                writer.add_scalar("loss", math.exp(-step / 300) * (1 + run % 13) + math.sin(step * run) / 5, step)
    with Server(folder, home=top) as server:
        server.client().wait_until_loaded(LINES * POINTS)
        page = opened(browser, f"{server.address}#scalars?runs=all")
        box = page.get_by_role("application").first.bounding_box()
        assert box is not None
        made: list[str] = []
        page.on("request", lambda request: made.append(request.url))
        page.evaluate(COUNT_FRAMES)
        for move in range(MOVES):
            across, down = move / MOVES, abs(move / 20 % 2 - 1)
            page.mouse.move(box["x"] + 60 + (box["width"] - 90) * across, box["y"] + 40 + 100 * down)
        gaps: list[float] = page.evaluate("window.gaps")
        page.context.close()
    return {**spread(gaps), "requests": len(made)}


def measure(seconds: float = SECONDS) -> dict[str, Any]:
    """Both, in one browser."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=SWITCHES)
        found = {
            "runs": RUNS,
            "tags": TAGS,
            "seconds": seconds,
            **while_growing(browser, Path(name), seconds),
            "lines": LINES,
            "hover": over_many_lines(browser, Path(name)),
        }
        browser.close()
    return found
