"""The Graphs tab in a real browser: rows open and close, and every control does what it says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.graphs_page import GraphsPage
from browser.page_checks import WIDER_THAN_THE_PAGE, faults
from browser.schemes import Scheme
from graph_bytes import dtype, function, function_def, graph_def, shape, shapes
from log_folder import LogFolder

BLOCKS = 6
HOSTILE = ("<img src=x onerror=document.title='owned'>", "\u202eevil", "quote\"'&amp;", "x" * 400)
PICTURE = """() => {
  const canvas = document.querySelector('canvas[data-rows]');
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let hash = 0;
  for (let i = 0; i < data.length; i += 4) hash = (hash * 31 + data[i] + data[i + 1] * 3 + data[i + 2] * 7) | 0;
  return hash;
}"""


def settled(graphs: GraphsPage) -> object:
    """The picture with the pointer elsewhere, when it no longer moves: the same in two looks, some frames apart."""
    graphs.page.mouse.move(0, 0)
    before: object = None
    now: object = graphs.page.evaluate(PICTURE)
    while now != before:
        graphs.page.wait_for_timeout(200)
        before, now = now, graphs.page.evaluate(PICTURE)
    return now


def model(*, more: tuple[str, ...] = ()) -> bytes:
    """A small net with a series of blocks, a variable that all of them read, a function call and a control edge."""
    lines = ["x: Placeholder", "scale: Const", "net/conv/w: VariableV2", "net/conv/Conv2D: Conv2D x net/conv/w"]
    lines.append("net/conv/Relu: Relu net/conv/Conv2D")
    before = "net/conv/Relu"
    for block in range(BLOCKS):
        lines += [f"net/block_{block}/mul: Mul {before} scale", f"net/block_{block}/add: AddV2 net/block_{block}/mul scale"]
        before = f"net/block_{block}/add"
    lines += [f"call: PartitionedCall {before}", "loss: Mean call", "twice: Square loss", "again: Square loss"]
    lines += ["train: NoOp ^loss", *more]
    attributes = {
        "x": {"dtype": dtype(1), "shape": shape(-1, 28, 28), "_output_shapes": shapes((-1, 28, 28))},
        "call": {"f": function("double")},
    }
    double = function_def("double", ["v"], {"out": "sum:z:0"}, ["sum: AddV2 v v"], {})
    return graph_def(lines, attributes, [double], {"net/conv/Conv2D": "/job:localhost/replica:0/task:0/device:GPU:0"})


@pytest.fixture(scope="module")
def address(serve: Callable[..., str], logs: LogFolder) -> str:
    files = {
        "a/model.pb": model(),
        "b/model.pb": model(more=("extra/new: Abs loss",)).replace(b"AddV2", b"Add_2", 1),
        "many/model.pb": graph_def(["shared: Const", *(f"{name}: Op{name} shared" for name in "abcdefghijklmnop")]),
        "bad/model.pb": model()[:-40],
        "empty/model.pb": b"",
        "hostile/model.pb": graph_def([f"{name.replace(': ', '')}: Op{place}" for place, name in enumerate(HOSTILE)]),
    }
    for name, data in files.items():
        (logs.path / name).parent.mkdir(parents=True)
        (logs.path / name).write_bytes(data)
        logs.write(Path(name).parent.name, {"loss": [1.0, 0.5]})
    return serve(logs.path)


@pytest.fixture
def graphs(page: Page, complaints: list[str]) -> GraphsPage:
    return GraphsPage(page)


A = "a / model.pb"


def test_scopes_open_and_close_by_hand_and_the_address_keeps_them(graphs: GraphsPage, address: str, complaints: list[str]) -> None:
    graphs.show(address, A)
    assert {"x", "scale", "net/", "call", "loss", "twice", "again", "train"} == set(graphs.paths())
    graphs.click("net/", double=True)
    graphs.has("net/conv/", "net/[block")
    graphs.sign("net/conv/")
    graphs.has("net/conv/Conv2D")
    graphs.address_has("conv")
    graphs.page.reload()
    graphs.has("net/conv/Conv2D", "net/[block")
    graphs.sign("net/[block")
    graphs.has("net/block_0/", f"net/block_{BLOCKS - 1}/")
    graphs.click("net/block_3/")
    graphs.card.get_by_role("button", name="Group series").click()
    graphs.has("net/[block")
    graphs.sign("net/")
    graphs.lacks("net/conv/", "net/conv/Conv2D")
    assert complaints == []


def test_keys_walk_along_edges_open_and_close(graphs: GraphsPage, address: str, complaints: list[str]) -> None:
    graphs.show(address, A)
    graphs.click("x")
    graphs.page.keyboard.press("ArrowDown")
    expect(graphs.card.get_by_role("heading", level=2)).to_have_text("net/")
    graphs.page.keyboard.press("Enter")
    graphs.has("net/conv/")
    graphs.page.keyboard.press("Escape")
    graphs.lacks("net/conv/")
    graphs.page.keyboard.press("ArrowDown")
    expect(graphs.card.get_by_role("heading", level=2)).to_have_text("call")
    graphs.page.keyboard.press("ArrowUp")
    expect(graphs.card.get_by_role("heading", level=2)).to_have_text("net/")
    graphs.page.keyboard.press("Escape")
    expect(graphs.card).to_have_count(0)
    for key in ("+", "Shift+ArrowLeft", "-", "0"):
        before = graphs.camera()
        graphs.page.keyboard.press(key)
        graphs.moves(before)
    expect(graphs.page.get_by_role("list", name="Visible nodes").get_by_role("listitem")).to_have_count(8)
    assert complaints == []


def test_the_picture_moves_zooms_and_fits(graphs: GraphsPage, address: str) -> None:
    graphs.show(address, A)
    box = graphs.picture.bounding_box()
    assert box is not None
    first = graphs.camera()
    graphs.page.mouse.move(box["x"] + 300, box["y"] + 60)
    graphs.page.mouse.down()
    graphs.page.mouse.move(box["x"] + 340, box["y"] + 90, steps=4)
    graphs.page.mouse.up()
    graphs.moves(first)
    moved = graphs.camera()
    graphs.page.mouse.wheel(0, -400)
    graphs.moves(moved)
    expect(graphs.page.get_by_role("img", name="Overview of the graph")).to_be_visible()
    zoomed = graphs.camera()
    graphs.page.get_by_role("img", name="Overview of the graph").click(position={"x": 100, "y": 20})
    graphs.moves(zoomed)
    clicked = graphs.camera()
    graphs.page.get_by_role("button", name="Fit").click()
    graphs.moves(clicked)
    left, top, width, height = graphs.at("train")
    assert box["x"] < left < left + width < box["x"] + box["width"]
    assert box["y"] < top < top + height < box["y"] + box["height"]


def test_search_opens_what_is_around_a_match(graphs: GraphsPage, address: str) -> None:
    graphs.show(address, A)
    field = graphs.page.get_by_label("Search nodes")
    field.fill("op:conv2d")
    matches = graphs.page.get_by_role("listbox", name="Matches").get_by_role("option")
    expect(matches).to_have_count(1)
    field.press("Enter")
    graphs.has("net/conv/Conv2D")
    expect(graphs.card.get_by_role("heading", level=2)).to_have_text("net/conv/Conv2D")
    field.fill("block_ mul")
    expect(matches).to_have_count(BLOCKS)
    for block in range(2):
        field.press("Enter")
        expect(graphs.card.get_by_role("heading", level=2)).to_have_text(f"net/block_{block}/mul")
        graphs.has(f"net/block_{block}/mul")
    field.press("Shift+Enter")
    expect(graphs.card.get_by_role("heading", level=2)).to_have_text("net/block_0/mul")
    field.fill("nothing like this")
    expect(matches).to_have_count(0)


def test_the_card_says_what_a_node_is_and_leads_on(graphs: GraphsPage, address: str) -> None:
    graphs.show(address, A)
    graphs.click("x")
    expect(graphs.card.get_by_text("Placeholder", exact=True)).to_be_visible()
    expect(graphs.card.get_by_text("[?,28,28]", exact=True).first).to_be_visible()
    expect(graphs.card.get_by_role("region", name="Attributes")).to_contain_text("dtype")
    graphs.card.get_by_role("region", name="Outputs").get_by_role("button", name="net/conv/Conv2D").click()
    graphs.has("net/conv/Conv2D")
    expect(graphs.card.get_by_role("region", name="Inputs").get_by_role("listitem")).to_have_count(2)
    expect(graphs.card).to_contain_text("device:GPU:0")
    graphs.click("net/")
    expect(graphs.card.get_by_role("region", name="Operations")).to_contain_text("AddV2")


def test_a_trace_fades_what_it_does_not_reach(graphs: GraphsPage, address: str) -> None:
    graphs.show(address, A)
    graphs.click("twice")
    expect(graphs.card).to_be_visible()
    before = settled(graphs)
    graphs.card.get_by_role("button", name="Trace inputs").click()
    graphs.address_has("trace")
    graphs.page.wait_for_function(f"(before) => ({PICTURE})() !== before", arg=before)
    expect(graphs.card.get_by_role("button", name="Trace inputs")).to_have_attribute("aria-pressed", "true")
    graphs.card.get_by_role("button", name="Trace outputs").click()
    graphs.address_has("outputs")
    graphs.page.get_by_role("button", name="Clear trace").click()
    graphs.page.mouse.move(0, 0)
    graphs.page.wait_for_function(f"(before) => ({PICTURE})() === before", arg=before)


def test_colours_change_the_picture_and_have_a_legend(graphs: GraphsPage, address: str) -> None:
    graphs.show(address, A)
    legend = graphs.page.get_by_role("group", name="Legend")
    before = settled(graphs)
    graphs.page.get_by_label("Colour by").select_option("device")
    expect(legend).to_contain_text("GPU:0")
    graphs.page.wait_for_function(f"(before) => ({PICTURE})() !== before", arg=before)
    for colour in ("cluster", "time", "memory", "statistics"):
        graphs.page.get_by_label("Colour by").select_option(colour)
        expect(legend.locator(".amber")).to_have_count(1)
    graphs.address_has("statistics")
    graphs.page.reload()
    expect(graphs.page.get_by_label("Colour by")).to_have_value("statistics")


def test_nodes_go_out_of_the_main_graph_and_back(graphs: GraphsPage, address: str) -> None:
    graphs.show(address, A)
    graphs.click("loss")
    graphs.card.get_by_role("button", name="Remove from main graph").click()
    expect(graphs.card.get_by_role("button", name="Add to main graph")).to_be_visible()
    others = max(graphs.at(path)[0] for path in graphs.paths() if path != "loss")
    assert graphs.at("loss")[0] > others
    graphs.address_has("aside")
    graphs.card.get_by_role("button", name="Add to main graph").click()
    expect(graphs.card.get_by_role("button", name="Remove from main graph")).to_be_visible()


def test_a_node_that_many_read_is_drawn_aside(graphs: GraphsPage, address: str) -> None:
    graphs.show(address, "many / model.pb")
    others = max(graphs.at(path)[0] for path in graphs.paths() if path != "shared")
    assert graphs.at("shared")[0] > others
    graphs.click("shared")
    graphs.card.get_by_role("button", name="Add to main graph").click()
    expect(graphs.card.get_by_role("button", name="Remove from main graph")).to_be_visible()


def test_a_function_opens_as_its_graph(graphs: GraphsPage, address: str) -> None:
    graphs.show(address, A)
    graphs.click("call", double=True)
    graphs.has("sum")
    graphs.lacks("loss")
    graphs.address_has("graph%3Ddouble|graph=double")
    graphs.page.get_by_label("Graph", exact=True).select_option(index=0)
    graphs.has("loss")


def test_findings_are_listed_and_marked(graphs: GraphsPage, address: str) -> None:
    graphs.show(address, A)
    graphs.page.get_by_role("button", name="Findings").click()
    findings = graphs.page.get_by_role("region", name="Findings")
    findings.get_by_role("button", name=re.compile("^Duplicate")).click()
    findings.get_by_role("button", name="again", exact=True).click()
    expect(graphs.card.get_by_role("heading", level=2)).to_have_text("again")
    expect(graphs.card.locator(".finding")).to_have_count(1)
    graphs.address_has("finding")


def test_two_graphs_are_compared(graphs: GraphsPage, address: str) -> None:
    graphs.show(address, "b / model.pb")
    graphs.page.get_by_role("button", name="Compare").click()
    side = graphs.page.get_by_role("region", name="Comparison")
    side.get_by_label("Compare with").select_option(label=A)
    expect(side.get_by_role("region", name="added").get_by_role("listitem")).to_have_count(1)
    expect(side.get_by_role("region", name="changed").get_by_role("listitem")).to_have_count(1)
    side.get_by_role("button", name="extra/new").click()
    graphs.has("extra/new")
    graphs.address_has("node.*extra")
    graphs.page.reload()
    expect(side.get_by_role("region", name="added")).to_be_visible()


def test_pictures_are_saved(graphs: GraphsPage, address: str) -> None:
    graphs.show(address, A)
    for item, start in (("Picture", b"\x89PNG"), ("Vector picture", b"<svg ")):
        graphs.page.get_by_role("button", name="Save graph").click()
        with graphs.page.expect_download() as download:
            graphs.page.get_by_role("menuitem", name=re.compile(f"^{item}")).click()
        content = Path(download.value.path()).read_bytes()
        assert content.startswith(start)
        assert len(content) > 2000


def test_a_file_is_uploaded_by_button_and_by_drop(graphs: GraphsPage, address: str) -> None:
    graphs.show(address, A)
    graphs.page.get_by_label("Graph file").set_input_files({"name": "own.pb", "mimeType": "", "buffer": graph_def(["mine: Neg"])})
    graphs.has("mine")
    drop = """() => {
      const data = new DataTransfer();
      data.items.add(new File(['node { name: "dropped" op: "Neg" }'], 'own.pbtxt'));
      for (const kind of ['dragover', 'drop'])
        window.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
    }"""
    graphs.page.evaluate(drop)
    graphs.has("dropped")


def test_hostile_names_are_text(graphs: GraphsPage, address: str, complaints: list[str]) -> None:
    graphs.show(address, "hostile / model.pb")
    expect(graphs.page.get_by_role("list", name="Visible nodes").get_by_role("listitem")).not_to_have_count(0)
    graphs.picture.focus()
    graphs.page.keyboard.press("ArrowDown")
    expect(graphs.card).to_be_visible()
    assert graphs.page.title() != "owned"
    assert graphs.page.evaluate(WIDER_THAN_THE_PAGE) == []
    assert complaints == []


@pytest.mark.parametrize("source", ["bad", "empty"])
def test_what_cannot_be_read_says_why(page: Page, address: str, source: str) -> None:
    page.set_default_timeout(60_000)
    page.goto(f"{address}#graphs")
    label = page.get_by_label("Source").locator("option", has_text=f"{source} / model.pb")
    if label.count() == 0:
        return  # a file without a graph is not offered
    page.get_by_label("Source").select_option(label=f"{source} / model.pb")
    expect(page.locator(".notes, .over").first).to_be_visible()


def test_without_a_graph_the_tab_says_how_to_log_one(page: Page, serve: Callable[..., str], tmp_path: Path) -> None:
    page.set_default_timeout(60_000)
    LogFolder(tmp_path).write("run", {"loss": [1.0]})
    page.goto(f"{serve(tmp_path)}#graphs")
    for framework in ("Keras", "TensorFlow", "PyTorch", "JAX"):
        expect(page.get_by_role("region", name=framework, exact=True)).to_be_visible()
    page.get_by_label("Graph file").set_input_files({"name": "own.pb", "mimeType": "", "buffer": graph_def(["mine: Neg"])})
    GraphsPage(page).has("mine")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_tab_is_accessible(browser: Browser, address: str, scheme: Scheme) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": 1280, "height": 800})
    graphs = GraphsPage(page)
    graphs.show(address, A)
    graphs.click("net/")
    page.get_by_role("button", name="Compare").click()
    graphs.click("x")
    expect(graphs.card.get_by_role("region", name="Attributes")).to_be_visible()
    assert faults(page) == []
    assert page.evaluate(WIDER_THAN_THE_PAGE) == []
    page.close()
