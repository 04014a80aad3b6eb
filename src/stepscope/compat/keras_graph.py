"""The conceptual graph of a Keras model: its JSON as the GraphDef that TensorBoard makes of it, with a node for each layer.

TensorBoard names layers by the models that they are in, finds inputs in what Keras 3 writes of each call, and connects layers of
sequential models one after the other. Inputs that it does not find, such as those of Keras 2, are missing here too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from stepscope.compat.graph_messages import enumerations
from stepscope.model.errors import NotThere
from stepscope.model.protobuf_bytes import integer, message, text

# Field numbers of TensorFlow's messages.
_NODE, _NAME, _INPUT, _ATTR, _KEY, _VALUE, _TEXT, _TYPE = 1, 1, 3, 5, 1, 2, 2, 6
_DEEPEST = 64
"""Models nested in models."""
_LAST_TYPE, _REFERENCES = 23, 100
"""TensorBoard knows element types up to uint64, and references to them."""
_OTHER_NAMES = {"half": "float16", "float": "float32", "double": "float64"}


@dataclass(slots=True)
class _Walk:
    """What is known after some layers, in the order in which they are listed."""

    nodes: list[bytes] = field(default_factory=list[bytes])
    before: str = ""
    """The last node: what a layer of a sequential model takes."""
    feeds: dict[str, str] = field(default_factory=dict[str, str])
    """What is fed into the input layers of nested models."""
    outputs: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The layers that make the outputs of each model."""


def keras_graph(model: bytes) -> bytes:
    """A GraphDef of the layers of a model's JSON. Raises NotThere where it is none."""
    try:
        parsed: object = json.loads(model)
        walk = _Walk()
        _add(walk, _dict(parsed), "", 0)
    except (ValueError, RecursionError) as problem:
        raise NotThere("The value is no Keras model in JSON.", "bad_graph") from problem
    return b"".join(message(_NODE, node) for node in walk.nodes)


def _add(walk: _Walk, layer: dict[str, Any], scope: str, depth: int) -> None:
    config = _dict(layer.get("config"))
    name = _within(scope, config.get("name"))
    if config.get("layers") is None:
        _add_node(walk, layer, config, scope, name)
        return
    layers = [_dict(one) for one in _list(config["layers"])]
    if not layers or depth >= _DEEPEST:
        raise ValueError("a model without layers, or nested too deeply")
    _connect_model(walk, layer, config, scope, name)
    for one in layers:
        _add(walk, one, name, depth + 1)


def _connect_model(walk: _Walk, layer: dict[str, Any], config: dict[str, Any], scope: str, name: str) -> None:
    """Notes where a model's inputs come from and which layers make its outputs."""
    takes, gives = _list(config.get("input_layers")), _list(config.get("output_layers"))
    calls = _calls(layer)
    if takes and gives:
        sources = [_within(scope, call[0]) for call in calls] or [walk.before] * bool(walk.before)
        walk.feeds.update({_within(name, target): source for target, source in zip(takes, sources, strict=False)})
        ends = [_list(end) for end in gives] if isinstance(gives[0], list) else [gives]
        walk.outputs[name] = [_within(name, end[0]) for end in ends if end]
        return
    if calls:
        walk.before = _within(scope, calls[0][0])
    last = _dict(_dict(_list(config["layers"])[-1]).get("config"))
    walk.outputs[name] = [_within(name, last.get("name"))]


def _add_node(walk: _Walk, layer: dict[str, Any], config: dict[str, Any], scope: str, name: str) -> None:
    inputs: list[str] = []
    if layer.get("inbound_nodes") is not None:
        for source, output in _calls(layer):
            made = walk.outputs.get(_within(scope, source)) or [_within(scope, source)]
            inputs.append(made[min(output, len(made) - 1)])
    elif walk.before:
        inputs.append(walk.before)
    if name in walk.feeds:
        inputs.append(walk.feeds[name])
    attributes = b""
    if layer.get("class_name") is not None:
        attributes += _attribute("keras_class", text(_TEXT, str(layer["class_name"])))
    dtype = _dtype(config.get("dtype"))
    if dtype is not None:
        attributes += _attribute("dtype", integer(_TYPE, dtype))
    walk.nodes.append(text(_NAME, name) + b"".join(text(_INPUT, one) for one in inputs) + attributes)
    walk.before = name


def _calls(layer: dict[str, Any]) -> list[tuple[str, int]]:
    """The layers that a layer is called on and which of their outputs, of all calls, as Keras 3 writes them."""
    found: list[tuple[str, int]] = []
    for call in _list(layer.get("inbound_nodes")):
        for argument in _list(_dict(call).get("args")):
            for tensor in _list(cast("object", argument)) if isinstance(argument, list) else [argument]:
                history = _list(_dict(_dict(tensor).get("config")).get("keras_history"))
                if len(history) >= 3 and isinstance(history[2], int):
                    found.append((str(history[0]), max(0, history[2])))
    return found


def _attribute(key: str, value: bytes) -> bytes:
    return message(_ATTR, text(_KEY, key), message(_VALUE, value))


def _dtype(written: object) -> int | None:
    """The number of an element type, written by its name or as the policy of that name; None when TensorBoard has none for it."""
    policy = _dict(written)
    name = _dict(policy.get("config")).get("name") if "config" in policy else written
    return _types().get(_OTHER_NAMES.get(name, name)) if isinstance(name, str) else None


@cache
def _types() -> dict[str, int]:
    found: dict[str, int] = {}
    for number, name in enumerations()["DataType"].items():
        if 1 <= number % _REFERENCES <= _LAST_TYPE:
            plain, _, reference = name.removeprefix("DT_").lower().partition("_")
            found[_OTHER_NAMES.get(plain, plain) + ("_ref" if reference else "")] = number
    return found


def _within(scope: str, name: object) -> str:
    return f"{scope}/{name}" if scope else str(name)


def _dict(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
