"""Names at the end of lines while points arrive: none covers another, and noise does not make them change places."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from browser.charts_page import ChartsPage
from browser.page_server import PageServer
from log_folder import LogFolder

NAMES = ("alpha", "beta", "gamma", "delta")
LABEL_PX = 15
KEEPS_TEXTS = """() => {
  window.drawnTexts = [];
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    window.drawnTexts.push([text, y, performance.now()]);
    return draw.call(this, text, x, y, ...rest);
  };
}"""


def add(logs: LogFolder, noise: random.Random, first: int, count: int) -> None:
    """Noisy lines with levels apart by less than a label is high, on an axis that one far line keeps."""
    now = time.time()
    for place, name in enumerate(NAMES):
        points = [(step, 1.0 + 0.05 * place + noise.uniform(-0.06, 0.06)) for step in range(first, first + count)]
        logs.write(name, {"loss": points}, start=now, gap=0.001, version=first == 0)
    logs.write("far", {"loss": [(step, 9.0) for step in range(first, first + count)]}, start=now, gap=0.001, version=first == 0)


def last_labels(charts: ChartsPage) -> list[tuple[str, float]]:
    """Where each name was drawn last, from top to bottom."""
    texts: list[tuple[str, float, float]] = charts.page.evaluate("() => window.drawnTexts")
    last = {text: y for text, y, _ in texts if text in (*NAMES, "far")}
    return sorted(last.items(), key=lambda label: label[1])


def test_labels_neither_collide_nor_change_places(charts: ChartsPage, server_on: Callable[..., PageServer], tmp_path: Path) -> None:
    logs, noise = LogFolder(tmp_path / "logs"), random.Random(1)
    add(logs, noise, 0, 400)
    charts.page.add_init_script(f"({KEEPS_TEXTS})()")
    charts.open(server_on(logs.path).address)
    orders: set[tuple[str, ...]] = set()
    for round_ in range(5):
        charts.wait_until(lambda steps=400 + 40 * round_: charts.steps("loss") == (0, steps - 1), what="the new points")
        charts.settle()
        labels = last_labels(charts)
        assert {name for name, _ in labels} == {*NAMES, "far"}
        assert all(below - above >= LABEL_PX for (_, above), (_, below) in pairwise(labels)), labels
        orders.add(tuple(name for name, _ in labels))
        add(logs, noise, 400 + 40 * round_, 40)
    assert orders == {("far", *reversed(NAMES))}
