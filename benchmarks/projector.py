"""Measures how soon 100,000 vectors are drawn in real Chromium, how smoothly they turn, and how long reductions take."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, sync_playwright

from client import Server
from dataset import KEPT
from first_paint import SWITCHES, WAIT_MS
from stepscope.embeddings.layouts import Layouts, Question
from stepscope.embeddings.opened import Opened
from stepscope.model.embedding import EmbeddingState, Vectors

POINTS = 100_000
DIMENSIONS = 256
REDUCED = (5_000, 10_000, 20_000)
"""TensorBoard computes UMAP of at most the first number of points, t-SNE of at most the second, and neither of the third."""
VISITS = 3
FRAMES = 90
DRAG = """async (frames) => {
  const scene = document.querySelector('[role=application]');
  scene.setPointerCapture = () => undefined;
  const box = scene.getBoundingClientRect();
  const fire = (type, x, y) =>
    scene.dispatchEvent(new PointerEvent(type, { clientX: box.left + x, clientY: box.top + y, pointerId: 1, bubbles: true }));
  const times = [];
  fire('pointerdown', 200, 200);
  let last = performance.now();
  for (let i = 0; i < frames; i++) {
    fire('pointermove', 200 + 3 * i, 200 + i);
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  fire('pointerup', 200 + 3 * frames, 200 + frames);
  return times;
}"""


def make() -> Path:
    """A run with the same vectors as text and as raw numbers; made once, complete or not there at all."""
    folder = KEPT / f"projector_{POINTS}x{DIMENSIONS}"
    if folder.exists():
        return folder
    draft = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    (draft / "run").mkdir(parents=True)
    values = np.random.default_rng(1).normal(size=(POINTS, DIMENSIONS)).astype(np.float32)
    values.tofile(draft / "run" / "raw.bytes")
    with (draft / "run" / "text.tsv").open("w") as file:
        file.writelines("\t".join(map(str, row)) + "\n" for row in values.tolist())
    (draft / "run" / "projector_config.pbtxt").write_text(
        'embeddings { tensor_name: "text" tensor_path: "text.tsv" }\n'
        f'embeddings {{ tensor_name: "raw" tensor_path: "raw.bytes" tensor_shape: [{POINTS}, {DIMENSIONS}] }}\n'
    )
    draft.rename(folder)
    return folder


def first_view(browser: Browser, folder: Path, name: str) -> dict[str, float]:
    """From the visit to a fresh server until the principal components are drawn, and the time of a frame while they are turned."""
    shown: list[float] = []
    frames: list[float] = []
    for _ in range(VISITS):
        with tempfile.TemporaryDirectory() as home, Server(folder, home=Path(home)) as server:
            server.client().wait_until_loaded(0)
            (row,) = server.client().get("runs")["runs"]
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(f"{server.address}#projector?projector=run={row['id']}%26name={name}")
            page.locator(f'canvas[data-drawn="{POINTS}"]').wait_for(timeout=WAIT_MS)
            shown.append(float(page.evaluate("performance.now()")))
            frames += page.evaluate(DRAG, FRAMES)
            page.close()
    return {
        "drawn_ms": statistics.median(shown),
        "frame_ms": statistics.median(frames),
        "slow_frame_ms": sorted(frames)[len(frames) * 9 // 10],
    }


def reductions() -> list[dict[str, float]]:
    """Seconds of t-SNE and UMAP in a warm process."""
    layouts = Layouts()
    rows: list[dict[str, float]] = []
    for points in (1_000, *REDUCED):  # the first one warms up and is not reported
        values = np.random.default_rng(points).normal(size=(points, 64)).astype(np.float32)
        opened = Opened(f"benchmark {points}", EmbeddingState(None), Vectors(values, np.arange(points), points), (), ())
        row: dict[str, float] = {"points": points}
        for method in ("tsne", "umap"):
            began = time.perf_counter()
            layouts.lay_out(opened, Question(method=method, components=2), lambda *_: None)
            row[f"{method}_seconds"] = time.perf_counter() - began
        rows.append(row)
    layouts.close()
    return rows[1:]


def projector() -> dict[str, Any]:
    """Everything on this machine."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("Install Chromium: the projector is measured in it.")
    folder = make()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=SWITCHES)
        views = {name: first_view(browser, folder, name) for name in ("text", "raw")}
        browser.close()
    return {"points": POINTS, "dimensions": DIMENSIONS, "views": views, "reductions": reductions()}
