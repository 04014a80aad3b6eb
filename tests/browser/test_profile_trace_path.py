"""The critical path in the trace: drawn where the server says, switched in the address, with the slack of what is pointed at."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser.profile_page import plain
from browser.sample_profiles import INPUT, write_trace
from browser.trace_page import LINE, TracePage
from log_folder import LogFolder

HOST, STREAM = "thread 100", "stream 7"
PICTURE = "(canvas) => canvas.toDataURL()"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_trace(logs.path / "train", steps=6)
    return serve(logs.path)


def switch(trace: TracePage) -> None:
    trace.page.get_by_role("toolbar", name="Trace").get_by_role("button", name="Critical path").click()


def test_the_path_is_drawn_and_is_in_the_address(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=0..20000")
    before = trace.spans.evaluate(PICTURE)
    with trace.page.expect_response(lambda answer: "/path_trace" in answer.url):
        switch(trace)
    trace.page.wait_for_function(f"(before) => ({PICTURE})(document.querySelector('canvas.spans')) !== before", arg=before)
    expect(trace.page).to_have_url(re.compile(r"[?&]path=on(&|$)"))
    drawn = trace.spans.evaluate(PICTURE)
    trace.page.reload()
    trace.ready()
    trace.page.wait_for_function(f"(drawn) => ({PICTURE})(document.querySelector('canvas.spans')) === drawn", arg=drawn)


def test_a_span_on_the_path_says_so(trace: TracePage, address: str) -> None:
    """The host alone makes these steps as long as they are: it waits for input from 0 to 3 ms, and never for the device."""
    trace.open(address, "&us=0..20000&path=on")
    first = next(one for one in trace.answer("path_trace", start_us=0, end_us=20_000)["rows"] if one["name"] == INPUT)
    assert (first["start_us"], first["end_us"], first["line"]) == (0, 3_000, 1)
    trace.spans.hover(position=trace.place(HOST, 1.5, line=1))  # type: ignore[arg-type]
    expect(trace.page.locator(".tip")).to_contain_text("on the critical path")
    assert plain(trace.page.locator(".tip").inner_text()).endswith("Slack 0, on the critical path for 3 ms")
    trace.click(HOST, 1.5, line=1)
    expect(trace.details().get_by_role("region", name="Span", exact=True)).to_contain_text("on the critical path")
    slack = trace.facts()["Slack"]
    assert (slack.partition(",")[0], slack.endswith("3 ms")) == ("0", True)
    switch(trace)
    expect(trace.details()).not_to_contain_text("Slack")


def test_a_span_off_the_path_has_its_slack(trace: TracePage, address: str) -> None:
    """The kernel is followed by a copy that ends 1 ms before the step."""
    trace.open(address, "&us=0..20000&path=on")
    trace.spans.hover(position=trace.place(STREAM, 6.0))  # type: ignore[arg-type]
    expect(trace.page.locator(".tip")).to_contain_text("Slack")
    assert plain(trace.page.locator(".tip").inner_text()).endswith("Slack 1 ms")
    trace.click(STREAM, 6.0)
    expect(trace.details().get_by_role("region", name="Span", exact=True)).to_contain_text("Slack")
    assert trace.facts()["Slack"] == "1 ms"


def test_time_that_no_span_has_is_on_the_path_too(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=0..20000&path=on")
    pieces = trace.answer("path_trace", start_us=0, end_us=20_000)["rows"]
    at, untraced = next((at, one) for at, one in enumerate(pieces) if one["row"] is None)
    before = next(one for one in reversed(pieces[:at]) if one["track"] is not None and one["part"] != "between")
    middle = (untraced["start_us"] + untraced["end_us"]) / 2e3
    place = trace.place(HOST, middle, line=before["line"])
    trace.spans.hover(position={"x": place["x"], "y": place["y"] + LINE / 2 - 4})
    expect(trace.page.locator(".tip")).to_contain_text("not covered by the trace")


def test_a_profile_without_a_device_says_why_there_is_no_path(trace: TracePage, serve: Callable[..., str], tmp_path: Path) -> None:
    path = write_trace(tmp_path / "cpu", steps=4)
    found = json.loads(path.read_text())
    found["traceEvents"] = [event for event in found["traceEvents"] if event.get("cat") in {"cpu_op", "user_annotation"}]
    path.write_text(json.dumps(found))
    trace.open(serve(tmp_path), "&path=on")
    expect(trace.page.get_by_role("status").filter(has_text="critical path")).to_be_visible()
