"""Absurd profiles in the trace of a real browser: drawn or counted, and the tab answers at once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.page_checks import INKED, WIDER_THAN_THE_PAGE
from browser.trace_page import TracePage

MEGABYTE = 1_000_000
TRACKS = 20_000


def span(name: str, start: float, length: float, thread: int = 1) -> dict[str, Any]:
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": thread, "ts": start, "dur": length}


def write(folder: Path, events: list[dict[str, Any]]) -> Path:
    (folder / "train").mkdir()
    (folder / "train" / "worker0.1794770412963.pt.trace.json").write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return folder


def test_odd_spans_are_drawn(trace: TracePage, serve: Callable[..., str], tmp_path: Path) -> None:
    """Overlapping, of no length, before the start, with a name of a megabyte, and far away in time."""
    events = [span("overlaps", place * 10, 25) for place in range(300)]
    events += [span("burst", 500, 0) for _ in range(2000)]
    events += [span("negative", -200, 50), span("n" * MEGABYTE, 1000, 900, thread=2), span("far", 1e15, 5, thread=3)]
    trace.open(serve(write(tmp_path, events)))
    assert trace.spans.evaluate(INKED) > 1000
    assert trace.page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert trace.answer("search", text="burst", limit=20_000)["total"] == 2000
    start, length = (trace.answer("search", text="nnnn", limit=1)["rows"][0][key] / 1e3 for key in ("start_us", "duration_us"))
    tip = trace.tip("thread 2", start + length / 2)
    assert tip.startswith("nnn")
    assert len(tip) < 1000
    trace.click("thread 2", start + length / 2)
    expect(trace.details().get_by_role("region", name="Span", exact=True)).to_be_visible()
    for key in ("w", "w", "0", "d", "s", "ArrowRight", "ArrowDown"):
        trace.board.press(key)
    trace.ready()


@pytest.mark.slow
def test_of_very_many_tracks_the_busiest_are_shown(trace: TracePage, serve: Callable[..., str], tmp_path: Path) -> None:
    events = [span("work", place, 1 + place / 1000, thread=place + 1) for place in range(TRACKS)]
    trace.page.set_viewport_size({"width": 1600, "height": 800})
    trace.open(serve(write(tmp_path, events)))
    tally = trace.page.get_by_role("toolbar", name="Trace").locator(".amber")
    expect(tally).to_contain_text(re.compile(r"2\s?000 of 20\s000"))
    assert trace.page.locator(".label").count() < 100, "only what is on screen is laid out"
    scroller = trace.page.locator(".scroller")
    scroller.evaluate("(element) => (element.scrollTop = element.scrollHeight)")
    trace.ready()
    assert trace.spans.evaluate(INKED) > 100
