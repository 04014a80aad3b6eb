"""The Host part of the Profile tab: what the host does alone, compiled functions with their traces, and Python by name."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.profile_page import ProfilePage, plain
from browser.schemes import Scheme
from log_folder import LogFolder

CAPTURES = Path(__file__).resolve().parents[1] / "formats" / "xplane" / "captures"
ALONE, FUNCTIONS = "Exposed host time", "Compiled functions"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for framework in ("tensorflow", "jax"):
        session = logs.path / framework / "plugins" / "profile" / "2026_11_15_19_27_11"
        session.mkdir(parents=True)
        shutil.copy(CAPTURES / f"{framework}.xplane.pb", session / "vm.xplane.pb")
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def open_host(profile: ProfilePage, address: str, run: str) -> None:
    """The Host part of a run's only session."""
    sessions = profile.page.request.get(f"{address}api/v1/profile/sessions").json()["sessions"]
    (session,) = [one["id"] for one in sessions if one["run_name"] == run]
    profile.open(address, f"#profile?session={session}")
    profile.show("Host")
    expect(profile.page.get_by_role("region", name=ALONE)).to_be_visible()


def table(profile: ProfilePage, region: str) -> list[list[str]]:
    """The cells of a section's rows."""
    rows = profile.page.get_by_role("region", name=region).locator("tbody tr").all()
    return [[plain(cell) for cell in row.get_by_role("cell").all_inner_texts()] for row in rows]


def test_functions_of_tensorflow(profile: ProfilePage, address: str) -> None:
    open_host(profile, address, "tensorflow")
    assert {(row[0], row[1], row[2]) for row in table(profile, FUNCTIONS)} == {
        ("train_step", "tf.function", "4"),
        ("compiled", "tf.function", "4"),
    }
    assert table(profile, ALONE)[0][0] == "Tracing and compiling"
    expect(profile.page.get_by_role("region", name=ALONE)).to_contain_text("with_stack=True")
    profile.page.wait_for_url("**show=host*")


def test_shares_are_of_the_step(profile: ProfilePage, address: str) -> None:
    open_host(profile, address, "jax")
    expect(profile.page.locator(".sentence")).to_contain_text("%")
    shares = [float(row[2].removesuffix("%").replace("–", "0")) for row in table(profile, ALONE)]
    assert 0 < sum(shares) <= 100.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 1440])
def test_nothing_overflows_and_everything_can_be_read(browser: Browser, address: str, theme: Scheme, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=theme)
    open_host(ProfilePage(page), address, "tensorflow")
    assert not page.evaluate(WIDER_THAN_THE_PAGE)
    assert faults(page) == []
    page.close()
