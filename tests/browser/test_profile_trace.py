"""The trace viewer: what is under the pointer is what was recorded, at any zoom, by pointer and by keyboard, and in its address."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, expect

from browser.page_checks import INKED, WIDER_THAN_THE_PAGE, faults
from browser.page_clock import let_pass
from browser.profile_page import plain
from browser.sample_profiles import FIRST_STEP, INPUT, KERNEL, write_trace
from browser.schemes import Scheme
from browser.trace_page import TracePage
from log_folder import LogFolder

HOST, STREAM = "thread 100", "stream 7"
WRITE_MS = 700
"""Longer than the pauses after which a window is in the address."""
PICTURE = "(canvas) => canvas.toDataURL()"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_trace(logs.path / "train", steps=20, operations=[f"aten::op{place}" for place in range(400)])
    return serve(logs.path)


def test_what_is_under_the_pointer_is_what_was_recorded(trace: TracePage, address: str) -> None:
    trace.open(address)
    assert KERNEL in trace.tip(STREAM, 6.0), "a kernel from 4 to 8 ms"
    assert "4 ms" in trace.tip(STREAM, 6.0)
    assert "Memcpy HtoD" in trace.tip(STREAM, 8.5)
    assert f"ProfilerStep#{FIRST_STEP}" in trace.tip(HOST, 5.0)
    assert INPUT[:20] in trace.tip(HOST, 1.0, line=1)


def test_every_pixel_agrees_with_the_server(trace: TracePage, address: str) -> None:
    """Along the stream, whatever is drawn at a time is a span that the server has there, and what it has is drawn."""
    trace.open(address, "&us=0..40000")
    spans = [one for text in (KERNEL, "Memcpy") for one in trace.answer("search", text=text, limit=20_000)["rows"]]
    stream = next(one["id"] for one in trace.answer("tracks", limit=100)["tracks"] if one["name"].startswith("stream"))
    own = [(one["start_us"] / 1e3, one["duration_us"] / 1e3, one["name"]) for one in spans if one["track"] == stream]
    for ms in (4.5, 7.5, 8.5, 14.2, 17.9, 24.1, 38.6):
        name = next(name for start, length, name in own if start <= ms < start + length)
        assert name in trace.tip(STREAM, ms)
    for ms in (2.0, 9.6, 12.0, 19.5):
        assert not any(start <= ms < start + length for start, length, _ in own)
        trace.spans.hover(position=trace.place(STREAM, ms))  # type: ignore[arg-type]
        expect(trace.page.locator(".tip")).to_have_count(0)


def test_zooming_shows_other_pixels_and_the_same_spans(trace: TracePage, address: str) -> None:
    trace.open(address)
    pictures = {trace.spans.evaluate(PICTURE)}
    for _ in range(4):
        trace.spans.hover(position=trace.place(STREAM, 6.0))  # type: ignore[arg-type]
        before = trace.window()
        trace.board.press("w")
        trace.ready()
        assert KERNEL in trace.tip(STREAM, 6.0)
        assert trace.window()[1] - trace.window()[0] == pytest.approx(0.6 * (before[1] - before[0]), rel=1e-3)
        pictures.add(trace.spans.evaluate(PICTURE))
    assert len(pictures) == 5


def test_idle_time_is_drawn_with_its_cause(trace: TracePage, address: str) -> None:
    """The picture and the table of causes are the same: the device waits for input from 0 to 3 ms, and a click leads to that span."""
    trace.open(address, "&us=0..40000")
    gaps = trace.answer("gaps", start_us=0, end_us=9_000)["rows"]
    assert [(gap["start_us"], gap["end_us"]) for gap in gaps if gap["cause"] == "input_wait"] == [(0, 3_000)]
    device = trace.page.locator(".label.process").filter(has_text="GPU 0")
    assert "3 ms input wait" in trace.tip(device, 1.5)
    trace.click(device, 1.5)
    expect(trace.details()).to_contain_text(INPUT)


def test_a_click_tells_everything_about_a_span(trace: TracePage, address: str) -> None:
    trace.open(address)
    trace.click(STREAM, 6.0)
    facts = trace.facts()
    assert facts["Duration"] == "4 ms"
    assert facts["Start"].startswith("4 ms")
    assert STREAM in facts["Track"]
    links = trace.details().get_by_role("region", name="Links")
    expect(links).to_contain_text("cudaLaunchKernel")
    attributes = trace.details().get_by_role("region", name="Attributes")
    expect(attributes).to_contain_text("correlation")
    links.get_by_role("button", name="cudaLaunchKernel").click()
    expect(trace.details().get_by_role("region", name="Span", exact=True)).to_contain_text("cudaLaunchKernel")
    assert trace.facts()["Duration"] == "100 µs"
    trace.board.press("Escape")
    expect(trace.details()).to_have_count(0)


def test_a_link_leads_to_the_same_view(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=12000..20000")
    trace.click(STREAM, 16.0)
    assert trace.facts()["Duration"] == "4 ms"
    let_pass(trace.page, WRITE_MS)
    link = trace.page.url
    assert "us=12000..20000" in link
    assert "span=" in link
    trace.page.goto("about:blank")
    trace.page.goto(link)
    trace.ready()
    assert trace.window() == pytest.approx((12.0, 20.0))
    assert trace.facts()["Start"].startswith("14 ms")


def test_a_link_to_a_span_alone_shows_it(trace: TracePage, address: str) -> None:
    trace.open(address)
    row = trace.answer("search", text="aten::op399", limit=5)["rows"][0]
    trace.open(address, f"&span={row['row']}")
    expect(trace.details()).to_contain_text("aten::op399")
    start, end = trace.window()
    assert start < row["start_us"] / 1e3 < end
    assert end - start < 10


def test_a_row_of_a_table_leads_to_its_spans_in_the_trace(trace: TracePage, address: str) -> None:
    trace.page.goto(f"{address}#profile?show=kernels")
    trace.page.get_by_role("grid").get_by_role("button", name=KERNEL).click()
    listed = trace.page.get_by_role("complementary", name="Instances")
    listed.get_by_role("button", name="Show in trace").click()
    trace.ready()
    expect(trace.details()).to_contain_text(KERNEL)
    expect(listed).to_be_visible()
    row = listed.locator("tbody tr").nth(3).get_by_role("button")
    start = row.inner_text()
    row.click()
    expect(trace.details().get_by_role("region", name="Span", exact=True)).to_contain_text(f"{start} after the start")


def test_a_search_finds_all_and_leads_through_them(trace: TracePage, address: str) -> None:
    trace.open(address)
    trace.page.get_by_role("searchbox", name="Search spans").fill("aten::op")
    found = trace.page.get_by_role("grid", name="Spans found")
    expect(found).to_have_attribute("aria-rowcount", "400")
    toolbar = trace.page.get_by_role("toolbar", name="Trace")
    expect(toolbar).to_contain_text("400 spans")
    toolbar.get_by_role("button", name="Next").click()
    expect(toolbar).to_contain_text("1 of 400")
    expect(trace.details()).to_contain_text("aten::op0")
    toolbar.get_by_role("button", name="Previous").click()
    expect(toolbar).to_contain_text("400 of 400")
    expect(trace.details()).to_contain_text("aten::op399")
    trace.page.get_by_role("searchbox", name="Search spans").fill("nothing like this")
    expect(toolbar).to_contain_text("Not found")


def test_an_area_has_its_spans_by_name_and_by_track(trace: TracePage, address: str) -> None:
    trace.open(address, "&area=0..10000")
    by_name = trace.details().get_by_role("region", name="By name")
    kernel = by_name.get_by_role("row").filter(has_text=KERNEL)
    expect(kernel).to_have_count(1)
    assert [plain(cell) for cell in kernel.get_by_role("cell").all_inner_texts()][2:5] == ["1", "4 ms", "4 ms"]
    trace.details().get_by_role("navigation").get_by_role("button", name="By track").click()
    by_track = trace.details().get_by_role("region", name="By track")
    stream = by_track.get_by_role("row").filter(has_text=STREAM)
    assert [plain(cell) for cell in stream.get_by_role("cell").all_inner_texts()][1:] == ["2", "5 ms", "50%"]


def test_a_flame_graph_of_the_area_is_walked_and_zoomed(trace: TracePage, address: str) -> None:
    trace.open(address, "&area=0..10000&areaby=flame")
    rows = trace.answer("calls", start_us=0, end_us=10_000)["rows"]
    flame = trace.page.get_by_role("slider", name="Flame graph")
    expect(flame).to_have_attribute("data-calls", str(len(rows)))
    assert flame.evaluate(INKED) > 1000
    flame.focus()
    flame.press("ArrowDown")
    expect(flame).to_have_attribute("aria-valuetext", re.compile(re.escape(rows[0]["name"])))
    flame.press("ArrowDown")
    expect(flame).to_have_attribute("aria-valuetext", re.compile(re.escape(INPUT)))
    flame.press("Enter")
    expect(flame).to_have_attribute("data-calls", "2")
    flame.press("Escape")
    expect(flame).to_have_attribute("data-calls", str(len(rows)))
    trace.details().get_by_role("navigation").get_by_role("button", name="Callers").click()
    expect(trace.details()).to_contain_text("callers below")


def test_an_area_is_dragged_and_becomes_the_range_of_the_tab(trace: TracePage, address: str) -> None:
    trace.open(address, "&us=0..40000")
    canvas = trace.spans.bounding_box()
    assert canvas is not None
    start, end = trace.place(STREAM, 10.0), trace.place(STREAM, 20.0)
    trace.page.keyboard.down("Shift")
    trace.page.mouse.move(canvas["x"] + start["x"], canvas["y"] + start["y"])
    trace.page.mouse.down()
    trace.page.mouse.move(canvas["x"] + end["x"], canvas["y"] + start["y"], steps=4)
    trace.page.mouse.up()
    trace.page.keyboard.up("Shift")
    expect(trace.details()).to_contain_text("selected")
    trace.details().get_by_role("button", name="Show the breakdown of this range").click()
    expect(trace.page.locator(".sentence")).to_be_visible()
    let_pass(trace.page, WRITE_MS)
    assert "range=" in trace.page.url


def test_everything_can_be_done_by_keyboard(trace: TracePage, address: str) -> None:
    trace.open(address)
    whole = trace.window()
    trace.board.focus()
    for key in ("w", "w", "d", "d"):
        trace.page.keyboard.press(key)
    trace.ready()
    closer = trace.window()
    assert closer[1] - closer[0] == pytest.approx(0.36 * (whole[1] - whole[0]), rel=1e-3)
    trace.page.keyboard.press("0")
    trace.ready()
    assert trace.window() == pytest.approx(whole)
    trace.page.keyboard.press("ArrowRight")
    expect(trace.details()).to_contain_text(f"ProfilerStep#{FIRST_STEP}")
    trace.page.keyboard.press("ArrowRight")
    expect(trace.details()).to_contain_text(f"ProfilerStep#{FIRST_STEP + 1}")
    trace.page.keyboard.press("f")
    trace.ready()
    start, end = trace.window()
    assert (start, end) == pytest.approx((9.0, 21.0), abs=0.1)
    trace.page.keyboard.press("ArrowDown")
    expect(trace.details()).not_to_contain_text("ProfilerStep")
    trace.page.keyboard.press("/")
    expect(trace.page.get_by_role("searchbox", name="Search spans")).to_be_focused()


def test_tracks_fold_filter_and_pin(trace: TracePage, address: str) -> None:
    trace.open(address)
    before = trace.label(STREAM).bounding_box()
    trace.label(HOST).get_by_role("button", expanded=True).first.click()
    after = trace.label(STREAM).bounding_box()
    assert before is not None
    assert after is not None
    assert after["y"] < before["y"], "the thread has one line now"
    trace.page.get_by_role("searchbox", name="Filter tracks").fill("stream")
    expect(trace.page.locator(".label.track")).to_have_count(1)
    trace.page.get_by_role("searchbox", name="Filter tracks").fill("")
    trace.label(STREAM).hover()
    trace.label(STREAM).get_by_role("button", name="Pin").click()
    expect(trace.page.locator(".label").first).to_contain_text("stream")
    assert KERNEL in trace.tip(STREAM, 6.0)


def test_a_step_fills_the_window(trace: TracePage, address: str) -> None:
    trace.open(address)
    trace.page.get_by_role("combobox", name="Go to step").select_option(str(FIRST_STEP + 2))
    trace.ready()
    assert trace.window() == pytest.approx((19.8, 30.2), abs=0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_trace_fits_and_has_no_faults(browser: Browser, address: str, scheme: Scheme, width: int) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
    trace = TracePage(page)
    trace.open(address)
    trace.click(STREAM, 6.0)
    expect(trace.details()).to_contain_text(KERNEL)
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert trace.spans.evaluate(INKED) > 1000
    assert faults(page) == []
    page.close()
