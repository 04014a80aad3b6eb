"""Several profiles on the page: drawn along the hyperparameter that differs, chosen by checkboxes, and in the address."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import FIRST_STEP, WRITTEN, write_trace
from browser.schemes import Scheme
from log_folder import LogFolder
from stepscope import SummaryWriter

STEPS = 6
BATCHES = {8: 0.0, 16: 2.0, 64: 10.0}


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    """Three runs that logged their batch size; larger batches wait longer."""
    for place, (batch, extra) in enumerate(BATCHES.items()):
        folder = logs.path / f"batch{batch}"
        write_trace(folder, steps=STEPS, slow={FIRST_STEP + step: extra for step in range(STEPS)}, written=WRITTEN - place * 60_000)
        with SummaryWriter(str(folder)) as writer:
            writer.log_config({"batch_size": batch})
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str], request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProfilePage]:
    failures = request.session.testsfailed
    yield ProfilePage(page)
    if request.session.testsfailed > failures:
        page.screenshot(path=tmp_path / "failed.png")
    assert complaints == []


def open_trend(profile: ProfilePage, address: str) -> None:
    """From Compare, with all profiles of the folder."""
    profile.open(address)
    profile.show("Compare")
    profile.page.get_by_role("button", name="Show trend of several profiles").click()
    expect(profile.page.get_by_text("A trend needs two profiles")).to_be_visible()
    profile.page.get_by_role("button", name="Select all 3 profiles").click()
    expect(profile.page.locator(".sentence")).to_be_visible()


def points(profile: ProfilePage, title: str) -> list[str]:
    marks = profile.page.get_by_role("group", name=title).get_by_role("button").all()
    return [plain(mark.get_attribute("aria-label") or "") for mark in marks]


def test_profiles_stand_along_what_differs(profile: ProfilePage, address: str) -> None:
    open_trend(profile, address)
    assert all(word in profile.sentence() for word in ("batch_size", "10 ms", "20 ms", "4.00 times"))
    assert [text.partition(",")[0] for text in points(profile, "Step time")] == [
        "batch_size 8: 10 ms", "batch_size 16: 12 ms", "batch_size 64: 20 ms",
    ]  # fmt: skip
    assert points(profile, "Examples per second")[0] == "batch_size 8: 800"
    assert points(profile, "Compute share")[-1] == "batch_size 64: 20%"


def test_a_point_opens_its_profile_and_what_is_drawn_stays(profile: ProfilePage, address: str) -> None:
    open_trend(profile, address)
    profile.page.get_by_role("group", name="Step time").get_by_role("button", name="batch_size 64").click()
    expect(profile.page.get_by_role("button", name="Choose a profile")).to_contain_text("batch64")
    assert len(points(profile, "Step time")) == 3


def test_profiles_are_left_out_by_checkboxes_and_all_is_in_the_address(profile: ProfilePage, address: str) -> None:
    open_trend(profile, address)
    profile.page.get_by_role("button", name="Choose profiles").click()
    profile.page.get_by_role("group", name="Profiles of the trend").get_by_role("checkbox").nth(1).uncheck()
    expect(profile.page.get_by_role("group", name="Step time").get_by_role("button")).to_have_count(2)
    expect(profile.page).to_have_url(re.compile(r"show=trend.*&trend=[0-9a-f]{12}(,|%2C)[0-9a-f]{12}(&|$)"))
    url = profile.page.url
    profile.page.goto("about:blank")
    profile.page.goto(url)
    expect(profile.page.get_by_role("group", name="Step time").get_by_role("button")).to_have_count(2)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_page(profile: ProfilePage, address: str, scheme: Scheme) -> None:
    profile.page.emulate_media(color_scheme=scheme)
    open_trend(profile, address)
    assert profile.page.evaluate(WIDER_THAN_THE_PAGE) == []
