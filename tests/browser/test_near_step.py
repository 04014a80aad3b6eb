"""A pinned step leads to the images, texts and profiles near it, and the ruler marks what happened at which step."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.page_checks import faults
from browser.page_server import PageServer
from browser.sample_profiles import write_trace
from log_folder import START, LogFolder
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


TRACE = b'{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]}'


@pytest.fixture
def marked(server_on: Callable[..., PageServer], tmp_path: Path) -> str:
    """A run with epochs, checkpoints logged and on disk, images, a restart, and a profile at step 42."""
    logs = LogFolder(tmp_path / "logs")
    logs.write("run", {"loss": [1.0] * 101, "epoch": [(step, step // 25) for step in range(0, 101, 5)]})
    logs.write("run", {"loss": [(95, 1.0), (96, 1.0)]}, start=START + 200, file="events.out.tfevents.2", session_start=95)
    logs.write("run", {"step_time/checkpoint": [(50, 0.5), (90, 0.5)]}, file="events.out.tfevents.3")
    (logs.path / "run" / "checkpoint-70").mkdir()
    with SummaryWriter(logs.path / "run") as writer:
        for step in (10, 60):
            writer.add_image("samples", np.zeros((3, 8, 8), np.uint8), step)
    trace = logs.path / "run" / "host.pt.trace.json"
    trace.write_bytes(TRACE)
    os.utime(trace, (START + 42.5, START + 42.5))
    return server_on(logs.path).address


def test_marks_are_on_the_ruler_and_in_its_legend(marked: str, charts: ChartsPage) -> None:
    charts.open(marked)
    legend = charts.page.get_by_role("list", name="Marks")
    expect(legend.get_by_role("listitem")).to_have_count(5)
    assert legend.get_by_role("listitem").all_inner_texts() == ["restart", "epoch", "checkpoint", "image", "profile"]
    ruler = charts.page.get_by_role("slider", name="Step of all charts")
    # The fourth epoch was taken back by the restart at step 95.
    expect(ruler.locator("path.epoch")).to_have_count(3)
    expect(ruler.locator("path.checkpoint")).to_have_count(3)
    expect(ruler.locator("path.image")).to_have_count(2)
    # From mark to mark with the keyboard; a screen reader hears what happened there.
    ruler.focus()
    for step, kind in (("10", "Image"), ("25", "Epoch"), ("42", "Profile"), ("50", "Checkpoint")):
        charts.page.keyboard.press("PageDown")
        expect(ruler).to_have_attribute("aria-valuetext", re.compile(rf"^{step}; .*{kind}"))
    charts.page.keyboard.press("PageUp")
    expect(ruler).to_have_attribute("aria-valuetext", re.compile("^42;"))
    # The pointer is told what a mark is, and a click near it pins its step.
    place = ruler.locator("path.profile").bounding_box()
    assert place is not None
    charts.page.keyboard.press("Escape")
    charts.page.mouse.move(place["x"] + 6, place["y"] + 4)
    expect(ruler).to_have_attribute("title", re.compile("^Profile about step 42"))
    charts.page.mouse.click(place["x"] + 6, place["y"] + 4)
    expect(charts.page).to_have_url(re.compile(r"[?&]at=42\b"))
    assert faults(charts.page) == []
    charts.open(marked, "#scalars?x=relative")
    expect(legend).to_have_count(0)


def test_a_profile_near_the_pinned_step_is_one_click_away(marked: str, charts: ChartsPage) -> None:
    charts.open(marked, "#scalars?at=50")
    near = charts.page.get_by_label("Logged near this step").get_by_role("button").filter(has_text="Profile")
    expect(near).to_have_count(1)
    assert near.inner_text().split()[-3:] == ["about", "step", "42"]
    near.click()
    expect(charts.page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Profile")).to_have_attribute(
        "aria-current", "page"
    )
    expect(charts.page).to_have_url(re.compile(r"#profile\?.*session="))


def test_a_profile_with_that_step_opens_at_it(server_on: Callable[..., PageServer], charts: ChartsPage, tmp_path: Path) -> None:
    logs = LogFolder(tmp_path / "logs")
    logs.write("run", {"loss": [1.0] * 100})
    # Its steps are 5 to 10; the run was at step 7 when it was written.
    write_trace(logs.path / "run", steps=6, written=int(1000 * (START + 7.5)))
    charts.open(server_on(logs.path).address, "#scalars?at=9")
    charts.page.get_by_label("Logged near this step").get_by_role("button").click()
    expect(charts.page.get_by_role("button", name="Range", exact=True)).to_contain_text("Step 7")
    expect(charts.page).to_have_url(re.compile(r"[?&]range=7:8|[?&]range=7%3A8"))
    expect(charts.page).not_to_have_url(re.compile(r"[?&]step="))
