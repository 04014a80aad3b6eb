"""Reads a Keras model's JSON into a graph of layers: Keras 2 and 3, functional, sequential and nested models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, cast

from stepscope.formats.keras_model.calls import calls_of, references_in
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.model.errors import BadInput, TooMuch
from stepscope.model.graph import MOST_NODES, Graph, GraphKind, GraphSet, NodeAttribute
from stepscope.model.graph_builder import GraphBuilder, NodeList
from stepscope.model.profile import Note

MOST_BYTES = 64 << 20
DEEPEST = 32
"""Models nested in models."""
_LONGEST = 2_000
_LAYERS = "layers"


@dataclass(slots=True)
class _Model:
    """What other layers of the same parent need of a nested model: where its inputs and outputs are."""

    inputs: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    outputs: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])


@dataclass(slots=True)
class _Layer:
    """A layer that is a node, before its inputs are known."""

    name: str
    kind: str
    config: dict[str, Any]
    inputs: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])


class _Reader:
    """One model: layers by their whole names, and the shapes of what they make."""

    def __init__(self) -> None:
        self.layers: dict[str, _Layer] = {}
        self.models: dict[str, _Model] = {}
        self.shapes: dict[tuple[str, int], tuple[str, str]] = {}
        self.without_layers: list[str] = []
        self.too_deep = False

    def add_model(self, config: dict[str, Any], prefix: str, is_sequence: bool, depth: int) -> _Model:
        """Adds the layers of a model under a prefix, and says where its ends are."""
        layers = [_dict(each) for each in _list(config.get(_LAYERS))]
        names = [self._add_layer(each, prefix, depth) for each in layers]
        if is_sequence:
            model = self._chain([name for name in names if name])
        else:
            for layer, name in zip(layers, names, strict=True):
                if name:
                    self._connect(layer, name, prefix)
            model = _Model(
                self._ends(config.get("input_layers"), prefix, of_input=True), self._ends(config.get("output_layers"), prefix)
            )
        self.models[prefix] = model
        return model

    def _add_layer(self, layer: dict[str, Any], prefix: str, depth: int) -> str:
        config = _dict(layer.get("config"))
        name = str(layer.get("name") or config.get("name") or layer.get("class_name") or "layer")
        whole = f"{prefix}/{name}" if prefix else name
        kind = str(layer.get("class_name") or "Layer")
        if isinstance(config.get(_LAYERS), list):
            if depth >= DEEPEST:
                self.too_deep = True
                return ""
            self.add_model(config, whole, kind == "Sequential", depth + 1)
            return whole
        if len(self.layers) >= MOST_NODES:
            return ""
        self.layers[whole] = _Layer(whole, kind, config)
        shape = config.get("batch_shape", config.get("batch_input_shape"))
        if isinstance(shape, list) and kind == "InputLayer":
            self.shapes.setdefault((whole, 0), (_shape(_list(cast("object", shape))), _dtype(config)))
        return whole

    def _chain(self, names: list[str]) -> _Model:
        """A sequence: each layer takes what the one before it makes."""
        for before, after in pairwise(names):
            for source in self._outputs(before):
                self._feed(after, 0, source)
        if not names:
            return _Model()
        return _Model([(target, 0) for target in self._inputs(names[0])], self._outputs(names[-1]))

    def _connect(self, layer: dict[str, Any], name: str, prefix: str) -> None:
        for call in calls_of(layer.get("inbound_nodes")):
            for place, reference in enumerate(call):
                source = f"{prefix}/{reference.layer}" if prefix else reference.layer
                outputs = self._outputs(source)
                picked = outputs[reference.tensor] if source in self.models and reference.tensor < len(outputs) else None
                found = picked or ((source, reference.tensor) if source not in self.models else None)
                if found is None:
                    continue
                if reference.shape is not None:
                    self.shapes.setdefault(found, (_shape(reference.shape), reference.dtype))
                self._feed(name, place, found)

    def _feed(self, target: str, place: int, source: tuple[str, int]) -> None:
        """Adds an edge; of a model, to the input at that place."""
        inputs = self._inputs(target)
        if not inputs:
            return
        layer = self.layers.get(inputs[min(place, len(inputs) - 1)])
        if layer is not None:
            layer.inputs.append(source)

    def _inputs(self, name: str) -> list[str]:
        return [target for target, _ in self.models[name].inputs] if name in self.models else [name]

    def _outputs(self, name: str) -> list[tuple[str, int]]:
        return self.models[name].outputs if name in self.models else [(name, 0)]

    def _ends(self, listed: object, prefix: str, *, of_input: bool = False) -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        for reference in references_in(listed):
            name = f"{prefix}/{reference.layer}" if prefix else reference.layer
            if name in self.models:
                ends = self.models[name].inputs if of_input else self.models[name].outputs
                found.extend(ends[reference.tensor : reference.tensor + 1])
            else:
                found.append((name, reference.tensor))
        return found


def read_model(content: StoredBytes, name: str) -> GraphSet:
    """The layers of a model. Raises BadInput, TooMuch or OSError."""
    model = _parsed(content, name)
    config = _dict(model.get("config"))
    kind = str(model.get("class_name") or "Model")
    reader = _Reader()
    notes: list[Note] = []
    if isinstance(config.get(_LAYERS), list):
        reader.add_model(config, "", kind == "Sequential", 0)
    else:
        title = str(config.get("name") or kind)
        reader.layers[title] = _Layer(title, kind, config)
        text = f"{kind} is a subclassed model, whose JSON does not contain its layers; log its operations with a graph instead."
        notes.append(Note("info", "no_layers", text))
    if reader.too_deep:
        notes.append(Note("warning", "too_deep", f"Models nested more than {DEEPEST} levels deep are not shown."))
    graph = _graph(reader)
    dangling = int((graph.input < 0).sum())
    if dangling:
        text = f"{dangling:,} inputs name a layer that the model does not contain; these edges are not shown."
        notes.append(Note("warning", "dangling_inputs", text))
    return GraphSet((graph,), tuple(notes), lambda graph, row: _attributes(reader.layers.get(graph.text(graph.node, row))))


def _parsed(content: StoredBytes, name: str) -> dict[str, Any]:
    if content.length > MOST_BYTES:
        raise TooMuch(f"The JSON of a Keras model can have up to {MOST_BYTES >> 20} MiB.", "graph_too_large")
    try:
        model: object = json.loads(content.read(0, content.length))
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"{name or 'The model'} is not valid JSON; save it again with model.to_json().", "bad_graph") from problem
    if not isinstance(model, dict):
        raise BadInput(f"{name or 'The model'} is not a Keras model; save it with model.to_json().", "bad_graph")
    return _dict(cast("object", model))


def _graph(reader: _Reader) -> Graph:
    nodes: NodeList = GraphBuilder().graph("", GraphKind.LAYERS)
    for layer in reader.layers.values():
        outputs = list(_outputs_of(reader, layer.name))
        shapes = "; ".join(shape for shape, _ in outputs)
        dtypes = "; ".join(dtype for _, dtype in outputs) or _dtype(layer.config)
        nodes.add(layer.name, layer.kind, layer.inputs, shapes=shapes, dtypes=dtypes)
    return nodes.finish()


def _outputs_of(reader: _Reader, name: str) -> Iterator[tuple[str, str]]:
    port = 0
    while (known := reader.shapes.get((name, port))) is not None:
        yield known
        port += 1


def _attributes(layer: _Layer | None) -> tuple[NodeAttribute, ...]:
    if layer is None:
        return ()
    return tuple(
        NodeAttribute(str(key), value if isinstance(value, str) else json.dumps(value)[:_LONGEST])
        for key, value in sorted(layer.config.items())
    )


def _shape(sizes: list[Any]) -> str:
    return f"[{','.join('?' if size is None else str(size) for size in sizes)}]"


def _dtype(config: dict[str, Any]) -> str:
    dtype = config.get("dtype")
    if isinstance(dtype, dict):  # a policy
        dtype = _dict(_dict(cast("object", dtype)).get("config")).get("name")
    return dtype if isinstance(dtype, str) else ""


def _dict(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
