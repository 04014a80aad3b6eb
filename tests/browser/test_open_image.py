"""An image opened large, in a real browser: its samples, runs and steps, others over and beside it, and what Escape closes."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

import image_logs as il
from browser.charts_page import ChartsPage
from browser.schemes import Scheme
from browser.screen_colours import pixel
from log_folder import LogFolder

RUNS = ["a_long", "b_short", *(f"c_{number}" for number in range(9))]
SAMPLES = 4


def shade(run: int, sample: int, step: int) -> tuple[int, int, int]:
    """A colour that tells run, sample and step apart."""
    return 20 * run, 50 * sample, 5 * step


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for place, run in enumerate(RUNS):
        steps = range(0, 20 if run == "b_short" else 40, 10)
        pictures = [
            il.tensor_images("val", step, [il.png(8, 6, shade(place, one, step)) for one in range(SAMPLES)], size=(b"8", b"6"))
            for step in steps
        ]
        il.write(logs.path, run, *pictures, il.old_image("clear", 0, il.png(8, 8, (255, 0, 0, 0))))
    return serve(logs.path)


def show(page: Page, address: str, query: str = "") -> None:
    page.goto("about:blank")
    page.goto(f"{address}#media?sort=name&tags=val{query}")
    expect(page.locator("figure img").first).to_be_visible()


def tile(page: Page, run: str, sample: int) -> Locator:
    return page.get_by_role("figure", name=re.compile(rf"^val, {run}, step \d+, sample {sample} of {SAMPLES}"))


def open_image(page: Page, run: str, sample: int = 1) -> Locator:
    tile(page, run, sample).get_by_role("button", name="Open").click()
    viewer = page.get_by_role("dialog", name="Image val")
    expect(viewer.locator("img").first).to_be_visible()
    return viewer


def box_of(part: Locator) -> dict[str, float]:
    box = part.bounding_box()
    assert box is not None
    return {side: round(box[side], 1) for side in ("x", "y", "width", "height")}


def test_images_over_each_other_are_in_one_place(charts: ChartsPage, address: str) -> None:
    page = charts.page
    show(page, address, "&at=10")
    viewer = open_image(page, "a_long")
    for how in ("Swipe", "Difference"):
        viewer.get_by_role("button", name=how).click()
        expect(viewer.locator("img")).to_have_count(2)
        expect(viewer.locator("[aria-busy=true]")).to_have_count(0)
        assert box_of(viewer.locator("img").nth(0)) == box_of(viewer.locator("img").nth(1))
    viewer.get_by_role("button", name="Swipe").click()
    box = box_of(viewer.locator("img").first)
    right, bottom = box["x"] + box["width"] - 4, box["y"] + box["height"] - 3
    assert pixel(page, right, bottom) == shade(1, 0, 10)  # no strip of the image below is left at the foot


def test_the_line_is_dragged_and_moved_by_its_own_keys(charts: ChartsPage, address: str) -> None:
    page = charts.page
    show(page, address, "&at=10")
    viewer = open_image(page, "a_long")
    viewer.get_by_role("button", name="Swipe").click()
    line = viewer.get_by_role("slider", name="Swipe position")
    picture = box_of(viewer.locator("img").first)
    middle = box_of(line)
    x, y = middle["x"] + middle["width"] / 2, middle["y"] + 40
    left = x - picture["width"] / 4
    assert pixel(page, left, y) == shade(0, 0, 10)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - picture["width"] / 2 + 30, y, steps=4)
    page.mouse.up()
    assert pixel(page, left, y) == shade(1, 0, 10)
    assert box_of(viewer.locator("img").first) == picture  # the images have stayed
    before = int(line.get_attribute("aria-valuenow") or "")
    line.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(line).to_have_attribute("aria-valuenow", str(before + 4))
    expect(page).to_have_url(re.compile("at=10"))
    expect(viewer).to_contain_text("step 10")


def test_escape_closes_a_dialog_and_nothing_else(charts: ChartsPage, address: str) -> None:
    page = charts.page
    show(page, address, "&at=20")
    viewer = open_image(page, "a_long", 2)
    page.keyboard.press("Escape")
    expect(viewer).to_have_count(0)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)  # closed, and known to the page
    expect(tile(page, "a_long", 1)).to_contain_text("step 20")
    expect(page).to_have_url(re.compile("at=20"))
    page.keyboard.press("Escape")  # with nothing over the page it unpins the step, as ever
    expect(page).not_to_have_url(re.compile("at=20"))


def test_a_run_without_the_pinned_step_says_which_it_shows(charts: ChartsPage, address: str) -> None:
    page = charts.page
    show(page, address, "&at=20")
    other = tile(page, "b_short", 1).locator(".amber")
    expect(other).to_have_text("step 10, not 20")
    expect(other).to_have_attribute("title", re.compile(r"step 20\..*\b10\."))
    expect(tile(page, "a_long", 1).locator(".amber")).to_have_count(0)
    page.get_by_role("combobox", name="Tile size").select_option("Small")
    expect(other.locator(".wanted")).to_be_hidden()  # rather than cut off in the middle of a number
    expect(other).to_be_visible()
    viewer = open_image(page, "a_long")
    for how in ("Difference", "Swipe"):
        viewer.get_by_role("button", name=how).click()
        expect(viewer.locator(".amber")).to_have_text("step 10, not 20")
    page.keyboard.press("Escape")
    page.get_by_role("slider", name="Step of all images").press("End")
    expect(page.locator("figure .amber")).to_have_count(0)  # the newest of each run is what is asked for


def test_samples_runs_and_steps_are_turned_inside(charts: ChartsPage, address: str) -> None:
    page = charts.page
    show(page, address, "&at=10")
    viewer = open_image(page, "a_long", 2)
    expect(viewer).to_have_accessible_name(f"Image val, a_long, sample 2 of {SAMPLES}")
    expect(viewer.get_by_text("sample 2 of 4")).to_be_visible()
    viewer.get_by_role("button", name="Next sample").click()
    expect(viewer.get_by_text("sample 3 of 4")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(viewer.get_by_role("img", name=f"val, a_long, step 10, sample 4 of {SAMPLES}")).to_be_visible()
    expect(viewer.get_by_role("button", name="Next sample")).to_be_disabled()
    page.keyboard.press("ArrowUp")
    viewer.get_by_role("button", name="Next run").click()
    expect(viewer.get_by_text("run 2 of 11")).to_be_visible()
    expect(viewer).to_have_accessible_name(f"Image val, b_short, sample 3 of {SAMPLES}")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    expect(viewer.get_by_text("run 1 of 11")).to_be_visible()
    viewer.get_by_role("slider", name="Step of the image").press("End")
    expect(viewer).to_contain_text("step 30")
    viewer.get_by_label("Go to step").fill("11")
    viewer.get_by_label("Go to step").press("Enter")
    expect(page).to_have_url(re.compile("at=10"))
    expect(viewer.get_by_role("button", name="Fit")).to_have_attribute("aria-pressed", "true")  # a typed 1 is no key


def test_every_sample_has_a_name_of_its_own(charts: ChartsPage, address: str) -> None:
    show(charts.page, address, "&at=10")
    names = charts.page.locator("figure button.open").evaluate_all("list => list.map((one) => one.ariaLabel)")
    assert len(set(names)) == len(names) > SAMPLES
    assert ["val", "a_long", "10", f"3 of {SAMPLES}"] in [re.split(r"(?:, |^)(?:Open|step|sample)? ?", name)[1:] for name in names]


def test_more_than_nine_runs_side_by_side_are_turned_over(charts: ChartsPage, address: str) -> None:
    page = charts.page
    show(page, address, "&at=10")
    viewer = open_image(page, "b_short")
    viewer.get_by_role("button", name="Side by side").click()
    expect(viewer.locator("img")).to_have_count(9)
    expect(viewer).to_contain_text("1 to 9 of 11 runs")
    viewer.get_by_role("button", name="Next runs").click()
    expect(viewer).to_contain_text("10 to 11 of 11 runs")
    expect(viewer.locator("img")).to_have_count(2)
    expect(viewer.get_by_role("region", name="c_8, val")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_transparent_shows_a_board_of_squares(charts: ChartsPage, address: str, theme: Scheme) -> None:
    page = charts.page
    page.emulate_media(color_scheme=theme)
    page.goto(f"{address}#media?sort=name&tags=clear")
    picture = page.get_by_role("figure", name="clear, a_long").locator("img")
    expect(picture).to_be_visible()
    box = box_of(picture)
    assert abs(box["width"] - box["height"]) < 2  # the board is no larger than the image
    seen = {pixel(page, box["x"] + 4 + 8 * across, box["y"] + 4) for across in range(4)}
    assert len(seen) == 2
