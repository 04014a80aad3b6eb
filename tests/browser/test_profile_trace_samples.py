"""The trace of the largest samples: what is under the pointer is the span that the server says is there."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.trace_page import TracePage
from sample_files import SAMPLES, needs

PICKED = 24
"""Spans of each sample, spread over the whole profile."""
SHORTEST_US = 0.5

IN_VIEW = """([start, end]) => {
  const [from, to] = document.querySelector('[data-window]').dataset.window.split(' ').map(Number);
  return from - 0.01 <= start && end <= to + 0.01 && (end - start) / (to - from) > 0.002;
}"""
"""Whether the whole span is on screen, and not as a hairline."""

LARGEST = {
    "control": ("kineto/hta/trace_diff/control/control.json.gz", "worker.pt.trace.json.gz"),
    "mi300": ("kineto/tracelens/mi300/resnet_act_checkpoint.json.gz", "worker.pt.trace.json.gz"),
    "jax": ("xplane/grpc_captures/jax_host2.xplane.pb", "plugins/profile/one/host.xplane.pb"),
}


def spread(spans: list[dict[str, Any]], length: float) -> list[dict[str, Any]]:
    """Spans at even distances that a pointer can meet; that of the profiler itself is longer than the profile."""
    whole = [span for span in spans if span["start_us"] >= 0 and span["start_us"] + span["duration_us"] <= length]
    long = [span for span in whole if span["duration_us"] >= SHORTEST_US]
    return [long[place * (len(long) - 1) // (PICKED - 1)] for place in range(PICKED)]


def microseconds(text: str) -> float:
    """The duration that a tooltip begins its second line with."""
    found = re.match(r"([\d.]+) (ns|µs|ms|s)\b", text)
    assert found is not None, text
    return float(found[1]) * {"ns": 1e-3, "µs": 1.0, "ms": 1e3, "s": 1e6}[found[2]]


@pytest.mark.slow
@pytest.mark.parametrize("largest", LARGEST)
@needs(*(sample for sample, _ in LARGEST.values()))
def test_what_is_under_the_pointer_is_what_the_server_says(
    trace: TracePage, serve: Callable[..., str], tmp_path: Path, largest: str
) -> None:
    sample, place = LARGEST[largest]
    (tmp_path / "logs" / largest / place).parent.mkdir(parents=True)
    shutil.copy(SAMPLES / sample, tmp_path / "logs" / largest / place)
    address = serve(tmp_path / "logs")
    trace.open(address)
    found = trace.answer("search", text=".", regex="true")
    assert found["total"] > 1_000
    trace.board.press("0")
    for span in spread(found["rows"], 1e3 * trace.window()[1]):
        # The page brings the span into view by itself; then it is left, and met again with the pointer alone.
        start, end = span["start_us"], span["start_us"] + span["duration_us"]
        name = re.compile("^" + re.escape(span["name"].removesuffix("…")))
        trace.page.goto(f"{address}#profile?show=trace&span={span['row']}")
        expect(trace.details().locator(".name")).to_have_text(name)
        trace.page.wait_for_function(IN_VIEW, arg=[start, end])
        trace.ready()
        trace.details().get_by_role("button", name="Close details").click()
        expect(trace.page).not_to_have_url(re.compile(r"[?&]span="))
        middle = (start + end) / 2e3
        track = trace.page.locator(f"[data-track='{span['track']}']")
        shown, duration, *_ = trace.tip(track, middle, span["line"]).split("\n")
        assert name.match(shown)
        assert microseconds(duration) == pytest.approx(span["duration_us"], rel=0.01), "three digits of it, as the server says"
        trace.click(track, middle, span["line"])
        expect(trace.page).to_have_url(re.compile(rf"[?&]span={span['row']}\b"))
        expect(trace.details().locator(".name")).to_have_text(name)
