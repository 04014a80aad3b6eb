"""The layers of the trace on a profile that marks no steps: the whole profile counts as one, and no layer is missing or broken."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from browser.page_checks import INKED, faults
from browser.sample_profiles import KERNEL, write_trace
from browser.trace_page import TracePage
from log_folder import LogFolder

HOST, STREAM = "thread 100", "stream 7"
PICTURE = "(canvas) => canvas.toDataURL()"
END_US = 9_000
"""The copy ends then; nothing is recorded after it."""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    """One pass of the host and the device, without any mark of a step."""
    path = write_trace(logs.path / "train", steps=1)
    found = json.loads(path.read_text())
    found["traceEvents"] = [event for event in found["traceEvents"] if event["cat"] != "user_annotation"]
    found["traceEvents"].append({"ph": "X", "cat": "cpu_op", "name": "aten::load", "pid": 100, "tid": 100, "ts": 0, "dur": 2_900})
    path.write_text(json.dumps(found))
    return serve(logs.path)


def test_the_whole_profile_is_one_step(trace: TracePage, address: str) -> None:
    trace.open(address)
    outline = trace.answer("tracks", limit=100)
    assert [(step["start_us"], step["end_us"]) for step in outline["steps"]] == [(0, END_US)]
    assert trace.window() == (0, END_US / 1e3)
    assert KERNEL in trace.tip(STREAM, 6.0)


def test_idle_time_has_its_cause(trace: TracePage, address: str) -> None:
    trace.open(address)
    gaps = trace.answer("gaps", start_us=0, end_us=END_US)["rows"]
    assert sum(gap["end_us"] - gap["start_us"] for gap in gaps) == 4_000, "the device waits until its kernel starts"
    device = trace.page.locator(".label.process").filter(has_text="GPU 0")
    assert "2.9 ms host op" in trace.tip(device, 1.5)


def test_the_critical_path_is_drawn(trace: TracePage, address: str) -> None:
    trace.open(address)
    before = trace.spans.evaluate(PICTURE)
    trace.page.get_by_role("toolbar", name="Trace").get_by_role("button", name="Critical path").click()
    trace.page.wait_for_function(f"(before) => ({PICTURE})(document.querySelector('canvas.spans')) !== before", arg=before)
    trace.click(STREAM, 6.0)
    expect(trace.details().get_by_role("region", name="Span", exact=True)).to_contain_text("Slack")
    assert trace.facts()["Slack"].endswith("4 ms"), "the kernel is on the path all the time"


def test_a_what_if_is_replayed(trace: TracePage, address: str) -> None:
    trace.open(address, "&replay=kernels=0.5")
    strip = trace.page.get_by_role("region", name="Replay")
    expect(strip).to_contain_text("Step time 7")
    assert strip.locator("canvas").evaluate(INKED) > 500
    assert faults(trace.page) == []


def test_keys_that_lead_to_steps_stay_inside(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=1000..2000")
    trace.board.focus()
    for key in ("e", "q", "g"):
        trace.page.keyboard.press(key)
        trace.ready()
    start, end = trace.window()
    assert 0 <= start < end <= END_US / 1e3
