"""Custom scalars in a real browser: charts of scripts, wrong and endless patterns, hostile names, and a layout made on the page."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect

from browser.charts_page import QUIET, ChartsPage
from browser.page_server import PageServer
from browser.schemes import Scheme
from log_folder import LogFolder
from server.layout_records import layout_record
from stepscope import SummaryWriter

MARKUP = "<img src=x onerror=alert(1)>"
ENDLESS = "(a+)+$"
MANY_A = "a" * 40 + "!"


def curve(start: float) -> list[float]:
    """A falling line that ends at a tenth of its start."""
    return [start * math.exp(-place * math.log(10) / 49) for place in range(50)]


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for run, start in (("first", 1.0), ("second", 2.0)):
        tags = {"loss/train": 1.0, "loss/val": 1.5, "val/loss": 9.0, "spread/mean": 1.0, "spread/low": 0.5, "spread/high": 2.0}
        logs.write(run, {tag: curve(start * factor) for tag, factor in tags.items()})
        band = ["Margin", ["spread/mean", "spread/low", "spread/high"]]
        with SummaryWriter(str(logs.path / run)) as writer:
            writer.add_custom_scalars({"Losses": {"both": ["Multiline", ["loss"]], "spread": band}})
    logs.write("hostile", {MANY_A: [1.0, 2.0]})
    with SummaryWriter(str(logs.path / "hostile")) as writer:
        writer.add_custom_scalars(
            {
                MARKUP: {
                    MARKUP: ["Multiline", [MARKUP]],
                    "wrong": ["Multiline", ["loss(", "loss/train"]],
                    "endless": ["Multiline", [ENDLESS]],
                    "missing": ["Margin", ["loss/train", "loss/none", MARKUP]],
                },
                "__proto__": {},
            }
        )
    damaged = logs.path / "damaged" / "events.out.tfevents.1"
    damaged.parent.mkdir()
    damaged.write_bytes(layout_record(b"\xff\xff"))
    return serve(logs.path)


@pytest.fixture
def page(charts: ChartsPage) -> Page:
    """The page, on which no dialog may open."""

    def refuse(dialog: Dialog) -> None:
        dialog.dismiss()
        pytest.fail(f"something was run as a script: {dialog.message}")

    charts.page.on("dialog", refuse)
    return charts.page


def show(page: Page, address: str, query: str = "") -> None:
    page.goto("about:blank")
    page.goto(f"{address}#custom_scalars{query}")
    expect(page.get_by_role("toolbar", name="Custom scalars")).to_be_visible()


def card(page: Page, title: str) -> Locator:
    return page.get_by_role("article", name=title, exact=True)


def point_at(page: Page, title: str, share: float) -> Locator:
    """The tooltip at a share of the chart's width."""
    page.wait_for_function(QUIET)
    box = card(page, title).get_by_role("application").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)
    tooltip = page.locator(".tooltip")
    expect(tooltip).to_be_visible()
    return tooltip


def test_the_tab_is_among_the_others(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Custom scalars").click()
    expect(page.get_by_role("button", name="Custom scalars")).to_have_attribute("aria-current", "page")
    expect(page).to_have_url(re.compile("#custom_scalars"))
    expect(card(page, "both")).to_contain_text("2 tags")


def test_patterns_find_tags_from_their_start_and_runs_share_a_chart(page: Page, address: str) -> None:
    show(page, address)
    expect(page.get_by_role("button", name="Losses 2")).to_be_visible()
    expect(card(page, "both")).to_contain_text("2 tags, 200 points")
    expect(card(page, "both")).to_have_count(1)
    tooltip = point_at(page, "both", 0.5)
    for line in ("first loss/train", "first loss/val", "second loss/train", "second loss/val"):
        expect(tooltip).to_contain_text(line)
    expect(tooltip).not_to_contain_text("val/loss")


def test_bands_have_values_between_their_edges(page: Page, address: str) -> None:
    show(page, address)
    expect(card(page, "spread")).to_contain_text("1 tag, 300 points")
    tooltip = point_at(page, "spread", 0.5)
    expect(tooltip).to_contain_text("first")
    rows = tooltip.locator("tr").filter(has_text="first").inner_text()
    low, high = (float(text) for text in re.findall(r"[\d.]+", rows)[-2:])
    assert high / low == pytest.approx(4, rel=0.05)


def test_the_run_list_chooses_lines(page: Page, address: str) -> None:
    show(page, address)
    page.get_by_role("button", name="Hide second").click()
    expect(card(page, "both")).to_contain_text("2 tags, 100 points")
    # Of one run alone the tags name the lines.
    expect(point_at(page, "both", 0.5)).not_to_contain_text("first loss")


def test_a_chart_is_downloaded_with_all_its_points(page: Page, address: str) -> None:
    show(page, address)
    expect(card(page, "both")).to_contain_text("200 points")
    page.get_by_role("button", name="More for both").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Download CSV").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert len(lines) == 1 + 200
    assert download.value.suggested_filename.endswith(".csv")


def test_a_wrong_pattern_costs_itself_alone(page: Page, address: str) -> None:
    show(page, address)
    expect(card(page, "wrong")).to_contain_text("loss( is not a regular expression.")
    expect(card(page, "wrong")).to_contain_text("1 tag, 100 points")
    expect(card(page, "missing")).to_contain_text("No run has the tag loss/none.")


def test_a_pattern_that_never_ends_is_given_up(page: Page, address: str) -> None:
    show(page, address)
    expect(card(page, "endless")).to_contain_text("too slow")
    page.get_by_role("button", name="Losses 2").click()
    expect(card(page, "both")).to_have_count(0)
    page.get_by_role("button", name="Losses 2").click()
    expect(card(page, "both")).to_contain_text("200 points")


def test_hostile_names_and_damaged_layouts_are_words(page: Page, address: str) -> None:
    show(page, address)
    expect(card(page, MARKUP)).to_be_visible()
    expect(page.get_by_role("button", name="__proto__ 0")).to_be_attached()
    expect(page.get_by_text("The layout of damaged is corrupt")).to_be_visible()
    assert page.locator("img").count() == 0


def test_the_filter_finds_charts(page: Page, address: str) -> None:
    show(page, address)
    page.get_by_role("searchbox", name="Filter charts by regular expression").fill("spread")
    expect(page.get_by_role("article")).to_have_count(1)
    expect(card(page, "spread")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overflows(page: Page, address: str, theme: Scheme) -> None:
    page.emulate_media(color_scheme=theme)
    show(page, address)
    page.wait_for_function(QUIET)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_layout_that_comes_later_is_shown(page: Page, server_on: Callable[..., PageServer], tmp_path: Path) -> None:
    folder = LogFolder(tmp_path / "growing")
    folder.write("a", {"loss": [1.0, 2.0]})
    show(page, server_on(folder.path, "--reload-interval", "0.5").address)
    expect(page.get_by_role("heading", name="No layouts yet")).to_be_visible()
    expect(page.get_by_text("add_custom_scalars_multilinechart")).to_be_visible()
    with SummaryWriter(str(folder.path / "a")) as writer:
        writer.add_custom_scalars_multilinechart(["loss"], category="Later", title="loss")
    expect(card(page, "loss")).to_contain_text("1 tag, 2 points")


def test_a_layout_made_on_the_page_stays(page: Page, server_on: Callable[..., PageServer], tmp_path: Path) -> None:
    folder = LogFolder(tmp_path / "mine")
    folder.write("a", {"loss/train": [1.0, 2.0], "loss/val": [2.0, 3.0], "low": [0.0, 1.0], "high": [3.0, 4.0]})
    server = server_on(folder.path)
    before = sorted(folder.path.rglob("*"))
    show(page, server.address)
    page.get_by_role("button", name="Create layout").click()
    page.get_by_label("Category title").fill("Mine")
    page.get_by_label("Chart title").fill("all losses")
    save = page.get_by_role("button", name="Save", exact=True)
    field = page.get_by_role("textbox", name="Expression 1 of all losses")
    field.fill("loss(")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(save).to_be_disabled()
    field.fill("loss")
    expect(page.get_by_text("2 tags: loss/train, loss/val")).to_be_visible()
    page.get_by_role("navigation", name="Tabs").get_by_role("button", name="Charts").click()
    page.get_by_role("navigation", name="Tabs").get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Custom scalars").click()
    expect(field).to_have_value("loss")
    page.get_by_role("button", name="Add chart").click()
    page.get_by_label("Chart title").nth(1).fill("spread")
    page.get_by_label("Chart type").nth(1).select_option("Band")
    for name, tag in (("Line", "loss/train"), ("Lower edge", "low"), ("Upper edge", "high")):
        page.get_by_label(f"{name} of spread").fill(tag)
    page.get_by_role("button", name="Move spread up").click()
    save.click()
    expect(page.get_by_role("button", name="Mine 2 yours")).to_be_visible()
    expect(card(page, "all losses")).to_contain_text("2 tags, 4 points")
    expect(page.get_by_role("article").first).to_contain_text("spread")
    assert sorted(folder.path.rglob("*")) == before
    page.reload()
    expect(card(page, "spread")).to_contain_text("1 tag, 6 points")
    page.goto(server.address)
    expect(page.get_by_role("navigation", name="Tabs")).to_contain_text("Custom scalars")


def test_a_layout_is_changed_and_removed(page: Page, server_on: Callable[..., PageServer], tmp_path: Path) -> None:
    folder = LogFolder(tmp_path / "mine")
    folder.write("a", {"x.y": [1.0, 2.0], "xzy": [2.0, 3.0]})
    with SummaryWriter(str(folder.path / "a")) as writer:
        writer.add_custom_scalars_multilinechart(["x"], category="Logged", title="both")
    show(page, server_on(folder.path).address)
    page.get_by_role("button", name="Create layout").click()
    page.get_by_role("button", name="Remove New category").click()
    page.get_by_role("button", name="Copy logged layout").click()
    expect(page.get_by_label("Category title")).to_have_value("Logged")
    page.get_by_label("Category title").fill(MARKUP)
    page.get_by_role("button", name="Remove expression 1 of both").click()
    page.get_by_role("button", name="Add tag to both").click()
    page.get_by_role("dialog", name="Add tag to both").get_by_role("combobox").fill("x.y")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name=f"{MARKUP} 1 yours")).to_be_visible()
    expect(card(page, "both").first).to_contain_text("1 tag, 2 points")
    expect(card(page, "both").last).to_contain_text("2 tags, 4 points")
    page.get_by_role("button", name="Edit layout").click()
    page.get_by_role("button", name=f"Remove {MARKUP}").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(card(page, "both")).to_have_count(1)
    expect(page.get_by_role("button", name="Create layout")).to_be_visible()


def test_cancelling_keeps_nothing(page: Page, address: str) -> None:
    show(page, address)
    page.get_by_role("button", name="Create layout").click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("button", name="Create layout")).to_be_visible()
    expect(page.get_by_text("yours")).to_have_count(0)
