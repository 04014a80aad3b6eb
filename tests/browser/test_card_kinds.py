"""Images, histograms, text and sound among the curves: with scalars of their prefix, pinned, by kind, at the selected step."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

import event_bytes as eb
import histogram_logs as hl
import image_logs as il
from browser.charts_page import ChartsPage
from browser.schemes import Scheme
from log_folder import LogFolder
from text_and_sound_logs import old_audio, sound, text


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for run in ("first", "second"):
        scalars = [eb.scalar(tag, step, hl.START + step, 1.0 / (1 + step)) for tag in (b"layer/norm", b"loss") for step in range(30)]
        histograms = [hl.new("layer/weights", step, hl.bell(step)) for step in range(30)]
        pictures = [
            il.tensor_images("layer/view", step, [il.png(8, 8, (8 * step, sample, 0)) for sample in range(2)]) for step in range(30)
        ]
        words = [text("layer/notes", step, f"at *{step}*".encode()) for step in range(30)]
        sounds = [old_audio("layer/sound", step, sound(800)) for step in range(30)]
        hl.write(logs.path, run, *scalars, *histograms, *pictures, *words, *sounds)
    return serve(logs.path)


def show(page: Page, address: str, query: str = "") -> None:
    page.goto("about:blank")
    page.goto(f"{address}#scalars{query}")
    expect(page.get_by_role("toolbar", name="Charts")).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


def card(page: Page, tag: str, run: str) -> Locator:
    return page.get_by_role("article", name=f"{tag}, {run}", exact=True)


def test_the_first_visit_shows_scalars_alone(charts: ChartsPage, address: str) -> None:
    show(charts.page, address)
    expect(charts.page.get_by_role("article", name="layer/norm")).to_be_visible()
    expect(card(charts.page, "layer/weights", "first")).to_have_count(0)


def test_kinds_are_chosen_and_stand_under_one_prefix(charts: ChartsPage, address: str) -> None:
    page = charts.page
    show(page, address, "?tags=layer")
    page.get_by_role("button", name="Kinds of cards").click()
    page.get_by_label("Histograms").check()
    page.get_by_label("Images").check()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("kinds=scalar~histogram~image"))
    expect(page.get_by_role("button", name="layer 5", exact=True)).to_be_visible()
    for tag in ("layer/weights", "layer/view"):
        for run in ("first", "second"):
            expect(card(page, tag, run)).to_be_visible()
    expect(card(page, "layer/view", "first").locator("img")).to_be_visible()
    page.get_by_role("button", name="Kinds of cards").click()
    page.get_by_label("Scalars").uncheck()
    expect(page.get_by_role("article", name="layer/norm")).to_have_count(0)
    expect(card(page, "layer/weights", "first")).to_be_visible()


def test_cards_follow_the_selected_step(charts: ChartsPage, address: str) -> None:
    page = charts.page
    show(page, address, "?kinds=histogram~image&tags=layer&at=12")
    expect(card(page, "layer/view", "first")).to_contain_text("step 12, 13 of 30")
    page.get_by_role("button", name="Unpin").click()
    expect(card(page, "layer/view", "first")).to_contain_text("step 29, 30 of 30")
    show(page, address, "?kinds=image&tags=layer&at=5..9")
    expect(card(page, "layer/view", "second")).to_contain_text("step 9, 10 of 30")
    card(page, "layer/view", "second").get_by_role("button", name="Next sample").click()
    expect(card(page, "layer/view", "second")).to_contain_text("2/2")


def test_text_and_sound_are_cards_as_well(charts: ChartsPage, address: str) -> None:
    page = charts.page
    show(page, address, "?kinds=text~audio&tags=layer&at=7")
    expect(card(page, "layer/notes", "first").locator("em")).to_have_text("7")
    expect(card(page, "layer/notes", "first")).to_contain_text("step 7, 8 of 30")
    expect(card(page, "layer/sound", "second").locator("canvas")).to_have_count(2)


def test_a_pinned_card_stays_among_the_charts(charts: ChartsPage, address: str) -> None:
    page = charts.page
    show(page, address, "?kinds=histogram&tags=layer")
    card(page, "layer/weights", "second").hover()
    page.get_by_role("button", name="Pin layer/weights, second").click()
    expect(page).to_have_url(re.compile("pins=@histogram"))
    show(page, address, re.sub(r"&?kinds=histogram", "", page.url[page.url.index("?") :]))
    expect(page.get_by_text("Pinned")).to_be_visible()
    expect(card(page, "layer/weights", "second")).to_have_count(1)
    page.get_by_role("button", name="Hide second").click()
    expect(card(page, "layer/weights", "second")).to_have_count(0)


def test_an_image_opens_large_in_media(charts: ChartsPage, address: str) -> None:
    page = charts.page
    show(page, address, "?kinds=image&tags=layer&at=3")
    page.get_by_role("button", name="Open layer/view, first, step 3").click()
    expect(page.get_by_role("dialog", name="Image layer/view")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overflows(charts: ChartsPage, address: str, theme: Scheme) -> None:
    charts.page.emulate_media(color_scheme=theme)
    show(charts.page, address, "?kinds=scalar~histogram~image~text~audio")
    assert charts.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
