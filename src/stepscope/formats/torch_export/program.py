"""What is read of an exported program's JSON: its graph and signature, in the words of torch's schema; other keys are ignored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from msgspec import Struct, field

Argument = dict[str, Any]
"""One key, such as `as_tensor` or `as_int`, with the value."""

_VALUES = frozenset(
    {
        "as_tensor", "as_tensors", "as_optional_tensor", "as_optional_tensors", "as_nested_tensors", "as_sym_int", "as_sym_ints",
        "as_sym_bool", "as_sym_bools", "as_sym_float", "as_sym_floats", "as_custom_obj", "as_token",
    }
)  # fmt: skip
"""Arguments that name values which other nodes make."""
_DEEPEST = 8


class TensorMeta(Struct, frozen=True):
    """Type, sizes and device of a tensor."""

    dtype: int = 0
    sizes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    device: dict[str, Any] = field(default_factory=dict[str, Any])


class NamedArgument(Struct, frozen=True):
    """One input of a node."""

    name: str
    arg: Argument


class Node(Struct, frozen=True):
    """One call of an operator."""

    target: str
    inputs: list[NamedArgument] = field(default_factory=list[NamedArgument])
    outputs: list[Argument] = field(default_factory=list[Argument])
    metadata: dict[str, str] = field(default_factory=dict[str, str])
    name: str | None = None


class ProgramGraph(Struct, frozen=True):
    """The calls, with the values that go in and out."""

    inputs: list[Argument]
    outputs: list[Argument]
    nodes: list[Node]
    tensor_values: dict[str, TensorMeta] = field(default_factory=dict[str, TensorMeta])


class Signature(Struct, frozen=True):
    """What the inputs and outputs of the graph are, in their order: each has one key with what belongs to it."""

    input_specs: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    output_specs: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


class GraphModule(Struct, frozen=True):
    """The graph and its signature."""

    graph: ProgramGraph
    signature: Signature = field(default_factory=Signature)


class Program(Struct, frozen=True):
    """All of it."""

    graph_module: GraphModule


def values_in(argument: Argument) -> Iterator[str]:
    """Names of the values that an argument refers to, in their order; empty for one that is None."""
    for key, value in argument.items():
        if key in _VALUES:
            yield from _names(value, 0)
        elif key == "as_none":
            yield ""
        elif key == "as_string_to_argument" and isinstance(value, dict):
            for each in cast("dict[str, Any]", value).values():
                if isinstance(each, dict):
                    yield from values_in(cast("Argument", each))


def _names(value: object, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _names(each, depth + 1)
    elif isinstance(value, dict):
        known = cast("dict[str, Any]", value)
        name = known.get("name", known.get("as_name"))
        if isinstance(name, str):
            yield name
        elif "as_none" in known:
            yield ""
        elif "as_tensor" in known:
            yield from _names(known["as_tensor"], depth + 1)


def is_value(argument: Argument) -> bool:
    """Whether an argument refers to values rather than being one."""
    return any(key in _VALUES for key in argument)
