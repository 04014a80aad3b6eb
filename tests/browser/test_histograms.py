"""Histograms in a real browser: four pictures of every step, the exact bucket under the pointer, and the shared step."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, Locator, Page, Request, expect

import histogram_logs as hl
from browser.charts_page import QUIET, ChartsPage
from browser.schemes import Scheme
from log_folder import LogFolder

MARKUP = "<img src=x onerror=alert(1)>"
STEPS = 3000
INK = """(card) => {
  const canvas = card.querySelectorAll('canvas')[1];
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Set();
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  return colours.size;
}"""
LEFT, RIGHT, TOP, BOTTOM = 0.3, 0.9, 10, 24
"""The part of a card's picture that is surely inside its axes."""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    every = [hl.new("layer1/weights", step, hl.bell(step % 50, buckets=20)) for step in range(STEPS)]
    few = [hl.new("layer2/weights", step, hl.bell(0)) for step in (0, 10, 20)]
    hl.write(logs.path, "first", *every, *few)
    hl.write(
        logs.path, "second", *(hl.old("layer2/weights", step, [0, 1, 2, 3], [0, 4, 2, 0], least=0.5, greatest=2) for step in range(5))
    )
    hl.write(
        logs.path,
        "hostile",
        hl.new(MARKUP, 0, hl.bell(0)),
        hl.new("__proto__", 0, hl.bell(0)),
        hl.new("empty", 0, []),
        hl.raw_tensor("no histogram", 0, b"\xff\xff"),
        hl.new("half bad", 0, [(0.0, float("nan"), 4.0), (0.0, 1.0, 1.0)]),
        hl.new("far", 0, [(-1e308, 1e308, 4.0)]),
    )
    logs.write("first", {"loss": [1.0, 0.5, 0.25]}, file="events.out.tfevents.2")
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
    page.goto(f"{address}#media?kind=histograms{query}")
    expect(page.get_by_role("toolbar", name="Histograms")).to_be_visible()
    page.wait_for_function(QUIET)


def card(page: Page, tag: str, run: str) -> Locator:
    return page.get_by_role("article", name=f"{tag}, {run}", exact=True)


def picture(page: Page, tag: str, run: str) -> Locator:
    return card(page, tag, run).get_by_role("application")


def box_of(place: Locator) -> tuple[float, float, float, float]:
    """Left, top, width and height."""
    box = place.bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"], box["height"]


def point(page: Page, place: Locator, across: float, down: float) -> None:
    """Moves the pointer to shares of the picture."""
    left, top, width, height = box_of(place)
    page.mouse.move(left + width * across, top + height * down)
    page.mouse.move(left + width * across + 1, top + height * down)


def facts(page: Page) -> dict[str, str]:
    """The rows of the tooltip."""
    expect(page.locator(".tip")).to_be_visible()
    rows = page.locator(".tip tr").all_inner_texts()
    parts = [re.split(r"\t|\n", row, maxsplit=1) for row in rows]
    return {part[0]: part[1] for part in parts}


def test_runs_of_one_tag_share_their_axis_of_values(media: Page, address: str) -> None:
    asked: list[list[float]] = []

    def note(request: Request) -> None:
        if "histograms/grid" in request.url and (asking := request.post_data_json) is not None and asking["values"] is not None:
            asked.append(asking["values"])

    media.on("request", note)
    show(media, address, "&tags=^layer2")
    expect(card(media, "layer2/weights", "second").locator(".scale")).to_be_visible()
    media.wait_for_function(QUIET)
    assert {tuple(values) for values in asked} == {(0, 10)}  # what the first run has; the second's reach to 3


@pytest.mark.parametrize("look", ["heat", "offset", "overlay", "percentiles"])
def test_a_histogram_without_counts_says_so(media: Page, address: str, look: str) -> None:
    show(media, address, f"&tags=^empty$&histograms={look}")
    expect(card(media, "empty", "hostile")).to_contain_text("No counts")


def test_every_run_and_tag_has_a_card_and_says_how_many_steps(media: Page, address: str) -> None:
    show(media, address)
    expect(card(media, "layer1/weights", "first")).to_contain_text(re.compile(r"3.?000 steps in \d+ columns"))
    expect(card(media, "layer2/weights", "first")).to_contain_text("3 steps")
    expect(card(media, "layer2/weights", "second")).to_contain_text("5 steps")


@pytest.mark.parametrize("look", ["heat", "percentiles", "offset", "overlay"])
def test_each_picture_is_drawn_with_many_shades(media: Page, address: str, look: str) -> None:
    show(media, address, f"&hist={look}&tags=layer")
    for tag, run in (("layer1/weights", "first"), ("layer2/weights", "second")):
        assert card(media, tag, run).evaluate(INK) >= 3


def test_the_pointer_finds_the_exact_bucket(media: Page, address: str) -> None:
    show(media, address, "&tags=layer2")
    point(media, picture(media, "layer2/weights", "first"), 0.55, 0.5)
    expect(media.locator(".tip")).to_contain_text("count")
    found = facts(media)
    assert found["step"] == "10"
    left, right = float(found["left"]), float(found["right"])
    assert right - left == 1
    assert found["count"].startswith(f"{min(int(left), 9 - int(left)) + 1} of 30")
    assert found["time"].startswith("2023-11-1")


def test_hills_and_percentiles_have_tooltips_of_their_own(media: Page, address: str) -> None:
    show(media, address, "&tags=layer2&hist=percentiles")
    point(media, picture(media, "layer2/weights", "first"), 0.55, 0.5)
    expect(media.locator(".tip")).to_contain_text("50%")
    assert facts(media)["50%"] == "5"
    for look in ("Offset", "Overlay"):
        media.get_by_role("button", name=look).click()
        media.wait_for_function(QUIET)
        point(media, picture(media, "layer2/weights", "first"), 0.55, 0.7)
        expect(media.locator(".tip")).to_contain_text("left")
    expect(media).to_have_url(re.compile("hist=overlay"))


def test_a_click_pins_the_step_and_the_ruler_shows_it(media: Page, address: str) -> None:
    show(media, address, "&tags=layer2")
    left, top, width, height = box_of(picture(media, "layer2/weights", "first"))
    media.mouse.click(left + width * 0.55, top + height * 0.5)
    expect(media).to_have_url(re.compile(r"at=\d+"))
    expect(media.get_by_role("button", name="Unpin")).to_be_visible()
    media.keyboard.press("Escape")
    expect(media).not_to_have_url(re.compile(r"at=\d+"))


def test_dragging_zooms_time_for_all_and_values_for_one(media: Page, address: str) -> None:
    show(media, address, "&tags=layer1")
    left, top, width, height = box_of(picture(media, "layer1/weights", "first"))
    media.mouse.move(left + width * 0.4, top + height * 0.2)
    media.mouse.down()
    media.mouse.move(left + width * 0.7, top + height * 0.6, steps=4)
    media.mouse.up()
    expect(media).to_have_url(re.compile(r"zoom=\d+.*"))
    expect(media).to_have_url(re.compile("look=@histogram"))
    expect(card(media, "layer1/weights", "first")).not_to_contain_text(re.compile(r"^3.?000 steps in"))
    media.reload()
    media.wait_for_function(QUIET)
    expect(media).to_have_url(re.compile("look=@histogram"))
    media.mouse.dblclick(left + width * 0.5, top + height * 0.4)
    expect(media).not_to_have_url(re.compile("zoom="))
    expect(card(media, "layer1/weights", "first")).to_contain_text(re.compile(r"3.?000 steps in"))


def test_the_keyboard_reaches_buckets_and_pins(media: Page, address: str) -> None:
    show(media, address, "&tags=layer2")
    picture(media, "layer2/weights", "first").focus()
    media.keyboard.press("ArrowLeft")
    media.keyboard.press("ArrowLeft")
    expect(media.locator(".tip")).to_contain_text("count")
    expect(media.locator(".tip tr").filter(has_text="step").first).to_contain_text("10")
    media.keyboard.press("Home")
    expect(media.locator(".tip tr").first).to_contain_text("0")
    media.keyboard.press("ArrowUp")
    media.keyboard.press("End")
    media.keyboard.press("Enter")
    expect(media).to_have_url(re.compile("at=20"))


def test_the_axis_may_be_time(media: Page, address: str) -> None:
    show(media, address, "&tags=layer2")
    media.get_by_label("X axis").select_option("relative")
    media.wait_for_function(QUIET)
    expect(media).to_have_url(re.compile("x=relative"))
    point(media, picture(media, "layer2/weights", "first"), 0.55, 0.5)
    expect(media.locator(".tip")).to_contain_text("count")
    assert facts(media)["step"] == "10"


def test_the_run_list_chooses_cards(media: Page, address: str) -> None:
    show(media, address, "&tags=layer2")
    expect(media.get_by_role("article")).to_have_count(2)
    media.get_by_role("button", name="Hide second").click()
    expect(card(media, "layer2/weights", "second")).to_have_count(0)
    expect(card(media, "layer2/weights", "first")).to_be_visible()


def test_bad_values_are_a_sentence_in_their_card(media: Page, address: str) -> None:
    show(media, address)
    media.get_by_label("Filter tags by regular expression").fill("empty|bad|no histogram|far|proto|img")
    expect(card(media, "no histogram", "hostile")).to_contain_text("1 of 1 values")
    expect(card(media, "half bad", "hostile")).to_contain_text("not numbers")
    expect(card(media, "empty", "hostile")).to_contain_text("1 step")
    for name in (MARKUP, "__proto__", "far"):
        expect(card(media, name, "hostile")).to_contain_text("1 step")
        assert card(media, name, "hostile").evaluate(INK) >= 1
    assert media.locator("img").count() == 0


def test_new_steps_appear(media: Page, server_on: Callable[..., object], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("growing")
    path = hl.write(folder, "live", *(hl.new("w", step, hl.bell(step)) for step in range(3)))
    server = server_on(folder, "--reload-interval", "0.5")
    show(media, server.address)  # pyright: ignore[reportAttributeAccessIssue]
    expect(card(media, "w", "live")).to_contain_text("3 steps")
    with path.open("ab") as file:
        file.write(b"".join(hl.new("w", step, hl.bell(step)) for step in range(3, 8)))
    expect(card(media, "w", "live")).to_contain_text("8 steps")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overflows(media: Page, address: str, theme: Scheme) -> None:
    media.emulate_media(color_scheme=theme)
    show(media, address)
    assert media.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert card(media, "layer1/weights", "first").evaluate(INK) > 10


def test_without_histograms_the_page_says_how_to_log_some(media: Page, server_on: Callable[..., object], logs: LogFolder) -> None:
    empty = LogFolder(logs.path.parent / "without")
    empty.write("a", {"loss": [1.0, 2.0]})
    server = server_on(empty.path)
    media.goto(f"{server.address}#media?kind=histograms")  # pyright: ignore[reportAttributeAccessIssue]
    expect(media.get_by_role("heading", name="No histograms yet")).to_be_visible()
    expect(media.get_by_text("add_histogram")).to_be_visible()
