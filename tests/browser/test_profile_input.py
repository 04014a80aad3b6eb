"""The Input part of the Profile tab: a fetch with its phases, stages of a real tf.data pipeline, and a recording without a fetch."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import write_trace
from browser.schemes import Scheme
from log_folder import LogFolder

CAPTURES = Path(__file__).resolve().parents[1] / "formats" / "xplane" / "captures"
PHASES = "Batch preparation"
STAGES = "tf.data stages"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for framework in ("tensorflow", "jax"):
        session = logs.path / framework / "plugins" / "profile" / "2026_11_15_19_27_11"
        session.mkdir(parents=True)
        shutil.copy(CAPTURES / f"{framework}.xplane.pb", session / "vm.xplane.pb")
    write_trace(logs.path / "torch")
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def open_input(profile: ProfilePage, address: str, run: str) -> None:
    """The Input part of a run's only session."""
    sessions = profile.page.request.get(f"{address}api/v1/profile/sessions").json()["sessions"]
    (session,) = [one["id"] for one in sessions if one["run_name"] == run]
    profile.open(address, f"#profile?session={session}")
    profile.show("Input")


def table(profile: ProfilePage, region: str) -> list[list[str]]:
    """The cells of a section's rows."""
    rows = profile.page.get_by_role("region", name=region).locator("tbody tr").all()
    return [[plain(cell) for cell in row.get_by_role("cell").all_inner_texts()] for row in rows]


def test_a_fetch_says_what_the_step_waits_for(profile: ProfilePage, address: str) -> None:
    open_input(profile, address, "torch")
    expect(profile.page.get_by_role("region", name=PHASES)).to_be_visible()
    for number in ("30%", "3 ms", "10 ms"):
        assert number in profile.sentence().replace(" %", "%")
    assert table(profile, PHASES)[0][:3] == ["Not recorded", "3 ms", "0"]
    expect(profile.page.get_by_role("region", name=PHASES)).to_contain_text("with_stack=True")
    expect(profile.page.get_by_role("region", name=STAGES)).to_have_count(0)


def test_stages_of_tf_data_are_listed_from_the_step_on(profile: ProfilePage, address: str) -> None:
    open_input(profile, address, "tensorflow")
    expect(profile.page.get_by_role("region", name=STAGES)).to_be_visible()
    names = [row[0].removesuffix("slowest") for row in table(profile, STAGES)]
    assert names[0] == "Root"
    assert "Prefetch" in names
    profile.page.wait_for_url("**show=input*")


def test_a_recording_without_a_fetch_says_how_to_record_one(profile: ProfilePage, address: str) -> None:
    open_input(profile, address, "jax")
    expect(profile.page.get_by_role("heading", name="No batch fetches in this profile")).to_be_visible()
    expect(profile.page.get_by_role("region", name="JAX")).to_contain_text("TraceAnnotation")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overflows_and_everything_can_be_read(browser: Browser, address: str, theme: Scheme) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=theme)
    profile = ProfilePage(page)
    open_input(profile, address, "tensorflow")
    expect(page.get_by_role("region", name=STAGES)).to_be_visible()
    assert not page.evaluate(WIDER_THAN_THE_PAGE)
    assert faults(page) == []
    page.close()
