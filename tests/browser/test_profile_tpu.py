"""The TPU's parts on the overview: infeed, outfeed, idle and the matrix unit, for recordings of TPUs and for no others."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from analyses.tpu_files import tpu_profile
from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import write_trace
from browser.schemes import Scheme
from log_folder import LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    folder = logs.path / "tpu" / "plugins" / "profile" / "2026_11_15_19_27_11"
    folder.mkdir(parents=True)
    tpu_profile(folder)
    write_trace(logs.path / "gpu", written=1_694_770_412_963)
    return serve(logs.path)


def open_run(page: Page, address: str, run: str) -> None:
    sessions = page.request.get(f"{address}api/v1/profile/sessions").json()["sessions"]
    (session,) = [one["id"] for one in sessions if one["run_name"] == run]
    ProfilePage(page).open(address, f"#profile?session={session}")


def test_parts_of_a_tpus_step(page: Page, address: str, complaints: list[str]) -> None:
    open_run(page, address, "tpu")
    section = page.get_by_role("region", name="TPU time")
    lines = [plain(line).split("\n") for line in section.get_by_role("listitem").all_inner_texts()]
    assert lines == [
        ["Compute", "60 µs", "60%"],
        ["Infeed", "10 µs", "10%"],
        ["Outfeed", "5 µs", "5%"],
        ["Communication", "15 µs", "15%"],
        ["Copies", "0 s", "0%"],
        ["Idle", "10 µs", "10%"],
    ]
    expect(section).to_contain_text(re.compile("17%.* 10%"))
    assert complaints == []


def test_a_gpu_has_no_such_part(page: Page, address: str) -> None:
    open_run(page, address, "gpu")
    expect(page.get_by_role("region", name="Time breakdown")).to_be_visible()
    expect(page.get_by_role("region", name="TPU time")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 1440])
def test_nothing_overflows_and_everything_can_be_read(
    browser: Browser, address: str, theme: Scheme, width: int, tmp_path: Path
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=theme)
    open_run(page, address, "tpu")
    assert not page.evaluate(WIDER_THAN_THE_PAGE)
    assert faults(page) == []
    page.screenshot(path=tmp_path / f"tpu-{theme}-{width}.png")
    page.close()
