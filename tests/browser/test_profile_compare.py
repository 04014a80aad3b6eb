"""Two profiles on the page: picked, drawn over each other, what changed with its noise, the address, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import FIRST_STEP, INPUT, WRITTEN, write_trace
from browser.schemes import Scheme
from log_folder import LogFolder

STEPS = 8


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    """The newest run waits five milliseconds longer for input in every step than the one before."""
    write_trace(logs.path / "slow", steps=STEPS, slow={FIRST_STEP + step: 5.0 for step in range(STEPS)})
    write_trace(logs.path / "quick", steps=STEPS, written=WRITTEN - 86_400_000)
    return serve(logs.path)


@pytest.fixture(scope="module")
def alone(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with a single profile."""
    folder = tmp_path_factory.mktemp("alone")
    write_trace(folder / "only", steps=STEPS)
    return serve(folder)


@pytest.fixture
def profile(page: Page, complaints: list[str], request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProfilePage]:
    failures = request.session.testsfailed
    yield ProfilePage(page)
    if request.session.testsfailed > failures:
        page.screenshot(path=tmp_path / "failed.png")
    assert complaints == []


def compare(profile: ProfilePage, address: str) -> None:
    """Opens the part and picks the quick run as what was before."""
    profile.open(address)
    profile.show("Compare")
    profile.page.get_by_role("option", name="quick").click()
    expect(profile.page.locator(".sentence")).to_be_visible()


def rows(profile: ProfilePage, name: str) -> list[list[str]]:
    table = profile.page.get_by_role("table", name=name)
    expect(table).to_be_visible()
    lines = table.locator("tbody tr").all()
    return [[plain(cell).replace("\n", "") for cell in line.locator("th, td").all_inner_texts()] for line in lines]


def bar(profile: ProfilePage, label: str) -> Locator:
    return profile.page.get_by_role("img", name=re.compile(f"^{label}:"))


def test_the_sentence_and_the_bars_say_what_got_slower(profile: ProfilePage, address: str) -> None:
    compare(profile, address)
    said = profile.sentence()
    assert all(word in said for word in ("15 ms", "10 ms", "50.0", "slower", "input", "+5 ms"))
    before, after = (bar(profile, label).bounding_box() for label in ("Before", "After"))
    assert before is not None
    assert after is not None
    assert before["width"] / after["width"] == pytest.approx(10 / 15, rel=0.02)
    assert before["x"] == after["x"]
    assert before["y"] < after["y"]


def test_groups_and_rows_have_noise_marks(profile: ProfilePage, address: str) -> None:
    compare(profile, address)
    groups = {line[0]: line for line in rows(profile, "Time breakdown before and after")}
    assert groups["Input wait"][1:5] == ["3 ms", "8 ms", "+5 ms", "+167%"]
    assert groups["Input wait"][-1].startswith("more than ±")
    assert groups["Compute"][3] == "–"
    changed = rows(profile, "Changes")
    assert [line[0].replace("…", "")[:9] for line in changed] == [INPUT[:9]]
    assert changed[0][1:4] == ["host", "1", "+5 ms"]
    assert changed[0][-1] == "longer per call"
    profile.page.get_by_role("button", name=re.compile("more within noise")).click()
    assert len(rows(profile, "Changes")) > 1


def test_all_of_it_is_in_the_address(profile: ProfilePage, address: str) -> None:
    compare(profile, address)
    profile.page.get_by_role("group", name="Rows").get_by_role("button", name="Kernel").click()
    expect(profile.page.get_by_text("No kernel differs by more than noise.")).to_be_visible()
    expect(profile.page).to_have_url(re.compile("show=compare.*rowsby=kernel.*against="))
    url = profile.page.url
    profile.page.goto("about:blank")
    profile.page.goto(url)
    expect(profile.page.get_by_text("No kernel differs by more than noise.")).to_be_visible()


def test_before_and_after_are_swapped(profile: ProfilePage, address: str) -> None:
    compare(profile, address)
    profile.page.get_by_role("button", name="Swap").click()
    expect(profile.page.locator(".sentence")).to_contain_text("10 ms")
    expect(profile.page.get_by_role("button", name="Choose a profile")).to_contain_text("quick")


def test_two_ranges_of_the_only_profile(profile: ProfilePage, alone: str, complaints: list[str]) -> None:
    profile.open(alone, "#profile?show=report&range=9:")
    profile.show("Compare")
    expect(profile.page.get_by_text("This folder has no other profile.")).to_be_visible()
    profile.page.get_by_label("Range before").fill(":9")
    profile.page.keyboard.press("Enter")
    profile.page.get_by_role("button", name="use this profile for both").click()
    expect(profile.page.locator(".sentence")).to_contain_text("noise")
    expect(profile.page.get_by_text("steps 5 to 8, 4 of 8")).to_be_visible()
    profile.page.get_by_label("Range before").fill("9:")
    profile.page.keyboard.press("Enter")
    expect(profile.page.get_by_role("alert")).to_be_visible()
    complaints.clear()  # the browser tells of the refused request


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 1440])
def test_nothing_is_wider_than_the_page(profile: ProfilePage, address: str, scheme: Scheme, width: int) -> None:
    profile.page.emulate_media(color_scheme=scheme)
    profile.page.set_viewport_size({"width": width, "height": 900})
    compare(profile, address)
    assert profile.page.evaluate(WIDER_THAN_THE_PAGE) == []
