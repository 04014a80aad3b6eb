"""What names mean, from the foot of the overview: the file for names of one's own, every row, and the rows that fit a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.page_server import PageServer
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import write_trace
from browser.schemes import Scheme
from log_folder import LogFolder

FIND = "Filter by category or span name"


@pytest.fixture
def address(server_on: Callable[..., PageServer], logs: LogFolder) -> str:
    write_trace(logs.path / "torch")
    return server_on(logs.path).address


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def opened(profile: ProfilePage) -> Locator:
    """The dialog."""
    profile.page.get_by_role("button", name="Span categories").click()
    dialog = profile.page.get_by_role("dialog", name="Span categories")
    expect(dialog.get_by_role("searchbox", name=FIND)).to_be_visible()
    return dialog


def rows(dialog: Locator) -> list[list[str]]:
    return [[plain(cell) for cell in row.get_by_role("cell").all_inner_texts()] for row in dialog.locator("tbody tr").all()[:50]]


def data_file(profile: ProfilePage, address: str) -> Path:
    return Path(profile.page.request.get(f"{address}api/v1/profile/kinds").json()["file"])


def test_rows_are_found_by_kind_and_by_a_whole_name(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    dialog = opened(profile)
    expect(dialog.get_by_role("button", name=str(data_file(profile, address)))).to_be_visible()
    find = dialog.get_by_role("searchbox", name=FIND)
    find.fill("gc")
    assert {row[0] for row in rows(dialog)} >= {"gc"}
    find.fill("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__")
    assert rows(dialog) == [["input", "enumerate(DataLoader)#*", "operations and annotations", "PyTorch or Chrome trace"]]
    find.fill("nothing of that name")
    expect(dialog.locator("tbody tr")).to_have_count(0)
    expect(dialog.locator(".none")).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)


def test_names_of_ones_own_are_listed_first_and_a_bad_file_is_said(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    file = data_file(profile, address)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('input = ["load_<b>batch"]')
    dialog = opened(profile)
    assert rows(dialog)[0] == ["input", "load_<b>batch", "names of spans", "you"]
    expect(dialog).to_contain_text("It has 1 row.")
    profile.page.keyboard.press("Escape")
    file.write_text("input = 3")
    expect(opened(profile)).to_contain_text("must give input a list of names")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [800, 1280])
def test_nothing_overflows_and_everything_has_a_name(browser: Browser, address: str, scheme: Scheme, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    try:
        profile = ProfilePage(page)
        profile.open(address)
        opened(profile)
        assert page.evaluate(WIDER_THAN_THE_PAGE) == []
        assert faults(page) == []
    finally:
        page.close()
