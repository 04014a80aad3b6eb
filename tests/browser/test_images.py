"""Images in a real browser: any step, large and side by side, and hostile blobs and names that stay inert."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect

import image_logs as il
from browser.charts_page import ChartsPage
from browser.page_clock import address_written
from browser.screen_colours import pixel
from log_folder import LogFolder

MARKUP = "<img src=x onerror=alert(1)>"
STEPS = 400


def shade(step: int, run: int) -> tuple[int, int, int]:
    """A colour that tells step and run apart."""
    return step % 256, step // 256, 50 * run


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    for place, run in enumerate(("first", "second")):
        every = [il.old_image("input/sample", 10 * step, il.png(8, 8, shade(step, place))) for step in range(STEPS)]
        batch = [il.tensor_images("batch", step, [il.png(4, 4, shade(step, sample)) for sample in range(3)]) for step in range(5)]
        il.write(logs.path, run, *every, *batch)
    il.write(
        logs.path,
        "hostile",
        il.old_image(MARKUP, 0, il.png()),
        il.old_image("svg", 0, il.SVG),
        il.old_image("html", 0, il.HTML),
        il.old_image("cut", 0, il.png()[:40]),
        il.old_image("jpeg", 0, b"\xff\xd8\xff\xe0 no jpeg at all"),
        il.old_image("wrong size", 0, il.png(), size=(640, 480)),
        il.old_image("__proto__", 0, il.png()),
    )
    return serve(logs.path)


@pytest.fixture
def media(charts: ChartsPage) -> Page:
    """The page, on which no dialog may open."""

    def refuse(dialog: Dialog) -> None:
        dialog.dismiss()
        pytest.fail(f"something was run as a script: {dialog.message}")

    charts.page.on("dialog", refuse)
    return charts.page


def show(page: Page, address: str, query: str = "") -> None:
    page.goto("about:blank")
    page.goto(f"{address}#media{query}")
    expect(page.get_by_role("toolbar", name="Images")).to_be_visible()


def tile(page: Page, tag: str, run: str) -> Locator:
    return page.get_by_role("figure", name=f"{tag}, {run}, step")


def colour(picture: Locator) -> list[int]:
    """Red, green and blue of the middle of an image that has come."""
    expect(picture).to_have_js_property("complete", True)
    script = """async (image) => {
      await image.decode();
      const canvas = new OffscreenCanvas(1, 1);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0, 1, 1);
      return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
    }"""
    return picture.evaluate(script)


def test_the_newest_images_of_all_runs_stand_side_by_side(media: Page, address: str) -> None:
    show(media, address, "?tags=sample")
    for place, run in enumerate(("first", "second")):
        expect(tile(media, "input/sample", run)).to_contain_text("step 3990")
        assert colour(tile(media, "input/sample", run).locator("img")) == [*shade(STEPS - 1, place)]


def test_any_step_by_slider_keys_and_address(media: Page, address: str) -> None:
    show(media, address, "?tags=sample")
    slider = media.get_by_role("slider", name="Step of all images")
    expect(slider).to_have_attribute("max", str(STEPS - 1))
    slider.fill("123")
    expect(tile(media, "input/sample", "first")).to_contain_text("step 1230")
    assert colour(tile(media, "input/sample", "first").locator("img")) == [*shade(123, 0)]
    expect(media).to_have_url(re.compile("at=1230"))
    slider.blur()
    media.keyboard.press("ArrowRight")
    expect(tile(media, "input/sample", "second")).to_contain_text("step 1240")
    media.keyboard.press("Home")
    expect(tile(media, "input/sample", "second")).to_contain_text("step 0")
    media.keyboard.press("End")
    expect(tile(media, "input/sample", "second")).to_contain_text("step 3990")
    show(media, address, "?tags=sample&at=777")
    expect(tile(media, "input/sample", "first")).to_contain_text("step 770")
    assert colour(tile(media, "input/sample", "first").locator("img")) == [*shade(77, 0)]


def test_the_ruler_of_the_page_moves_images_too(media: Page, address: str) -> None:
    show(media, address, "?tags=sample")
    ruler = media.get_by_role("slider", name="Step of all charts")
    expect(ruler).to_have_attribute("aria-valuemax", "3990")
    box = ruler.bounding_box()
    assert box is not None
    media.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(tile(media, "input/sample", "first")).to_contain_text(re.compile("step 199|step 200"))
    expect(media.get_by_role("complementary", name="Inspector")).to_have_count(0)


def test_every_sample_has_a_tile(media: Page, address: str) -> None:
    show(media, address, "?tags=batch&at=2")
    expect(tile(media, "batch", "first")).to_have_count(3)
    for sample in range(3):
        assert colour(tile(media, "batch", "first").nth(sample).locator("img")) == [*shade(2, sample)]


def test_brightness_and_contrast_are_in_the_address(media: Page, address: str) -> None:
    show(media, address, "?tags=sample")
    media.get_by_role("button", name="Brightness and contrast").click()
    media.get_by_label("Brightness", exact=False).and_(media.get_by_role("slider")).fill("2")
    picture = tile(media, "input/sample", "first").locator("img")
    expect(picture).to_have_css("filter", "brightness(2) contrast(1)")
    expect(media).to_have_url(re.compile("bright=2"))
    media.reload()
    expect(picture).to_have_css("filter", "brightness(2) contrast(1)")
    media.get_by_role("button", name="Brightness and contrast").click()
    media.get_by_role("button", name="Reset", exact=True).click()
    expect(picture).to_have_css("filter", "none")


def test_an_image_opens_large_zooms_moves_and_stands_beside_others(media: Page, address: str) -> None:
    show(media, address, "?tags=sample&at=100")
    media.get_by_role("button", name="Open input/sample, first, step 100").click()
    viewer = media.get_by_role("dialog", name="Image input/sample")
    picture = viewer.locator("img")
    expect(picture).to_have_count(1)
    fits = picture.bounding_box()
    assert fits is not None
    assert fits["width"] > 300
    viewer.get_by_role("button", name="Actual size").click()
    expect(picture).to_have_css("width", "8px")
    media.keyboard.press("0")
    media.mouse.move(fits["x"] + 10, fits["y"] + 10)
    media.mouse.wheel(0, -400)
    media.wait_for_function(
        "width => document.querySelector('dialog img').getBoundingClientRect().width > 2 * width", arg=fits["width"]
    )
    zoomed = picture.bounding_box()
    assert zoomed is not None
    grown = zoomed["width"] / fits["width"]
    assert abs(fits["x"] + 10 - zoomed["x"] - 10 * grown) < 2  # the place under the pointer has stayed there
    media.mouse.down()
    media.mouse.move(fits["x"] + 60, fits["y"] + 40)
    media.mouse.up()
    moved = picture.bounding_box()
    assert moved is not None
    assert [round(moved[side] - zoomed[side]) for side in ("x", "y")] == [50, 30]
    media.keyboard.press("ArrowRight")
    expect(viewer).to_contain_text("step 110")
    viewer.get_by_role("button", name="Side by side").click()
    expect(picture).to_have_count(2)
    widths = picture.evaluate_all("images => images.map((image) => image.style.width)")
    assert len(widths) == 2
    address_written(media)
    media.reload()
    expect(picture).to_have_count(2)
    media.keyboard.press("Escape")
    expect(viewer).to_have_count(0)
    expect(media).not_to_have_url(re.compile("image="))


def test_two_runs_over_each_other_up_to_a_line_or_as_their_difference(media: Page, address: str) -> None:
    show(media, address, "?tags=sample&at=100")
    media.get_by_role("button", name="Open input/sample, first, step 100").click()
    viewer = media.get_by_role("dialog", name="Image input/sample")
    viewer.get_by_role("button", name="Swipe").click()
    expect(viewer.locator("img")).to_have_count(2)
    expect(viewer).to_contain_text("right of the line: second")
    box = viewer.locator("img").first.bounding_box()
    assert box is not None
    left, right, middle = box["x"] + 20, box["x"] + box["width"] - 20, box["y"] + 60
    assert (pixel(media, left, middle), pixel(media, right, middle)) == ((10, 0, 0), (10, 0, 50))
    media.get_by_label("Swipe position").press("Home")
    assert pixel(media, left, middle) == (10, 0, 50)
    viewer.get_by_role("button", name="Difference").click()
    media.wait_for_function("() => location.hash.includes('beside=difference')")
    assert pixel(media, left, middle) == (0, 0, 50)
    viewer.get_by_role("button", name="Difference").click()
    expect(viewer.locator("img")).to_have_count(1)


def test_what_could_run_is_offered_as_a_file_and_never_shown(media: Page, address: str) -> None:
    show(media, address, "?tags=^(svg|html)$")
    for tag in ("svg", "html"):
        expect(tile(media, tag, "hostile")).to_contain_text("cannot show this image")
    assert media.evaluate("document.images.length") == 0
    with media.expect_download() as saved:
        tile(media, "svg", "hostile").get_by_role("link", name="Download the file").click()
    assert saved.value.suggested_filename == "image.bin"


def test_an_svg_by_its_own_address_is_neither_shown_nor_opened(media: Page, address: str) -> None:
    show(media, address, "?tags=^svg$")
    link = tile(media, "svg", "hostile").get_by_role("link").evaluate("link => link.href")
    script = """(link) => new Promise((resolve) => {
      const image = new Image();
      image.onload = () => resolve('shown');
      image.onerror = () => resolve('not shown');
      image.src = link;
    })"""
    assert media.evaluate(script, link) == "not shown"
    other = media.context.new_page()
    with other.expect_download():
        other.evaluate("link => { location.href = link }", link)
    assert other.url == "about:blank"


def test_broken_images_say_so_in_their_tiles_and_nowhere_else(media: Page, charts: ChartsPage, address: str) -> None:
    charts.may_complain = True  # of the answer 404 for the image that is cut short
    show(media, address, "?tags=^(cut|jpeg|wrong size|__proto__)$")
    expect(tile(media, "cut", "hostile").get_by_role("alert")).to_contain_text("truncated")
    expect(tile(media, "jpeg", "hostile").get_by_role("alert")).to_contain_text("corrupt")
    expect(tile(media, "wrong size", "hostile").get_by_text("8 × 8")).to_have_attribute("title", re.compile("640 × 480"))
    expect(tile(media, "__proto__", "hostile").locator("img")).to_be_visible()
    expect(media.get_by_role("alert")).to_have_count(2)


def test_a_tag_that_is_markup_is_a_name(media: Page, address: str) -> None:
    show(media, address, "?tags=onerror")
    expect(media.get_by_role("heading", name=MARKUP)).to_be_visible()
    picture = tile(media, MARKUP, "hostile").locator("img")
    assert colour(picture) == [200, 40, 40]
    media.get_by_role("button", name=re.compile("^Open <img")).click()
    expect(media.get_by_role("dialog").get_by_role("heading", name=MARKUP)).to_be_visible()
    assert media.evaluate("[...document.images].every((image) => image.src.startsWith('blob:'))")


def test_a_folder_of_many_images_asks_only_for_those_on_screen(
    media: Page, serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    many = LogFolder(tmp_path_factory.mktemp("many"))
    picture = il.png(2, 2)
    il.write(many.path, "run", *(il.old_image(f"layer{tag}/x", step, picture) for tag in range(300) for step in range(20)))
    asked: list[str] = []
    media.on("request", lambda request: asked.append(request.url) if "/images/image?" in request.url else None)
    media.goto(serve(many.path))
    expect(media.get_by_role("heading", name="layer0/x")).to_be_visible()  # a folder with images alone opens here
    expect(media.locator("figure img").first).to_be_visible()
    assert len(asked) < 30
    media.locator("main .scroller").evaluate("scroller => scroller.scrollTo(0, scroller.scrollHeight)")
    expect(tile(media, "layer299/x", "run").locator("img")).to_be_visible()
    assert len(asked) < 60


def test_a_folder_without_images_says_how_to_log_some(
    media: Page, serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    plain = LogFolder(tmp_path_factory.mktemp("plain"))
    plain.write("run", {"loss": [1.0, 2.0]}, others={"words": "text"})
    media.goto(f"{serve(plain.path)}#media?kind=images")
    expect(media.get_by_role("heading", name="No images yet")).to_be_visible()
    expect(media.get_by_role("region", name="TensorFlow and Keras")).to_contain_text("tf.summary.image")


def test_new_images_appear_while_the_page_is_open(
    media: Page, serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    growing = LogFolder(tmp_path_factory.mktemp("growing"))
    path = il.write(growing.path, "run", il.old_image("x", 0, il.png()))
    show(media, serve(growing.path, "--reload-interval", "0.5"))
    expect(tile(media, "x", "run")).to_contain_text("step 0")
    with path.open("ab") as file:
        file.write(il.old_image("x", 7, il.png(8, 8, (1, 2, 3))))
    expect(tile(media, "x", "run")).to_contain_text("step 7")
    assert colour(tile(media, "x", "run").locator("img")) == [1, 2, 3]
