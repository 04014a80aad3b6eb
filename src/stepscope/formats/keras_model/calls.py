"""Where a layer's inputs come from, as Keras 2 and Keras 3 write it in a layer's inbound nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

_DEEPEST = 64
_TENSOR = "__keras_tensor__"


@dataclass(frozen=True, slots=True)
class Reference:
    """One output of one call of a layer."""

    layer: str
    tensor: int
    shape: list[Any] | None = None
    dtype: str = ""


def calls_of(inbound_nodes: object) -> list[list[Reference]]:
    """The inputs of each call of a layer, in their order."""
    if isinstance(inbound_nodes, list):
        return [list(references_in(call)) for call in cast("list[Any]", inbound_nodes)]
    return [list(references_in(inbound_nodes))]


def references_in(value: object, depth: int = 0) -> Iterator[Reference]:
    """Every reference in a structure of lists and objects: `[layer, node, tensor]`, or a Keras 3 tensor with its history."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        written = cast("dict[str, Any]", value)
        if written.get("class_name") == _TENSOR and isinstance(written.get("config"), dict):
            yield from _tensor(written["config"])
            return
        for each in written.values():
            yield from references_in(each, depth + 1)
    elif isinstance(value, list | tuple):
        listed = list(cast("list[Any]", value))
        if _is_reference(listed):
            yield Reference(listed[0], max(0, listed[2]))
            yield from references_in(listed[3:], depth + 1)  # what else the call was given
            return
        for each in listed:
            yield from references_in(each, depth + 1)


def _is_reference(listed: list[Any]) -> bool:
    """A layer's name and two numbers, and in Keras 2 the call's other arguments."""
    if not 3 <= len(listed) <= 4 or not isinstance(listed[0], str):
        return False
    numbers_follow = all(isinstance(each, int) and not isinstance(each, bool) for each in listed[1:3])
    return numbers_follow and (len(listed) == 3 or isinstance(listed[3], dict))


def _tensor(config: dict[str, Any]) -> Iterator[Reference]:
    history, shape, dtype = (config.get(key) for key in ("keras_history", "shape", "dtype"))
    if not isinstance(history, list):
        return
    listed = cast("list[Any]", history)
    if _is_reference(listed[:3]):
        sizes = cast("list[Any]", shape) if isinstance(shape, list) else None
        yield Reference(listed[0], max(0, listed[2]), sizes, dtype if isinstance(dtype, str) else "")
