"""Findings in the trace: markers at their evidence, which open it there, and a way from the overview."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from browser.sample_profiles import write_trace
from browser.trace_page import TracePage
from log_folder import LogFolder

MARKERS = 20
"""Pixels from the top of the ruler to the middle of its markers."""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_trace(logs.path / "train", steps=6)
    return serve(logs.path)


def fired(trace: TracePage) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Findings that fire with each place of their evidence, in the order of time."""
    findings = trace.answer("report")["findings"]
    found = [
        (finding, line["spans"])
        for finding in findings
        if finding["verdict"] == "fires"
        for line in finding["evidence"]
        if line["spans"] is not None
    ]
    return sorted(found, key=lambda each: each[1]["start_ms"])


def test_a_marker_opens_its_evidence_in_the_trace(trace: TracePage, address: str) -> None:
    trace.open(address)
    finding, place = fired(trace)[0]
    trace.open(address, f"&us={max(0, place['start_ms'] * 1e3 - 2000)}..{place['start_ms'] * 1e3 + 30_000}")
    ruler = trace.page.locator("canvas.ruler")
    box = ruler.bounding_box()
    assert box is not None
    start, end = trace.window()
    at = {"x": max(1.0, (place["start_ms"] - start) / (end - start) * box["width"]), "y": MARKERS}
    # The report has come by now, but the marker is drawn a frame later: the pointer looks again until it is there.
    for _ in range(50):
        ruler.hover(position={"x": at["x"], "y": 2})
        ruler.hover(position=at)  # type: ignore[arg-type]
        if trace.page.locator(".tip").count() > 0:
            break
        trace.page.evaluate("() => new Promise((done) => requestAnimationFrame(done))")
    expect(trace.page.locator(".tip")).to_contain_text(finding["title"])
    ruler.click(position=at)  # type: ignore[arg-type]
    panel = trace.details().get_by_role("region", name="Finding")
    expect(panel).to_contain_text(finding["summary"])
    expect(trace.page).to_have_url(re.compile(rf"[?&]finding={finding['rule']}(&|$)"))
    if place["rows"] is not None:
        expect(trace.page).to_have_url(re.compile(rf"[?&]span={place['rows'][0]}(&|$)"))
    trace.page.get_by_role("button", name="Close details").click()
    expect(panel).to_have_count(0)


def test_evidence_of_the_overview_is_shown_in_the_trace(trace: TracePage, address: str) -> None:
    trace.page.goto(f"{address}#profile")
    trace.page.get_by_role("button", name=re.compile("^Show in trace")).first.click()
    trace.ready()
    panel = trace.details().get_by_role("region", name="Finding")
    expect(panel).to_be_visible()
    evidence = panel.get_by_role("button")
    evidence.last.click()
    places = [place for finding, place in fired(trace) if place["rows"] is not None]
    expect(trace.page).to_have_url(re.compile("span=(" + "|".join(str(place["rows"][0]) for place in places) + ")"))
    start, end = trace.window()
    assert any(start <= place["start_ms"] <= end for place in places)
