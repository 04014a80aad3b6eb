"""Markdown of logs in a real browser: alignment, formulas on their own line, what cannot be laid out, descriptions, and attacks."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import image_logs as il
from log_folder import LogFolder
from server.mesh_records import mesh, tensor
from text_and_sound_logs import text

ATTACKS = {
    "a title of a link": b'[here](https://example.org/ "Sign in again")',
    "a title by reference": b"[here][there]\n\n[there]: https://example.org/ 'Sign in again'",
    "a title of a picture": b'![here](https://example.org/a.png "Sign in again")',
    "a bare address": b"https://example.org/ and <https://example.org/>",
    "a class": b"```tag-filter\nsome code\n```",
    "an id": rb"$$E = mc^2 \tag{1} \label{tag-filter}$$",
    "a link into the page": rb"see $\ref{charts}$ and $$\eqref{charts}$$",
    "a style": rb"$\color{red}{x} + \colorbox{red}{y}$",
    "tags": b"<b id=tag-filter onclick=alert(1)>bold</b> <img src=x onerror=alert(1)> and $x<img src=x onerror=alert(1)>$",
}
"""What the renderers turn into attributes although HTML in the text is off: only the sanitizer is between these and the page."""
HARMLESS = {"href", "target", "rel", "start", "align", "width", "height"}
HARMLESS |= {"display", "displaystyle", "mathvariant", "form", "fence", "stretchy"}


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    il.write(
        logs.path,
        "first",
        text("table", 0, b"|name|count|\n|-|-:|\n|a|7|\n"),
        text("formula", 0, rb"so $$\frac{1}{2}$$ is half, in a line $\frac{1}{2}$"),
        text("deep", 0, b">" * 20_000 + b" still here"),
        text("long", 0, b"word " * 50_000),
        *(text(name, 0, attack) for name, attack in ATTACKS.items()),
        text("told", 0, b"x", display=b"A better name", description=b"First line.\n\n" + b"many words " * 40),
    )
    points = tensor(np.zeros((1, 3, 3)), 1, listed=False)
    il.write(logs.path, "second", mesh("shape_VERTEX", points, description=b"Three *points*."))
    return serve(logs.path)


@pytest.fixture
def tile(page: Page, address: str) -> Callable[[str], Locator]:
    page.set_default_timeout(60_000)
    page.goto("about:blank")
    page.goto(f"{address}#media?kind=text")

    def find(tag: str) -> Locator:
        page.locator("#tag-filter").fill(f"^{tag}$")
        found = page.get_by_role("figure", name=re.compile(rf"^{tag},"))
        expect(found).to_be_visible()
        return found

    return find


def test_columns_are_aligned_as_they_were_written(tile: Callable[[str], Locator]) -> None:
    cells = tile("table").get_by_role("cell")
    expect(cells.nth(0)).to_have_css("text-align", "left")
    expect(cells.nth(1)).to_have_css("text-align", re.compile("right$"))


def test_a_formula_of_its_own_is_larger_than_one_in_a_line(tile: Callable[[str], Locator]) -> None:
    formula = tile("formula")
    expect(formula.locator("math")).to_have_count(2)
    heights = [box["height"] for box in (formula.locator("mfrac").nth(place).bounding_box() for place in (0, 1)) if box]
    assert heights[0] > 1.15 * heights[1]


@pytest.mark.parametrize(("tag", "words"), [("deep", "still here"), ("long", "word word")])
def test_what_cannot_be_laid_out_is_shown_as_it_was_logged(tile: Callable[[str], Locator], tag: str, words: str) -> None:
    shown = tile(tag)
    expect(shown).to_contain_text("Shown as plain text")
    expect(shown).to_contain_text(words)


@pytest.mark.parametrize("name", ATTACKS)
def test_text_sets_no_attribute_that_could_act_style_or_deceive(tile: Callable[[str], Locator], page: Page, name: str) -> None:
    shown = tile(name).locator(".markdown")
    expect(shown).not_to_have_class(re.compile("waiting"))
    found = shown.evaluate("node => [...node.querySelectorAll('*')].flatMap((each) => each.getAttributeNames())")
    assert set(found) <= HARMLESS
    expect(page.locator("#tag-filter")).to_have_count(1)
    expect(shown.locator("img")).to_have_count(0)


@pytest.mark.parametrize("name", [name for name in ATTACKS if "title" in name or "address" in name])
def test_links_lead_out_without_a_way_back(tile: Callable[[str], Locator], name: str) -> None:
    links = tile(name).locator(".markdown a")
    expect(links.first).to_be_visible()
    for link in links.all():
        expect(link).to_have_attribute("href", re.compile("^https://example.org/"))
        expect(link).to_have_attribute("target", "_blank")
        expect(link).to_have_attribute("rel", re.compile(r"\bnoopener\b"))
        expect(link).to_have_attribute("rel", re.compile(r"\bnoreferrer\b"))


def test_links_of_text_stay_out_of_the_page(tile: Callable[[str], Locator]) -> None:
    shown = tile("a link into the page").locator(".markdown")
    expect(shown).to_contain_text("see")
    expect(shown.locator("a[href]")).to_have_count(0)


def test_a_description_reads_like_text(tile: Callable[[str], Locator], page: Page) -> None:
    tile("told")
    page.get_by_role("button", name="About told").click()
    about = page.locator("[popover]:popover-open")
    expect(about.locator("p")).to_have_count(2)
    expect(about.locator("p").first).to_have_css("font-weight", "400")
    assert about.evaluate("node => node.scrollWidth <= node.clientWidth")


def test_a_tag_is_found_by_the_name_it_is_displayed_under(page: Page, address: str) -> None:
    page.set_default_timeout(60_000)
    page.goto("about:blank")
    page.goto(address)
    expect(page.get_by_role("navigation", name="Tabs")).to_be_visible()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Find a tag").fill("better name")
    found = page.get_by_role("dialog").get_by_role("option").first
    expect(found).to_contain_text("told")
    found.click()
    expect(page.get_by_role("figure", name=re.compile("^told,"))).to_be_visible()


def test_a_mesh_has_the_description_of_its_vertices(page: Page, address: str) -> None:
    page.set_default_timeout(60_000)
    page.goto("about:blank")
    page.goto(f"{address}#media?kind=mesh")
    page.get_by_role("button", name="About shape").click()
    expect(page.locator("[popover]:popover-open")).to_contain_text("Three points.")
