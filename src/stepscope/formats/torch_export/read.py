"""Reads exported programs into graphs: parameters, inputs, operations by module, outputs, and the graphs of branches and loops."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec

from stepscope.formats.stored_bytes import StoredBytes
from stepscope.formats.torch_export.archive import programs_in
from stepscope.formats.torch_export.program import (
    Argument,
    Node,
    Program,
    ProgramGraph,
    Signature,
    TensorMeta,
    is_value,
    values_in,
)
from stepscope.model.errors import BadInput
from stepscope.model.graph import MOST_NODES, Graph, GraphKind, GraphSet, NodeAttribute, joined_sets
from stepscope.model.graph_builder import GraphBuilder, NodeList
from stepscope.model.profile import Note

DEEPEST = 16
"""Graphs inside graphs."""
_LONGEST = 2_000
_MOST_BYTES = 1 << 62
"""What a column of sizes can hold: files are hostile."""
_DTYPES = {
    1: "uint8", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "float16", 7: "float32", 8: "float64", 9: "complex32",
    10: "complex64", 11: "complex128", 12: "bool", 13: "bfloat16", 28: "uint16", 29: "float8_e4m3fn", 30: "float8_e5m2",
    31: "float8_e4m3fnuz", 32: "float8_e5m2fnuz", 33: "float8_e8m0fnu", 34: "uint32", 35: "uint64",
}  # fmt: skip
"""By the numbers of torch's schema."""
_BYTES = {
    "uint8": 1, "int8": 1, "bool": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2, "int32": 4, "uint32": 4, "float32": 4,
    "complex32": 4, "int64": 8, "uint64": 8, "float64": 8, "complex64": 8, "complex128": 16,
}  # fmt: skip
"""Of one element; those of eight bits that are missing have one."""
_KEPT = {
    "parameter": ("Parameter", "parameter_name"),
    "buffer": ("Buffer", "buffer_name"),
    "tensor_constant": ("Constant", "tensor_constant_name"),
    "custom_obj": ("CustomObject", "custom_obj_name"),
}
"""What the model brings along: the operation that stands for it, and where its name is."""
_CHANGED = {"buffer_mutation": "buffer_name", "parameter_mutation": "parameter_name", "user_input_mutation": "user_input_name"}
"""Outputs that are put back into what they were made from."""


@dataclass(slots=True)
class _Reading:
    """What is collected over all graphs of a program."""

    builder: GraphBuilder = field(default_factory=GraphBuilder)
    graphs: list[Graph] = field(default_factory=list[Graph])
    definitions: dict[tuple[str, str], Node] = field(default_factory=dict[tuple[str, str], Node])
    nodes: int = 0
    left_out: int = 0
    too_deep: bool = False


@dataclass(slots=True)
class _Making:
    """One graph: which node makes each value, with which of its outputs."""

    reading: _Reading
    graph: ProgramGraph
    name: str
    nodes: NodeList
    maker: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])

    def add(self, name: str, op: str, inputs: Iterable[str], outputs: Sequence[str], **more: Any) -> str:  # noqa: ANN401
        """Adds a node whose inputs are values; they become nodes when all makers are known."""
        if self.reading.nodes >= MOST_NODES:
            self.reading.left_out += 1
            return ""
        self.reading.nodes += 1
        metas = [self.graph.tensor_values.get(value, _UNKNOWN) for value in outputs]
        shapes, dtypes = ("; ".join(map(each, metas)).strip("; ") for each in (_shape, _dtype))
        device = next((found for meta in metas if (found := _device(meta))), "")
        added = self.nodes.add(name, op, [(value, 0) for value in inputs], shapes=shapes, dtypes=dtypes, device=device, **more)
        for port, value in enumerate(outputs):
            if value:
                self.maker.setdefault(value, (added, port))
        return added


_UNKNOWN = TensorMeta()


def read_program(content: StoredBytes, name: str) -> GraphSet:
    """The graphs of all programs in an archive. Raises BadInput, TooMuch or OSError."""
    programs = programs_in(content, name)
    return joined_sets([_read(data, each if len(programs) > 1 else "", name) for each, data in programs.items()])


def _read(data: bytes, program: str, name: str) -> GraphSet:
    try:
        module = msgspec.json.decode(data, type=Program).graph_module
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        text = f"{name or 'The file'} has a program that Stepscope cannot read; save it with torch 2.5 or later."
        raise BadInput(text, "bad_graph") from problem
    reading = _Reading()
    _add_graph(reading, module.graph, module.signature, program, 0)
    notes: list[Note] = []
    if reading.left_out:
        text = f"The graph has {reading.left_out:,} more nodes than the limit of {MOST_NODES:,}; they are not shown."
        notes.append(Note("warning", "too_many_nodes", text))
    if reading.too_deep:
        notes.append(Note("warning", "too_deep", f"Graphs nested more than {DEEPEST} levels deep are not shown."))
    ordered = (reading.graphs[-1], *reading.graphs[:-1])  # graphs inside are finished first
    return GraphSet(ordered, tuple(notes), lambda graph, row: _attributes(reading, graph, row))


def _add_graph(reading: _Reading, graph: ProgramGraph, signature: Signature, name: str, depth: int) -> None:
    nodes = reading.builder.graph(name, GraphKind.FUNCTION if depth else GraphKind.OPS)
    making = _Making(reading, graph, name, nodes)
    for place, argument in enumerate(graph.inputs):
        _add_input(making, argument, signature.input_specs[place] if place < len(signature.input_specs) else {})
    for number, node in enumerate(graph.nodes):
        _add_node(making, node, number, depth)
    for place, argument in enumerate(graph.outputs):
        _add_output(making, argument, signature.output_specs[place] if place < len(signature.output_specs) else {})
    nodes.rename_inputs(making.maker)
    reading.graphs.append(nodes.finish())


def _add_input(making: _Making, argument: Argument, spec: dict[str, Any]) -> None:
    kind, about = next(iter(spec.items()), ("", None))
    op, named = _KEPT.get(kind, ("Input", ""))
    given = cast("dict[str, Any]", about).get(named) if isinstance(about, dict) else None
    for value in filter(None, values_in(argument)):
        name = given.replace(".", "/") if isinstance(given, str) and given else value
        size = _size(making.graph.tensor_values.get(value, _UNKNOWN)) if op != "Input" else 0
        making.add(name, op, [], [value], constant_bytes=size)


def _add_node(making: _Making, node: Node, number: int, depth: int) -> None:
    outputs = [value for argument in node.outputs for value in values_in(argument)]
    own = node.name or next(filter(None, outputs), "") or f"{_op(node.target).rpartition('::')[2]}_{number}"
    name = "/".join([*_modules(node.metadata.get("nn_module_stack", "")), own])
    inputs = [value for one in node.inputs for value in values_in(one.arg) if value]
    calls = list(_called(making, node, name, depth))
    attributes = " ".join([node.target, *(f"{key}={value}" for key, value in _settings(node))])
    added = making.add(name, _op(node.target), inputs, outputs, calls=calls, attributes=attributes)
    making.reading.definitions[making.name, added] = node


def _add_output(making: _Making, argument: Argument, spec: dict[str, Any]) -> None:
    kind, about = next(iter(spec.items()), ("", None))
    changed = cast("dict[str, Any]", about).get(_CHANGED[kind]) if kind in _CHANGED and isinstance(about, dict) else None
    for value in filter(None, values_in(argument)):
        name = f"{changed.replace('.', '/')} (update)" if isinstance(changed, str) else f"{value} (output)"
        making.add(name, "Output", [value], [])


def _called(making: _Making, node: Node, name: str, depth: int) -> Iterator[str]:
    """Reads the graphs that a node is given, such as the branches of a condition, and gives their names."""
    for one in node.inputs:
        given = one.arg.get("as_graph")
        if not isinstance(given, dict):
            continue
        if depth >= DEEPEST:
            making.reading.too_deep = True
            return
        inner = cast("dict[str, Any]", given)
        called = f"{making.name}:{name}.{inner.get('name') or one.name}".lstrip(":")
        try:
            graph = msgspec.convert(inner.get("graph"), ProgramGraph)
        except (msgspec.ValidationError, RecursionError):
            continue
        _add_graph(making.reading, graph, Signature(), called, depth + 1)
        yield called


def _op(target: str) -> str:
    """An operator as traces name it: `torch.ops.aten.add.Tensor` is `aten::add`."""
    if not target.startswith("torch.ops."):
        return target.rpartition(".")[2]
    space, _, name = target.removeprefix("torch.ops.").partition(".")
    return f"{space}::{name.partition('.')[0]}"


def _modules(stack: str) -> list[str]:
    """The path of the innermost module of a stack `key,path,type;…`."""
    path = stack.rpartition(";")[2].split(",")[1:2]
    plain = path[0].removeprefix("L['self']").replace("._modules['", ".").replace("']", "") if path else ""
    return [part for part in plain.split(".") if part]


def _settings(node: Node) -> Iterator[tuple[str, str]]:
    """Arguments that are plain values."""
    for one in node.inputs:
        for key, value in one.arg.items():
            if not is_value(one.arg) and key not in {"as_graph", "as_none"}:
                yield one.name, value if isinstance(value, str) else msgspec.json.encode(value).decode()[:_LONGEST]


def _attributes(reading: _Reading, graph: Graph, row: int) -> tuple[NodeAttribute, ...]:
    node = reading.definitions.get((graph.name, graph.text(graph.node, row)))
    if node is None:
        return ()
    found = [NodeAttribute(key, value[:_LONGEST]) for key, value in _settings(node)]
    found.append(NodeAttribute("target", node.target[:_LONGEST]))
    found += [NodeAttribute(key, node.metadata[key][-_LONGEST:]) for key in ("stack_trace", "torch_fn") if key in node.metadata]
    return tuple(sorted(found, key=lambda one: one.key))


def _dtype(meta: TensorMeta) -> str:
    return _DTYPES.get(meta.dtype, "")


def _shape(meta: TensorMeta) -> str:
    return f"[{','.join('?' if size is None else str(size) for size in _sizes(meta))}]" if meta is not _UNKNOWN else ""


def _sizes(meta: TensorMeta) -> list[int | None]:
    """Sizes; None for one that is known only when the program runs."""
    return [size if isinstance(size := one.get("as_int"), int) else None for one in meta.sizes]


def _size(meta: TensorMeta) -> int:
    known = [size for size in _sizes(meta) if size is not None]
    if meta is _UNKNOWN or len(known) < len(meta.sizes):
        return 0
    return max(0, min(math.prod(known) * _BYTES.get(_dtype(meta), 1), _MOST_BYTES))


def _device(meta: TensorMeta) -> str:
    kind: object = meta.device.get("type")
    index: object = meta.device.get("index")
    return (kind if index is None else f"{kind}:{index}") if isinstance(kind, str) else ""
