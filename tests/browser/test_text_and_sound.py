"""Text and sound in Media, in a real browser: what is shown, what is found, what changed, and that nothing in a log can run."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import image_logs as il
from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.page_clock import let_pass
from browser.schemes import Scheme
from log_folder import LogFolder
from text_and_sound_logs import old_audio, sound, tensor_audio, text

HOSTILE = r"""
<script>window.ran = 1</script> <img src=x onerror="window.ran = 2"> <svg onload="window.ran = 3"></svg>
[a](javascript:window.ran=4) [b](data:text/html,<script>window.ran=5</script>) ![c](https://example.org/x.png)
<a href="javascript:window.ran=6">d</a> $\\href{javascript:window.ran=7}{e}$ $</math><img src=x onerror="window.ran=8">$
<math><mtext><table><mglyph><style><img src=x onerror="window.ran = 9"></style></mglyph></table></mtext></math>
<style>* { display: none }</style> <iframe src="https://example.org"></iframe> [f](https://example.org "onmouseover=window.ran=10")
"""
UNSAFE = """() => [...document.querySelectorAll('figure [role=group] *')].flatMap((node) => [
  ...(/^(script|img|svg|iframe|style|form|input|object|embed)$/i.test(node.nodeName) ? [node.nodeName] : []),
  ...[...node.attributes].filter(({name}) => /^on/i.test(name)).map(({name}) => name),
  ...(node.nodeName === 'A' && !/^(https?:|mailto:|blob:)/.test(node.href) ? [node.href] : []),
])"""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    notes = [f"# Step {step}\n\n- loss {step}\n- *steady*\n\nwith $x^{step}$".encode() for step in range(5)]
    il.write(
        logs.path,
        "first",
        *(text("notes", step, note) for step, note in enumerate(notes)),
        text("table", 0, b"a", b"**b**", b"c", b"d", shape=[2, 2]),
        text("hostile", 0, HOSTILE.encode()),
        text("odd", 0, b"half \xff text"),
        text("told", 0, b"x", display=b"A better name", description=b"**bold** <img src=x onerror='window.ran = 12'>"),
        text("wrong", 0, shape=[2]),
        old_audio("beep", 0, sound(4_000)),
        old_audio("beep", 3, sound(8_000)),
        tensor_audio("pair", 0, sound(2_000), b"left <b>", sound(3_000), b"right", shape=[2, 2]),
        old_audio("html", 0, b"<script>window.ran = 11</script>"),
        old_audio("cut", 0, sound()[:30]),
    )
    return serve(logs.path)


def open_kind(page: Page, address: str, kind: str, more: str = "") -> None:
    page.set_default_timeout(60_000)
    page.goto("about:blank")
    page.goto(f"{address}#media?kind={kind}{more}")
    expect(page.locator("figure").first).to_be_visible()


def tile(page: Page, tag: str) -> Locator:
    return page.get_by_role("figure", name=re.compile(rf"^{tag},"))


def test_text_is_markdown_with_mathematics_at_the_shared_step(page: Page, address: str, complaints: list[str]) -> None:
    open_kind(page, address, "text", "&tags=notes")
    notes = tile(page, "notes")
    expect(notes.get_by_role("heading", name="Step 4")).to_be_visible()
    expect(notes.locator("math msup")).to_have_count(1)
    page.get_by_label("Step of all text").press("Home")
    expect(notes.get_by_role("heading", name="Step 0")).to_be_visible()
    expect(notes.get_by_role("listitem")).to_have_count(2)
    page.get_by_role("button", name="Raw").click()
    expect(notes.get_by_label("Text")).to_contain_text("- *steady*")
    page.wait_for_url("**text=raw*")
    assert complaints == []


def test_a_description_is_markdown_that_cannot_run(page: Page, address: str) -> None:
    open_kind(page, address, "text", "&tags=told")
    page.get_by_role("button", name="About told").click()
    about = page.locator("[popover]:popover-open")
    expect(about.locator("strong")).to_have_text("bold")
    expect(about.get_by_role("heading", name="A better name")).to_be_visible()
    assert page.evaluate("window.ran") is None
    assert about.locator("img, script").count() == 0


def test_strings_of_a_tensor_are_a_table(page: Page, address: str) -> None:
    open_kind(page, address, "text", "&tags=table")
    expect(tile(page, "table").get_by_role("cell")).to_have_text(["a", "b", "c", "d"])
    expect(tile(page, "table").locator("strong")).to_have_text("b")


def test_what_changed_between_steps(page: Page, address: str) -> None:
    open_kind(page, address, "text", "&text=difference&tags=notes")
    notes = tile(page, "notes")
    expect(notes.locator(".out")).to_have_text(["# Step 3", "- loss 3", "with $x^3$"])
    expect(notes.locator(".in").first).to_have_text("# Step 4")
    since = page.get_by_label("Difference since step")
    since.fill("0")
    since.press("Enter")
    expect(notes.locator(".out").first).to_have_text("# Step 0")
    page.wait_for_url("**since=0*")


def test_words_are_found_in_all_steps_and_a_click_goes_there(page: Page, address: str) -> None:
    open_kind(page, address, "text")
    words = page.get_by_label("Search all steps")
    words.fill("LOSS 2")
    words.press("Enter")
    found = page.get_by_role("region", name="Search results")
    expect(found.get_by_role("status")).to_have_text(re.compile(r"^1 match in 10 texts"))
    found.get_by_role("listitem").get_by_role("button").click()
    expect(tile(page, "notes").get_by_role("heading", name="Step 2")).to_be_visible()
    expect(page.get_by_role("figure")).to_have_count(1)


def test_a_long_search_shows_how_far_it_is_and_can_be_cancelled(page: Page, address: str) -> None:
    job = {"id": "abc", "title": "Search", "state": "running", "done": 3, "total": 9, "unit": "texts", "words": "", "created": 0.0}
    unknown = {"finished": None, "error": None, "result_at": None}
    found = [{"run": "none", "tag": "notes", "step": 7, "wall": 0.0, "before": "a ", "found": "word", "after": " here"}]
    answer = {"epoch": 1, "job": {**job, **unknown}, "matches": found, "searched": 3, "values": 9, "complete": False}
    page.route("**/api/v1/text/search", lambda route: route.fulfill(json=answer))
    page.route("**/api/v1/text/search/abc", lambda _: None)  # the server is still at it
    open_kind(page, address, "text")
    words = page.get_by_label("Search all steps")
    words.fill("word")
    words.press("Enter")
    results = page.get_by_role("region", name="Search results")
    expect(results.get_by_role("status")).to_have_text("1 match in 3 of 9 texts")
    expect(results.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "33")
    expect(results.get_by_role("listitem")).to_have_count(1)
    results.get_by_role("button", name="Cancel").click()
    expect(results.get_by_role("progressbar")).to_have_count(0)
    expect(results.get_by_role("status")).to_have_text("1 match in the first 3 of 9 texts")
    expect(results.get_by_role("listitem")).to_have_count(1)


def test_nothing_in_a_text_runs_loads_or_hides_the_page(page: Page, address: str, complaints: list[str]) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_kind(page, address, "text", "&tags=hostile")
    expect(tile(page, "hostile").locator("a").first).to_be_visible()
    tile(page, "hostile").hover()
    assert page.evaluate("window.ran") is None
    assert page.evaluate(UNSAFE) == []
    assert [url for url in asked if "example.org" in url] == []
    assert complaints == []


def test_a_value_that_is_no_text_says_so_and_the_rest_is_shown(page: Page, address: str) -> None:
    open_kind(page, address, "text", "&tags=odd%7Cwrong")
    expect(tile(page, "odd")).to_contain_text("invalid UTF-8")
    expect(tile(page, "wrong").get_by_role("alert")).to_contain_text("not text")


def test_sound_has_a_player_a_waveform_and_a_spectrogram(page: Page, address: str, complaints: list[str]) -> None:
    open_kind(page, address, "audio")
    beep = tile(page, "beep")
    expect(beep.locator("canvas")).to_have_count(2)
    page.wait_for_function("() => document.querySelector('audio')?.duration === 1")
    page.get_by_label("Step of all audio").press("Home")
    page.wait_for_function("() => document.querySelector('audio')?.duration === 0.5")
    painted = """() => [...document.querySelectorAll('figure canvas')].every((canvas) => {
      const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
      return data.some((value, i) => i % 4 < 3 && value !== data[i % 4]);
    })"""
    assert page.evaluate(painted)
    beep.get_by_role("button", name="Waveform").click()
    page.wait_for_function("() => document.querySelector('audio').currentTime > 0.2")
    assert complaints == []


def test_samples_have_labels_and_what_is_no_sound_is_offered_as_a_file(page: Page, address: str) -> None:
    open_kind(page, address, "audio", "&tags=pair")
    expect(tile(page, "pair").first).to_contain_text("left <b>")
    expect(tile(page, "pair")).to_have_count(2)
    open_kind(page, address, "audio")
    expect(tile(page, "html")).to_contain_text("cannot play this audio")
    expect(tile(page, "html").get_by_role("link", name="Download the file")).to_be_visible()
    expect(tile(page, "cut").get_by_role("alert")).to_contain_text("cannot decode")
    assert page.evaluate("window.ran") is None


def test_one_sound_plays_at_a_time_and_short_ones_tell_their_length(page: Page, address: str) -> None:
    open_kind(page, address, "audio", "&tags=beep%7Cpair")
    expect(page.locator("audio")).to_have_count(3)
    expect(tile(page, "pair").first.get_by_title("Duration")).to_have_text("0.25\u202fs")
    tile(page, "beep").get_by_role("button", name="Waveform").click()  # browsers play nothing before a click
    start = "(place) => { const player = document.querySelectorAll('audio')[place]; player.loop = true; return player.play(); }"
    playing = "() => [...document.querySelectorAll('audio')].map((player) => !player.paused)"
    page.evaluate(start, 0)
    assert page.evaluate(playing) == [True, False, False]
    page.evaluate(start, 1)
    page.wait_for_function(f"() => String(({playing})()) === 'false,true,false'")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["text", "audio"])
def test_nothing_overflows_and_everything_can_be_read(browser: Browser, address: str, kind: str, theme: Scheme) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=theme)
    open_kind(page, address, kind)
    let_pass(page, 300)
    assert not page.evaluate(WIDER_THAN_THE_PAGE)
    assert faults(page) == []
    page.close()
