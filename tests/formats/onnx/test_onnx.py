"""ONNX models that are cut anywhere, and other content; whole ones are read beside the real package."""

from __future__ import annotations

import pytest

from graph_bytes import edges, read
from stepscope.formats.onnx import sniff
from stepscope.model.errors import BadInput
from stepscope.writer.message import Message


def small() -> bytes:
    first = (
        Message("OnnxNode").text("input", "x").text("input", "w").text("output", "y").text("name", "/a/mul").text("op_type", "MatMul")
    )
    second = Message("OnnxNode").text("input", "y").text("input", "").text("input", "lost").text("output", "z").text("op_type", "Relu")
    weight = Message("OnnxTensor").integers("dims", [4, 2]).integer("data_type", 1).text("name", "w").data("raw_data", bytes(32))
    graph = Message("OnnxGraph").message("node", first).message("node", second).message("initializer", weight)
    graph.message("input", Message("OnnxValueInfo").text("name", "x")).message("output", Message("OnnxValueInfo").text("name", "z"))
    return b"\x08\x08" + Message("OnnxModel").message("graph", graph).encoded()


def test_nodes_are_connected_by_their_values() -> None:
    (graph,) = read(small(), "m.onnx").graphs
    assert graph.names() == ["w", "x", "a/mul", "Relu_1", "z (output)"]
    assert edges(graph) == ["x:0 -> a/mul", "w:0 -> a/mul", "a/mul:0 -> Relu_1", "?lost:0 -> Relu_1", "Relu_1:0 -> z (output)"]
    assert (graph.text(graph.shapes, 0), graph.text(graph.dtypes, 0), int(graph.constant_bytes[0]) > 32) == ("[4,2]", "float32", True)


def outcome(data: bytes) -> str:
    try:
        return "".join(note.code for note in read(data, "m.onnx").notes)
    except BadInput as problem:
        return problem.code


def test_a_model_that_is_cut_is_refused_or_shown_in_part() -> None:
    whole = small()
    for end in range(3, len(whole)):
        assert outcome(whole[:end]) in {"bad_graph", "truncated"}


@pytest.mark.parametrize(
    ("head", "is_one"), [(b"\x08\x08\x12\x07pytorch", True), (b"\x08\x01\x12\x03", False), (b"PK", False), (b"", False)]
)
def test_models_are_recognised_without_their_name(head: bytes, is_one: bool) -> None:
    assert sniff(head, "") is is_one
