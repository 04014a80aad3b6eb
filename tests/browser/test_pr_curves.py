"""Precision-recall curves in a real browser: the shared step, several runs, counts under the pointer, and bad values."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect

import event_bytes as eb
import histogram_logs as hl
from browser.charts_page import QUIET, ChartsPage
from browser.schemes import Scheme
from log_folder import LogFolder
from server.pr_curve_records import counted, raw, record

MARKUP = "<img src=x onerror=alert(1)>"
PERFECT = counted([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1], 11)
EVEN = counted([1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5], 11)


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for run, late in (("first", PERFECT), ("second", EVEN)):
        hl.write(
            logs.path, run, *(record(f"pr/class_{number}", step, EVEN if step == 0 else late) for number in (1, 2) for step in (0, 10))
        )
    bad = raw("bad", 0, eb.tensor(eb.FLOAT, eb.content(b"\0" * 20), shape=[5, 1]))
    hl.write(logs.path, "hostile", record(MARKUP, 0, PERFECT), bad, record("__proto__", 0, PERFECT))
    return serve(logs.path)


@pytest.fixture
def media(charts: ChartsPage) -> Page:
    """The page, on which no dialog may open."""

    def refuse(dialog: Dialog) -> None:
        dialog.dismiss()
        pytest.fail(f"something was run as a script: {dialog.message}")

    charts.page.on("dialog", refuse)
    return charts.page


def show(page: Page, address: str, query: str = "") -> None:
    page.goto("about:blank")
    page.goto(f"{address}#media?kind=pr_curves{query}")
    expect(page.get_by_role("toolbar", name="PR curves")).to_be_visible()
    page.wait_for_function(QUIET)


def card(page: Page, tag: str) -> Locator:
    return page.get_by_role("article", name=tag, exact=True)


def row(page: Page, tag: str, run: str) -> Locator:
    return card(page, tag).get_by_role("listitem").filter(has_text=run)


def test_a_card_for_each_tag_with_the_area_of_each_run(media: Page, address: str) -> None:
    show(media, address, "&tags=class")
    expect(media.get_by_role("article")).to_have_count(2)
    expect(row(media, "pr/class_1", "first")).to_contain_text("area 1")
    expect(row(media, "pr/class_1", "second")).to_contain_text("area 0.25")


def test_the_slider_and_the_keys_choose_the_step(media: Page, address: str) -> None:
    show(media, address, "&tags=class")
    media.get_by_role("slider", name="Step of all PR curves").fill("0")
    expect(row(media, "pr/class_1", "first")).to_contain_text("step 0")
    expect(row(media, "pr/class_1", "first")).to_contain_text("area 0.25")
    expect(media).to_have_url(re.compile("at=0"))
    media.get_by_role("slider", name="Step of all PR curves").blur()
    media.keyboard.press("ArrowRight")
    expect(row(media, "pr/class_1", "first")).to_contain_text("step 10")


def test_the_pointer_shows_threshold_and_counts(media: Page, address: str) -> None:
    show(media, address, "&tags=class_1")
    box = card(media, "pr/class_1").get_by_role("application").bounding_box()
    assert box is not None
    media.mouse.move(box["x"] + box["width"] - 20, box["y"] + 60)
    tooltip = media.locator(".tooltip")
    for word in ("recall 1", "precision", "threshold", "TP", "FP", "TN", "FN"):
        expect(tooltip).to_contain_text(word)
    expect(tooltip.locator("tr").filter(has_text="second")).to_contain_text("0.25")


def test_a_zoom_is_in_the_address_and_a_button_ends_it(media: Page, address: str) -> None:
    show(media, address, "&tags=class_1")
    box = card(media, "pr/class_1").get_by_role("application").bounding_box()
    assert box is not None
    media.mouse.move(box["x"] + 100, box["y"] + 60)
    media.mouse.down()
    media.mouse.move(box["x"] + 200, box["y"] + 130, steps=4)
    media.mouse.up()
    expect(media).to_have_url(re.compile(r"look=@pr_curves%20pr/class_1~y=0\.\d+\.\.0\.\d+~x=0\.\d+\.\.0\.\d+"))
    media.reload()
    reset = card(media, "pr/class_1").get_by_role("button", name="Reset zoom")
    reset.click()
    expect(reset).to_have_count(0)
    expect(media).not_to_have_url(re.compile("look="))


def test_a_curve_of_another_step_says_so(media: Page, address: str) -> None:
    show(media, address, "&tags=class_1&at=5")
    expect(row(media, "pr/class_1", "first").locator(".amber")).to_have_text("step 0, not 5")


def test_the_run_list_chooses_curves(media: Page, address: str) -> None:
    show(media, address, "&tags=class")
    media.get_by_role("button", name="Hide second").click()
    expect(row(media, "pr/class_1", "second")).to_have_count(0)
    expect(row(media, "pr/class_1", "first")).to_be_visible()


def test_bad_values_and_hostile_names_are_words(media: Page, address: str) -> None:
    show(media, address)
    expect(row(media, "bad", "hostile")).to_contain_text("six rows")
    expect(row(media, MARKUP, "hostile")).to_contain_text("area 1")
    expect(row(media, "__proto__", "hostile")).to_contain_text("area 1")
    assert media.locator("img").count() == 0


def test_new_steps_move_the_curves(media: Page, server_on: Callable[..., object], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("growing")
    path = hl.write(folder, "live", record("pr", 0, EVEN))
    server = server_on(folder, "--reload-interval", "0.5")
    show(media, server.address)  # pyright: ignore[reportAttributeAccessIssue]
    expect(row(media, "pr", "live")).to_contain_text("area 0.25")
    with path.open("ab") as file:
        file.write(record("pr", 7, PERFECT))
    expect(row(media, "pr", "live")).to_contain_text("step 7")
    expect(row(media, "pr", "live")).to_contain_text("area 1")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overflows(media: Page, address: str, theme: Scheme) -> None:
    media.emulate_media(color_scheme=theme)
    show(media, address)
    assert media.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_without_curves_the_page_says_how_to_log_some(media: Page, server_on: Callable[..., object], logs: LogFolder) -> None:
    empty = LogFolder(logs.path.parent / "without")
    empty.write("a", {"loss": [1.0, 2.0]})
    server = server_on(empty.path)
    media.goto(f"{server.address}#media?kind=pr_curves")  # pyright: ignore[reportAttributeAccessIssue]
    expect(media.get_by_role("heading", name="No PR curves yet")).to_be_visible()
    expect(media.get_by_text("add_pr_curve")).to_be_visible()
