"""Tiles of every kind in Media, in a real browser: how they share the page, grow, follow a typed step and the run list."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.charts_page import ChartsPage
from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.page_clock import let_pass
from browser.schemes import Scheme
from log_folder import LogFolder
from stepscope import SummaryWriter

KINDS = {"images": "image", "text": "text", "audio": "audio", "mesh": "mesh"}
LONG = "\n\n".join(f"Paragraph {number} of a long text." for number in range(60))


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    """One run with every kind."""
    cloud = np.random.default_rng(1).normal(size=(1, 200, 3)).astype(np.float32)
    with SummaryWriter(logs.path / "only") as writer:
        for step in (0, 10, 20, 30):
            for place in range(20):
                writer.add_image(f"samples/{place}", np.full((3, 8, 8), place / 20, np.float32), step)
            writer.add_text("short", f"one line at {step}", step)
            writer.add_text("long", LONG, step)
            writer.add_audio("sound", np.sin(np.arange(2000) / 5), step, sample_rate=8000)
            writer.add_mesh("cloud", cloud, global_step=step)
            writer.add_pr_curve("pr", np.array([0, 1, 1, 0]), np.array([0.1, 0.8, 0.4, 0.3]), step)
    return serve(logs.path)


@pytest.fixture(scope="module")
def sweep(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """More runs than are shown at first."""
    folder = tmp_path_factory.mktemp("sweep")
    for number in range(35):
        with SummaryWriter(folder / f"run_{number:02}") as writer:
            writer.add_image("view", np.zeros((3, 4, 4), np.float32), 0)
            writer.add_pr_curve("pr", np.array([0, 1, 1, 0]), np.array([0.1, 0.8, 0.4, 0.3]), 0)
    return serve(folder)


def show(page: Page, address: str, kind: str, more: str = "") -> None:
    page.goto("about:blank")
    page.goto(f"{address}#media?kind={kind}{more}")
    expect(page.locator("figure, article").first).to_be_visible()


def box_of(part: Locator) -> dict[str, float]:
    box = part.bounding_box()
    assert box is not None
    return {side: box[side] for side in ("x", "y", "width", "height")}


def test_twenty_tags_of_one_run_fill_the_screen(charts: ChartsPage, address: str) -> None:
    page = charts.page
    show(page, address, "images")
    expect(page.get_by_role("heading", name="samples", exact=True)).to_be_visible()
    expect(page.locator("figure img").nth(7)).to_be_visible()
    boxes = [box_of(one) for one in page.locator("figure").all()]
    on_screen = [box for box in boxes if box["y"] + box["height"] / 2 < 770]
    assert len(on_screen) >= 12
    assert len({round(box["y"]) for box in on_screen[:4]}) == 1  # tags share a line
    assert on_screen[3]["x"] + on_screen[3]["width"] > 1200
    expect(page.locator("figure").first.get_by_role("heading", name="samples/0")).to_be_visible()


@pytest.mark.parametrize("kind", [*KINDS, "pr_curves"])
def test_every_kind_can_have_the_whole_width_and_the_address_keeps_it(charts: ChartsPage, address: str, kind: str) -> None:
    charts.may_complain = True  # of WebGL without a graphics card, among meshes
    page = charts.page
    show(page, address, kind)
    part = page.locator("figure, article").first
    let_pass(page, 300)
    before = box_of(part)
    part.hover()
    part.get_by_role("button", name="Full width").click()
    page.wait_for_function("() => document.querySelector('figure, article').getBoundingClientRect().width > 900")
    assert box_of(part)["height"] > before["height"] + 60
    expect(page).to_have_url(re.compile("look=@"))
    page.reload()
    expect(part.get_by_role("button", name="Full width")).to_have_attribute("aria-pressed", "true")
    page.wait_for_function("() => document.querySelector('figure, article').getBoundingClientRect().width > 900")
    part.hover()
    part.get_by_role("button", name="Full width").click()
    page.wait_for_function("() => document.querySelector('figure, article').getBoundingClientRect().width < 700")


def test_a_short_text_is_low_and_a_long_one_is_opened_to_be_read(charts: ChartsPage, address: str) -> None:
    page = charts.page
    show(page, address, "text", "&at=10&tags=short")
    short = page.get_by_role("figure", name="short/text_summary, only")
    expect(short).to_contain_text("one line at 10")
    let_pass(page, 300)
    assert box_of(short)["height"] < 80
    show(page, address, "text", "&at=10&tags=long")
    long = page.get_by_role("figure", name="long/text_summary, only")
    page.wait_for_function("() => document.querySelector('figure').getBoundingClientRect().height >= 300")
    long.hover()
    long.get_by_role("button", name="Read long/text_summary, only").click()
    reader = page.get_by_role("dialog", name="long/text_summary")
    expect(reader.get_by_text("Paragraph 15 of a long text.")).to_be_in_viewport()
    expect(page).to_have_url(re.compile("reading="))
    page.keyboard.press("ArrowRight")
    expect(reader).to_contain_text("step 20")
    expect(page).to_have_url(re.compile("at=20"))
    page.reload()
    expect(reader.get_by_text("Paragraph 15 of a long text.")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(reader).to_have_count(0)
    expect(page).to_have_url(re.compile("at=20"))
    expect(page).not_to_have_url(re.compile("reading="))


def test_a_typed_step_goes_to_the_nearest(charts: ChartsPage, address: str) -> None:
    page = charts.page
    show(page, address, "text", "&tags=short")
    field = page.get_by_label("Go to step")
    expect(field).to_have_value("30")
    field.fill("12")
    field.press("Enter")
    expect(page.get_by_role("figure")).to_contain_text("one line at 10")
    expect(field).to_have_value("10")
    expect(page.get_by_role("toolbar", name="Text")).to_contain_text("2 of 4")
    field.fill("nothing")
    field.press("Enter")
    expect(field).to_have_value("10")
    field.fill("9999")
    field.press("Enter")
    expect(field).to_have_value("30")
    expect(page).not_to_have_url(re.compile("at="))


def test_many_runs_are_said_to_be_many_and_shown_on_demand(charts: ChartsPage, sweep: str) -> None:
    page = charts.page
    show(page, sweep, "images")
    expect(page.locator("main").get_by_role("status").filter(has_text="runs shown")).to_contain_text("20 of 35 runs shown")
    page.get_by_role("button", name="Show all", exact=True).click()
    expect(page.locator("main").get_by_text("35 runs", exact=True)).to_be_visible()
    expect(page.get_by_text("runs shown")).to_have_count(0)


def test_the_list_below_a_pr_curve_says_how_many_more_there_are(charts: ChartsPage, sweep: str) -> None:
    page = charts.page
    show(page, sweep, "pr_curves")
    card = page.get_by_role("article", name="pr")
    expect(card.get_by_role("listitem")).to_have_count(20)
    rows = card.get_by_role("listitem")
    more = card.get_by_role("button", name="15 more runs below")
    expect(more).to_be_visible()
    expect(rows.nth(5)).not_to_be_in_viewport()
    more.click()
    expect(rows.nth(5)).to_be_in_viewport()
    expect(card.get_by_role("button", name="10 more runs below")).to_be_visible()


def test_tiles_stand_in_the_order_of_the_run_list(charts: ChartsPage, sweep: str) -> None:
    page = charts.page
    for order in ("name", "-name"):
        show(page, sweep, "images", f"&sort={order}")
        expect(page.locator("figure img").nth(5)).to_be_visible()
        listed = (
            page.get_by_role("grid", name="Runs")
            .get_by_role("button", name=re.compile("^(Hide|Show) run_"))
            .evaluate_all(
                "list => list.map((one) => one.ariaLabel).filter((name) => name.startsWith('Hide')).map((name) => name.slice(5))"
            )
        )
        tiles = page.locator("figure figcaption .name > *").evaluate_all("(names) => names.map((name) => name.title)")
        assert len(tiles) >= 8
        assert tiles[:8] == listed[:8]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["images", "pr_curves"])
def test_nothing_overflows_and_everything_can_be_read(browser: Browser, address: str, kind: str, theme: Scheme) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=theme)
    show(page, address, kind, "&at=15")
    let_pass(page, 500)
    assert not page.evaluate(WIDER_THAN_THE_PAGE)
    assert faults(page) == []
    page.close()
