"""GraphDefs are read into columns: edges, shapes, functions; damage ends a graph, and constants are never read."""

from __future__ import annotations

import pytest

from graph_bytes import constant, dims, dtype, edges, function, function_def, graph_def, graph_of, node, read, shape, shapes
from stepscope._native import read_graph_def
from stepscope.formats.graph_def import sniff
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.formats.tensorflow_attributes import dtype_name, shape_text
from stepscope.formats.tensorflow_graphs import graph_def_set
from stepscope.model.errors import BadInput
from stepscope.model.graph import Graph, GraphKind, GraphSet
from stepscope.writer.message import Message

LINES = ["a: Placeholder", "s/b: Split a", "s/c: AddV2 a s/b:1 ^s/b", "d: MatMul s/c gone:2"]
ATTRIBUTES = {
    "a": {"dtype": dtype(1), "shape": shape(-1, 28)},
    "s/b": {"T": dtype(9), "_output_shapes": shapes((4, 2), (-1,))},
    "s/c": {"T": dtype(1)},
}


def codes(found: GraphSet) -> list[str]:
    return [note.code for note in found.notes]


def column(graph: Graph, name: str) -> list[str]:
    return [graph.texts[place] for place in getattr(graph, name).tolist()]


def test_nodes_edges_shapes_and_types() -> None:
    found = read(graph_def(LINES, ATTRIBUTES, devices={"d": "/device:GPU:0"}))
    (graph,) = found.graphs
    assert graph.names() == ["a", "s/b", "s/c", "d"]
    assert column(graph, "op") == ["Placeholder", "Split", "AddV2", "MatMul"]
    assert column(graph, "device") == ["", "", "", "/device:GPU:0"]
    assert column(graph, "shapes") == ["[?,28]", "[4,2]; [?]", "", ""]
    assert column(graph, "dtypes") == ["float32", "int64", "float32", ""]
    assert edges(graph) == ["a:0 -> s/b", "a:0 -> s/c", "s/b:1 -> s/c", "^s/b -> s/c", "s/c:0 -> d", "?gone:2 -> d"]
    assert codes(found) == ["dangling_inputs"]
    assert (graph.output(graph.shapes, 1, 1), graph.output(graph.shapes, 1, 2), graph.output(graph.shapes, 1, -1)) == ("[?]", "", "")


def test_functions_are_graphs_with_their_arguments_and_results() -> None:
    inner = function_def(
        "f", ["x"], {"y": "add:z:0"}, ["add: AddV2 x x", "again: PartitionedCall add:z:0"], {"again": {"f": function("f")}}
    )
    found = read(graph_def(["call: PartitionedCall"], {"call": {"f": function("f")}}, [inner]))
    main, called = found.graphs
    assert (main.name, main.kind, main.calls(0)) == ("", GraphKind.OPS, ["f"])
    assert (called.name, called.kind) == ("f", GraphKind.FUNCTION)
    assert called.names() == ["x", "add", "again", "y (result)"]
    assert column(called, "op") == ["_Arg", "AddV2", "PartitionedCall", "_Retval"]
    assert edges(called) == ["x:0 -> add", "x:0 -> add", "add:0 -> again", "add:0 -> y (result)"]
    assert called.calls(2) == ["f"]  # recursion is a name, and nothing follows it
    assert column(called, "dtypes") == ["float32", "", "", "float32"]


def test_a_library_alone_is_shown() -> None:
    data = graph_def([], functions=[function_def("f", ["x"], {"y": "x"}, [], {})])
    assert [graph.name for graph in graph_def_set(StoredBytes.of(data)).graphs] == ["f"]


def test_a_graph_that_is_cut_anywhere_keeps_the_nodes_before() -> None:
    whole = graph_def(LINES, ATTRIBUTES)
    counts: list[int] = []
    for end in range(len(whole)):
        found = graph_def_set(StoredBytes.of(whole[:end]))
        graph = found.graphs[0]
        counts.append(len(graph))
        assert graph.names()[: len(graph) - 1] == ["a", "s/b", "s/c", "d"][: max(0, len(graph) - 1)]
        assert all(-1 <= row < len(graph) for row in graph.input.tolist())
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (0, 4)
    assert set(counts) == {0, 1, 2, 3, 4}


class Counting:
    """Bytes that count how many of them are read."""

    path = b""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.read = 0

    def size(self) -> int:
        return len(self.data)

    def read_range(self, offset: int, length: int) -> bytes:
        piece = self.data[offset : offset + length]
        self.read += len(piece)
        return piece


def test_large_constants_are_not_read() -> None:
    large = bytes(64 << 20)
    data = graph_def(["w: Const", "x: Identity w"], {"w": {"dtype": dtype(1), "value": constant(large, 4096, 4096)}})
    counting = Counting(data)
    columns = read_graph_def(counting, 0, len(data), 10, 10)["graphs"][0]
    first, second = columns["constant_bytes"].tolist()
    assert (first - len(large) < 32, second) == (True, 0)
    assert counting.read < 4 << 20
    found = read(data)
    (value,) = [one for one in found.attributes(found.graphs[0], 0) if one.key == "value"]
    assert (value.value, value.bytes > len(large)) == ("float32 [4096,4096]", True)
    assert found.graphs[0].output(found.graphs[0].shapes, 0, 0) == "[4096,4096]"


def test_attributes_are_texts() -> None:
    listed = Message("AttrList").integers("i", [1, -1])
    attributes = {
        "text": Message("AttrValue").text("s", "SAME"),
        "yes": Message("AttrValue").integer("b", 1),
        "strides": Message("AttrValue").message("list", listed),
        "T": dtype(101),
        "shape": shape(-1, 3),
        "f": function("g"),
        "value": constant(b"\0\0\x80\x3f\0\0\0\x40", 2),
    }
    found = read(graph_def(["a: Op"], {"a": attributes}))
    assert {one.key: one.value for one in found.attributes(found.graphs[0], 0)} == {
        "text": "SAME",
        "yes": "true",
        "strides": "[1, -1]",
        "T": "float32",
        "shape": "[?,3]",
        "f": "g",
        "value": "float32 [2] = 1, 2",
    }


def test_types_and_shapes_as_text() -> None:
    unknown = Message("TensorShape").integer("unknown_rank", 1)
    assert (dtype_name(1), dtype_name(109), dtype_name(77)) == ("float32", "int64", "type 77")
    assert (shape_text(dims(-1, 0, 3).encoded()), shape_text(b""), shape_text(unknown.encoded())) == ("[?,0,3]", "[]", "?")


def test_what_is_beyond_the_limit_is_counted() -> None:
    data = graph_def([f"n{each}: NoOp" for each in range(10)])
    found = read_graph_def(Counting(data), 0, len(data), 6, 100)
    assert (len(found["graphs"][0]["node"]), found["nodes_left_out"]) == (6, 4)


def test_repeated_names_and_cycles() -> None:
    found = read(graph_def(["a: Merge b", "b: NextIteration a", "a: Const"]))
    assert edges(found.graphs[0]) == ["b:0 -> a", "a:0 -> b"]
    assert codes(found) == ["repeated_names"]


TEXT = b"""
# made by hand
node { name: "a" op: "Placeholder" attr { key: "shape" value { shape { dim { size: -1 } dim { size: 28 } } } }
       attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "b" op: "AddV2" input: "a" input: "a:1" input: '^a' device: "/device:" "CPU:0" attr { key: "f" value: < f: 0.5 > }
       unknown { x: [1, 2] } }
library { function { signature { name: "g" input_arg { name: "x" type: DT_INT32 } } ret { key: "y" value: "x" } } }
"""


def test_text_is_read_as_bytes_are() -> None:
    found = read(TEXT, "graph.pbtxt")
    graph = found.graphs[0]
    assert (graph.names(), column(graph, "device")) == (["a", "b"], ["", "/device:CPU:0"])
    assert edges(graph) == ["a:0 -> b", "a:1 -> b", "^a -> b"]
    assert column(graph, "shapes") == ["[?,28]", ""]
    assert [(one.key, one.value) for one in found.attributes(graph, 1)] == [("f", "0.5")]
    assert found.graphs[1].names() == ["x", "y (result)"]


@pytest.mark.parametrize(
    "text", [b"node { name: }", b"node { name 1 }", b'node { name: "a" input_size: [ }', b"node {", b"node { attr { value { i: x } } }"]
)
def test_bad_text_is_refused_with_its_line(text: bytes) -> None:
    with pytest.raises(BadInput) as caught:
        read(b"\n\n" + text, "graph.pbtxt")
    assert (caught.value.code, "line 3" in caught.value.message) == ("bad_graph", True)


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(BadInput):
        read(b"node " + b"{ attr " * 5_000, "graph.pbtxt")


def test_meta_graphs_and_saved_models_contain_graphs() -> None:
    inner = graph_def(LINES, ATTRIBUTES)
    meta = Message("MetaGraphDef").data("graph_def", inner).encoded()
    saved = b"\x08\x01" + Message("SavedModel").data("meta_graphs", meta).encoded()
    assert read(b"\x0a\x00" + meta, "model.ckpt.meta").graphs[0].names() == ["a", "s/b", "s/c", "d"]
    assert read(saved, "saved_model.pb").graphs[0].names() == ["a", "s/b", "s/c", "d"]


@pytest.mark.parametrize("head", [b"", b"\x0a", b"PK\3\4", b"{}", b"\x0a\x05hello", graph_def([])[:1], b"\x0a\x80\x80"])
def test_other_content_is_no_graph(head: bytes) -> None:
    assert not sniff(head, "x.pb")


def test_names_longer_than_a_byte_tells_are_recognised() -> None:
    assert sniff(Message("GraphDef").message("node", node(f"{'n' * 300}: Const")).encoded(), "")
    assert graph_of([f"{'n' * 300}: Const"]).names() == ["n" * 300]
