"""The first view of a trace: what it needs is asked for while its code is loading, once; thousands of steps follow after the spans."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Request, Route, expect

from browser.sample_profiles import write_trace
from browser.trace_page import TracePage
from log_folder import LogFolder

MANY_STEPS = 2_100
"""More than the first answer has."""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_trace(logs.path / "train", steps=6)
    return serve(logs.path)


@pytest.fixture(scope="module")
def long(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("long")
    write_trace(folder / "train", steps=MANY_STEPS)
    return serve(folder)


def asked_for(trace: TracePage) -> list[str]:
    """The questions about profiles, as they are asked."""
    asked: list[str] = []

    def note(request: Request) -> None:
        if found := re.search(r"/profile/(?:[0-9a-f]+/)?(sessions|tracks|tiles|report|gaps)\b", request.url):
            asked.append(found[1])

    trace.page.on("request", note)
    return asked


def test_tracks_are_asked_for_before_the_code_that_shows_them_is_there(trace: TracePage, address: str) -> None:
    """The code of the trace arrives only after the tracks have been asked for; if it had to ask for them, nothing would ever come."""
    asked = asked_for(trace)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)
        if "tracks" in asked:
            route.continue_()

    def release(request: Request) -> None:
        if "/tracks?" in request.url:
            while held:
                held.pop().continue_()

    trace.page.route(re.compile(r"/TraceView-[^/]*\.js$"), hold)
    trace.page.on("request", release)
    trace.open(address)
    assert asked[:2] == ["sessions", "tracks"]
    first = asked[: asked.index("tiles")]
    assert first.count("tracks") == 1, "what was asked ahead is not asked again"
    assert "report" not in first
    assert "gaps" not in first


def test_thousands_of_steps_come_after_the_spans(trace: TracePage, long: str) -> None:
    asked = asked_for(trace)
    trace.open(long)
    assert trace.answer("tracks", limit=1, most_steps=2_000)["steps"] == []
    expect(trace.page.get_by_role("combobox", name="Go to step").locator("option")).to_have_count(2_001)
    assert asked.index("tiles") < len(asked) - 1 - asked[::-1].index("tracks")
    last = trace.answer("tracks", limit=1)["steps"][-1]
    trace.page.goto(f"{trace.page.url}&us={last['start_us'] - 15_000}..{last['start_us'] - 5_000}")
    trace.ready()
    trace.board.focus()
    trace.page.keyboard.press("e")
    trace.ready()
    start, end = trace.window()
    assert start <= last["start_us"] / 1e3
    assert last["end_us"] / 1e3 <= end
    assert end - start < 20
