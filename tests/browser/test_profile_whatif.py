"""The What if part of the Profile tab: sliders and switches, the answer as a range or a bound, refusals, and the address."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import WRITTEN, write_trace
from browser.schemes import Scheme
from log_folder import LogFolder

WHAT_IF = "#profile?show=whatif"
LOOKS = """(swatches) => swatches.map((swatch) => {
  const { backgroundColor, backgroundImage } = getComputedStyle(swatch);
  const numbers = (text) => (text.match(/rgba?\\(([^)]+)\\)/)?.[1] ?? '').split(/[ ,/]+/).slice(0, 3).map(Number);
  return backgroundImage === 'none' ? [...numbers(backgroundColor), 0] : [...numbers(backgroundImage), 255];
})"""
"""The colour of each swatch, and a fourth number that sets hatched ones apart."""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_trace(logs.path / "train")
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def answer(page: Page) -> Locator:
    return page.get_by_role("region", name="Estimated step time")


def lever(page: Page, name: str | re.Pattern[str], role: str = "slider") -> Locator:
    return page.get_by_role("region", name="Changes").get_by_role(role, name=name)  # type: ignore[arg-type]


def row(page: Page, name: str) -> str:
    found = page.locator(".lever").filter(has=page.locator(f"#lever-{name}"))
    return plain(found.inner_text()).replace("\n", " ")


def numbers(text: str) -> list[float]:
    """Every number of a text, in order; what stands around them may be worded anew."""
    return [float(each) for each in re.findall(r"\d+(?:\.\d+)?", plain(text))]


def sentence(page: Page) -> list[float]:
    """The numbers of the answer: least and most of the estimate, or one bound, the step today, and by how much it is faster."""
    return numbers(answer(page).locator(".sentence").inner_text())


def test_levers_that_change_something_are_offered(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.show("What if")
    expect(answer(profile.page)).to_contain_text("10\u202fms")
    assert sentence(profile.page) == [10]
    expect(lever(profile.page, "Input waiting for input")).to_have_attribute("aria-valuetext", "unchanged")
    assert numbers(row(profile.page, "input")) == [7, 7.45]
    assert numbers(row(profile.page, "workers")) == [4, 7], "as many workers as are recommended, and a bound"
    apart = profile.page.locator("details")
    expect(lever(profile.page, "Kernels compute on the device")).not_to_be_visible()
    apart.locator("summary").click()
    expect(lever(profile.page, "Kernels compute on the device")).to_be_visible()
    expect(lever(profile.page, "Communication")).to_have_count(0)
    assert numbers(profile.page.locator(".foot").inner_text()) == [10, 10, 0.1], (
        "recorded, replayed, and how far off that is in percent"
    )


def test_a_slider_gives_a_range_with_its_calibration_and_is_in_the_address(profile: ProfilePage, address: str) -> None:
    page = profile.page
    profile.open(address, WHAT_IF)
    lever(page, "Input waiting for input").focus()
    page.keyboard.press("End")
    expect(answer(page).locator(".sentence")).to_contain_text("instead of")
    assert sentence(page) == [7, 7.45, 10, 1.34, 1.43], "3 of 10 ms are input, and 15% of that may stay"
    assert numbers(page.get_by_role("list", name="Notes").inner_text())[-2:] == [15, 1], (
        "the calibration, in percent and by measured recordings"
    )
    page.wait_for_url("**levers=input=0*")
    bar, left, maybe = (answer(page).locator(part).bounding_box() for part in (".bar", ".left", ".maybe"))
    assert bar is not None
    assert left is not None
    assert maybe is not None
    assert left["width"] / bar["width"] == pytest.approx(0.7, abs=0.02)
    assert maybe["width"] / bar["width"] == pytest.approx(0.045, abs=0.02)
    page.reload()
    expect(lever(page, "Input waiting for input")).to_have_attribute("aria-valuetext", "removed")
    expect(answer(page).locator(".sentence")).to_contain_text("instead of")
    page.get_by_role("button", name="Clear all").click()
    expect(answer(page).locator(".sentence")).not_to_contain_text("instead of")


def test_notes_do_not_move_the_slider_that_is_dragged(profile: ProfilePage, address: str) -> None:
    page = profile.page
    profile.open(address, WHAT_IF)
    slider = lever(page, "Input waiting for input")
    before = slider.bounding_box()
    slider.focus()
    page.keyboard.press("End")
    expect(page.get_by_role("list", name="Notes")).to_contain_text("15%")
    assert slider.bounding_box() == before


def test_several_levers_are_as_sure_as_the_least_sure(profile: ProfilePage, address: str) -> None:
    page = profile.page
    profile.open(address, f"{WHAT_IF}&levers=input=0,kernels=0.5")
    expect(answer(page).locator(".sentence")).to_contain_text("upper bound")
    assert sentence(page) == [7, 10, 1.43]
    changes = page.get_by_role("list", name="Changes in order").get_by_role("listitem")
    expect(changes).to_have_count(2)
    assert [numbers(text) for text in changes.all_inner_texts()] == [[0, 10, 7, 7.45], [2, 7, 7]]
    expect(lever(page, "Kernels compute on the device")).to_have_attribute("aria-valuetext", "50% left, 2× as fast")


def test_moved_work_is_refused_when_the_cores_are_exhausted(profile: ProfilePage, address: str) -> None:
    page = profile.page
    profile.open(address, WHAT_IF)
    lever(page, re.compile("^Prefetch"), "checkbox").check()
    expect(answer(page).locator(".sentence")).to_contain_text("upper bound")
    assert sentence(page) == [7, 10, 1.43], "nobody knows how many cores there are"
    expect(answer(page).locator(".refused")).to_have_count(0)
    page.get_by_label("CPU cores").fill("1")
    page.get_by_label("CPU cores").press("Enter")
    expect(answer(page).locator(".refused")).to_contain_text("1 available")
    expect(answer(page).locator(".sentence")).to_contain_text("cannot be estimated")
    page.wait_for_url("**cores=1*")


def test_the_step_without_the_profiler_can_be_said(profile: ProfilePage, address: str) -> None:
    page = profile.page
    profile.open(address, WHAT_IF)
    field = page.get_by_label("Step time without profiler (ms)")
    expect(field).to_have_attribute("placeholder", "unknown")
    expect(page.locator(".foot")).to_contain_text("unknown")
    field.fill("8")
    field.press("Enter")
    expect(answer(page)).to_contain_text("8\u202fms")
    expect(page.locator(".foot")).to_contain_text("25%")
    assert numbers(page.locator(".foot").inner_text()) == [10, 8, 25, 8, 0.1]
    page.wait_for_url("**stepms=8*")
    profile.show("Overview")
    expect(page.locator(".overview footer")).to_contain_text(re.compile(r"\b25%"))
    page.reload()
    profile.show("What if")
    expect(field).to_have_value("8")
    field.fill("")
    field.press("Enter")
    expect(answer(page)).to_contain_text("10\u202fms")


def test_the_step_that_a_run_has_logged_is_proposed(
    profile: ProfilePage, serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = LogFolder(tmp_path_factory.mktemp("logged"))
    path = write_trace(folder.path / "train")
    trace = json.loads(path.read_text()) | {"baseTimeNanoseconds": WRITTEN * 1_000_000}
    path.write_text(json.dumps(trace))
    folder.write("train", {"step_time/total": [0.009] * 40}, start=WRITTEN / 1e3 - 3600)
    profile.open(serve(folder.path), WHAT_IF)
    expect(profile.page.get_by_label("Step time without profiler (ms)")).to_have_attribute("placeholder", "9")
    expect(profile.page.locator(".foot")).to_contain_text("step_time/total")
    expect(answer(profile.page)).to_contain_text("9\u202fms")
    assert sentence(profile.page) == [10, 9]
    assert numbers(profile.page.locator(".foot").inner_text())[:4] == [10, 9, 40, 11], "both steps, how many logged it, and 10 of 9 ms"


def test_a_slider_under_way_asks_when_it_rests(profile: ProfilePage, address: str) -> None:
    page = profile.page
    profile.open(address, WHAT_IF)
    expect(answer(page).locator(".sentence")).not_to_contain_text("instead of")
    asked: list[str] = []

    def count(route: Route) -> None:
        asked.append(route.request.url)
        route.continue_()

    page.route("**/profile/*/whatif*", count)
    page.evaluate(
        """() => {
            const slider = document.querySelector('.lever input[type=range]');
            for (let value = 5; value <= 100; value += 5) {
                slider.value = value;
                slider.dispatchEvent(new Event('input', { bubbles: true }));
            }
        }"""
    )
    expect(answer(page).locator(".sentence")).to_contain_text("instead of")
    assert 1 <= len(asked) <= 3
    assert "input%3D0" in asked[-1]


def test_parts_of_the_critical_path_look_different(profile: ProfilePage, address: str) -> None:
    profile.open(address, "#profile?show=path")
    swatches = profile.page.get_by_label("Critical path breakdown").locator(".swatch")
    expect(swatches.nth(2)).to_be_visible()
    looks: list[list[float]] = swatches.evaluate_all(LOOKS)
    assert len(looks) >= 3
    apart = [math.dist(one, other) for one, other in combinations(looks, 2)]
    assert min(apart) > 40, looks


def test_an_unknown_lever_in_the_address_is_left_out(profile: ProfilePage, address: str) -> None:
    profile.open(address, f"{WHAT_IF}&levers=colour=0,input=0")
    expect(answer(profile.page).locator(".sentence")).to_contain_text("instead of")
    expect(answer(profile.page).get_by_role("list", name="Changes in order")).to_have_count(0)


@pytest.mark.parametrize("width", [1280, 1440])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_whole(browser: Browser, address: str, theme: Scheme, width: int, tmp_path: Path) -> None:
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900})
    page = context.new_page()
    ProfilePage(page).open(address, f"{WHAT_IF}&levers=input=0,kernels=0.5")
    expect(answer(page)).to_contain_text("instead of")
    page.screenshot(path=tmp_path / f"whatif-{theme}-{width}.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(page) == []
    context.close()
