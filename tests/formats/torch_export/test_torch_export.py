"""Exported programs that are cut, corrupt, hostile or of another version; whole ones are read beside the real torch."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from graph_bytes import edges, read
from stepscope.formats.torch_export import archive, sniff
from stepscope.formats.torch_export import read as reading
from stepscope.formats.torch_export.program import is_value, values_in
from stepscope.model.errors import BadInput, TooMuch

OVER_ALL = {"dtype": 7, "sizes": [{"as_int": 4}, {"as_expr": {"expr_str": "s0"}}], "device": {"type": "cuda", "index": 1}}


def tensor(name: str) -> dict[str, Any]:
    return {"as_tensor": {"name": name}}


def node(target: str, inputs: dict[str, Any], *outputs: str, stack: str = "") -> dict[str, Any]:
    return {
        "target": target,
        "inputs": [{"name": name, "arg": arg, "kind": 1} for name, arg in inputs.items()],
        "outputs": [tensor(name) for name in outputs],
        "metadata": {"nn_module_stack": stack},
    }


def program(graph: dict[str, Any] | None = None) -> dict[str, Any]:
    nodes = [
        node("torch.ops.aten.mm.default", {"self": tensor("x"), "mat2": tensor("p_w")}, "mm", stack="a,,Net;b,L['self'].net.0,Linear"),
        node("torch.ops.mine.op.default", {"a": {"as_tensors": [{"name": "mm"}, {"name": "lost"}]}, "n": {"as_int": 3}}, "o1", "o2"),
        node("_operator.add", {"a": {"as_sym_int": {"as_name": "o2"}}, "b": {"as_optional_tensors": [{"as_none": True}]}}, "s"),
    ]
    made = {
        "inputs": [tensor("p_w"), tensor("x")],
        "outputs": [tensor("s"), tensor("mm")],
        "nodes": nodes,
        "tensor_values": {"x": OVER_ALL, "p_w": {**OVER_ALL, "sizes": [{"as_int": 4}, {"as_int": 2}]}},
    }
    signature = {
        "input_specs": [{"parameter": {"arg": {"name": "p_w"}, "parameter_name": "net.0.w"}}, {"user_input": {"arg": tensor("x")}}],
        "output_specs": [{"user_output": {"arg": tensor("s")}}, {"buffer_mutation": {"arg": {"name": "mm"}, "buffer_name": "net.b"}}],
    }
    return {"graph_module": {"graph": graph or made, "signature": signature}, "schema_version": {"major": 8, "minor": 1}}


def packed(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in files.items():
            out.writestr(name, data)
    return made.getvalue()


def saved(content: Any, name: str = "net/models/model.json") -> bytes:
    return packed({"net/data/weights/weight_0": b"\x80\x02never loaded.", name: json.dumps(content).encode()})


def outcome(data: bytes) -> str:
    try:
        return "".join(note.code for note in read(data, "m.pt2").notes) or "read"
    except (BadInput, TooMuch) as problem:
        return problem.code


def test_calls_are_connected_by_their_values_and_named_by_module() -> None:
    (graph,) = read(saved(program())).graphs
    assert graph.names() == ["net/0/w", "x", "net/0/mm", "o1", "s", "s (output)", "net/b (update)"]
    assert [graph.text(graph.op, row) for row in range(5)] == ["Parameter", "Input", "aten::mm", "mine::op", "add"]
    assert edges(graph) == [
        "x:0 -> net/0/mm", "net/0/w:0 -> net/0/mm", "net/0/mm:0 -> o1", "?lost:0 -> o1", "o1:1 -> s", "s:0 -> s (output)",
        "net/0/mm:0 -> net/b (update)",
    ]  # fmt: skip
    assert [graph.text(column, 1) for column in (graph.shapes, graph.dtypes, graph.device)] == ["[4,?]", "float32", "cuda:1"]
    assert graph.constant_bytes.tolist()[:2] == [32, 0]


def test_values_that_an_argument_refers_to() -> None:
    given = {"as_string_to_argument": {"a": tensor("x"), "b": {"as_sym_ints": [{"as_name": "s"}, {"as_int": 3}]}}}
    assert (list(values_in(given)), list(values_in({"as_string": "x"})), list(values_in({"as_none": True}))) == (["x", "s"], [], [""])
    assert (is_value(tensor("x")), is_value({"as_int": 1})) == (True, False)


def test_several_programs_and_the_archive_of_older_versions() -> None:
    both = packed({f"net/models/{name}.json": json.dumps(program()).encode() for name in ("encoder", "decoder")})
    assert [graph.name for graph in read(both).graphs] == ["encoder", "decoder"]
    (graph,) = read(packed({"version": b"5", "serialized_exported_program.json": json.dumps(program()).encode()})).graphs
    assert (graph.name, len(graph)) == ("", 7)


def test_an_archive_that_is_cut_is_refused() -> None:
    whole = saved(program())
    assert {outcome(whole[:end]) for end in range(50, len(whole))} == {"bad_graph"}
    assert outcome(whole) == "read"


@pytest.mark.parametrize(
    "content",
    [
        {}, [], {"graph_module": 1}, {"graph_module": {"graph": {"inputs": 1, "outputs": [], "nodes": []}}},
        program({"inputs": [{"as_tensor": 5}], "outputs": [], "nodes": [{"target": 1}]}),
    ],
)  # fmt: skip
def test_other_content_is_refused(content: Any) -> None:
    assert outcome(saved(content)) == "bad_graph"


def test_odd_values_are_left_out() -> None:
    deep: Any = {"name": "x"}
    for _ in range(50):
        deep = [deep]
    huge = {"dtype": 99, "sizes": [{"as_int": 1 << 62}] * 4, "device": {"type": 5}}
    nodes = [
        {"target": "f", "inputs": [{"name": "a", "arg": {"as_nested_tensors": deep}}], "outputs": [{"as_none": True}]},
        {"target": "g", "inputs": [{"name": "a", "arg": {"as_graph": {"name": "inner", "graph": 3}}}]},
    ]
    graph = {"inputs": [tensor("p_w"), {"as_int": 3}], "outputs": [{}], "nodes": nodes, "tensor_values": {"p_w": huge}}
    (found,) = read(saved(program(graph))).graphs
    assert (found.names(), found.constant_bytes.tolist()[0]) == (["net/0/w", "f_0", "g_1"], 1 << 62)


def test_graphs_are_nested_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "DEEPEST", 3)
    inner: dict[str, Any] = {"inputs": [], "outputs": [], "nodes": []}
    for _ in range(5):
        inner = {**inner, "nodes": [node("torch.ops.higher_order.cond", {"g": {"as_graph": {"name": "g", "graph": inner}}}, "c")]}
    found = read(saved(program(inner)))
    assert ([graph.name for graph in found.graphs], [note.code for note in found.notes]) == (
        ["", "c.g:c.g:c.g", "c.g:c.g", "c.g"],
        ["too_deep"],
    )


def test_json_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = saved(program() | {"padding": "x" * 100_000})
    monkeypatch.setattr(archive, "MOST_BYTES", 50_000)
    assert outcome(data) == "graph_too_large"


def test_an_archive_without_a_program_is_refused() -> None:
    assert outcome(packed({"net/data/weights/weight_0": b"1"})) == "bad_graph"


@pytest.mark.parametrize(
    ("head", "is_one"),
    [
        (packed({"net/data/weights/weight_0": b""})[:64], True),
        (packed({"models/a.json": b"{}"})[:64], True),
        (packed({"archive/data.pkl": b""})[:64], False),
        (b"PK\x03\x04", False),
        (b"", False),
    ],
)
def test_programs_are_recognised_without_their_name(head: bytes, is_one: bool) -> None:
    assert sniff(head, "model.pt2") is is_one
