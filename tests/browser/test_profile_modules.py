"""The Modules part of the Profile tab: the tree with the times of both passes, keys, words, the address, CSV, and how to record it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.profile_page import ProfilePage, plain
from browser.sample_parts import write_parts
from browser.sample_profiles import write_trace
from browser.schemes import Scheme
from log_folder import LogFolder

MODULES = "#profile?show=modules"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_parts(logs.path / "train")
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def tree(page: Page) -> Locator:
    return page.get_by_role("treegrid", name="Tree of modules")


def lines(page: Page) -> list[list[str]]:
    """The cells of all modules in sight."""
    rows = tree(page).get_by_role("row").all()[1:]
    return [[plain(cell).replace("\n", "") for cell in row.get_by_role("gridcell").all_inner_texts()] for row in rows]


def names(page: Page) -> list[str]:
    return [line[0].strip("▾▸ ") for line in lines(page)]


def test_the_tree_has_the_times_of_both_passes(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.show("Modules")
    expect(tree(profile.page)).to_be_visible()
    net, linear, relu = lines(profile.page)
    assert net[1:] == ["3", "100%", "15 ms", "6 ms", "15 ms", "1.5 ms", "3 ms", "0", "9 ms", "0"]
    assert linear[0] == "Linear_0"
    assert linear[1:] == ["3", "94%", "6 ms", "6 ms", "13.5 ms", "13.5 ms", "3 ms", "3 ms", "9 ms", "9 ms"]
    assert relu[1:4] == ["3", "0%", "3 ms"]


def test_modules_open_and_close_and_the_address_knows(profile: ProfilePage, address: str) -> None:
    page = profile.page
    page.goto(address + MODULES)
    tree(page).get_by_role("button", name="Close Net_0").click()
    expect(tree(page).get_by_role("row")).to_have_count(2)
    page.wait_for_url("**turned=0*")
    page.reload()
    expect(tree(page).get_by_role("row")).to_have_count(2)
    tree(page).get_by_role("button", name="Open Net_0").click()
    expect(tree(page).get_by_role("row")).to_have_count(4)


def test_keys_walk_the_tree(profile: ProfilePage, address: str) -> None:
    page = profile.page
    page.goto(address + MODULES)
    tree(page).focus()
    expect(tree(page)).to_have_attribute("aria-activedescendant", "module-0")
    for key, active in (("ArrowDown", 1), ("End", 2), ("ArrowLeft", 0), ("ArrowRight", 1), ("Home", 0)):
        page.keyboard.press(key)
        expect(tree(page)).to_have_attribute("aria-activedescendant", f"module-{active}")
    page.keyboard.press("ArrowLeft")
    expect(tree(page).get_by_role("row")).to_have_count(2)
    page.keyboard.press("Enter")
    expect(tree(page).get_by_role("row")).to_have_count(4)


def test_words_find_and_headings_sort(profile: ProfilePage, address: str) -> None:
    page = profile.page
    page.goto(address + MODULES)
    expect(tree(page)).to_be_visible()
    tree(page).get_by_role("button", name="Forward pass on the host, including submodules").click()
    assert names(page) == ["Net_0", "Linear_0", "ReLU_0"]
    tree(page).get_by_role("button", name="Forward pass on the host, including submodules").click()
    assert names(page) == ["Net_0", "ReLU_0", "Linear_0"]
    page.get_by_label("Filter modules").fill("relu")
    expect(tree(page).get_by_role("row")).to_have_count(3)
    assert names(page) == ["Net_0", "ReLU_0"]
    page.get_by_label("Filter modules").fill("nothing")
    page.get_by_role("button", name="Clear filter").click()
    expect(tree(page).get_by_role("row")).to_have_count(4)


def test_csv_has_all_times(profile: ProfilePage, address: str, tmp_path: Path) -> None:
    profile.page.goto(address + MODULES)
    expect(tree(profile.page)).to_be_visible()
    with profile.page.expect_download() as saved:
        profile.page.get_by_role("button", name="Save as CSV").click()
    saved.value.save_as(tmp_path / "modules.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "modules.csv").read_text())))
    assert [row["path"] for row in rows] == ["Net_0", "Net_0/Linear_0", "Net_0/ReLU_0"]
    assert (rows[1]["forward_device_us"], rows[1]["backward_device_us"], rows[1]["calls"]) == ("13500", "9000", "3")


def test_without_modules_the_page_says_how_to_record_them(profile: ProfilePage, serve: Callable[..., str], tmp_path: Path) -> None:
    write_trace(tmp_path / "train")
    profile.page.goto(serve(tmp_path) + MODULES)
    expect(profile.page.get_by_role("heading", name="No modules in this profile")).to_be_visible()
    for name, words in (("PyTorch", "with_stack=True"), ("Lightning", "PyTorchProfiler"), ("JAX", "jax.named_scope")):
        expect(profile.page.get_by_role("region", name=name, exact=True)).to_contain_text(words)


@pytest.mark.parametrize("width", [1280, 1440])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_whole(browser: Browser, address: str, theme: Scheme, width: int, tmp_path: Path) -> None:
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(address + MODULES)
    expect(tree(page)).to_be_visible()
    page.screenshot(path=tmp_path / f"modules-{theme}-{width}.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(page) == []
    context.close()
