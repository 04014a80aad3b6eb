"""A row of any table of the Profile tab lists its spans: by mouse and keyboard, in the address, and gone with Back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from browser.page_checks import faults
from browser.page_clock import address_written
from browser.profile_page import ProfilePage
from browser.sample_profiles import FIRST_STEP, INPUT, KERNEL, write_trace
from browser.schemes import Scheme
from log_folder import LogFolder

SLOW = FIRST_STEP + 3
FUNCTION = "train.py(12): fit"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    """Six steps inside a Python function, with an all-reduce in each."""
    path = write_trace(logs.path / "train", slow={SLOW: 6.0}, communication=1.0)
    trace = json.loads(path.read_text())
    around = {"ph": "X", "cat": "python_function", "name": FUNCTION, "pid": 100, "tid": 100, "ts": -10, "dur": 66_100}
    trace["traceEvents"].append(around | {"args": {"Python id": 1}})
    path.write_text(json.dumps(trace))
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def test_a_kernel_lists_its_launches_with_their_operation_and_python(profile: ProfilePage, address: str) -> None:
    profile.open(address, "#profile?show=kernels")
    profile.page.get_by_role("row").filter(has=profile.page.get_by_role("button", name=KERNEL)).click()
    spans = profile.spans()
    assert [line[1] for line in spans] == ["3 ms"] * 6
    assert sorted(line[3] for line in spans) == sorted(str(FIRST_STEP + place) for place in range(6))
    assert {line[5] for line in spans} == {"aten::mm"}
    assert profile.instances().locator("ol li").all_inner_texts() == ["aten::mm", FUNCTION]


def test_another_instance_is_chosen_by_keyboard(profile: ProfilePage, address: str) -> None:
    profile.open(address, "#profile?show=ops&rows=next")
    row = profile.page.get_by_role("grid").get_by_role("button", name=INPUT)
    row.focus()
    row.press("Enter")
    expect(profile.instances()).to_be_focused()
    assert profile.spans()[0][1:4] == ["9 ms", "–", str(SLOW)], "the longest is the first, though its step is not typical"
    first = profile.instances().get_by_role("button", pressed=True)
    first.press("ArrowDown")
    chosen = profile.instances().get_by_role("region", name="Chosen instance")
    expect(chosen).not_to_contain_text(f"in step {SLOW}")
    expect(chosen.locator("dd").first).to_have_text("3\u202fms")
    address_written(profile.page)
    assert "span=" in profile.page.url
    profile.page.keyboard.press("Escape")
    expect(profile.instances()).to_be_hidden()
    expect(row).to_be_focused()


def test_back_closes_the_list_and_its_address_opens_it(profile: ProfilePage, address: str) -> None:
    profile.open(address, "#profile?show=ops")
    profile.page.get_by_role("grid").get_by_role("button", name=INPUT).click()
    expect(profile.instances()).to_be_visible()
    address_written(profile.page)
    shared = profile.page.url
    profile.page.go_back()
    expect(profile.instances()).to_be_hidden()
    profile.page.goto("about:blank")
    profile.page.goto(shared)
    assert len(profile.spans()) == 6


@pytest.mark.parametrize(
    ("view", "row", "count"),
    [
        ("report", "aten::mm", 6),
        ("transfers", "host to device", 6),
        ("communication", "reduce", 6),
        ("path", KERNEL, 6),
        ("ops", "aten::mm", 6),
    ],
)
def test_rows_of_every_table_list_their_spans(profile: ProfilePage, address: str, view: str, row: str, count: int) -> None:
    profile.open(address, f"#profile?show={view}")
    profile.page.locator(".opens").get_by_role("button", name=row).first.click()
    assert len(profile.spans()) == count


def test_the_list_follows_the_range(profile: ProfilePage, address: str) -> None:
    profile.open(address, f"#profile?show=kernels&range={FIRST_STEP}:{FIRST_STEP + 2}")
    profile.page.get_by_role("grid").get_by_role("button", name=KERNEL).click()
    assert len(profile.spans()) == 2
    profile.page.get_by_role("button", name="Clear range").click()
    expect(profile.instances().locator("tbody tr")).to_have_count(6)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_list_is_legible_beside_the_table(profile: ProfilePage, address: str, scheme: Scheme, width: int) -> None:
    profile.page.emulate_media(color_scheme=scheme)
    profile.page.set_viewport_size({"width": width, "height": 800})
    profile.open(address, "#profile?show=kernels")
    profile.page.get_by_role("grid").get_by_role("button", name=KERNEL).click()
    expect(profile.instances().get_by_role("table")).to_be_visible()
    assert faults(profile.page) == []
    box = profile.instances().bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= width
    assert box["width"] == width or box["width"] <= width / 2, "it covers the view only where there is no room for both"


@pytest.mark.parametrize("width", [900, 1280, 1600])
def test_the_overview_goes_by_the_width_that_the_list_leaves_it(profile: ProfilePage, address: str, width: int) -> None:
    profile.page.set_viewport_size({"width": width, "height": 800})
    profile.open(address)
    profile.page.locator(".opens").get_by_role("button").first.click()
    expect(profile.instances().get_by_role("table")).to_be_visible()
    tables = profile.page.get_by_role("region", name="Most exposed operations")
    assert tables.evaluate("(part) => part.scrollWidth <= part.clientWidth + 1")
    names = tables.locator("td.name").evaluate_all("(cells) => cells.map((cell) => cell.clientWidth)")
    assert min(names) >= 140, "names keep room beside the numbers"
