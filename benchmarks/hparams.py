"""Measures how soon the table of 5,000 trials is answered, and how smoothly it scrolls in real Chromium."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from client import Server
from dataset import KEPT
from first_paint import SWITCHES, WAIT_MS
from stepscope.ingest.loader import Loader, Root
from stepscope.queries.hparams.metrics import Asked
from stepscope.queries.hparams.reader import Question
from stepscope.session.reads import Reads
from stepscope.store.library import Library
from stepscope.writer import SummaryWriter

RUNS = 5_000
HPARAMS = 50
METRICS = 20
POINTS = 20
ROUNDS = 5
FRAMES = 90
SCROLL = """async (frames) => {
  const body = document.querySelector('[data-scroller=hparams]');
  const times = [];
  let last = performance.now();
  for (let i = 0; i < frames; i++) {
    body.scrollTop += 600;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  return times;
}"""


def make() -> Path:
    """A search with as many values of each kind; made once, complete or not there at all."""
    folder = KEPT / f"hparams_{RUNS}x{HPARAMS}x{METRICS}"
    if folder.exists():
        return folder
    draft = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    rng = np.random.default_rng(1)
    for run in range(RUNS):
        values: dict[str, float | str] = {f"h{place:02d}": float(rng.integers(0, 8)) for place in range(HPARAMS - 12)}
        values |= {f"random{place}": float(rng.random()) for place in range(10)}
        values |= {"optimizer": str(rng.choice(["adam", "sgd", "lion"])), "seed": float(run % 3)}
        with SummaryWriter(str(draft / f"trial-{run:04d}")) as writer:
            writer.log_config(values)
            for step in range(POINTS):
                for metric in range(METRICS):
                    writer.add_scalar(f"metric{metric:02d}", float(rng.random()), step)
    draft.rename(folder)
    return folder


def answers(folder: Path) -> dict[str, float]:
    """Seconds of the first table after the load, and of later ones with other readings."""
    library = Library()
    Loader(library, [Root("", str(folder))], reload_interval=0, cache=False).reload()
    metrics = tuple(("", f"metric{place:02d}") for place in range(METRICS))
    seconds: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        reads = Reads(library)
        readings = {
            "first": Asked("last"),
            "last": Asked("last"),
            "best": Asked("best"),
            "mean": Asked("mean"),
            "at": Asked("at", at=10),
        }
        for name, asked in readings.items():
            began = time.perf_counter()
            table = reads.hparams.table(reads.views.view(), Question(metrics, asked=asked))
            seconds.setdefault(name, []).append(time.perf_counter() - began)
            assert (len(table.sessions), len(table.hparams), len(table.metrics)) == (RUNS, HPARAMS, METRICS)
    return {f"{name}_seconds": statistics.median(each) for name, each in seconds.items()}


def scrolling(folder: Path) -> dict[str, float]:
    """Until the rows are drawn, and the time of a frame while they scroll."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("Install Chromium: the table is measured in it.")
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as home, Server(folder, home=Path(home)) as server:
        browser = driver.chromium.launch(executable_path=program, args=SWITCHES)
        server.client().wait_until_loaded(0)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{server.address}#hparams")
        page.locator("[data-scroller=hparams] [data-row]").first.wait_for(timeout=WAIT_MS)
        drawn = float(page.evaluate("performance.now()"))
        frames: list[float] = page.evaluate(SCROLL, FRAMES)
        browser.close()
    return {"drawn_ms": drawn, "frame_ms": statistics.median(frames), "slow_frame_ms": sorted(frames)[len(frames) * 9 // 10]}


def hparams() -> dict[str, Any]:
    """Everything on this machine."""
    folder = make()
    return {"runs": RUNS, "hparams": HPARAMS, "metrics": METRICS, **answers(folder), **scrolling(folder)}
