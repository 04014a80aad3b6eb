"""Counters in the trace: the machine's own in one folded group, each with its range, and the value under the pointer."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from browser.page_checks import INKED, faults
from browser.page_clock import let_pass
from browser.sample_profiles import write_trace
from browser.schemes import Scheme
from browser.trace_page import TracePage
from log_folder import LogFolder

WRITE_MS = 700
CORES = 16
LEAST, MOST = 15_000.0, 16_000.0
"""Memory far above zero that moves little: from zero on it would be a flat line."""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    """Seventeen counters as a capture adds them, and one of the training's own; samples every 10 ms."""
    path = write_trace(logs.path / "train", steps=6)
    trace = json.loads(path.read_text())
    for place in range(6):
        times = {"ph": "C", "ts": 10_000 * place}
        cores = {f"core{core}_percent": float(10 * place) for core in range(CORES)}
        memory = {"used_mib": MOST if place % 2 else LEAST}
        trace["traceEvents"] += [
            {**times, "name": "system/cpu", "pid": "system", "args": cores},
            {**times, "name": "system/memory", "pid": "system", "args": memory},
            {**times, "name": "queue", "pid": 100, "args": {"length": place}},
        ]
    path.write_text(json.dumps(trace))
    return serve(logs.path)


def test_the_machines_counters_are_one_group_until_it_is_opened(trace: TracePage, address: str) -> None:
    trace.open(address)
    assert len(trace.answer("tracks", limit=100)["tracks"]) > CORES
    expect(trace.label("queue length")).to_be_visible()
    expect(trace.label("memory used_mib")).to_have_count(0)
    system = trace.page.locator(".label.process").filter(has_text="System")
    expect(system).to_contain_text(f"{CORES + 1} tracks")
    system.get_by_role("button").click()
    expect(trace.label("cpu core0_percent")).to_be_visible()
    let_pass(trace.page, WRITE_MS)
    link = trace.page.url
    trace.page.goto("about:blank")
    trace.page.goto(link)
    trace.ready()
    expect(trace.label("cpu core0_percent")).to_be_visible()
    system.get_by_role("button").click()
    expect(trace.label("cpu core0_percent")).to_have_count(0)


def test_a_filter_finds_folded_counters(trace: TracePage, address: str) -> None:
    trace.open(address)
    trace.page.get_by_role("searchbox", name="Filter tracks").fill("used_mib")
    expect(trace.label("memory used_mib")).to_be_visible()
    expect(trace.page.locator(".label.track")).to_have_count(1)


def test_a_counter_says_its_range_and_its_value_under_the_pointer(trace: TracePage, address: str) -> None:
    trace.open(address, "&tracks=used_mib")
    label = trace.label("memory used_mib")
    expect(label).to_contain_text("15 000 – 16 000")
    assert "15 000" in trace.tip(label, 5.0)
    assert "16 000" in trace.tip(label, 15.0)
    trace.page.get_by_role("searchbox", name="Filter tracks").fill("queue")
    own = trace.label("queue length")
    expect(own).to_contain_text("0 – 5")
    assert trace.tip(own, 25.0).split("\n")[-1].strip() == "2"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_open_counters_have_no_faults(browser: Browser, address: str, scheme: Scheme) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": 1280, "height": 800})
    trace = TracePage(page)
    trace.open(address, "&folded=o:System")
    expect(trace.label("cpu core0_percent")).to_be_visible()
    assert trace.spans.evaluate(INKED) > 1000
    assert faults(page) == []
    page.close()
