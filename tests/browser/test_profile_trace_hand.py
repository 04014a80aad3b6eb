"""The trace in the hand: jumps, bookmarks, moved tracks, fingers and wheel, what is loaded ahead, and a search of ten thousand."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, expect

from browser.page_checks import INKED, faults
from browser.page_clock import let_pass
from browser.sample_profiles import FIRST_STEP, KERNEL, write_trace
from browser.schemes import Scheme
from browser.trace_page import LINE, TracePage
from log_folder import LogFolder

HOST, STREAM = "thread 100", "stream 7"
WRITE_MS = 700
HITS = 10_000
SHORTER = """(most) => {
  const [from, to] = document.querySelector('[data-window]').dataset.window.split(' ');
  return to - from < most;
}"""
"""Whether less than so many microseconds are shown."""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_trace(logs.path / "train", steps=20, slow={FIRST_STEP + 7: 4.0}, communication=1.0)
    return serve(logs.path)


@pytest.fixture(scope="module")
def searched(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("many")
    write_trace(folder / "train", steps=4, operations=[f"aten::op{place}" for place in range(HITS)])
    return serve(folder)


@pytest.fixture(scope="module")
def every_control(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """Eight ranks, so that there is a choice of them, and names enough for a long count of hits."""
    folder = tmp_path_factory.mktemp("ranks")
    for rank in range(8):
        write_trace(folder / "train", f"rank{rank}", steps=8, operations=[f"aten::op{place}" for place in range(2000)])
    return serve(folder)


def length(trace: TracePage) -> float:
    start, end = trace.window()
    return end - start


def test_keys_lead_from_step_to_step(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=0..8000")
    trace.board.focus()
    trace.page.keyboard.press("e")
    trace.ready()
    assert trace.window() == pytest.approx((9.8, 20.2), abs=0.05)
    trace.page.keyboard.press("e")
    trace.page.keyboard.press("q")
    trace.page.keyboard.press("q")
    trace.ready()
    assert trace.window() == pytest.approx((0, 10.4), abs=0.1)


def test_keys_lead_from_gap_to_gap(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=0..8000")
    gaps = sorted((gap["start_us"], gap["end_us"]) for gap in trace.answer("gaps", start_us=0, end_us=1e9, limit=3000)["rows"])
    after = [gap for gap in gaps if gap[0] > 4000][:2]
    trace.board.focus()
    for start, end in after:
        trace.page.keyboard.press("g")
        expect(trace.board).to_have_attribute("data-window", f"{start - (end - start):g} {end + (end - start):g}")
    trace.page.keyboard.press("Shift+G")
    start, end = after[0]
    expect(trace.board).to_have_attribute("data-window", f"{start - (end - start):g} {end + (end - start):g}")


def test_the_longest_span_of_a_name_and_of_a_track(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=0..40000")
    trace.click(HOST, 1.0, line=1)
    expect(trace.details()).to_contain_text("DataLoader")
    assert trace.facts()["Duration"] == "3 ms"
    trace.board.press("l")
    expect(trace.details().locator("dd").first).to_have_text("7 ms")
    start, end = trace.window()
    assert start < 70.0 < end
    trace.details().get_by_role("button", name="Longest on this track").click()
    expect(trace.details()).to_contain_text(f"ProfilerStep#{FIRST_STEP + 7}")


def test_bookmarks_are_named_listed_and_in_the_address(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=20000..30000")
    trace.board.press("m")
    trace.page.get_by_role("button", name="Bookmarks").click()
    field = trace.page.get_by_role("textbox", name="Name")
    expect(field).to_have_value("Bookmark 1")
    field.fill("slow ~ step")
    field.press("Enter")
    trace.page.keyboard.press("Escape")
    trace.board.press("0")
    let_pass(trace.page, WRITE_MS)
    link = trace.page.url
    trace.page.goto("about:blank")
    trace.page.goto(link)
    trace.ready()
    assert length(trace) > 100
    trace.page.get_by_role("button", name="Bookmarks").click()
    trace.page.get_by_role("button", name="Show slow ~ step").click()
    trace.ready()
    assert trace.window() == pytest.approx((20.0, 30.0))
    trace.page.get_by_role("button", name="Bookmarks").click()
    trace.page.get_by_role("button", name="Remove slow ~ step").click()
    expect(trace.page.get_by_role("textbox", name="Name")).to_have_count(0)


def tops(trace: TracePage) -> list[str]:
    """The streams from top to bottom."""
    found = trace.page.locator(".label.track").filter(has_text="stream")
    rows = [(found.nth(place).bounding_box(), found.nth(place).inner_text().strip()) for place in range(found.count())]
    return [name.split("\n")[0] for _, name in sorted((box["y"], name) for box, name in rows if box is not None)]


def test_tracks_are_moved_by_pointer_and_by_keyboard(trace: TracePage, address: str) -> None:
    trace.open(address)
    before = tops(trace)
    assert len(before) == 2
    upper, lower = (trace.label(name).bounding_box() for name in before)
    assert upper is not None
    assert lower is not None
    trace.page.mouse.move(lower["x"] + 60, lower["y"] + 9)
    trace.page.mouse.down()
    trace.page.mouse.move(upper["x"] + 60, upper["y"] + 12, steps=3)
    trace.page.mouse.move(upper["x"] + 60, upper["y"] + 2, steps=2)
    trace.page.mouse.up()
    assert tops(trace) == before[::-1]
    assert KERNEL in trace.tip(STREAM, 6.0), "what is drawn moves with the name"
    let_pass(trace.page, WRITE_MS)
    assert "trackorder=" in trace.page.url
    button = trace.label(before[1]).get_by_role("button").first
    button.focus()
    button.press("Alt+ArrowDown")
    expect(trace.page.locator(".label.track").filter(has_text="stream").first).to_be_visible()
    assert tops(trace) == before
    let_pass(trace.page, WRITE_MS)
    assert "trackorder=" not in trace.page.url


def test_two_fingers_zoom_where_they_are(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=40000..80000")
    box = trace.spans.bounding_box()
    assert box is not None
    devtools = trace.page.context.new_cdp_session(trace.page)
    middle, y = box["x"] + box["width"] / 4, box["y"] + 60

    def touch(kind: str, *apart: float) -> None:
        points = [{"x": middle + sign * each, "y": y, "id": place} for each in apart for place, sign in enumerate((-1, 1))]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 40)
    for apart in (50, 60, 70, 80):
        touch("touchMove", apart)
    touch("touchEnd")
    trace.ready()
    start, end = trace.window()
    assert end - start == pytest.approx(20.0, rel=0.02)
    assert start + (end - start) / 4 == pytest.approx(50.0, rel=0.02)


def test_the_wheel_zooms_with_ctrl_moves_with_shift_and_scrolls(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=40000..80000")
    spot = trace.place(STREAM, 50.0)
    trace.spans.hover(position=spot)  # type: ignore[arg-type]
    trace.page.keyboard.down("Control")
    trace.page.mouse.wheel(0, -120)
    trace.page.keyboard.up("Control")
    expect(trace.board).not_to_have_attribute("data-window", "40000 80000")
    start, end = trace.window()
    assert end - start < 40
    assert start + (end - start) / 4 == pytest.approx(50.0, abs=0.3), "what is under the pointer stays there"
    trace.page.keyboard.down("Shift")
    trace.page.mouse.wheel(0, 100)
    trace.page.keyboard.up("Shift")
    expect(trace.board).not_to_have_attribute("data-window", f"{start * 1e3:g} {end * 1e3:g}")
    moved = trace.window()
    assert moved[1] - moved[0] == pytest.approx(end - start, rel=1e-6)
    assert moved[0] > start
    trace.page.mouse.wheel(0, 100)
    let_pass(trace.page, 100)
    assert trace.window() == moved, "a plain wheel scrolls the tracks"


def test_a_screen_to_both_sides_is_loaded_ahead(trace: TracePage, address: str) -> None:
    """Without a server, one screen to the left and to the right is still there."""
    trace.open(address, "&us=80000..90000")
    trace.page.wait_for_load_state("networkidle")
    asked: list[str] = []
    trace.page.route("**/tiles?*", lambda route: asked.append(route.request.url))  # never answered
    for key in "dddddaaaaaaaaaa":
        trace.board.press(key)
    trace.ready()
    assert trace.window() == pytest.approx((70.0, 80.0), abs=0.5)
    assert trace.spans.evaluate(INKED) > 1000
    assert asked != [], "what is further away is asked for meanwhile"


def test_a_search_finds_all_of_ten_thousand(trace: TracePage, searched: str) -> None:
    trace.open(searched)
    toolbar = trace.page.get_by_role("toolbar", name="Trace")
    trace.page.get_by_role("searchbox", name="Search spans").fill("/^aten::op\\d/")
    expect(trace.page.get_by_role("grid", name="Spans found")).to_have_attribute("aria-rowcount", str(HITS))
    expect(toolbar).to_contain_text(re.compile(r"10\s000 spans"))
    trace.board.focus()
    trace.page.keyboard.press(",")
    expect(toolbar).to_contain_text(re.compile(r"10\s000 of 10\s000"))
    expect(trace.details()).to_contain_text(f"aten::op{HITS - 1}")
    rows = trace.answer("search", text="aten::op", limit=20_000)["rows"]
    wanted = rows[HITS - 1]
    start, end = trace.window()
    assert start <= wanted["start_us"] / 1e3 <= end, "the last one is brought into view"


def test_a_held_key_goes_on_around_the_pointer_until_it_is_let_go(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=40000..80000")
    spot = trace.place(STREAM, 50.0)
    trace.spans.hover(position=spot)  # type: ignore[arg-type]
    trace.board.focus()
    trace.page.keyboard.down("w")
    first = length(trace)
    assert first == pytest.approx(24.0, rel=1e-3), "a press is one step"
    trace.page.keyboard.down("w")  # as keyboards repeat it
    trace.page.wait_for_function(SHORTER, arg=1e3 * first / 2)
    trace.page.keyboard.up("w")
    trace.ready()
    held = trace.window()
    assert held[0] + (held[1] - held[0]) * 0.25 == pytest.approx(50.0, abs=0.2), "what is under the pointer stays there"
    let_pass(trace.page, 100)
    assert trace.window() == held


def test_the_tooltip_follows_what_comes_under_a_resting_pointer(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=40000..80000")
    tip = trace.page.locator(".tip")
    assert KERNEL in trace.tip(STREAM, 46.5)
    expect(tip).to_contain_text(re.compile(r"44\s"))
    trace.board.focus()
    trace.page.keyboard.press("d")
    expect(tip).to_contain_text(re.compile(r"54\s"))  # the kernel of the next step
    trace.page.keyboard.press("d")
    trace.page.keyboard.press("d")
    expect(tip).to_have_count(0)  # the stream is idle at 70.5 ms


@pytest.mark.parametrize("width", [1280, 1400, 1600, 1920])
def test_the_toolbar_is_one_line_with_every_control(browser: Browser, every_control: str, width: int) -> None:
    """Several ranks, steps, the critical path, a search with thousands of hits, and bookmarks: nothing wraps, is cut off or covered."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    trace = TracePage(page)
    trace.open(every_control, "&search=op&path=on&marks=20000..30000 first~50000..60000 second")
    toolbar = page.get_by_role("toolbar", name="Trace")
    expect(toolbar).to_contain_text(re.compile(r"\d+ spans"))
    trace.board.press(",")
    expect(toolbar).to_contain_text(re.compile(r"(\d{4}) of \1"))
    for name in ("All ranks (8)", "Compare traces", "Critical path", "Bookmarks", "Save trace", "Fit"):
        expect(toolbar.get_by_role("button", name=name)).to_be_visible()
    expect(toolbar.get_by_role("combobox", name="Go to step")).to_be_visible()
    boxes = [box for control in toolbar.locator("button, input, select").all() if (box := control.bounding_box()) is not None]
    assert len(boxes) >= 14
    middles = [box["y"] + box["height"] / 2 for box in boxes]
    assert max(middles) - min(middles) <= 2
    ordered = sorted(boxes, key=lambda box: box["x"])
    assert all(one["x"] + one["width"] <= after["x"] for one, after in pairwise(ordered))
    assert ordered[-1]["x"] + ordered[-1]["width"] <= width
    legend, line = toolbar.get_by_role("list", name="Colours").bounding_box(), toolbar.locator(".roomy").bounding_box()
    assert legend is not None
    assert line is not None
    hidden = legend["y"] >= line["y"] + line["height"]
    assert legend["y"] == line["y"] or (hidden and width < 1920), "the legend is there as a whole, or not at all"
    page.close()


def test_a_link_shows_the_track_of_its_span_and_the_time_of_its_address(browser: Browser, address: str) -> None:
    """On a low screen the streams are below the threads: whoever follows a link sees what it is about."""
    page = browser.new_page(viewport={"width": 1280, "height": 480})
    trace = TracePage(page)
    trace.open(address)
    kernel = trace.answer("search", text=KERNEL)["rows"][0]
    trace.open(address, f"&us=0..40000&span={kernel['row']}")
    expect(trace.details()).to_contain_text(KERNEL)
    stream = page.locator(f"[data-track='{kernel['track']}']")
    expect(stream).to_be_in_viewport()
    assert page.locator(".scroller").first.evaluate("(scroller) => scroller.scrollTop") > 0
    box, board = stream.bounding_box(), trace.board.bounding_box()
    assert box is not None
    assert board is not None
    assert board["y"] <= box["y"]
    assert box["y"] + LINE <= board["y"] + board["height"]
    assert trace.window() == pytest.approx((0, 40.0))
    page.close()


def test_help_lists_the_keys(trace: TracePage, address: str) -> None:
    trace.open(address)
    trace.board.press("?")
    shown = trace.page.get_by_role("dialog")
    for words in ("next step", "idle gap", "longest span", "bookmark", "move the track"):
        expect(shown).to_contain_text(words)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_menus_and_marks_have_no_faults(browser: Browser, address: str, scheme: Scheme) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": 1280, "height": 800})
    trace = TracePage(page)
    trace.open(address, "&marks=20000..30000 first~50000..60000 second")
    page.get_by_role("button", name="Bookmarks").click()
    expect(page.get_by_role("textbox", name="Name")).to_have_count(2)
    assert faults(page) == []
    page.close()
