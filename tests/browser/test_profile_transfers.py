"""The Transfers part of the Profile tab: sizes, bandwidth, what the step sees of copies and what waited for them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.profile_page import ProfilePage, plain
from browser.sample_parts import write_parts
from browser.schemes import Scheme
from log_folder import LogFolder

TRANSFERS = "#profile?show=transfers"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_parts(logs.path / "train")
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def rows(profile: ProfilePage) -> list[dict[str, str]]:
    """The lines by their headings."""
    grid = profile.page.get_by_role("grid", name="Table of copies")
    expect(grid).to_be_visible()
    heads = [plain(head).strip() for head in grid.get_by_role("columnheader").all_inner_texts()]
    return [dict(zip(heads, line, strict=True)) for line in profile.table("copies")]


def test_copies_by_direction(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.show("Transfers")
    up, down = rows(profile)
    assert (up["Copies"], up["Host memory"], up["Count"], up["Bytes"]) == ("host to device", "pinned", "6", "6 MiB")
    assert (up["Bandwidth"], up["Exposed/step"], up["Hidden/step"], up["Blocked"]) == ("2.1 GB/s", "500 µs", "500 µs", "0")
    assert (down["Copies"], down["Host memory"], down["Stream"]) == ("device to host", "pageable", "7")
    assert (down["Blocked"], down["Waiting call"]) == ("1.8 ms", "cudaMemcpy")


def test_copies_by_operation(profile: ProfilePage, address: str) -> None:
    profile.open(address, TRANSFERS)
    profile.page.get_by_label("Group by").select_option("Operation")
    profile.page.wait_for_url("**rowsby=operation*")
    expect(profile.page.get_by_role("grid", name="Table of copies").get_by_role("row")).to_have_count(4)
    by_operation = {(row["Copies"], row["Operation"]): row["Count"] for row in rows(profile)}
    assert by_operation == {("host to device", "aten::linear"): "3", ("host to device", "–"): "3", ("device to host", "–"): "3"}


def test_csv(profile: ProfilePage, address: str, tmp_path: Path) -> None:
    profile.open(address, TRANSFERS)
    with profile.page.expect_download() as saved:
        profile.page.get_by_role("button", name="Save as CSV").click()
    saved.value.save_as(tmp_path / "copies.csv")
    with (tmp_path / "copies.csv").open(newline="") as file:
        up, down = csv.DictReader(file)
    assert (up["bytes"], up["exposed_us"], up["overlapped_us"], up["streams"]) == ("6291456", "500", "500", "20")
    assert (down["blocked_us"], down["blocked_by"]) == ("1800", "cudaMemcpy")


def test_a_recording_without_copies_says_so(profile: ProfilePage, serve: Callable[..., str], tmp_path: Path) -> None:
    path = write_parts(tmp_path / "train")
    path.write_text(path.read_text().replace("gpu_memcpy", "kernel"))
    profile.page.goto(serve(tmp_path) + TRANSFERS)
    expect(profile.page.get_by_role("heading", name="No copies between memories")).to_be_visible()
    expect(profile.page.get_by_role("region", name="PyTorch")).to_contain_text("ProfilerActivity.CUDA")


@pytest.mark.parametrize("width", [1280, 1440])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_whole(browser: Browser, address: str, theme: Scheme, width: int, tmp_path: Path) -> None:
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900})
    page = context.new_page()
    ProfilePage(page).open(address, TRANSFERS)
    page.screenshot(path=tmp_path / f"transfers-{theme}-{width}.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(page) == []
    context.close()
