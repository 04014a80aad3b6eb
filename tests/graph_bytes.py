"""Builds GraphDefs line by line: `"c: Add a b:1 ^d"` is a node c that adds a and the second output of b after d."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stepscope.formats.read_graphs import graphs_of
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.model.graph import Graph, GraphSet
from stepscope.writer.message import Message

Attributes = Mapping[str, Mapping[str, Message]]


def shape(*sizes: int) -> Message:
    """An attribute that is a shape; -1 is unknown."""
    return Message("AttrValue").message("shape", dims(*sizes))


def dims(*sizes: int) -> Message:
    """A shape."""
    made = Message("TensorShape")
    for size in sizes:
        made.message("dim", Message("Dim").integer("size", size))
    return made


def shapes(*each: Sequence[int]) -> Message:
    """An attribute that lists shapes."""
    listed = Message("AttrList")
    for sizes in each:
        listed.message("shape", dims(*sizes))
    return Message("AttrValue").message("list", listed)


def dtype(number: int) -> Message:
    """An attribute that is an element type."""
    return Message("AttrValue").integer("type", number, always=True)


def function(name: str) -> Message:
    """An attribute that is a function."""
    return Message("AttrValue").message("func", Message("NameAttrList").text("name", name))


def constant(values: bytes, *sizes: int, kind: int = 1) -> Message:
    """An attribute that is a tensor of so many bytes."""
    tensor = Message("TensorProto").integer("dtype", kind).message("tensor_shape", dims(*sizes)).data("tensor_content", values)
    return Message("AttrValue").message("tensor", tensor)


def node(line: str, attributes: Mapping[str, Message] | None = None, device: str = "") -> Message:
    """A NodeDef."""
    name, _, rest = line.partition(": ")
    op, *inputs = rest.split()
    made = Message("NodeDef").text("name", name).text("op", op)
    for each in inputs:
        made.text("input", each, always=True)
    made.text("device", device)
    for key, value in (attributes or {}).items():
        made.message("attr", Message("NodeAttr").text("key", key).message("value", value))
    return made


def function_def(
    name: str, arguments: Sequence[str], results: Mapping[str, str], lines: Sequence[str], attributes: Attributes
) -> Message:
    """A FunctionDef; results are where each comes from."""
    signature = Message("OpDef").text("name", name)
    for each in arguments:
        signature.message("input_arg", Message("ArgDef").text("name", each).integer("type", 1))
    for each in results:
        signature.message("output_arg", Message("ArgDef").text("name", each).integer("type", 1))
    made = Message("FunctionDef").message("signature", signature)
    for line in lines:
        made.message("node_def", node(line, attributes.get(line.partition(": ")[0])))
    for key, value in results.items():
        made.message("ret", Message("TextEntry").text("key", key).text("value", value))
    return made


def graph_def(
    lines: Sequence[str],
    attributes: Attributes | None = None,
    functions: Sequence[Message] = (),
    devices: Mapping[str, str] | None = None,
) -> bytes:
    """A GraphDef with these nodes, attributes by node, and functions."""
    made = Message("GraphDef")
    for line in lines:
        name = line.partition(": ")[0]
        made.message("node", node(line, (attributes or {}).get(name), (devices or {}).get(name, "")))
    library = Message("FunctionDefLibrary")
    for each in functions:
        library.message("function", each)
    return made.message("library", library).encoded()


def read(data: bytes, name: str = "graph.pb") -> GraphSet:
    """The graphs of content, by its format."""
    return graphs_of(StoredBytes.of(data, name), name)[1]


def graph_of(lines: Sequence[str], attributes: Attributes | None = None, devices: Mapping[str, str] | None = None) -> Graph:
    """One graph."""
    return read(graph_def(lines, attributes, devices=devices)).graphs[0]


def edges(graph: Graph) -> list[str]:
    """Every edge as `source:port -> target`; `^` for control, `?` for what is missing."""
    found: list[str] = []
    for row in range(len(graph)):
        for place in graph.inputs(row):
            port, source = int(graph.port[place]), int(graph.input[place])
            name = graph.text(graph.input_name, place)
            assert source < 0 or graph.text(graph.node, source) == name
            start = f"^{name}" if port < 0 else f"{name}:{port}"
            found.append(f"{'?' if source < 0 else ''}{start} -> {graph.text(graph.node, row)}")
    return found
