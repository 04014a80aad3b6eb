"""Nested settings and configurations of runs side by side, and the status of runs in the list, in Chromium."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from browser.charts_page import ChartsPage
from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.schemes import Scheme
from log_folder import LogFolder
from stepscope import SummaryWriter

YAML = "data:\n  name: cifar\n  augment: [flip, {crop}]\nepochs: 20"
KILLED = """
import os, sys, time
from stepscope import SummaryWriter
writer = SummaryWriter(sys.argv[1])
writer.add_scalar("loss", 1.0, 0)
writer.flush()
os._exit(9)
"""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    optimizers = ({"name": "adam", "lr": 0.1, "betas": [0.9, 0.99]}, {"name": "adam", "lr": 0.2, "betas": [0.9, 0.99]})
    for place, optimizer in enumerate(optimizers):
        with SummaryWriter(str(logs.path / f"run{place}")) as writer:
            schedule = str({"kind": "cosine", "words": "x" * 300, "warmup": 100 * place})
            writer.log_config({"optimizer": optimizer, "model": {"depth": 4 + place, "width": 64}, "schedule": schedule})
            writer.add_text("settings", YAML.format(crop=("pad", "crop")[place]), 0)
            writer.add_scalar("loss", 1.0, 0)
    subprocess.run([sys.executable, "-c", KILLED, str(logs.path / "killed")], check=False)
    (file,) = (logs.path / "killed").iterdir()
    old = file.stat().st_mtime - 600
    os.utime(file, (old, old))
    return serve(logs.path)


def row(page: Locator, name: str) -> Locator:
    """The row of a setting."""
    return page.get_by_role("row").filter(has=page.page.get_by_role("rowheader", name=name, exact=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_settings_are_a_tree_and_texts_are_compared_value_by_value(charts: ChartsPage, address: str, scheme: Scheme) -> None:
    charts.page.emulate_media(color_scheme=scheme)
    charts.open(address)
    for name in ("run0", "run1"):
        charts.button(f"Details of {name}").click(modifiers=["Control"])
    charts.page.get_by_role("toolbar", name="Picked runs").get_by_role("button", name="Compare").click()
    settings = charts.page.get_by_role("region", name="Settings", exact=True)
    expect(row(settings, "lr").get_by_role("cell")).to_have_count(2)
    assert {*row(settings, "lr").get_by_role("cell").all_inner_texts()} == {"0.1", "0.2"}
    assert {*row(settings, "depth").get_by_role("cell").all_inner_texts()} == {"4", "5"}
    assert {*row(settings, "warmup").get_by_role("cell").all_inner_texts()} == {"0", "100"}, "also of a long dictionary"
    expect(row(settings, "optimizer")).to_be_visible()
    expect(row(settings, "width")).to_have_count(0)
    settings.get_by_role("button", name="Show all").click()
    assert {*row(settings, "width").get_by_role("cell").all_inner_texts()} == {"64"}
    texts = charts.page.get_by_role("region", name="settings of the runs")
    expect(row(texts, "[1]")).to_be_visible()
    assert {*row(texts, "[1]").get_by_role("cell").all_inner_texts()} == {"pad", "crop"}
    expect(row(texts, "epochs")).to_have_count(0)
    assert faults(charts.page) == []
    assert charts.page.evaluate(WIDER_THAN_THE_PAGE) == []


def test_a_killed_run_is_seen_and_found(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    dot = charts.row("killed").locator(".status")
    expect(dot).to_have_text("crashed")
    expect(dot).to_have_class(re.compile(r"\bcrashed\b"))
    expect(charts.row("run0").locator(".status")).to_have_text("finished")
    charts.search("status:crashed")
    charts.wait_until(lambda: charts.listed() == ["killed"])
    charts.search("-status:crashed")
    charts.wait_until(lambda: sorted(charts.listed()) == ["run0", "run1"], what=f"two runs, not {charts.listed()}")
