"""A range is chosen in the strip of steps or typed, holds in every part of the tab, is in the address, and goes with Esc."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import FIRST_STEP, KERNEL, write_trace
from browser.schemes import Scheme
from log_folder import LogFolder

LEFT = 88
STEPS = 8


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    """Eight steps, of which the first takes far longer."""
    write_trace(logs.path / "train", steps=STEPS, slow={FIRST_STEP: 12.0})
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str], request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProfilePage]:
    failures = request.session.testsfailed
    yield ProfilePage(page)
    if request.session.testsfailed > failures:
        page.screenshot(path=tmp_path / "failed.png")
    assert complaints == []


def chip(profile: ProfilePage) -> Locator:
    return profile.page.get_by_role("button", name="Range", exact=True)


def drag(profile: ProfilePage, first: int, last: int) -> None:
    """Over the columns of two steps, counted from 0."""
    box = profile.steps().bounding_box()
    assert box is not None
    pitch = (box["width"] - LEFT - 176) / STEPS
    pitch = min(120, pitch)
    y = box["y"] + 100
    mouse = profile.page.mouse
    mouse.move(box["x"] + LEFT + (first + 0.4) * pitch, y)
    mouse.down()
    mouse.move(box["x"] + LEFT + (last + 0.6) * pitch, y, steps=5)
    mouse.up()


def test_dragging_over_the_strip_chooses_steps_for_the_whole_tab(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    expect(chip(profile)).to_contain_text("All steps")
    drag(profile, 2, 5)
    expect(chip(profile)).to_contain_text("Steps 7 to 10, 4 of 8")
    expect(profile.page).to_have_url(re.compile("range=7:11"))
    expect(profile.page.get_by_role("region", name="Time breakdown")).to_contain_text("mean of all 4")
    profile.show("Kernels")
    expect(chip(profile)).to_contain_text("Steps 7 to 10, 4 of 8")
    expect(profile.page.get_by_role("grid", name="Table of kernels")).to_be_visible()
    assert [line for line in profile.table("kernels") if line[0] == KERNEL and "4" in line], profile.table("kernels")


def test_esc_takes_all_steps_again(profile: ProfilePage, address: str) -> None:
    profile.open(address, "#profile?range=7:11")
    expect(chip(profile)).to_contain_text("Steps 7 to 10")
    expect(profile.steps()).to_have_attribute("aria-valuemax", str(STEPS - 1))  # all of them stay in the strip
    profile.steps().focus()
    profile.page.keyboard.press("Escape")
    expect(chip(profile)).to_contain_text("All steps")
    expect(profile.page).to_have_url(re.compile("#profile$"))


def test_a_click_on_a_step_is_the_range_of_sentence_bar_and_tables(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    before = profile.sentence()
    drag(profile, 0, 0)
    expect(chip(profile)).to_contain_text(f"Step {FIRST_STEP} (1 of {STEPS})")
    expect(profile.page).to_have_url(re.compile(f"range={FIRST_STEP}:{FIRST_STEP + 1}"))
    expect(profile.page.get_by_role("heading", name=f"Step {FIRST_STEP}, 22")).to_be_visible()
    profile.settled()
    assert "22 ms" in profile.sentence() != before
    assert profile.legend()["Input wait"].startswith("15 ms")
    expect(profile.steps()).to_have_attribute("aria-valuemax", str(STEPS - 1))  # all of them stay in the strip
    profile.show("Kernels")
    assert [line for line in profile.table("kernels") if line[0] == KERNEL and "1" in line], profile.table("kernels")
    profile.page.get_by_role("button", name="Clear range").click()
    expect(chip(profile)).to_contain_text("All steps")


def test_a_second_click_and_arrows_move_the_step_without_leaving_the_strip(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    drag(profile, 3, 3)
    expect(chip(profile)).to_contain_text(f"Step {FIRST_STEP + 3} ")
    profile.steps().focus()
    profile.page.keyboard.press("ArrowRight")
    expect(chip(profile)).to_contain_text(f"Step {FIRST_STEP + 4} ")
    expect(profile.steps()).to_be_focused()
    drag(profile, 4, 4)
    expect(chip(profile)).to_contain_text("All steps")


def test_shift_makes_a_range_from_the_chosen_step(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    drag(profile, 3, 3)
    expect(chip(profile)).to_contain_text(f"Step {FIRST_STEP + 3} ")
    profile.page.keyboard.down("Shift")
    drag(profile, 6, 6)
    profile.page.keyboard.up("Shift")
    expect(chip(profile)).to_contain_text("Steps 8 to 11, 4 of 8")
    profile.steps().focus()
    profile.page.keyboard.press("Shift+ArrowLeft")
    expect(chip(profile)).to_contain_text("Steps 8 to 10, 3 of 8")


def test_the_warm_up_can_be_left_out(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    chip(profile).click()
    profile.page.get_by_role("button", name="Skip warm-up (1 step)").click()
    expect(chip(profile)).to_contain_text("Steps 6 to 12, 7 of 8")
    profile.page.get_by_role("button", name="Clear range").click()
    expect(chip(profile)).to_contain_text("All steps")


def test_a_time_is_typed(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    chip(profile).click()
    profile.page.get_by_label("Steps, time or epochs").fill("32ms:52ms")
    profile.page.keyboard.press("Enter")
    expect(chip(profile)).to_contain_text("Steps 7 to 8, 2 of 8")


def test_a_wrong_range_says_what_to_write_and_can_be_taken_back(profile: ProfilePage, address: str, complaints: list[str]) -> None:
    profile.page.goto(address + "#profile?range=nonsense")
    expect(profile.page.get_by_text("'nonsense'")).to_be_visible()
    profile.page.get_by_role("button", name="Clear range").click()
    assert "10 ms" in plain(profile.page.locator(".sentence").inner_text())
    complaints.clear()  # the browser tells of the refused request


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 1440])
def test_the_chip_has_room(profile: ProfilePage, address: str, scheme: Scheme, width: int) -> None:
    profile.page.emulate_media(color_scheme=scheme)
    profile.page.set_viewport_size({"width": width, "height": 900})
    profile.open(address, "#profile?range=7:11")
    expect(chip(profile)).to_be_visible()
    assert profile.page.evaluate(WIDER_THAN_THE_PAGE) == []
