"""The Roofline part of the Profile tab: roofs, points beneath them, their figures, and what to record when there are none."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import write_trace
from browser.schemes import Scheme
from log_folder import LogFolder

ROOFLINE = "#profile?show=roofline"


def with_shapes(path: Path, device: str) -> None:
    """Products of 1,000 × 1,000 numbers on that device: 2 GFLOP and 12 MB in the 4 ms of the kernel."""
    trace: dict[str, Any] = json.loads(path.read_text())
    trace["deviceProperties"][0]["name"] = device
    for event in trace["traceEvents"]:
        if event["name"] == "aten::mm":
            event["args"]["Input Dims"] = [[1000, 1000], [1000, 1000]]
    path.write_text(json.dumps(trace))


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    with_shapes(write_trace(logs.path / "train"), "Tesla V100-SXM2-32GB")
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def test_points_beneath_their_roofs(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.show("Roofline")
    # 2 GFLOP in a step of 10 ms, of the 15.7 TFLOP/s that the device does in 32 bits.
    expect(profile.page.locator(".sentence")).to_have_text(re.compile(r"10\.00 ms.* 2 GFLOP.* 200 GFLOP/s.* 1\.3 ?%"))
    chart = profile.page.get_by_role("img", name="Roofline: 1 operation")
    texts = [plain(text) for text in chart.locator("text.roof").all_text_contents()]
    assert texts == ["Memory 900 GB/s", "L2 3.13 TB/s", "Shared memory 15.7 TB/s", "fp16 125 TFLOP/s", "fp32 15.7 TFLOP/s"]
    assert chart.locator("circle").count() == 1
    (row,) = profile.table("operations")
    assert row[0] == "aten::mm"
    # 500 GFLOP/s of 15.7 TFLOP/s; 167 FLOP for each byte, and the ridge is at 17.
    assert {"3.2%", "compute", "166.7", "500 GFLOP/s", "3 GB/s"} <= set(row)


def test_a_point_tells_its_figures_and_finds_its_row(profile: ProfilePage, address: str) -> None:
    profile.open(address, ROOFLINE)
    dot = profile.page.locator("circle.dot")
    dot.hover()
    tip = profile.page.get_by_role("status").filter(has_text="FLOP/byte")
    expect(tip).to_contain_text("aten::mm")
    expect(tip).to_contain_text("compute")
    expect(tip).to_contain_text("shapes")
    dot.click()
    expect(profile.page.get_by_role("searchbox", name="Filter operations")).to_have_value("aten::mm")
    dot.click()
    expect(profile.page.get_by_role("searchbox", name="Filter operations")).to_have_value("")


def test_an_unknown_device_has_no_roof(profile: ProfilePage, serve: Callable[..., str], tmp_path: Path) -> None:
    with_shapes(write_trace(tmp_path / "train"), "New 7")
    profile.page.goto(serve(tmp_path) + ROOFLINE)
    expect(profile.page.get_by_role("list", name="Notes")).to_contain_text("New 7")
    assert profile.page.locator("text.roof").count() == 0
    assert profile.page.locator("circle.unknown").count() == 1


def test_without_arithmetic_it_says_what_to_record(profile: ProfilePage, serve: Callable[..., str], tmp_path: Path) -> None:
    write_trace(tmp_path / "train")
    profile.page.goto(serve(tmp_path) + ROOFLINE)
    expect(profile.page.get_by_role("heading", name="No FLOPs in this profile")).to_be_visible()
    expect(profile.page.get_by_role("region", name="PyTorch")).to_contain_text("record_shapes=True")


@pytest.mark.parametrize("width", [1280, 1440])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_whole(browser: Browser, address: str, theme: Scheme, width: int, tmp_path: Path) -> None:
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900})
    page = context.new_page()
    ProfilePage(page).open(address, ROOFLINE)
    page.screenshot(path=tmp_path / f"roofline-{theme}-{width}.png")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(page) == []
    context.close()
