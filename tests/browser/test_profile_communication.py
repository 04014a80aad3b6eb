"""The Communication and Critical path parts of the Profile tab: two ranks, whom they wait for, and what a step's length consists of."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.profile_page import ProfilePage, plain
from browser.sample_parts import write_parts
from cli.collective_traces import events
from log_folder import LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    folder = logs.path / "train"
    folder.mkdir(parents=True)
    for rank, starts_us in enumerate((200, 500)):
        header = {"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2}, "with_stack": 1 - rank}
        content = {**header, "baseTimeNanoseconds": 1_700_000_000_000_000_000, "traceEvents": events(rank, starts_us)}
        (folder / f"host_{rank}.1794770512963.pt.trace.json").write_text(json.dumps(content))
    return serve(logs.path)


@pytest.fixture(scope="module")
def lone(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> str:
    """One rank with launches, which does not communicate."""
    folder: Path = tmp_path_factory.mktemp("lone")
    write_parts(folder / "train")
    return serve(folder)


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def cells(page: Page, table: str) -> list[list[str]]:
    """The rows of a table, with usual spaces."""
    region = page.get_by_role("region", name=table, exact=True)
    expect(region).to_be_visible()
    return [[plain(cell).strip() for cell in row.get_by_role("cell").all_inner_texts()] for row in region.locator("tbody tr").all()]


def test_whom_the_ranks_wait_for(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    profile.show("Communication")
    expect(profile.page.get_by_role("region", name="Collectives")).to_be_visible()
    assert "300 µs" in profile.sentence()
    assert "rank 1" in profile.sentence()
    row, nothing = sorted(cells(profile.page, "Collectives"), key=lambda cells: cells[0] != "allreduce")
    assert nothing[:6] == ["All ranks idle", "", "", "", "", ""]
    assert re.fullmatch(r"[\d.]+ µs", nothing[7]), "time that belongs to no operation has a row of its own"
    assert row[:6] == ["allreduce", "dp", "2 of 2", "1 MiB", "Float", "1"]
    assert row[-1] == "5.24"
    assert [row[0] for row in cells(profile.page, "Ranks")] == ["rank 0", "rank 1"]
    assert [row[-1] for row in cells(profile.page, "Ranks")] == ["0%", "100%"]


@pytest.mark.parametrize("part", ["report", "communication"])
def test_what_the_ranks_differ_in_comes_before_any_mean(profile: ProfilePage, address: str, part: str) -> None:
    profile.open(address, f"#profile?show={part}")
    differ = profile.page.get_by_role("region", name="Rank differences")
    expect(differ).to_contain_text("with_stack")
    box, sentence = differ.bounding_box(), profile.page.locator(".sentence").bounding_box()
    assert box is not None
    assert sentence is not None
    assert box["y"] + box["height"] <= sentence["y"]


def test_the_map_of_ranks_tells_of_waiting(profile: ProfilePage, address: str) -> None:
    profile.open(address)
    ranks = profile.page.get_by_role("region", name="Ranks", exact=True)
    expect(ranks).to_contain_text("waiting for other ranks")
    ranks.locator("canvas").hover(position={"x": 170, "y": 10})
    expect(profile.page.get_by_role("tooltip")).to_contain_text("other ranks")


def test_a_recording_without_communication_says_how_to_record_it(profile: ProfilePage, lone: str) -> None:
    profile.open(lone)
    profile.show("Communication")
    expect(profile.page.get_by_role("heading", name="No communication in this profile")).to_be_visible()
    expect(profile.page.get_by_text("STEPSCOPE_COLLECTIVES")).to_be_visible()


def test_the_critical_path(profile: ProfilePage, lone: str) -> None:
    profile.open(lone)
    profile.show("Critical path")
    expect(profile.page.get_by_role("region", name="On the critical path")).to_be_visible()
    assert "10 ms" in profile.sentence()
    names = [row[0] for row in cells(profile.page, "On the critical path")]
    assert "untraced" in names
    expect(profile.page.get_by_label("Critical path breakdown").locator("li").first).to_be_visible()
    gains = cells(profile.page, "Estimated savings")
    assert gains[0] == ["Python", "python=0", "34%", "28%"]


def test_without_launches_the_path_says_what_it_is_not(profile: ProfilePage, address: str) -> None:
    profile.open(address, "#profile?show=path")
    expect(profile.page.locator(".note")).to_be_visible()
    expect(profile.page.get_by_role("region", name="Exclusive time")).to_be_visible()
