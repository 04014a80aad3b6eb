"""The report as one HTML file in Chromium: saved by its button, hostile names inert, nothing fetched, light, dark and on paper."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page, Request, expect

from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import KERNEL, write_trace
from browser.schemes import Scheme
from log_folder import LogFolder

HOSTILE = "<script>document.title='run'</script><img src=https://example.invalid/x onerror=\"document.title='run'\">"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    """Kernels, operations and the loader have names that try to run."""
    path = write_trace(logs.path / "train", slow={8: 6.0})
    trace = json.loads(path.read_text())
    for event in trace["traceEvents"]:
        if event["name"] in (KERNEL, "aten::mm"):
            event["name"] += HOSTILE
    path.write_text(json.dumps(trace))
    return serve(logs.path)


@pytest.fixture
def file(page: Page, address: str, tmp_path: Path) -> Path:
    profile = ProfilePage(page)
    profile.open(address)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_role("menuitem", name="This page as HTML").click()
    assert saved.value.suggested_filename.endswith(".html")
    saved.value.save_as(tmp_path / "report.html")
    return tmp_path / "report.html"


def test_the_saved_file_says_what_the_page_said(page: Page, file: Path) -> None:
    sentence = ProfilePage(page).sentence()
    page.goto(file.as_uri())
    assert plain(page.get_by_role("heading", level=1).inner_text()) == sentence
    expect(page.get_by_role("region", name="Recommendations")).to_contain_text("num_workers=4")
    expect(page.get_by_role("region", name="Steps")).to_contain_text("step 8, 16\u202fms: +6\u202fms waiting for input")
    assert file.stat().st_size < 100_000


def test_hostile_names_are_text_and_nothing_is_fetched(browser: Browser, file: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    dialogs: list[Dialog] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    def keep(dialog: Dialog) -> None:
        dialogs.append(dialog)
        dialog.dismiss()

    page.on("request", note)
    page.on("dialog", keep)
    page.goto(file.as_uri())
    page.wait_for_timeout(200)
    assert asked == [file.as_uri()]
    assert dialogs == []
    assert page.title() != "run"
    assert page.locator("script, img").count() == 0
    expect(page.get_by_role("region", name="Most exposed operations")).to_contain_text(HOSTILE)
    context.close()


@pytest.mark.parametrize(("theme", "ground"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(17, 19, 23)")])
def test_it_follows_the_theme_without_a_script(browser: Browser, file: Path, theme: Scheme, ground: str, tmp_path: Path) -> None:
    context = browser.new_context(color_scheme=theme, java_script_enabled=False, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(file.as_uri())
    page.screenshot(path=tmp_path / f"report-{theme}.png", full_page=True)
    body = page.locator("body")
    assert body.evaluate("(body) => getComputedStyle(body).backgroundColor") == ground
    assert body.evaluate("(body) => body.scrollWidth") <= 1280
    context.close()


def test_paper_is_light_whatever_the_screen_is(browser: Browser, file: Path) -> None:
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(file.as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.pdf()[:4] == b"%PDF"
    context.close()
