"""The Memory part of the Profile tab on traces with known bytes: peak, layers, tables, growth, address, and what to turn on."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.page_checks import INKED, WIDER_THAN_THE_PAGE, faults
from browser.profile_page import ProfilePage, plain
from browser.sample_memory import MIB, add_memory
from browser.sample_profiles import WRITTEN, write_trace
from log_folder import LogFolder
from stepscope import SummaryWriter

DAY = 86_400_000


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    add_memory(write_trace(logs.path / "leak"), keeps=128)
    add_memory(write_trace(logs.path / "steady", written=WRITTEN - DAY))
    add_memory(write_trace(logs.path / "several", written=WRITTEN - 4 * DAY))
    add_memory(write_trace(logs.path / "several", written=WRITTEN - 3 * DAY), keeps=128)
    write_trace(logs.path / "none", written=WRITTEN - 2 * DAY)
    with SummaryWriter(str(logs.path / "none")) as writer:
        for place in range(100):
            for tag, value in (("memory_used_mib", 4096.0 + place), ("memory_used_percent", (4096.0 + place) / 163.84)):
                writer.add_scalar(f"system/gpu/0/{tag}", value, 10 * place, 1.7e9 + 5.0 * place)
    frames = [{"filename": "train.py", "line": 7, "name": "step"}]
    blocks = [
        {"address": 4096, "size": 6 * MIB, "state": "active_allocated", "frames": frames},
        {"size": MIB, "state": "inactive"},
        {"size": MIB, "state": "active_allocated", "frames": frames},
        {"size": 2 * MIB, "state": "inactive"},
    ]
    segment = {"device": 0, "address": 4096, "total_size": 10 * MIB, "stream": 0, "blocks": blocks}
    failed = {"action": "oom", "addr": 0, "size": 3 * MIB, "device_free": 0, "stream": 0, "time_us": 5}
    (logs.path / "snapshot").mkdir()
    data = {"segments": [segment], "device_traces": [[failed]]}
    (logs.path / "snapshot" / "snapshot.pickle").write_bytes(pickle.dumps(data))
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str], request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProfilePage]:
    """The tab; it must end without a complaint, and leaves a picture behind when a test fails."""
    failures = request.session.testsfailed
    yield ProfilePage(page)
    if request.session.testsfailed > failures:
        page.screenshot(path=tmp_path / "failed.png")
    assert complaints == []


def rows(profile: ProfilePage, title: str) -> list[list[str]]:
    lines = profile.page.get_by_role("region", name=title).locator("tbody tr").all()
    return [[plain(cell).replace("\n", "") for cell in line.get_by_role("cell").all_inner_texts()] for line in lines]


def chart(profile: ProfilePage) -> Locator:
    return profile.page.get_by_role("slider", name="Memory over time")


def choose(profile: ProfilePage, run: str) -> None:
    profile.page.get_by_role("button", name="Choose a profile").click()
    profile.page.get_by_role("dialog").get_by_text(run, exact=False).first.click()


def test_the_peak_and_what_is_held_at_it(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.show("Memory")
    # A gibibyte from before, 768 MiB of the step, and 128 MiB kept by each of six steps.
    for said in ("2.5 GiB of 16 GiB", "step 10", "40%", "aten::copy_"):
        assert said in profile.sentence().replace(" %", "%")
    assert rows(profile, "Allocated at the peak") == [
        ["aten::copy_", "5", "7", "1 GiB", "40%"],
        ["before the profile", "", "", "1 GiB", "40%"],
        ["aten::mm", "10", "1", "512 MiB", "20%"],
    ]


def test_growth_is_said(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.show("Memory")
    growth = plain(profile.page.locator(".growth").inner_text()).replace("\n", " ")
    for said in ("128 MiB", "128 MiB to 128 MiB", "100%", "6 steps", "768 MiB", "aten::copy_"):
        assert said in growth.replace(" %", "%")


def test_layers_follow_the_cursor_and_the_keyboard(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.show("Memory")
    expect(chart(profile)).to_be_visible()
    assert chart(profile).evaluate(INKED)
    legend = profile.page.get_by_role("list", name="Layers")
    assert plain(legend.inner_text()).startswith("2.5 GiB at the peak, step 10")
    chart(profile).focus()
    profile.page.keyboard.press("Home")
    assert "1.5 GiB" in plain(chart(profile).get_attribute("aria-valuetext") or "")
    profile.page.keyboard.press("Escape")
    assert "2.5 GiB" in plain(chart(profile).get_attribute("aria-valuetext") or "")
    box = chart(profile).bounding_box()
    assert box is not None
    chart(profile).hover(position={"x": box["width"] - 20, "y": 100})
    expect(legend).not_to_contain_text("at the peak")


def test_another_memory_is_in_the_address(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.show("Memory")
    profile.page.get_by_role("combobox", name="Memory").select_option("host")
    expect(profile.page.locator(".sentence")).to_contain_text("64")
    expect(profile.page).to_have_url(re.compile("memory=host"))
    assert "show=memory" in profile.page.url
    profile.page.reload()
    expect(profile.page.locator(".sentence")).to_contain_text("64")
    expect(profile.page.get_by_role("combobox", name="Memory")).to_have_value("host")


def test_words_narrow_the_tables(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.show("Memory")
    profile.page.get_by_role("searchbox", name="Filter tables").fill("mm")
    assert [row[0] for row in rows(profile, "Allocated at the peak")] == ["aten::mm"]
    assert [row[0] for row in rows(profile, "Largest tensors")] == ["aten::mm"]


def test_scope_and_least_size_narrow_the_tables_and_are_in_the_address(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.show("Memory")
    profile.page.get_by_role("searchbox", name="Name scope").fill("aten::")
    held = profile.page.get_by_role("region", name="Allocated at the peak")
    expect(held).to_contain_text("1.5\u202fGiB of 2.5\u202fGiB")
    assert [row[0] for row in rows(profile, "Allocated at the peak")] == ["aten::copy_", "aten::mm"]
    profile.page.get_by_role("combobox", name="Minimum size").select_option("1\u202fGiB or more")
    expect(held.locator("tbody tr")).to_have_count(1)
    expect(profile.page.get_by_role("region", name="Largest tensors").locator("tbody tr")).to_have_count(0)
    expect(profile.page).to_have_url(re.compile("scope=aten.*minbytes=1073741824"))
    profile.page.reload()
    expect(held.locator("tbody tr")).to_have_count(1)


def test_profiles_of_one_run_are_compared_when_asked(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.page.get_by_role("button", name="Choose a profile").click()
    profile.page.get_by_role("option", name="several").first.click()
    profile.show("Memory")
    profile.page.get_by_role("button", name="Compare with 1 other profile of this run").click()
    compared = profile.page.get_by_role("region", name="Profiles of this run")
    expect(compared).to_contain_text(re.compile(r"768 MiB.*2\.5 GiB.*aten::copy_.*\+768 MiB"))
    peaks = rows(profile, "Peak memory of GPU 0 (Test GPU)")
    assert peaks[:2] == [
        ["Total", "1.75 GiB", "2.5 GiB", "+768 MiB"],
        ["aten::copy_", "256 MiB", "1 GiB", "+768 MiB"],
    ]


def test_a_profile_without_memory_says_which_option_shows_it(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    choose(profile, "none")
    profile.show("Memory")
    expect(profile.page.get_by_role("heading", name="No memory data in this profile")).to_be_visible()
    expect(profile.page.get_by_role("region", name="PyTorch")).to_contain_text("profile_memory=True")
    logged = profile.page.get_by_role("article", name="GPU 0")
    expect(logged).to_contain_text("720 MiB")
    expect(profile.page.get_by_role("combobox", name="Run").locator("option:checked")).to_have_text("none")


def test_a_snapshot_alone_is_shown_with_what_failed(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    choose(profile, "snapshot")
    expect(profile.page.locator("p.red")).to_contain_text("3 MiB")
    assert "train.py:7 step (7 MiB)" in plain(profile.page.locator("p.red").inner_text())
    parts = profile.page.get_by_role("navigation", name="Views of the profile").get_by_role("button")
    assert parts.all_inner_texts() == ["Memory"]
    assert rows(profile, "Allocated")[0] == ["train.py:7 step", "2", "7 MiB", "100%"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_memory_has_no_faults(profile: ProfilePage, address: str, scheme: str, tmp_path: Path) -> None:
    profile.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    profile.open(address)
    profile.show("Memory")
    expect(chart(profile)).to_be_visible()
    assert profile.page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(profile.page) == []
    profile.page.screenshot(path=tmp_path / f"{scheme}.png")
