"""Graphs that the real TensorFlow, Keras, torch, JAX and ONNX wrote, in a real browser: every one opens, with what only it has."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browser.graphs_page import GraphsPage
from sample_files import JAX_CAPTURE, SAMPLES, needs

pytestmark = [pytest.mark.peers, pytest.mark.slow, needs("tf1_run_metadata")]
SCRIPT = Path(__file__).parents[1] / "graphs" / "graphs_of_peers.py"
KERAS_2 = {
    "class_name": "Functional",
    "config": {
        "name": "old",
        "layers": [
            {"class_name": "InputLayer", "name": "given", "config": {"batch_input_shape": [None, 4]}, "inbound_nodes": []},
            {"class_name": "Dense", "name": "one", "config": {"units": 3}, "inbound_nodes": [[["given", 0, 0, {}]]]},
            {"class_name": "Add", "name": "sum", "config": {}, "inbound_nodes": [[["given", 0, 0, {}], ["one", 0, 0, {}]]]},
        ],
        "input_layers": [["given", 0, 0]],
        "output_layers": [["sum", 0, 0]],
    },
}
"""As Keras 2 writes it, which no longer installs beside Keras 3."""


class Logged:
    """A served folder of all of them."""

    def __init__(self, folder: Path, address: str, theirs: Any) -> None:
        self.folder, self.address, self.theirs = folder, address, theirs


@pytest.fixture(scope="module")
def logged(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., str]) -> Logged:
    folder = tmp_path_factory.mktemp("graphs")
    theirs = run_in_peers(SCRIPT, folder)
    (folder / "keras" / "keras2_model.json").write_text(json.dumps(KERAS_2))
    traced, compiled = folder / "traced", folder / "jax" / "plugins" / "profile" / "2024_01_01_00_00_00"
    traced.mkdir()
    compiled.mkdir(parents=True)
    shutil.copy(next((SAMPLES / "tf1_run_metadata").glob("events.out.*")), traced)
    shutil.copy(JAX_CAPTURE, compiled / "host.xplane.pb")
    return Logged(folder, serve(folder), theirs)


@pytest.fixture
def graphs(page: Page, complaints: list[str]) -> GraphsPage:
    return GraphsPage(page)


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("tf1 / __run_graph__", {"x", "dense/", "loss", "step", "gradients/"}),
        ("tf2 / __run_graph__", {"x", "while/", "cond/"}),
        ("files / graph.pbtxt", {"x", "dense/", "loss", "step"}),
        ("keras / functional_model.json", {"given", "inside/", "joined", "out"}),
        ("keras / sequential_model.json", {"one", "two", "three"}),
        ("keras / own_model.json", {"own"}),
        ("keras / keras2_model.json", {"given", "one", "sum"}),
        ("callback/train / keras", {"given", "inside/", "joined", "out"}),
        ("torch / __run_graph__", {"Net/"}),
        ("ours / __run_graph__", {"Net/"}),
        ("exported / model.pt2", {"x", "body/", "split", "cond", "sum_1"}),
        ("onnx / model.onnx", {"x", "dense/", "split", "if", "Add_3"}),
    ],
)
def test_a_graph_of_each_framework_opens(
    graphs: GraphsPage, logged: Logged, complaints: list[str], source: str, rows: set[str]
) -> None:
    graphs.show(logged.address, source)
    assert rows <= set(graphs.paths())
    scopes = [path for path in graphs.paths() if path.endswith("/")]
    for path in scopes[:1]:
        graphs.click(path, double=True)
        expect(graphs.page.locator(f'li[data-path^="{path}"]')).not_to_have_count(1)
    assert complaints == []


def test_control_edges_and_shapes_of_tensorflow(graphs: GraphsPage, logged: Logged, complaints: list[str]) -> None:
    graphs.show(logged.address, "tf1 / __run_graph__")
    source, target = next(one[1:].split(" -> ") for one in logged.theirs["tf1"]["edges"] if one.startswith("^"))
    graphs.find(target)
    inputs = graphs.card.get_by_role("region", name="Inputs").get_by_role("listitem")
    expect(inputs.filter(has_text="control").filter(has_text=source).first).to_be_visible()
    graphs.page.get_by_label("Search nodes").fill("")
    graphs.click("x")
    expect(graphs.card).to_contain_text("[?,8]")
    assert complaints == []


def test_instructions_of_a_compiled_program(graphs: GraphsPage, logged: Logged, complaints: list[str]) -> None:
    graphs.show(logged.address, "jax / 2024_01_01_00_00_00")
    assert len(graphs.paths()) > 2
    graphs.page.get_by_label("Colour by").select_option("time")
    expect(graphs.page.get_by_role("group", name="Legend").locator(".amber")).to_have_count(0)
    assert complaints == []


def test_a_traced_step_colours_the_graph_and_fills_the_cards(graphs: GraphsPage, logged: Logged, complaints: list[str]) -> None:
    graphs.show(logged.address, "traced / __run_graph__")
    legend = graphs.page.get_by_role("group", name="Legend")
    for colour in ("time", "memory", "statistics"):
        graphs.page.get_by_label("Colour by").select_option(colour)
        expect(legend.locator(".amber")).to_have_count(0)
    graphs.find("conv1/Relu")
    spent = graphs.card.get_by_role("region", name="Time and memory")
    expect(spent.locator("[data-allocator]")).to_have_count(1)
    expect(spent.locator("[data-allocator]")).to_contain_text("4.88 MiB")
    graphs.find("conv1/Conv2D")
    spent.get_by_role("button", name="conv1/Relu").click()
    expect(graphs.card.get_by_role("heading", level=2)).to_have_text("conv1/Relu")
    assert complaints == []


def test_a_card_leads_to_the_spans_and_to_the_row_of_a_node(graphs: GraphsPage, logged: Logged, complaints: list[str]) -> None:
    for link, found in (("Show in operations table", "cell"), ("Show in trace", "")):
        graphs.show(logged.address, "traced / __run_graph__")
        graphs.find("conv1/Relu")
        graphs.card.get_by_role("button", name=link).click()
        if found:
            expect(graphs.page.get_by_role("row").filter(has_text="conv1/Relu").first).to_be_visible()
        else:
            expect(graphs.page.get_by_label("Search spans")).to_have_value("conv1/Relu")
    assert complaints == []


@pytest.mark.parametrize(("file", "row"), [("onnx/model.onnx", "dense/"), ("exported/model.pt2", "body/")])
def test_files_are_uploaded(graphs: GraphsPage, logged: Logged, file: str, row: str) -> None:
    graphs.show(logged.address, "keras / own_model.json")
    graphs.page.get_by_label("Graph file").set_input_files(logged.folder / file)
    graphs.has(row)
    graphs.address_has("upload")


def test_the_same_model_of_two_writers_does_not_differ(graphs: GraphsPage, logged: Logged) -> None:
    graphs.show(logged.address, "ours / __run_graph__")
    graphs.page.get_by_role("button", name="Compare").click()
    side = graphs.page.get_by_role("region", name="Comparison")
    side.get_by_label("Compare with").select_option(label="torch / __run_graph__")
    expect(side).to_contain_text(re.compile(rf"{len(logged.theirs['torch']['nodes'])}"))
    expect(side.get_by_role("listitem")).to_have_count(0)


def test_inputs_and_outputs_are_traced_and_the_picture_is_saved(graphs: GraphsPage, logged: Logged) -> None:
    graphs.show(logged.address, "exported / model.pt2")
    graphs.click("split")
    for name in ("Trace inputs", "Trace outputs"):
        graphs.card.get_by_role("button", name=name).click()
        expect(graphs.card.get_by_role("button", name=name)).to_have_attribute("aria-pressed", "true")
    graphs.address_has("trace.*outputs")
    graphs.page.get_by_role("button", name="Save graph").click()
    with graphs.page.expect_download() as download:
        graphs.page.get_by_role("menuitem", name=re.compile("^Vector picture")).click()
    assert ">split<" in Path(download.value.path()).read_text()
