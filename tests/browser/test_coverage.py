"""Operations without time or memory on the page: the list with reasons, the badge of the operations table, and the card of a node."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.graphs_page import GraphsPage
from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.profile_page import ProfilePage
from browser.schemes import Scheme
from log_folder import LogFolder
from sample_files import SAMPLES, needs

pytestmark = needs("tf1_run_metadata")
WHAT = "uncovered operations"
COVERAGE = "#profile?show=coverage"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    run = logs.path / "mnist"
    run.mkdir()
    shutil.copyfile(SAMPLES / "tf1_run_metadata" / "graph.pb", run / "graph.pb")
    shutil.copyfile(SAMPLES / "tf1_run_metadata" / "run_metadata_step019.pb", run / "run_metadata.pb")
    return serve(logs.path)


@pytest.fixture
def profile(page: Page, complaints: list[str]) -> Iterator[ProfilePage]:
    yield ProfilePage(page)
    assert complaints == []


def test_every_operation_without_time_is_listed_with_its_reason(profile: ProfilePage, address: str) -> None:
    profile.open(address, COVERAGE)
    summary = profile.page.get_by_role("region", name="Coverage")
    expect(summary).to_contain_text("83 of 168 operations")
    grid = profile.page.get_by_role("grid", name=f"Table of {WHAT}")
    expect(grid).to_have_attribute("aria-rowcount", str(85 + 59 + 1))
    summary.get_by_role("button", name="Fused 3").click()
    expect(grid).to_have_attribute("aria-rowcount", "4")
    found = {(line[0], line[3], line[4]) for line in profile.table(WHAT)}
    assert found == {
        ("conv1/Conv2D", "Fused", "conv1/Relu"),
        ("conv1/add", "Fused", "conv1/Relu"),
        ("fc/MatMul", "Fused", "fc/add"),
    }
    expect(profile.page).to_have_url(re.compile("fused"))
    profile.page.reload()
    expect(grid).to_have_attribute("aria-rowcount", "4")
    summary.get_by_role("button", name="Fused 3").click()
    expect(grid).to_have_attribute("aria-rowcount", str(85 + 59 + 1))


def test_the_table_of_operations_says_how_many_have_time(profile: ProfilePage, address: str) -> None:
    profile.open(address, "#profile?show=ops")
    profile.page.get_by_role("button", name="83 of 168 have time").click()
    expect(profile.page.get_by_role("region", name="Coverage")).to_be_visible()
    expect(profile.page).to_have_url(re.compile("show=coverage"))


def test_the_card_of_a_node_explains_it(page: Page, address: str, complaints: list[str], tmp_path: Path) -> None:
    graphs = GraphsPage(page)
    graphs.show(address, "mnist / graph.pb")
    field = page.get_by_label("Search nodes")
    field.fill("conv1/conv2d op:conv2d")
    expect(page.get_by_role("listbox", name="Matches").get_by_role("option").first).to_contain_text("conv1/Conv2D")
    field.press("Enter")
    expect(graphs.card.get_by_role("heading", level=2)).to_have_text("conv1/Conv2D")
    why = graphs.card.get_by_label("Why nothing was recorded")
    expect(why).to_contain_text("Fused.")
    page.screenshot(path=tmp_path / "node-card.png")
    why.get_by_role("button", name="conv1/Relu").click()
    expect(graphs.card.get_by_role("heading", level=2)).to_have_text("conv1/Relu")
    expect(graphs.card.get_by_role("region", name="Time and memory")).to_contain_text("Total time")
    graphs.card.get_by_role("button", name="List operations without time or memory").click()
    expect(page.get_by_role("region", name="Coverage")).to_be_visible()
    assert complaints == []


@pytest.mark.parametrize("width", [1280, 800])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_whole(browser: Browser, address: str, theme: Scheme, width: int, tmp_path: Path) -> None:
    page = browser.new_page(color_scheme=theme, viewport={"width": width, "height": 800})
    profile = ProfilePage(page)
    profile.open(address, COVERAGE)
    expect(page.get_by_role("grid", name=f"Table of {WHAT}").get_by_role("row").nth(3)).to_be_visible()
    page.screenshot(path=tmp_path / f"coverage-{theme}-{width}.png")
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(page) == []
    page.close()
