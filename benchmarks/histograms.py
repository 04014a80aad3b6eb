"""Measures how soon histograms of 10,000 steps of 50 layers are drawn in real Chromium, beside TensorBoard, which shows 51."""

from __future__ import annotations

import json
import shutil
import statistics
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, sync_playwright

from client import POLL_SECONDS, Client, Server
from dataset import BEGAN, KEPT
from first_paint import SWITCHES, WAIT_MS, tensorboard
from stepscope.writer import SummaryWriter

STEPS = 10_000
LAYERS = 50
BUCKETS = 30
VALUES = 100_000
VISITS = 3
AT_ONCE = 4
QUIET = """() => {
  const cards = [...document.querySelectorAll('[role=application]')];
  return cards.length > 0 && cards.every((card) => card.getAttribute('aria-busy') === 'false');
}"""


def make() -> Path:
    """A run whose layers' weights spread while it trains; made once, complete or not there at all."""
    folder = KEPT / f"histograms_{STEPS}x{LAYERS}"
    if folder.exists():
        return folder
    draft = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    counts = np.histogram(np.random.default_rng(1).normal(size=VALUES), BUCKETS, (-4, 4))[0]
    with SummaryWriter(draft / "run") as writer:
        for step in range(STEPS):
            for layer in range(LAYERS):
                reach = 0.2 * (1 + layer / 10) * (1 + step / STEPS)
                limits = np.linspace(-reach, reach, BUCKETS + 1)[1:]
                writer.add_histogram_raw(
                    f"weights/layer{layer:02}", -reach, reach, VALUES, 0.0, 1.0, limits, np.roll(counts, layer), step, BEGAN + step
                )
            if step % 20 == 0:
                writer.flush()
    draft.rename(folder)
    return folder


def all_layers(client: Client) -> dict[str, float]:
    """The first and the second time that every layer is reduced to a card's pixels, and what comes over the wire."""
    run = client.get("runs")["runs"][0]["id"]
    series = [{"run": run, "tag": f"weights/layer{layer:02}"} for layer in range(LAYERS)]
    found: dict[str, float] = {}
    for when in ("first", "again"):
        began, size = time.perf_counter(), 0
        for first in range(0, LAYERS, AT_ONCE):
            size += len(client.ask("POST", "histograms/grid", {"series": series[first : first + AT_ONCE], "slots": 160, "bins": 130}))
        found |= {f"{when}_seconds": time.perf_counter() - began, "megabytes": size / 1e6}
    return found


def visits(browser: Browser, address: str, ready: str, *, selector: bool) -> float:
    """The median of fresh visits until the cards on the screen are drawn."""
    shown: list[float] = []
    for _ in range(VISITS):
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.goto(address)
        if selector:
            page.locator(ready).first.wait_for(state="attached", timeout=WAIT_MS)
        else:
            page.wait_for_function(ready, timeout=WAIT_MS)
        shown.append(float(page.evaluate("performance.now()")))
        context.close()
    return statistics.median(shown)


def wait_until_tensorboard_has_all(address: str) -> int:
    """Waits for the last step of the last layer; returns how many steps TensorBoard keeps of it."""
    query = urllib.parse.urlencode({"run": "run", "tag": f"weights/layer{LAYERS - 1:02}"})
    until = time.monotonic() + 900
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"{address}data/plugin/histograms/histograms?{query}", timeout=60) as answer:
                rows = json.load(answer)
            if rows and rows[-1][1] == STEPS - 1:
                return len(rows)
        except OSError:
            pass  # it answers 404 until it has met the tag
        time.sleep(POLL_SECONDS)
    raise SystemExit("TensorBoard did not load the histograms within a quarter of an hour.")


def histograms(peers: str) -> dict[str, Any]:
    """Both pages on one folder, after it was loaded."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("Install Chromium: histograms are measured in it.")
    folder = make()
    with tempfile.TemporaryDirectory() as home, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=SWITCHES)
        began = time.perf_counter()
        with Server(folder, home=Path(home)) as server:
            server.client().wait_until_loaded(0)
            ours: dict[str, Any] = {"loaded_seconds": time.perf_counter() - began, "steps": STEPS}
            ours["drawn_ms"] = visits(browser, f"{server.address}#media?kind=histograms", QUIET, selector=False)
            ours["all_layers"] = all_layers(server.client())
        began = time.perf_counter()
        with tensorboard(folder, peers) as address:
            kept = wait_until_tensorboard_has_all(address)
            theirs = {"loaded_seconds": time.perf_counter() - began, "steps": kept}
            theirs["drawn_ms"] = visits(browser, f"{address}#histograms", "vz-histogram-timeseries .histogram path", selector=True)
        browser.close()
    size = sum(path.stat().st_size for path in folder.rglob("*tfevents*"))
    counts = {"steps": STEPS, "layers": LAYERS, "bytes": size, "poll_seconds": POLL_SECONDS}
    return {**counts, "stepscope": ours, "tensorboard": theirs}
