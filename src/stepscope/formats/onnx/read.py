"""Reads the graph of an ONNX model: inputs, weights, operations and outputs, and the graphs inside loops and branches."""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from stepscope._native import WIRE
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.model.errors import BadInput
from stepscope.model.graph import MOST_NODES, Graph, GraphKind, GraphSet, NodeAttribute
from stepscope.model.graph_builder import GraphBuilder, NodeList
from stepscope.model.profile import Note
from stepscope.model.protobuf_fields import BadMessage, Field, Place, fields, numbers, places

DEEPEST = 16
"""Graphs inside graphs."""
_SMALL = 1 << 20
"""Bytes of a node or description that is read at once."""
_LONGEST = 2_000
_MOST_VALUES = 16

_DTYPES = {
    1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 8: "string", 9: "bool", 10: "float16",
    11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128", 16: "bfloat16", 17: "float8_e4m3fn",
    19: "float8_e5m2",
    21: "uint4", 22: "int4",
}  # fmt: skip
_NODE, _GRAPH = WIRE["OnnxNode"], WIRE["OnnxGraph"]


@dataclass(slots=True)
class _Reading:
    """What is collected over all graphs of a model."""

    content: StoredBytes
    builder: GraphBuilder = field(default_factory=GraphBuilder)
    graphs: list[Graph] = field(default_factory=list[Graph])
    definitions: dict[tuple[str, str], bytes] = field(default_factory=dict[tuple[str, str], bytes])
    nodes: int = 0
    left_out: int = 0
    damaged: bool = False


@dataclass(slots=True)
class _Values:
    """The values of one graph: which node makes each, with which of its outputs, and what is known of them."""

    maker: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    known: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Type and shape."""


def read_model(content: StoredBytes, name: str) -> GraphSet:
    """The graph of a model, and those that its nodes call. Raises BadInput or OSError."""
    reading = _Reading(content)
    read = content.windowed()
    try:
        for place in places(read, 0, content.length):
            if place.id == WIRE["OnnxModel"]["graph"] and place.is_bytes:
                _read_graph(reading, read, place.start, place.start + place.size, "", 0)
    except BadMessage:
        reading.damaged = True
    if not reading.graphs:
        raise BadInput(f"{name or 'The file'} contains no ONNX graph, or is corrupt; export the model again.", "bad_graph")
    notes: list[Note] = []
    if reading.damaged:
        notes.append(Note("warning", "truncated", "The graph is corrupt or truncated; only the nodes before the damage are shown."))
    if reading.left_out:
        text = f"The graph has {reading.left_out:,} more nodes than the limit of {MOST_NODES:,}; they are not shown."
        notes.append(Note("warning", "too_many_nodes", text))
    ordered = (reading.graphs[-1], *reading.graphs[:-1])  # graphs inside are finished first
    return GraphSet(ordered, tuple(notes), lambda graph, row: _attributes(reading, graph, row))


def _read_graph(reading: _Reading, read: Callable[[int, int], bytes], start: int, end: int, name: str, depth: int) -> None:
    kind = GraphKind.FUNCTION if depth else GraphKind.OPS
    nodes = reading.builder.graph(name, kind)
    values = _Values()
    found: dict[int, list[Place]] = {}
    try:
        for place in places(read, start, end):
            if place.is_bytes:
                found.setdefault(place.id, []).append(place)
    except BadMessage:
        reading.damaged = True
    content = reading.content
    for place in (*found.get(_GRAPH["value_info"], ()), *found.get(_GRAPH["input"], ()), *found.get(_GRAPH["output"], ())):
        value, dtype, shape = _value_info(content.read(place.start, min(place.size, _SMALL)))
        values.known[value] = (dtype, shape)
    _add_weights(reading, nodes, values, found.get(_GRAPH["initializer"], []))
    for place in found.get(_GRAPH["input"], ()):
        value = _value_info(content.read(place.start, min(place.size, _SMALL)))[0]
        if value not in values.maker:
            _add(reading, nodes, values, value, "Input", [], [value])
    operations = [_operation(content.read(place.start, min(place.size, _SMALL))) for place in found.get(_GRAPH["node"], ())]
    for number, operation in enumerate(operations):
        title = operation.name or f"{operation.kind}_{number}"
        calls = _called_graphs(reading, read, found[_GRAPH["node"]][number], title, depth)
        attributes = _all_attributes(operation.definition)
        added = _add(reading, nodes, values, title, operation.kind, operation.inputs, operation.outputs, calls, attributes=attributes)
        reading.definitions[name, added] = operation.definition
    for place in found.get(_GRAPH["output"], ()):
        value = _value_info(content.read(place.start, min(place.size, _SMALL)))[0]
        _add(reading, nodes, values, f"{value} (output)", "Output", [value], [])
    reading.graphs.append(_resolved(nodes, values))


@dataclass(slots=True)
class _Operation:
    name: str
    kind: str
    inputs: list[str]
    outputs: list[str]
    definition: bytes


def _operation(message: bytes) -> _Operation:
    found = _Operation("", "", [], [], message if len(message) < _SMALL else b"")
    for each in _until_damage(message):
        if each.id == _NODE["name"]:
            found.name = each.text.strip("/")
        elif each.id == _NODE["op_type"]:
            found.kind = each.text
        elif each.id == _NODE["input"]:
            found.inputs.append(each.text)
        elif each.id == _NODE["output"]:
            found.outputs.append(each.text)
    return found


def _add(
    reading: _Reading,
    nodes: NodeList,
    values: _Values,
    name: str,
    kind: str,
    inputs: list[str],
    outputs: list[str],
    calls: list[str] | None = None,
    constant_bytes: int = 0,
    attributes: str = "",
) -> str:
    """Adds a node whose inputs are values; they become nodes when all makers are known."""
    if reading.nodes >= MOST_NODES:
        reading.left_out += 1
        return name
    reading.nodes += 1
    known = [values.known.get(each, ("", "")) for each in outputs]
    dtypes, shapes = ("; ".join(each[place] for each in known) for place in (0, 1))
    written = [(each, 0) for each in inputs if each]
    added = nodes.add(
        name,
        kind,
        written,
        shapes=shapes.strip("; "),
        dtypes=dtypes.strip("; "),
        constant_bytes=constant_bytes,
        attributes=attributes,
        calls=calls or [],
    )
    for port, each in enumerate(outputs):
        if each:
            values.maker.setdefault(each, (added, port))
    return added


def _resolved(nodes: NodeList, values: _Values) -> Graph:
    """The graph, with the maker of each value in the place of its name."""
    nodes.rename_inputs(values.maker)
    return nodes.finish()


def _add_weights(reading: _Reading, nodes: NodeList, values: _Values, found: list[Place]) -> None:
    """Of a weight the name, type and shape are read; its numbers are stepped over."""
    wanted = WIRE["OnnxTensor"]
    for place in found:
        name, dtype, dims = "", "", list[int]()
        part = reading.content.part(place.start, place.size)
        read = part.windowed()
        try:
            for each in places(read, 0, part.length):
                if each.is_bytes and each.id == wanted["name"]:
                    name = read(each.start, min(each.size, _LONGEST)).decode("utf-8", "replace")
                elif each.is_bytes and each.id == wanted["dims"]:
                    dims = numbers(Field(0, data=read(each.start, min(each.size, 512)), is_bytes=True))
                elif not each.is_bytes and each.id in {wanted["data_type"], wanted["dims"]}:
                    number = _number_at(read, each)
                    dims, dtype = ([*dims, number], dtype) if each.id == wanted["dims"] else (dims, _DTYPES.get(number, ""))
        except BadMessage:
            reading.damaged = True
        values.known[name] = (dtype, f"[{','.join(map(str, dims))}]")
        _add(reading, nodes, values, name, "Initializer", [], [name], constant_bytes=place.size)


def _number_at(read: Callable[[int, int], bytes], place: Place) -> int:
    """A number that ends where its place starts: its bytes are those before it with the upper bit, and the last without."""
    first = place.start - 1
    while first > 0 and read(first - 1, 1)[0] >= 0x80:
        first -= 1
    found = list(fields(b"\x08" + read(first, place.start - first)))
    return found[0].signed if found else 0


def _called_graphs(reading: _Reading, read: Callable[[int, int], bytes], node: Place, name: str, depth: int) -> list[str]:
    """Reads the graphs in the attributes of a loop or branch, and returns their names."""
    wanted = WIRE["OnnxAttribute"]
    found: list[str] = []
    if depth >= DEEPEST:
        return found
    for attribute in places(read, node.start, node.start + node.size):
        if attribute.id != _NODE["attribute"] or not attribute.is_bytes:
            continue
        key = ""
        for each in places(read, attribute.start, attribute.start + attribute.size):
            if each.id == wanted["name"] and each.is_bytes:
                key = read(each.start, min(each.size, 200)).decode("utf-8", "replace")
            elif each.id in {wanted["g"], wanted["graphs"]} and each.is_bytes:
                called = f"{name}.{key}" + (f".{len(found)}" if each.id == wanted["graphs"] else "")
                _read_graph(reading, read, each.start, each.start + each.size, called, depth + 1)
                found.append(called)
    return found


def _value_info(message: bytes) -> tuple[str, str, str]:
    """Name, type and shape of a value."""
    name, dtype, shape = "", "", ""
    for each in _until_damage(message):
        if each.id == WIRE["OnnxValueInfo"]["name"]:
            name = each.text
        elif each.id == WIRE["OnnxValueInfo"]["type"]:
            for kind in _until_damage(each.data):
                if kind.id == WIRE["OnnxType"]["tensor_type"]:
                    dtype, shape = _tensor_type(kind.data)
    return name, dtype, shape


def _tensor_type(message: bytes) -> tuple[str, str]:
    dtype, shape = "", ""
    for each in _until_damage(message):
        if each.id == WIRE["OnnxTensorType"]["elem_type"]:
            dtype = _DTYPES.get(each.number, "")
        elif each.id == WIRE["OnnxTensorType"]["shape"]:
            sizes: list[str] = []
            for dim in _until_damage(each.data):
                value = [part for part in _until_damage(dim.data) if part.id == WIRE["OnnxDim"]["dim_value"]]
                sizes.append(str(value[-1].signed) if value else "?")
            shape = f"[{','.join(sizes)}]"
    return dtype, shape


def _all_attributes(definition: bytes) -> str:
    """The attributes of a node as one text, whatever their order; empty for a node that is too large to be kept."""
    found = sorted(each.data.hex() for each in _until_damage(definition) if each.id == _NODE["attribute"])
    return " ".join(["attributes", *found]) if definition else ""


def _attributes(reading: _Reading, graph: Graph, row: int) -> tuple[NodeAttribute, ...]:
    wanted = WIRE["OnnxAttribute"]
    found: list[NodeAttribute] = []
    for each in _until_damage(reading.definitions.get((graph.name, graph.text(graph.node, row)), b"")):
        if each.id == _NODE["attribute"]:
            inside = list(_until_damage(each.data))
            key = next((part.text for part in inside if part.id == wanted["name"]), "")
            found.append(NodeAttribute(key, _attribute_value(inside)[:_LONGEST]))
    return tuple(sorted(found, key=lambda one: one.key))


def _attribute_value(inside: list[Field]) -> str:
    wanted = WIRE["OnnxAttribute"]
    said: list[str] = []
    for part in inside:
        if part.id == wanted["f"]:
            said.append(f"{struct.unpack('<f', struct.pack('<I', part.number & 0xFFFFFFFF))[0]:g}")
        elif part.id == wanted["i"]:
            said.append(str(part.signed))
        elif part.id in {wanted["s"], wanted["strings"]}:
            said.append(part.text)
        elif part.id == wanted["ints"]:
            said.extend(str(number) for number in numbers(part)[:_MOST_VALUES])
        elif part.id == wanted["floats"] and part.is_bytes:
            packed = part.data[: 4 * _MOST_VALUES]
            said.extend(f"{value:g}" for (value,) in struct.iter_unpack("<f", packed[: len(packed) // 4 * 4]))
        elif part.id in {wanted["t"], wanted["g"]}:
            said.append("tensor" if part.id == wanted["t"] else "graph")
    return said[0] if len(said) == 1 else f"[{', '.join(said)}]" if said else ""


def _until_damage(message: bytes) -> list[Field]:
    found: list[Field] = []
    with suppress(BadMessage):
        found.extend(fields(message))
    return found
