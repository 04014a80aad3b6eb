"""The page opens on an empty folder and on one with a curve, and says nothing to the console."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from stepscope import SummaryWriter


def test_a_folder_without_runs_says_so(serve: Callable[..., str], page: Page, complaints: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    page.goto(serve(folder))
    expect(page.get_by_text(str(folder)).first).to_be_visible()
    assert complaints == []


def test_a_curve_is_drawn(serve: Callable[..., str], page: Page, complaints: list[str], tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "runs" / "first") as writer:
        for step in range(100):
            writer.add_scalar("loss", 1 / (step + 1), step)
    page.goto(serve(tmp_path / "runs"))
    expect(page.get_by_text("first").first).to_be_visible()
    expect(page.get_by_text("loss").first).to_be_visible()
    expect(page.locator("canvas").first).to_be_visible()
    page.screenshot(path=tmp_path / "page.png")
    assert complaints == []
