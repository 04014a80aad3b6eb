"""The tree of costs on the page, by name scope and by line of code."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.profile_page import ProfilePage, plain
from browser.schemes import Scheme
from log_folder import LogFolder
from sample_files import SAMPLES, needs

pytestmark = needs("tf1_run_metadata")
COSTS = "#profile?show=scope"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    run = logs.path / "mnist"
    run.mkdir()
    shutil.copyfile(SAMPLES / "tf1_run_metadata" / "profile.tfprof.pb", run / "profile.tfprof.pb")
    return serve(logs.path)


def test_costs_by_scope_and_by_code(page: Page, address: str, complaints: list[str]) -> None:
    profile = ProfilePage(page)
    profile.open(address, COSTS)
    totals = page.get_by_label("Totals")
    expect(totals).to_contain_text("average of 2 steps")
    assert "31.8" in plain(totals.inner_text())  # thousand trainable parameters
    first, second = profile.table("rows")[:2]
    assert (first[0].strip(), second[0].strip()) == ("train", "train/gradients")
    page.get_by_label("Group by").select_option("Line of code")
    page.wait_for_url("**rowsby=code*")
    grid = page.get_by_role("grid", name="Table of rows")
    expect(grid.get_by_text("tf1.py:9:", exact=False).first).to_be_visible()
    page.reload()
    expect(grid.get_by_text("tf1.py:9:", exact=False).first).to_be_visible()
    assert complaints == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_whole(browser: Browser, address: str, theme: Scheme, tmp_path: Path) -> None:
    page = browser.new_page(color_scheme=theme, viewport={"width": 1280, "height": 800})
    ProfilePage(page).open(address, COSTS)
    expect(page.get_by_role("grid", name="Table of rows").get_by_role("row").nth(3)).to_be_visible()
    page.screenshot(path=tmp_path / f"costs-{theme}.png")
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(page) == []
    page.close()
