"""The Projector tab in a real browser: points are drawn, and every control does what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.schemes import Scheme
from log_folder import LogFolder
from stepscope import SummaryWriter
from stepscope.projector import write_embedding

POINTS = 120
CENTRES = np.array([[8, 0, 0, 0], [0, 8, 0, 0], [0, 0, 8, 0]], np.float32)
PICTURE = """() => {
  const canvas = document.querySelector('canvas[data-drawn]');
  const data = canvas.getContext('2d', { willReadFrequently: true }).getImageData(0, 0, canvas.width, canvas.height).data;
  let hash = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i] > 0) hash = (hash * 31 + i + data[i - 1]) | 0;
  return hash;
}"""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    random = np.random.default_rng(0)
    kinds = [row % 3 for row in range(POINTS)]
    vectors = CENTRES[kinds] + random.normal(size=(POINTS, 4)).astype(np.float32)
    metadata = {"name": [f"point {row}" for row in range(POINTS)], "kind": [("red", "green", "blue")[kind] for kind in kinds]}
    images = random.random((POINTS, 3, 4, 4)).astype(np.float32)
    write_embedding(logs.path / "a", vectors, metadata, images, name="words")
    config = logs.path / "a" / "projector_config.pbtxt"
    marks = [{"label": "flat", "selectedProjection": "pca", "pcaComponentDimensions": [1, 2]}]
    (logs.path / "a" / "marks.json").write_text(json.dumps(marks))
    config.write_text(config.read_text().replace("  tensor_path", '  bookmarks_path: "marks.json"\n  tensor_path'))
    with SummaryWriter(logs.path / "b") as writer:
        for step in (0, 5, 10):
            writer.add_embedding(vectors * (1 + step), [str(kind) for kind in kinds], global_step=step, tag="layer")
    (logs.path / "bad").mkdir()
    (logs.path / "bad" / "projector_config.pbtxt").write_text('embeddings { tensor_name: "leaves" tensor_path: "/etc/passwd" }')
    return serve(logs.path)


def show(page: Page, address: str, embedding: str = "a / words", more: str = "") -> None:
    page.set_default_timeout(60_000)
    page.goto("about:blank")
    page.goto(f"{address}#projector{more}")
    page.get_by_label("Embedding").select_option(label=embedding)
    expect(page.locator("canvas[data-drawn]")).to_be_visible()


def drawn(page: Page, count: int) -> None:
    expect(page.locator(f'canvas[data-drawn="{count}"]')).to_be_visible()


def changes(page: Page, before: int) -> None:
    page.wait_for_function(f"(before) => ({PICTURE})() !== before", arg=before)


def selection(page: Page) -> Locator:
    return page.get_by_role("region", name="Selection")


def test_points_are_drawn_and_turned_by_hand_and_by_keys(page: Page, address: str, complaints: list[str]) -> None:
    show(page, address)
    drawn(page, POINTS)
    scene = page.get_by_role("application")
    before = page.evaluate(PICTURE)
    scene.focus()
    page.keyboard.press("ArrowLeft")
    changes(page, before)
    before = page.evaluate(PICTURE)
    box = scene.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 260, box["y"] + 220, steps=3)
    page.mouse.up()
    changes(page, before)
    before = page.evaluate(PICTURE)
    page.mouse.wheel(0, -300)
    changes(page, before)
    expect(page).to_have_url(re.compile("camera"))
    scene.dblclick(position={"x": 5, "y": 5})
    expect(page).not_to_have_url(re.compile("camera"))
    # What the browser says of this test reading pixels is not the page's doing.
    assert [one for one in complaints if "willReadFrequently" not in one] == []


def test_a_point_is_chosen_with_its_nearest_points(page: Page, address: str) -> None:
    show(page, address)
    page.get_by_label("Search points").fill("^point 7$")
    selection(page).get_by_role("button", name="point 7").first.click()
    nearest = page.get_by_role("list", name="Nearest points").get_by_role("listitem")
    expect(nearest).to_have_count(20)
    page.get_by_label("Number of neighbours").fill("5")
    page.get_by_label("Number of neighbours").press("Enter")
    expect(nearest).to_have_count(5)
    cosine = nearest.first.inner_text()
    page.get_by_label("Distance").select_option("euclidean")
    expect(nearest.first).not_to_have_text(cosine)
    expect(page).to_have_url(re.compile("point=7.*near=5.*nearBy=euclidean"))
    page.reload()
    expect(nearest).to_have_count(5)


def test_search_marks_and_isolates(page: Page, address: str) -> None:
    show(page, address)
    page.get_by_label("Label by").select_option("kind")
    page.get_by_label("Search points").fill("RED|blue")
    expect(selection(page)).to_contain_text("80 matches")
    selection(page).get_by_role("button", name="Isolate").click()
    drawn(page, 80)
    expect(page).to_have_url(re.compile("only=[0-9]"))
    page.reload()
    drawn(page, 80)
    page.get_by_role("button", name="Show all").click()
    drawn(page, POINTS)
    page.get_by_label("Search points").fill("(")
    expect(page.get_by_label("Search points")).to_have_attribute("aria-invalid", "true")


def test_a_lasso_selects_what_is_inside(page: Page, address: str) -> None:
    show(page, address)
    page.get_by_role("button", name="Lasso").click()
    box = page.get_by_role("application").bounding_box()
    assert box is not None
    corners = [(5, 5), (box["width"] - 5, 5), (box["width"] - 5, box["height"] - 5), (5, box["height"] - 5)]
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    for x, y in corners:
        page.mouse.move(box["x"] + x, box["y"] + y, steps=4)
    page.mouse.up()
    expect(selection(page)).to_contain_text(f"{POINTS} selected")
    expect(page).to_have_url(re.compile("lassoed"))
    page.reload()
    expect(selection(page)).to_contain_text(f"{POINTS} selected")
    selection(page).get_by_role("button", name="Clear").click()
    expect(selection(page)).not_to_contain_text("selected")


def test_methods_dimensions_and_components(page: Page, address: str) -> None:
    show(page, address)
    before = page.evaluate(PICTURE)
    page.get_by_role("button", name="2D").click()
    changes(page, before)
    expect(page.get_by_role("region", name="Method").get_by_role("combobox")).to_have_count(2)
    before = page.evaluate(PICTURE)
    page.get_by_role("region", name="Method").get_by_role("combobox").first.select_option("2")
    changes(page, before)
    before = page.evaluate(PICTURE)
    page.get_by_role("checkbox", name="Spherize").check()
    changes(page, before)
    before = page.evaluate(PICTURE)
    page.get_by_label("Label by").select_option("kind")
    page.get_by_role("button", name="Custom").click()
    page.get_by_label("X from").fill("red")
    page.get_by_label("X to").fill("blue")
    page.get_by_label("X to").press("Enter")
    changes(page, before)
    expect(page).to_have_url(re.compile("ends=red"))


def test_colours_labels_and_images(page: Page, address: str) -> None:
    show(page, address)
    legend = page.get_by_role("region", name="Legend")
    expect(legend.get_by_role("row")).to_have_count(4)
    for act in (
        lambda: page.get_by_role("button", name="Labels").click(),
        lambda: page.get_by_label("Colour by").select_option(label="One colour"),
        lambda: page.get_by_role("button", name="Images").click(),
    ):
        before = page.evaluate(PICTURE)
        act()
        changes(page, before)
    expect(legend).to_have_count(0)


def test_classes_are_scored(page: Page, address: str) -> None:
    show(page, address)
    page.get_by_role("button", name="Score classes").click()
    legend = page.get_by_role("region", name="Legend")
    expect(legend.get_by_role("columnheader", name="Silhouette")).to_be_visible()
    expect(legend.get_by_role("row").last).to_contain_text(re.compile(r"^All\s*120\s*100%"))


def test_steps_are_chosen_with_a_slider(page: Page, address: str) -> None:
    show(page, address, "b / layer")
    slider = page.get_by_role("slider", name="Step")
    expect(slider).to_have_value("2")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".steps")).to_contain_text("Step 5")
    expect(page).to_have_url(re.compile("step=5"))


def test_bookmarks_are_listed_added_saved_and_loaded(page: Page, address: str, tmp_path: Path) -> None:
    show(page, address)
    bookmarks = page.get_by_role("region", name="Bookmarks")
    bookmarks.get_by_role("button", name="flat").click()
    expect(page.get_by_role("button", name="2D")).to_have_attribute("aria-pressed", "true")
    bookmarks.get_by_role("button", name="Add").click()
    with page.expect_download() as saving:
        bookmarks.get_by_role("button", name="Save").click()
    saving.value.save_as(tmp_path / "saved.json")
    assert [one["label"] for one in json.loads((tmp_path / "saved.json").read_text())] == ["flat", "View 2"]
    page.get_by_label("Bookmarks file").set_input_files(tmp_path / "saved.json")
    expect(bookmarks.get_by_role("listitem")).to_have_count(4)


def test_a_file_is_uploaded(page: Page, address: str, tmp_path: Path) -> None:
    show(page, address)
    np.save(tmp_path / "mine.npy", np.random.default_rng(1).normal(size=(33, 5)).astype(np.float32))
    (tmp_path / "labels.tsv").write_text("\n".join(f"mine {row}" for row in range(33)))
    page.get_by_label("Vectors and metadata").set_input_files([tmp_path / "mine.npy", tmp_path / "labels.tsv"])
    drawn(page, 33)
    page.get_by_label("Search points").fill("mine 12")
    expect(selection(page)).to_contain_text("1 matches")
    (tmp_path / "bad.tsv").write_text("these are\tno numbers")
    page.get_by_label("Vectors and metadata").set_input_files([tmp_path / "bad.tsv"])
    expect(page.get_by_text("no vector of finite numbers")).to_be_visible()


def test_what_cannot_be_shown_says_why(page: Page, address: str) -> None:
    page.goto(f"{address}#projector")
    page.get_by_label("Embedding").select_option(label="bad / leaves")
    expect(page.get_by_role("alert")).to_contain_text("leaves the folder")


def test_a_folder_without_embeddings_says_how_to_log_them(page: Page, serve: Callable[..., str], tmp_path: Path) -> None:
    folder = LogFolder(tmp_path)
    folder.write("r", {"loss": [1.0]})
    page.goto(f"{serve(tmp_path)}#projector")
    expect(page.get_by_role("heading", name="No embeddings yet")).to_be_visible()
    expect(page.get_by_role("region", name="Any framework")).to_contain_text("write_embedding")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_tsne_is_run_stopped_and_resumed(page: Page, address: str) -> None:
    show(page, address)
    page.set_default_timeout(300_000)
    method = page.get_by_role("region", name="Method")
    method.get_by_role("button", name="t-SNE").click()
    page.get_by_label("Iterations").fill("90000")
    page.get_by_label("Iterations").press("Enter")
    before = page.evaluate(PICTURE)
    method.get_by_role("button", name="Run").click()
    page.wait_for_function(f"(before) => ({PICTURE})() !== before", arg=before, timeout=300_000)
    method.get_by_role("button", name="Stop").click()
    expect(method.get_by_role("status")).to_contain_text("iterations done")
    method.get_by_role("button", name="Resume").click()
    expect(method.get_by_role("button", name="Stop")).to_be_visible()
    method.get_by_role("button", name="Stop").click()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overflows_and_everything_can_be_read(browser: Browser, address: str, theme: Scheme) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=theme)
    show(page, address)
    page.get_by_label("Search points").fill("point 1")
    expect(selection(page)).to_contain_text("matches")
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert faults(page) == []
    page.close()


@pytest.mark.slow
def test_a_million_points_open_by_a_reduction_that_is_stated(page: Page, serve: Callable[..., str], tmp_path: Path) -> None:
    folder = tmp_path / "many" / "run"
    folder.mkdir(parents=True)
    np.save(folder / "vectors.npy", np.random.default_rng(1).normal(size=(1_000_000, 8)).astype(np.float32))
    (folder / "projector_config.pbtxt").write_text('embeddings { tensor_name: "many" tensor_path: "vectors.npy" }')
    show(page, serve(tmp_path / "many"), "run / many")
    drawn(page, 200_000)
    expect(page.get_by_text("200\u202f000 of 1\u202f000\u202f000 points")).to_be_visible()
