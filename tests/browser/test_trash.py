"""Deleting runs: the question says what moves, runs go to the trash and come back, and only a second question deletes for good."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from browser.charts_page import ChartsPage
from browser.page_checks import faults
from browser.page_server import PageServer
from log_folder import LogFolder


@pytest.fixture
def logs(tmp_path: Path) -> LogFolder:
    folder = LogFolder(tmp_path / "logs")
    for name in ("one", "two", "exp/train", "exp/validation", "outer", "outer/inner"):
        folder.write(name, {"loss": [1.0, 0.5]})
    (folder.path / "one" / "model.ckpt").write_bytes(bytes(5000))
    return folder


@pytest.fixture
def address(server_on: Callable[..., PageServer], logs: LogFolder) -> str:
    return server_on(logs.path).address


def question(charts: ChartsPage, *names: str) -> Locator:
    """Picks runs and asks to delete them."""
    for name in names:
        charts.button(f"Details of {name}").click(modifiers=["Control"])
    charts.page.get_by_role("toolbar", name="Picked runs").get_by_role("button", name="Delete").click()
    dialog = charts.page.get_by_role("dialog", name="Delete")
    expect(dialog.get_by_role("list", name="Folders to move")).to_be_visible()
    return dialog


def folders(dialog: Locator) -> list[str]:
    """The folders that the question names."""
    return dialog.get_by_role("list", name="Folders to move").locator(".code").all_inner_texts()


def trash(charts: ChartsPage) -> Locator:
    """The list of deleted runs."""
    charts.choose("More for the run list", "Deleted runs…")
    return charts.page.get_by_role("dialog", name="Deleted runs")


def test_picked_runs_go_to_the_trash_and_come_back(address: str, charts: ChartsPage, logs: LogFolder) -> None:
    charts.open(address)
    everything = sorted(charts.listed())
    dialog = question(charts, "one", "exp")
    assert folders(dialog) == [str(logs.path / name) for name in ("exp/train", "exp/validation", "one")]
    expect(dialog).to_contain_text(re.compile(r"3 folders, 4 files, 5\.\d+\sKiB"))
    assert faults(charts.page) == []
    dialog.get_by_role("button", name="Cancel").click()
    assert sorted(charts.listed()) == everything
    question(charts).get_by_role("button", name="Move to trash").click()
    charts.wait_until(lambda: sorted(charts.listed()) == ["outer", "outer/inner", "two"], what="the runs that are left")
    assert not (logs.path / "one").exists()
    listed = trash(charts)
    expect(listed.get_by_role("row")).to_have_count(4)
    assert faults(charts.page) == []
    for left in (3, 2, 1):
        listed.get_by_role("button", name="Restore").first.click()
        expect(listed.get_by_role("row")).to_have_count(left if left > 1 else 0)
    listed.get_by_role("button", name="Close").click()
    charts.wait_until(lambda: sorted(charts.listed()) == everything, what="all runs again")
    assert (logs.path / "one" / "model.ckpt").stat().st_size == 5000


def test_runs_inside_are_named_and_live_ones_need_a_tick(address: str, charts: ChartsPage, logs: LogFolder) -> None:
    logs.write("outer/inner", {"loss": [0.1]}, start=time.time(), file="events.out.tfevents.2", version=True)
    charts.open(address)
    dialog = question(charts, "outer")
    notes = dialog.get_by_role("note")
    expect(notes.nth(0)).to_contain_text("outer/inner")
    expect(notes.nth(1)).to_contain_text("outer/inner")
    go = dialog.get_by_role("button", name="Move to trash")
    expect(go).to_be_disabled()
    dialog.get_by_role("checkbox").check()
    go.click()
    charts.wait_until(lambda: sorted(charts.listed()) == ["exp", "one", "two"], what="the runs that are left")
    assert not (logs.path / "outer").exists()


def test_only_a_second_question_deletes_for_good(address: str, charts: ChartsPage, logs: LogFolder) -> None:
    charts.open(address)
    charts.button("Details of two").hover()
    charts.button("Actions for two").click()
    charts.page.get_by_role("menuitem", name="Delete run").click()
    charts.page.get_by_role("button", name="Move to trash").click()
    charts.wait_until(lambda: "two" not in charts.listed(), what="the list without it")
    bin_folder = logs.path.with_name("logs.stepscope-trash")
    listed = trash(charts)
    listed.get_by_role("button", name="Delete permanently…").click()
    asked = listed.get_by_role("alertdialog")
    asked.get_by_role("button", name="Cancel").click()
    assert len(list(bin_folder.iterdir())) == 1
    listed.get_by_role("button", name="Delete permanently…").click()
    asked.get_by_role("button", name="Delete permanently", exact=True).click()
    expect(listed.get_by_role("row")).to_have_count(0)
    assert list(bin_folder.iterdir()) == []


def test_what_cannot_be_moved_says_why(address: str, charts: ChartsPage, logs: LogFolder, tmp_path: Path) -> None:
    outside = LogFolder(tmp_path / "outside")
    outside.write("far", {"loss": [1.0]})
    (logs.path / "link").symlink_to(outside.path)
    charts.open(address)
    charts.wait_until(lambda: "link/far" in charts.listed(), what="the run behind the link")
    charts.button("Details of link/far").click(modifiers=["Control"])
    charts.page.get_by_role("toolbar", name="Picked runs").get_by_role("button", name="Delete").click()
    dialog = charts.page.get_by_role("dialog", name="Delete")
    expect(dialog.get_by_role("note")).to_contain_text(str(logs.path / "link" / "far"))
    expect(dialog.get_by_role("button", name="Move to trash")).to_be_disabled()
    assert (outside.path / "far").is_dir()
