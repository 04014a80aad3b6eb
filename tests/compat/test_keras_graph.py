"""Keras models as graphs of layers; real models are compared with the real TensorBoard in test_beside_tensorboard.py."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from stepscope.compat.keras_graph import keras_graph
from stepscope.compat.proto_text import proto_text
from stepscope.model.errors import NotThere


def tensor(layer: str, output: int = 0) -> dict[str, Any]:
    return {"class_name": "__keras_tensor__", "config": {"keras_history": [layer, 0, output]}}


def layer(name: str, *inputs: Any, dtype: Any = None) -> dict[str, Any]:
    called = {"inbound_nodes": [{"args": list(inputs), "kwargs": {}}]} if inputs else {}
    return {"class_name": "Dense", "config": {"name": name, "dtype": dtype}, **called}


def model(name: str, layers: list[Any], inputs: Any = None, outputs: Any = None, *called: Any) -> dict[str, Any]:
    made = layer(name, *called)
    made["config"] |= {"layers": layers, "input_layers": inputs, "output_layers": outputs}
    return made


def graph(content: dict[str, Any]) -> list[str]:
    return "".join(proto_text(keras_graph(json.dumps(content).encode()), "GraphDef")).split()


def names(content: dict[str, Any], key: str) -> list[str]:
    words = graph(content)
    return [json.loads(after) for word, after in pairwise(words) if word == f"{key}:"]


def test_layers_of_a_sequence_follow_one_another() -> None:
    content = model("net", [layer("a"), layer("b"), model("inner", [layer("c")]), layer("d")])
    assert names(content, "name") == ["net/a", "net/b", "net/inner/c", "net/d"]
    assert names(content, "input") == ["net/a", "net/b", "net/inner/c"]


def test_inputs_name_the_layer_that_makes_an_output_of_a_model() -> None:
    two = model("two", [layer("x", []), layer("y", tensor("x"))], ["x", 0, 0], [["x", 0, 0], ["y", 0, 0]], tensor("top"))
    content = model(
        "net", [layer("top", []), two, layer("end", [tensor("two", 1), tensor("two", 7), 3])], [["top", 0, 0]], ["end", 0, 0]
    )
    assert names(content, "input") == ["net/top", "net/two/x", "net/two/y", "net/two/y"]


@pytest.mark.parametrize(
    ("dtype", "said"),
    [
        ("float32", ["DT_FLOAT"]),
        ("half", ["DT_HALF"]),
        ("bfloat16", ["DT_BFLOAT16"]),
        ("float64_ref", ["DT_DOUBLE_REF"]),
        ({"config": {"name": "int8"}}, ["DT_INT8"]),
        ({"config": {"name": "mixed_float16"}}, []),
        ("float8_e4m3fn", []),
        (None, []),
        ({"other": 1}, []),
    ],
)
def test_element_types(dtype: Any, said: list[str]) -> None:
    words = graph(layer("a", dtype=dtype))
    assert [after for word, after in pairwise(words) if word == "type:"] == said


def test_what_is_no_model_is_refused() -> None:
    deep: dict[str, Any] = layer("a")
    for _ in range(80):
        deep = model("m", [deep])
    for content in (b"{", b"\xff", b"[" * 100_000, json.dumps(deep).encode(), json.dumps(model("none", [])).encode()):
        with pytest.raises(NotThere) as caught:
            keras_graph(content)
        assert caught.value.code == "bad_graph"
