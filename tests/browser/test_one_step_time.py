"""One profile has one typical step time, on every view that names it; and one time of day, on the page and in a saved report."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import FIRST_STEP, write_trace
from log_folder import LogFolder
from report_files import write_report
from sample_files import SAMPLES, needs

UNEVEN = {FIRST_STEP + 1: 0.4, FIRST_STEP + 2: 0.9, FIRST_STEP + 4: 1.3}
"""Milliseconds more in some steps; the last is an outlier. The mean of the others is 10.26 ms, of all 10.43, and the median 10.2."""
TYPICAL = "10.3 ms"
REAL = SAMPLES / "kineto" / "resnet50_workers0"
VIEWS = ("Input", "Host", "Critical path", "Throughput", "What if")
OF_A_VIEW = re.compile(r"[Ss]tep time is ([\d.]+ ms)|: [\d.]+ [mµ]?s of ([\d.]+ ms)|typical step, ([\d.]+ ms)|([\d.]+ ms) today")


def of_the_overview(profile: ProfilePage) -> set[str]:
    """What sentence, bar, strip and first recommendation call the step time."""
    main = plain(profile.page.locator("main").inner_text())
    patterns = (r"Step time is ([\d.]+ ms)", r"Typical step: ([\d.]+ ms)", r"\ntypical ([\d.]+ ms)", r"instead of ([\d.]+ ms)")
    found = [re.search(pattern, main) for pattern in patterns]
    assert all(found), (found, main)
    return {one.group(1) for one in found if one is not None}


def of_a_view(profile: ProfilePage, view: str) -> set[str]:
    """Every step time that a view names."""
    profile.show(view)
    end = time.monotonic() + 60
    while not (found := OF_A_VIEW.findall(plain(profile.page.locator("main").inner_text()))):
        assert time.monotonic() < end, f"{view} names no step time"
        profile.page.wait_for_timeout(40)
    return {next(filter(None, groups)) for groups in found}


def named(profile: ProfilePage, address: str) -> dict[str, set[str]]:
    """The step times of all views."""
    profile.open(address)
    profile.settled()
    return {"Overview": of_the_overview(profile)} | {view: of_a_view(profile, view) for view in VIEWS}


def test_every_view_names_the_same_step_time(page: Page, serve: Callable[..., str], logs: LogFolder) -> None:
    write_trace(logs.path / "uneven", slow=UNEVEN)
    found = named(ProfilePage(page), serve(logs.path))
    assert found == {view: {TYPICAL} for view in ("Overview", *VIEWS)}


@needs("kineto/resnet50_workers0")
def test_a_real_profile_has_one_step_time(page: Page, serve: Callable[..., str]) -> None:
    found = named(ProfilePage(page), serve(REAL))
    assert found == {view: {"178 ms"} for view in ("Overview", *VIEWS)}


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/St_Johns"])
def test_page_and_saved_report_show_the_same_time_of_day(
    browser: Browser, serve: Callable[..., str], tmp_path: Path, zone: str
) -> None:
    write_trace(tmp_path / "logs" / "train")
    report = write_report(tmp_path / "logs" / "train", tmp_path / "report.html")
    context = browser.new_context(timezone_id=zone)
    page = context.new_page()
    ProfilePage(page).open(serve(tmp_path / "logs"))
    shown = page.get_by_role("button", name="Choose a profile").locator(".when").inner_text()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", shown)
    page.goto(report.as_uri())
    expect(page.locator(".facts")).to_contain_text(shown)
    context.close()
