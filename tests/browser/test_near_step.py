"""A pinned step leads to the images and texts that were logged near it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.page_server import PageServer
from stepscope.writer import SummaryWriter


@pytest.fixture
def address(server_on: Callable[..., PageServer], tmp_path: Path) -> str:
    with SummaryWriter(tmp_path / "logs" / "run") as writer:
        for step in range(100):
            writer.add_scalar("loss", 1 / (1 + step), step)
        for step in (0, 40, 80):
            writer.add_image("samples", np.full((3, 8, 8), step, np.uint8), step)
        writer.add_text("notes", "A *note*.", 47)
    return server_on(tmp_path / "logs").address


def test_a_pinned_step_lists_what_was_logged_near_it(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?at=50")
    near = charts.page.get_by_label("Logged near this step")
    expect(near.get_by_role("button")).to_have_count(2)
    assert [text.split() for text in near.get_by_role("button").all_inner_texts()] == [
        ["Images", "samples", "step", "40"],
        ["Text", "notes/", "text_summary", "step", "47"],
    ]
    near.get_by_role("button").first.click()
    expect(charts.page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Media")).to_have_attribute(
        "aria-current", "page"
    )
    expect(charts.page.get_by_label("Go to step").first).to_have_value("40")
    expect(charts.page).to_have_url(re.compile(r"[?&]at=40\b"))


def test_a_range_and_other_axes_have_no_nearest_step(charts: ChartsPage, address: str) -> None:
    for view in ("#scalars?at=40..60", "#scalars?x=relative&at=0.5"):
        charts.open(address, view)
        expect(charts.page.get_by_role("complementary", name="Inspector")).to_be_visible()
        expect(charts.page.get_by_label("Logged near this step")).to_have_count(0)
