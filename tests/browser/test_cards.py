"""Cards: which are shown, where and how large, several tags on one, and what can be taken away from them."""

from __future__ import annotations

import csv
import json
import struct
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import expect

from browser.charts_page import ChartsPage
from browser.sample_runs import NAMES, STEPS, loss, write_three_runs
from log_folder import LogFolder


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    write_three_runs(logs)
    return serve(logs.path)


def cards(charts: ChartsPage) -> list[str]:
    """The tags of the cards on screen, in order."""
    titles = charts.page.locator("article h3 button")
    return [(one.get_attribute("title") or "").rsplit("\n", 1)[0].replace("\n", " + ") for one in titles.all()]


def test_the_tag_filter_is_a_regular_expression(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    field = charts.page.get_by_role("searchbox", name="Filter tags by regular expression")
    field.fill("^layers/|USED")
    charts.settle()
    assert cards(charts) == ["layers/one/norm", "layers/two/norm", "memory/used"]
    field.fill("(")
    expect(charts.page.get_by_text("( is not a regular expression.")).to_be_visible()
    field.fill("no such tag")
    expect(charts.page.get_by_text("No tags match")).to_be_visible()
    charts.button("Clear filter").click()
    charts.settle()
    assert cards(charts)[:2] == ["loss", "accuracy"]


def test_pinned_cards_come_before_all_others(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tags=norm")
    for tag in ("layers/two/norm", "layers/one/norm"):
        charts.card(tag).hover()
        charts.card(tag).get_by_role("button", name=f"Pin {tag}").click()
    charts.page.get_by_label("Filter tags by regular expression").fill("")
    assert cards(charts)[:3] == ["layers/two/norm", "layers/one/norm", "loss"]
    charts.reload()
    assert cards(charts)[:3] == ["layers/two/norm", "layers/one/norm", "loss"]
    charts.card("layers/two/norm").get_by_role("button", name="Pin layers/two/norm").click()
    assert cards(charts)[:2] == ["layers/one/norm", "loss"]


def test_a_section_closes_and_stays_closed(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    layers = charts.page.get_by_role("heading", level=2).filter(has_text="layers").get_by_role("button")
    assert cards(charts).count("layers/one/norm") == 1
    layers.click()
    expect(layers).to_have_attribute("aria-expanded", "false")
    assert cards(charts).count("layers/one/norm") == 0
    charts.reload()
    expect(layers).to_have_attribute("aria-expanded", "false")
    layers.click()
    expect(layers).to_have_attribute("aria-expanded", "true")


def test_a_highlight_is_not_repeated_in_its_section(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    assert len(cards(charts)) == len(set(cards(charts)))
    assert cards(charts).count("loss") == 1


@pytest.mark.parametrize("tag", ["loss", "layers/one/norm"])
def test_a_pinned_card_is_shown_once_on_the_next_visit(charts: ChartsPage, address: str, tag: str) -> None:
    """It keeps its place until then, so that no card moves under the pointer."""
    charts.page.set_viewport_size({"width": 1280, "height": 1800})
    charts.open(address)
    before = sorted(cards(charts))
    charts.card(tag).hover()
    charts.card(tag).get_by_role("button", name=f"Pin {tag}").click()
    charts.wait_until(lambda: cards(charts).count(tag) == 2, what="the card among the pinned ones")
    charts.reload()
    assert cards(charts)[0] == tag
    assert sorted(cards(charts)) == before
    charts.page.get_by_label("Filter tags by regular expression").fill(f"^{tag}$")
    charts.wait_until(lambda: cards(charts) == [tag, tag], what="the pinned card and what the filter finds")
    charts.page.get_by_label("Filter tags by regular expression").fill("")
    charts.card(tag).get_by_role("button", name=f"Pin {tag}").click()
    charts.wait_until(lambda: sorted(cards(charts)) == before and cards(charts)[0] == "loss", what="the card back in its place")


def test_pinning_moves_nothing_under_the_pointer(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    card = charts.page.locator("article").filter(has=charts.page.get_by_role("button", name="Pin layers/one/norm")).last
    card.scroll_into_view_if_needed()
    card.hover()
    before = card.bounding_box()
    pin = card.get_by_role("button", name="Pin layers/one/norm")
    pin.click()
    expect(pin).to_have_attribute("aria-pressed", "true")
    assert card.bounding_box() == before
    pin.click()
    expect(pin).to_have_attribute("aria-pressed", "false")
    assert card.bounding_box() == before


@pytest.mark.parametrize(("view", "tag"), [("#scalars?tags=^loss$", "loss"), ("", "memory/used")])
def test_a_card_alone_fills_its_line(charts: ChartsPage, address: str, view: str, tag: str) -> None:
    charts.open(address, view)
    alone = charts.card(tag).bounding_box()
    lines = charts.page.locator("main .whole").bounding_box()
    assert alone
    assert lines
    assert alone["width"] > 0.95 * lines["width"]


def test_the_reader_chooses_how_many_charts_share_a_row(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tags=^(loss|accuracy)$")
    charts.display("Charts per row").select_option("4")
    quarter = charts.card("loss").bounding_box()
    assert quarter
    charts.reload()
    assert charts.card("loss").bounding_box() == quarter
    charts.display("Charts per row").select_option("1")
    charts.close_panel()
    whole = charts.card("loss").bounding_box()
    assert whole
    assert whole["width"] > 3.9 * quarter["width"]


def test_full_screen(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tags=norm")
    before = charts.chart("layers/one/norm").bounding_box()
    charts.card_menu("layers/one/norm", "Full screen")
    charts.wait_until(
        lambda: ((charts.chart("layers/one/norm").bounding_box() or {})["height"]) > 500, what="a chart that fills the screen"
    )
    charts.page.evaluate("document.exitFullscreen()")
    charts.wait_until(lambda: charts.chart("layers/one/norm").bounding_box() == before, what="the card in its place")


def test_a_key_shows_the_card_under_the_pointer_full_screen(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?panel=scatter~points~min:loss&tags=norm")
    panel = charts.page.get_by_role("article", name="Lowest loss against Points")
    for card, drawing in ((charts.card("layers/one/norm"), "canvas"), (panel, "svg[role=application]")):
        before = card.bounding_box()
        card.hover()
        charts.page.keyboard.press("e")
        charts.wait_until(lambda card=card: (card.bounding_box() or {})["height"] == 800, what="a card that fills the screen")
        drawn = card.locator(drawing).first.bounding_box()
        assert drawn
        assert drawn["height"] > 700
        assert drawn["width"] > 1200
        charts.page.keyboard.press("e")
        charts.wait_until(lambda card=card, before=before: card.bounding_box() == before, what="the card in its place")


def test_full_width(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tags=norm")
    before = charts.card("layers/one/norm").bounding_box()
    charts.card("layers/one/norm").hover()
    wide = charts.card("layers/one/norm").get_by_role("button", name="Full width")
    wide.click()
    after = charts.card("layers/one/norm").bounding_box()
    assert before
    assert after
    assert after["width"] > 2 * before["width"]
    assert charts.page.evaluate("document.documentElement.scrollWidth") <= 1280
    wide.click()
    assert charts.card("layers/one/norm").bounding_box() == before


def test_the_height_changes_by_drag_and_by_key(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tags=norm")
    grip = charts.card("layers/one/norm").get_by_role("slider", name="Height of layers/one/norm")
    assert grip.get_attribute("aria-valuenow") == "260"
    box = grip.bounding_box()
    assert box is not None
    charts.page.mouse.move(box["x"] + 10, box["y"] + 10)
    charts.page.mouse.down()
    charts.page.mouse.move(box["x"] + 10, box["y"] + 110, steps=4)
    charts.page.mouse.up()
    assert (charts.card("layers/one/norm").bounding_box() or {})["height"] == pytest.approx(360, abs=4)
    grip.press("ArrowUp")
    assert (charts.card("layers/one/norm").bounding_box() or {})["height"] == pytest.approx(340, abs=4)
    charts.reload()
    assert (charts.card("layers/one/norm").bounding_box() or {})["height"] == pytest.approx(340, abs=4)
    grip.dblclick()
    assert (charts.card("layers/one/norm").bounding_box() or {})["height"] == pytest.approx(260, abs=1)


def test_a_tag_is_added_by_menu_and_removed(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tags=norm")
    charts.card_menu("layers/one/norm", "Add tag…")
    charts.page.get_by_role("combobox", name="Add tag to this chart").fill("acc")
    charts.page.keyboard.press("Enter")
    assert charts.line_count("layers/one/norm") == 6
    assert cards(charts) == ["layers/one/norm + accuracy", "layers/two/norm"]
    charts.keys("layers/one/norm", "Home")
    assert any(name.endswith(" accuracy") for name in charts.tooltip().names)
    charts.reload()
    assert charts.line_count("layers/one/norm") == 6
    charts.card_menu("layers/one/norm", "Remove accuracy")
    assert charts.line_count("layers/one/norm") == 3


def test_a_card_dragged_onto_another_brings_its_tag(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tags=norm")
    charts.card("layers/two/norm").locator("header").drag_to(charts.chart("layers/one/norm"), source_position={"x": 200, "y": 10})
    charts.wait_until(lambda: charts.line_count("layers/one/norm") == 6)
    assert cards(charts)[0] == "layers/one/norm + layers/two/norm"


def test_a_click_on_the_title_copies_the_tag(charts: ChartsPage, address: str) -> None:
    charts.open(address, "#scalars?tags=norm")
    charts.card("layers/two/norm").locator("h3 button").click()
    expect(charts.page.get_by_text("Copied the tag")).to_be_visible()
    assert charts.page.evaluate("navigator.clipboard.readText()") == "layers/two/norm"


def test_a_link_to_one_chart_shows_that_chart(charts: ChartsPage, address: str) -> None:
    charts.open(address)
    charts.card_menu("loss", "Copy link to this chart")
    expect(charts.page.get_by_text("Copied a link")).to_be_visible()
    link = charts.page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(address)
    charts.page.goto("about:blank")
    charts.page.goto(link)
    charts.settle()
    assert cards(charts) == ["loss"]


def saved(charts: ChartsPage, tag: str, item: str, to: Path) -> Path:
    """Downloads by a card's menu and returns the file."""
    with charts.page.expect_download() as download:
        charts.card_menu(tag, item)
    path = to / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_csv_and_json_have_every_point_of_the_shown_runs(charts: ChartsPage, address: str, tmp_path: Path) -> None:
    charts.open(address, "#scalars?zoom=10..20")
    charts.swatch("beta").click()
    path = saved(charts, "loss", "Download CSV", tmp_path)
    assert path.name == "loss.csv"
    with path.open() as lines:
        rows = list(csv.DictReader(lines))
    kept = {name: [float(row["value"]) for row in rows if row["run"] == name] for name in NAMES}
    assert [len(kept[name]) for name in NAMES] == [STEPS, 0, STEPS]
    assert kept["gamma"] == pytest.approx([loss(2, step) for step in range(STEPS)], rel=1e-6)
    assert [int(row["step"]) for row in rows if row["run"] == "alpha"] == list(range(STEPS))

    points = json.loads(saved(charts, "loss", "Download JSON", tmp_path).read_text())
    assert sum(str(points).count(f"'{name}'") for name in ("alpha", "gamma")) >= 2
    assert "beta" not in str(points)


def test_png_is_a_picture_of_the_chart(charts: ChartsPage, address: str, tmp_path: Path) -> None:
    charts.open(address)
    content = saved(charts, "loss", "Download PNG", tmp_path).read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    box = charts.chart("loss").bounding_box()
    assert box is not None
    assert width >= 2 * box["width"] - 2
    assert height > 2 * box["height"]
    assert len(content) > 5000


def test_svg_has_title_names_and_lines(charts: ChartsPage, address: str, tmp_path: Path) -> None:
    charts.open(address)
    root = ET.fromstring(saved(charts, "loss", "Download SVG", tmp_path).read_text())
    assert root.tag.endswith("svg")
    texts = [element.text or "" for element in root.iter() if element.tag.endswith("}text")]
    assert {"loss", *NAMES} <= set(texts)
    drawn = [element for element in root.iter() if element.tag.rsplit("}", 1)[-1] in {"path", "polyline"}]
    longest = max(len((one.get("d") or one.get("points") or "").replace("M", "L").split("L")) for one in drawn)
    assert longest >= STEPS - 2
