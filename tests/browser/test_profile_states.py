"""What the Profile tab says when there is nothing, not yet, or not all: empty, appearing, reading, cancelled, broken, hostile."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Dialog, Page, Route, expect

from browser.page_clock import let_pass
from browser.page_server import PageServer
from browser.profile_page import ProfilePage, plain
from browser.sample_profiles import WRITTEN, write_trace
from log_folder import LogFolder

READING = {"files_done": 1, "files": 4, "bytes_done": 3 << 20, "bytes": 12 << 20, "analysing": False, "seconds": 2.5}
LONG_NAME = "sweep/resnet50-imagenet-batch256-lr0.1-cosine-warmup5-amp-channels-last-seed"
HOSTILE = "<img src=x onerror=alert(1)>"


def test_no_profile_says_how_to_take_one_and_one_appears_live(
    page: Page, complaints: list[str], server_on: Callable[..., PageServer], tmp_path: Path
) -> None:
    logs = LogFolder(tmp_path / "logs")
    logs.write("train", {"loss": [0.5, 0.4]})
    page.goto(server_on(logs.path).address + "#profile")
    expect(page.get_by_role("heading", name="No profiles yet")).to_be_visible()
    advised = {
        "Any framework": "stepscope.profile",
        "PyTorch": "torch.profiler",
        "JAX": "jax.profiler",
        "TensorFlow and Keras": "tf.profiler",
    }
    expect(page.locator("section:has(> pre) h3")).to_have_text(list(advised))
    for framework, line in advised.items():
        expect(page.get_by_role("region", name=framework).locator("pre")).to_contain_text(line)
        expect(page.get_by_role("region", name=framework).locator("pre")).to_contain_text(str(logs.path))
    write_trace(logs.path / "train")
    expect(page.locator(".sentence")).to_be_visible()
    # A second one is offered, and does not take the place of what is being read.
    write_trace(logs.path / "train", written=WRITTEN + 60_000)
    page.get_by_role("button", name="Choose a profile").click()
    expect(page.get_by_role("listbox", name="Profiles").get_by_role("option")).to_have_count(2)
    assert complaints == []


def test_a_folder_with_profiles_alone_opens_on_them(
    page: Page, complaints: list[str], server_on: Callable[..., PageServer], tmp_path: Path
) -> None:
    write_trace(tmp_path / "logs" / "only")
    page.goto(server_on(tmp_path / "logs").address)
    expect(page.locator(".sentence")).to_be_visible()
    expect(page.get_by_role("navigation", name="Tabs").locator("[aria-current=page]")).to_have_text("Profile")
    page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Charts").click()
    expect(page.get_by_role("heading", name="No data yet")).to_be_visible()
    assert complaints == []


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_trace(logs.path / "good")
    broken = write_trace(logs.path / "broken", written=WRITTEN - 60_000)
    broken.write_bytes(b"\x00\x01 this is no trace")
    write_trace(logs.path / "half", "rank0", written=WRITTEN - 120_000)
    write_trace(logs.path / "half", "rank1", written=WRITTEN - 120_000).write_bytes(b"")
    write_trace(logs.path / HOSTILE, operations=[HOSTILE, "\u202egnp.exe", "wide " * 500], written=WRITTEN - 180_000)
    return serve(logs.path)


def choose(profile: ProfilePage, name: str) -> None:
    profile.page.get_by_role("button", name="Choose a profile").click()
    profile.page.get_by_role("option", name=name).click()


def test_reading_tells_how_far_it_is_and_can_be_cancelled(page: Page, address: str) -> None:
    asked: list[Route] = []

    def answer(route: Route) -> None:
        asked.append(route)
        if len(asked) == 1:
            route.fulfill(json={"epoch": 1, "reading": READING, "report": None})

    page.route("**/profile/*/report*", answer)
    page.goto(address + "#profile")
    bar = page.get_by_role("progressbar", name="Loading profile")
    expect(bar).to_have_attribute("aria-valuetext", re.compile("1 of 4 .* 3\u202fMiB of 12\u202fMiB"))
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", name="Loading cancelled")).to_be_visible()
    let_pass(page, 300)
    assert len(asked) == 2
    page.unroute("**/profile/*/report*")
    page.get_by_role("button", name="Load", exact=True).click()
    expect(page.locator(".sentence")).to_be_visible()


def test_a_broken_file_says_why_and_what_to_do(page: Page, address: str) -> None:
    profile = ProfilePage(page)
    profile.open(address)
    page.get_by_role("button", name="Choose a profile").click()
    expect(page.get_by_role("option", name="broken").locator(".amber")).to_be_visible()
    page.get_by_role("option", name="broken").click()
    expect(page.get_by_role("heading", name="This profile could not be read")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Stepscope supports")
    choose(profile, "good")
    expect(page.locator(".sentence")).to_be_visible()


def test_a_broken_rank_is_said_at_the_foot_and_the_others_are_shown(page: Page, complaints: list[str], address: str) -> None:
    profile = ProfilePage(page)
    profile.open(address)
    choose(profile, "half")
    foot = page.locator("main footer")
    expect(foot).to_contain_text("1 rank of 2 could not be read.")
    assert "amber" in (foot.get_attribute("class") or "")
    foot.get_by_role("button", name="Data quality").click()
    expect(page.get_by_role("dialog", name="Data quality")).to_contain_text("rank1")
    assert complaints == []


def test_a_failing_answer_is_said_and_tried_again(page: Page, address: str) -> None:
    def fail(route: Route) -> None:
        route.fulfill(status=500, json={"error": {"code": "our_mistake", "message": "Something went wrong in Stepscope."}})

    page.route("**/profile/*/report*", fail)
    page.goto(address + "#profile")
    expect(page.get_by_role("alert")).to_have_text("Something went wrong in Stepscope.")
    page.unroute("**/profile/*/report*")
    page.get_by_role("button", name="Retry").click()
    expect(page.locator(".sentence")).to_be_visible()


def test_names_are_shown_as_they_are_and_run_by_nobody(page: Page, complaints: list[str], address: str) -> None:
    opened: list[Dialog] = []
    page.on("dialog", lambda dialog: opened.append(dialog))
    profile = ProfilePage(page)
    profile.open(address)
    choose(profile, HOSTILE)
    expect(page.locator(".sentence")).to_be_visible()
    profile.show("Operations")
    names: list[Any] = [row[0] for row in profile.table("operations")]
    assert HOSTILE in [plain(name).replace("\n", "") for name in names]
    assert page.evaluate("document.images.length") == 0
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert opened == []
    assert complaints == []


def test_the_picker_has_whole_names(page: Page, server_on: Callable[..., PageServer], tmp_path: Path) -> None:
    for seed in (1, 2):
        write_trace(tmp_path / "logs" / f"{LONG_NAME}{seed}")
    profile = ProfilePage(page)
    profile.open(server_on(tmp_path / "logs").address)
    profile.page.get_by_role("button", name="Choose a profile").click()
    for seed in (1, 2):
        name = profile.page.get_by_role("option").locator(".run").filter(has_text=f"seed{seed}")
        expect(name).to_have_text(f"{LONG_NAME}{seed}")
        assert name.evaluate("(part) => part.scrollWidth <= part.clientWidth")


def test_views_without_data_are_dimmed_and_say_why(page: Page, server_on: Callable[..., PageServer], tmp_path: Path) -> None:
    write_trace(tmp_path / "logs" / "train")
    profile = ProfilePage(page)
    profile.open(server_on(tmp_path / "logs").address)
    row = profile.page.get_by_role("navigation", name="Views of the profile")
    expect(row.get_by_role("button", name="Memory", exact=True)).to_have_attribute("title", "No memory recorded in this profile")
    row.get_by_role("button", name="Time", exact=True).click()
    times = profile.page.get_by_role("navigation", name="Views of time")
    for view in ("Modules", "Counters"):
        expect(times.get_by_role("button", name=view, exact=True)).to_have_attribute(
            "title", f"No {view.lower()} recorded in this profile"
        )
