"""Keras models of version 2, and JSON that is none; models of Keras 3 are read beside the real one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graph_bytes import edges, read
from stepscope.formats.keras_model.calls import calls_of
from stepscope.formats.keras_model.read import DEEPEST
from stepscope.model.errors import BadInput


def layer(name: str, kind: str, *inputs: list[Any], **config: Any) -> dict[str, Any]:
    return {"class_name": kind, "name": name, "config": {"name": name, **config}, "inbound_nodes": list(inputs)}


def model(*layers: dict[str, Any], kind: str = "Functional", inputs: Any = None, outputs: Any = None) -> bytes:
    config = {"name": "m", "layers": list(layers), "input_layers": inputs or [], "output_layers": outputs or []}
    return json.dumps({"class_name": kind, "config": config, "keras_version": "2.15.0", "backend": "tensorflow"}).encode()


def test_a_functional_model_of_keras_2() -> None:
    inner = layer("inner", "Functional", [["a", 0, 0, {}]])
    inner["config"].update(
        layers=[layer("i", "InputLayer"), layer("d", "Dense", [["i", 0, 0, {}]])],
        input_layers=[["i", 0, 0]],
        output_layers=[["d", 0, 0]],
    )
    found = read(
        model(
            layer("a", "InputLayer", batch_input_shape=[None, 8], dtype="float32"),
            layer("b", "Dense", [["a", 0, 0, {"mask": ["a", 0, 0]}]]),
            inner,
            layer("c", "Add", [["b", 0, 0, {}], ["inner", 1, 0, {}]], [["gone", 0, 0, {}]]),
            inputs=[["a", 0, 0]],
            outputs=[["c", 0, 0]],
        ),
        "model.json",
    )
    (graph,) = found.graphs
    assert graph.names() == ["a", "b", "inner/i", "inner/d", "c"]
    assert edges(graph) == [
        "a:0 -> b",
        "a:0 -> b",
        "a:0 -> inner/i",
        "inner/i:0 -> inner/d",
        "b:0 -> c",
        "inner/d:0 -> c",
        "?gone:0 -> c",
    ]
    assert [note.code for note in found.notes] == ["dangling_inputs"]
    assert (graph.text(graph.shapes, 0), graph.text(graph.dtypes, 0)) == ("[?,8]", "float32")
    assert {one.key: one.value for one in found.attributes(graph, 0)}["batch_input_shape"] == "[null, 8]"


def test_models_nested_too_deep_are_left_out() -> None:
    inside = layer("x", "Dense")
    for _ in range(DEEPEST + 3):
        inside = {"class_name": "Sequential", "config": {"name": "s", "layers": [inside]}}
    found = read(json.dumps(inside).encode(), "model.json")
    assert [note.code for note in found.notes] == ["too_deep"]


@pytest.mark.parametrize(
    "text",
    [b'{"class_name": "X", "config": {', b'{"class_name":"A","config":' + b"[" * 100_000, b'{"class_name": "config", '],
)
def test_broken_json_is_refused(text: bytes) -> None:
    with pytest.raises(BadInput) as caught:
        read(text, "model.json")
    assert caught.value.code == "bad_graph"


@pytest.mark.parametrize("layers", [None, 3, [3, "x", None], [{"class_name": 5, "config": [], "inbound_nodes": {"a": [1]}}]])
def test_odd_content_is_no_error(layers: Any) -> None:
    text = json.dumps({"class_name": "Functional", "config": {"layers": layers, "input_layers": 5, "output_layers": "x"}}).encode()
    assert len(read(text, "model.json").graphs) == 1


def test_calls_of_any_shape_are_bounded() -> None:
    deep: Any = ["a", 0, 0]
    for _ in range(500):
        deep = [deep]
    assert calls_of(deep) == [[]]
    assert calls_of(None) == [[]]
    assert [[(one.layer, one.tensor) for one in call] for call in calls_of([["a", 0, -3]])] == [[("a", 0)]]
