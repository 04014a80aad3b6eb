"""Meshes in Media, in a real browser: drawn, turned together, at the shared step, and with what makes no sense left out."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import image_logs as il
from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.schemes import Scheme
from log_folder import LogFolder
from server.mesh_records import FACES, VERTICES, mesh, tensor
from stepscope import SummaryWriter

PICTURE = """(tag) => {
  const canvas = [...document.querySelectorAll('figure')].find((one) => one.ariaLabel.startsWith(tag)).querySelector('canvas');
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let painted = 0, hash = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i] > 0) { painted++; hash = (hash * 31 + i + data[i - 1]) | 0; }
  return [painted, hash, data[4 * (canvas.width * Math.floor(canvas.height / 2) + Math.floor(canvas.width / 2))]];
}"""

TWO_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    cloud = np.random.default_rng(1).normal(size=(1, 3000, 3)).astype(np.float32)
    sides = np.array([[[-1, -1, 0], [1, -1, 0], [0, 1, 0]]], np.float32)
    red = np.array([[[255, 0, 0]] * 3], np.uint8)
    with SummaryWriter(logs.path / "first") as writer:
        for step in range(3):
            writer.add_mesh("cloud", cloud * (step + 1), global_step=step)
            writer.add_mesh("red", sides, colors=red, faces=np.array([[[0, 1, 2]]]), global_step=step)
    bad = np.array([[[0, 1, 9]]])
    il.write(
        logs.path,
        "second",
        mesh("wrong_VERTEX", tensor(VERTICES[..., :2], 1, listed=False)),
        mesh("partly_VERTEX", tensor(VERTICES, 1, listed=False)),
        mesh("partly_FACE", tensor(np.concatenate([FACES, bad], axis=1), 3, listed=False)),
    )
    return serve(logs.path)


def open_meshes(page: Page, address: str, more: str = "") -> None:
    page.set_default_timeout(60_000)
    page.goto("about:blank")
    page.goto(f"{address}#media?kind=mesh{more}")
    expect(tile(page, "cloud").locator("canvas")).to_be_visible()
    page.wait_for_function(f"() => ({PICTURE})('cloud')[0] > 0 && ({PICTURE})('red')[0] > 0")


def tile(page: Page, tag: str) -> Locator:
    return page.get_by_role("figure", name=re.compile(rf"^{tag},"))


def test_points_and_faces_are_drawn_in_their_colours(page: Page, address: str, complaints: list[str]) -> None:
    open_meshes(page, address, "&tags=cloud%7Cred")
    expect(tile(page, "cloud")).to_contain_text("3000 points")
    expect(tile(page, "red")).to_contain_text("1 face")
    painted, _, red = page.evaluate(PICTURE, "red")
    assert painted > 1000
    assert red > 60
    # What the browser says of this test reading pixels, and of drawing without a graphics card, is not the page's doing.
    assert [one for one in complaints if "GL Driver Message" not in one and "willReadFrequently" not in one] == []


def test_one_is_turned_and_all_turn(page: Page, address: str) -> None:
    open_meshes(page, address)
    before = [page.evaluate(PICTURE, tag)[1] for tag in ("cloud", "red")]
    box = tile(page, "cloud").locator("canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 180, box["y"] + 120, steps=4)
    page.mouse.up()
    after = [page.evaluate(PICTURE, tag)[1] for tag in ("cloud", "red")]
    assert all(one != other for one, other in zip(before, after, strict=True))
    page.get_by_role("button", name="Reset view").click()
    expect(page.get_by_role("button", name="Reset view")).to_be_disabled()
    assert [page.evaluate(PICTURE, tag)[1] for tag in ("cloud", "red")] == before


def test_the_address_keeps_the_viewpoint(page: Page, address: str) -> None:
    open_meshes(page, address)
    start = page.evaluate(PICTURE, "cloud")
    tile(page, "cloud").get_by_role("application").focus()
    for key in "dd++w":
        page.keyboard.press(key)
    page.wait_for_url("**viewpoint=*")
    page.evaluate(TWO_FRAMES)
    turned = page.evaluate(PICTURE, "cloud")
    assert turned != start
    page.reload()
    expect(tile(page, "cloud").locator("canvas")).to_be_visible()
    page.wait_for_function(f"() => Math.abs(({PICTURE})('cloud')[0] / {turned[0]} - 1) < 0.01")
    page.get_by_role("button", name="Reset view").click()
    expect(page).not_to_have_url(re.compile("viewpoint"))
    page.wait_for_function(f"() => String(({PICTURE})('cloud')) === '{','.join(map(str, start))}'")


def test_keys_turn_and_zoom(page: Page, address: str) -> None:
    open_meshes(page, address)
    before = page.evaluate(PICTURE, "red")
    tile(page, "red").get_by_role("application").focus()
    page.keyboard.press("+")
    assert page.evaluate(PICTURE, "red")[0] > before[0]
    page.keyboard.press("0")
    page.keyboard.press("d")
    assert page.evaluate(PICTURE, "red")[1] != before[1]


def test_what_is_no_mesh_says_so_and_what_is_partly_one_is_drawn(page: Page, address: str) -> None:
    open_meshes(page, address)
    page.get_by_label("Filter tags by regular expression").fill("wrong|partly")
    expect(tile(page, "wrong").get_by_role("alert")).to_contain_text("not a mesh")
    expect(tile(page, "partly")).to_contain_text("partly drawn")
    expect(tile(page, "partly").locator(".amber")).to_have_attribute("title", re.compile("1 faces .*vertices that do not exist"))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_overflows_and_everything_can_be_read(browser: Browser, address: str, theme: Scheme) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 800}, color_scheme=theme)
    open_meshes(page, address)
    assert not page.evaluate(WIDER_THAN_THE_PAGE)
    assert faults(page) == []
    page.close()
