"""Measures how soon a graph of 50,000 nodes is drawn in real Chromium, how soon scopes open, and how smoothly the picture moves."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from client import Server
from dataset import KEPT
from first_paint import SWITCHES, WAIT_MS
from stepscope.writer.message import Message

LAYERS = 100
BLOCKS = 10
OPERATIONS = 50
NODES = LAYERS * BLOCKS * OPERATIONS
VISITS = 3
FRAMES = 90
DRAG = """async (frames) => {
  const picture = document.querySelector('[role=application]');
  picture.setPointerCapture = () => undefined;
  const box = picture.getBoundingClientRect();
  const fire = (type, x, y) => {
    const at = { clientX: box.left + x, clientY: box.top + y };
    picture.dispatchEvent(new PointerEvent(type, { ...at, pointerId: 1, button: 0, buttons: 1, bubbles: true }));
  };
  const times = [];
  fire('pointerdown', 30, 30);
  let last = performance.now();
  for (let i = 0; i < frames; i++) {
    fire('pointermove', 30 + 2 * i, 30 + i);
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  fire('pointerup', 30 + 2 * frames, 30 + frames);
  return times;
}"""


def make() -> Path:
    """A run with a network of layers, blocks and operations, each reading the one before and a weight; complete or not there at all."""
    folder = KEPT / f"graph_{NODES}"
    if folder.exists():
        return folder
    draft = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(draft, ignore_errors=True)
    (draft / "run").mkdir(parents=True)
    before = ""
    with (draft / "run" / "model.pb").open("wb") as file:
        for place in range(NODES):
            layer, block, operation = place // (BLOCKS * OPERATIONS), place // OPERATIONS % BLOCKS, place % OPERATIONS
            name = f"layer_{layer}/block_{block}/{'MatMul' if operation % 2 else 'Relu'}_{operation}"
            node = Message("NodeDef").text("name", name).text("op", "MatMul" if operation % 2 else "Relu")
            for source in (before, f"layer_{layer}/block_0/Relu_0" if operation == OPERATIONS - 1 else ""):
                if source and source != name:
                    node.text("input", source)
            file.write(Message("GraphDef").message("node", node).encoded())
            before = name
    draft.rename(folder)
    return folder


def opened(page: Page, path: str, inside: str) -> float:
    """Milliseconds from asking for a scope until what is inside it is drawn."""
    began = time.perf_counter()
    field = page.get_by_label("Search nodes")
    field.fill(path)
    page.get_by_role("listbox", name="Matches").get_by_role("option").first.wait_for(timeout=WAIT_MS)
    field.press("Enter")
    page.locator(f'li[data-path="{inside}"]').wait_for(state="attached", timeout=WAIT_MS)
    return 1000 * (time.perf_counter() - began)


def visits(browser: Browser, folder: Path) -> dict[str, float]:
    """From the visit to a fresh server until the graph is drawn, then into the deepest scope, then moving the picture."""
    shown: list[float] = []
    inside: list[float] = []
    frames: list[float] = []
    for _ in range(VISITS):
        with tempfile.TemporaryDirectory() as home, Server(folder, home=Path(home)) as server:
            server.client().wait_until_loaded(0)
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            page.goto(f"{server.address}#graphs")
            page.locator("canvas[data-rows]").wait_for(timeout=WAIT_MS)
            shown.append(float(page.evaluate("performance.now()")))
            inside.append(opened(page, "layer_57/block_3/MatMul_7", "layer_57/block_3/MatMul_7"))
            frames += page.evaluate(DRAG, FRAMES)
            page.close()
    return {
        "drawn_ms": statistics.median(shown),
        "opened_ms": statistics.median(inside),
        "frame_ms": statistics.median(frames),
        "slow_frame_ms": sorted(frames)[len(frames) * 9 // 10],
    }


def graphs() -> dict[str, Any]:
    """Everything on this machine."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise SystemExit("Install Chromium: graphs are measured in it.")
    folder = make()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=SWITCHES)
        found = visits(browser, folder)
        browser.close()
    return {"nodes": NODES, **found}
