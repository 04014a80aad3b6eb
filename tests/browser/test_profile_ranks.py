"""Several ranks in Chromium: none is the slowest among equals, and the saved report has their map, light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import write_trace
from browser.schemes import Scheme
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
    expect(profile.page.get_by_role("region", name="Ranks", exact=True)).to_contain_text("host_1 is the slowest")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_saved_report_has_a_map_of_ranks(
    profile: ProfilePage, browser: Browser, address: str, theme: Scheme, tmp_path: Path
) -> None:
    open_run(profile, address, "uneven")
    with profile.page.expect_download() as saved:
        profile.page.get_by_role("button", name="Save", exact=True).click()
        profile.page.get_by_role("menuitem", name="This page as HTML").click()
    saved.value.save_as(tmp_path / "report.html")
    context = browser.new_context(color_scheme=theme, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    ranks = page.get_by_role("img", name="3 ranks by 6 steps")
    expect(ranks.locator("rect[class^=heat]")).to_have_count(18)
    assert plain(ranks.locator("rect").first.text_content() or "") == "host_0, step 5: 10 ms, 0% communication"
    shades = ranks.locator("rect[class^=heat]").evaluate_all("cells => cells.map(cell => getComputedStyle(cell).fillOpacity)")
    assert shades[6:12] == ["0.7"] * 6, "the slow rank is strongest"
    assert set(shades[:6]) == {"0.1"}
    box, outlined = ranks.bounding_box(), ranks.locator(".outlined").bounding_box()
    assert box is not None
    assert outlined is not None
    assert box["x"] <= outlined["x"]
    assert outlined["x"] + outlined["width"] <= box["x"] + box["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    context.close()
