"""Measures how soon a page shows something in real Chromium: ours and TensorBoard's, on folders of few and of many runs."""

from __future__ import annotations

import json
import re
import shutil
import statistics
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from client import POLL_SECONDS, Server, free_port
from stepscope.writer import SummaryWriter

VISITS = 7
RUN_COUNTS = (3, 1000)
POINTS = 200
WAIT_MS = 60_000
LOADED_SECONDS = 300
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def folder_of(runs: int, top: Path) -> Path:
    """A folder of runs with a few scalars each."""
    folder = top / f"{runs}_runs"
    for number in range(runs):
        with SummaryWriter(folder / f"run{number:04}") as writer:
            for step in range(POINTS):
                writer.add_scalar("loss", 1 / (1 + step + number), step)
                writer.add_scalar("accuracy", 1 - 1 / (1 + step + number), step)
    return folder


@contextmanager
def tensorboard(folder: Path, peers: str) -> Iterator[str]:
    """The address of the real TensorBoard on a folder."""
    command = [peers, "-m", "tensorboard.main", "--logdir", str(folder), "--port", str(free_port()), "--load_fast=true"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        lines = iter(process.stdout or ())
        yield next(found.group() for line in lines if (found := re.search(r"http://\S+", line)))
    finally:
        process.terminate()
        process.wait(30)


def wait_until_tensorboard_has_all(address: str, runs: int) -> None:
    """Waits until it knows every run and the last step of the last one."""
    query = urllib.parse.urlencode({"run": f"run{runs - 1:04}", "tag": "accuracy"})
    until = time.monotonic() + LOADED_SECONDS
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{address}data/plugin/scalars/tags", timeout=60) as answer:
                known = len(json.load(answer))
            with urllib.request.urlopen(f"{address}data/plugin/scalars/scalars?{query}", timeout=60) as answer:
                rows = json.load(answer)
            if known == runs and rows and rows[-1][1] == POINTS - 1:
                return
        except OSError:
            pass  # it answers 404 until it has met the run
        time.sleep(POLL_SECONDS)
    raise SystemExit(f"TensorBoard did not load {runs} runs within {LOADED_SECONDS} s.")


def visits(browser: Browser, address: str, card: str) -> dict[str, float]:
    """Medians over fresh visits: the first content painted, and the first card of a chart in the page."""
    paints: list[float] = []
    cards: list[float] = []
    for visit in range(VISITS + 1):
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.goto(address)
        page.locator(card).first.wait_for(state="attached", timeout=WAIT_MS)
        shown = float(page.evaluate("performance.now()"))
        paint = float(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        if visit:  # the first one warms the server and the browser
            paints.append(paint)
            cards.append(shown)
        context.close()
    return {"paint_ms": statistics.median(paints), "card_ms": statistics.median(cards)}


def chromium() -> str:
    """The browser that pages are measured in."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("Install Chromium: pages are measured in it.")
    return program


def first_paint(peers: str) -> list[dict[str, Any]]:
    """Both pages on each folder, after the folder was loaded."""
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as top, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=SWITCHES)
        for runs in RUN_COUNTS:
            folder = folder_of(runs, Path(top))
            with Server(folder, home=Path(top)) as server:
                server.client().wait_until_loaded(2 * POINTS * runs)
                ours = visits(browser, server.address, "canvas")
            with tensorboard(folder, peers) as address:
                wait_until_tensorboard_has_all(address, runs)
                theirs = visits(browser, address, "card-view")
            found.append({"runs": runs, "both_loaded": True, "stepscope": ours, "tensorboard": theirs})
        browser.close()
    return found
