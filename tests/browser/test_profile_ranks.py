"""Several ranks in Chromium: none is the slowest among equals, and one that takes longer is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from browser.profile_page import ProfilePage
from browser.sample_profiles import write_trace
from log_folder import LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for rank in range(3):
        write_trace(logs.path / "equal", f"host_{rank}")
        write_trace(logs.path / "uneven", f"host_{rank}", slow=dict.fromkeys(range(5, 11), 2.0) if rank == 1 else None)
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def open_run(profile: ProfilePage, address: str, run: str) -> None:
    answer = profile.page.request.get(f"{address.split('#')[0].rstrip('/')}/api/v1/profile/sessions").json()
    session = next(each["id"] for each in answer["sessions"] if each["run_name"] == run)
    profile.open(address, f"#profile?session={session}")


def test_equal_ranks_are_said_to_be_equal(profile: ProfilePage, address: str) -> None:
    open_run(profile, address, "equal")
    assert "0.1%" in profile.sentence()
    expect(profile.page.get_by_role("region", name="Ranks", exact=True)).to_contain_text("0.1%")


def test_a_rank_that_takes_longer_is_named(profile: ProfilePage, address: str) -> None:
    open_run(profile, address, "uneven")
    assert profile.sentence().endswith(" host_1.")
    expect(profile.page.get_by_role("region", name="Ranks", exact=True)).to_contain_text("slowest: host_1")
