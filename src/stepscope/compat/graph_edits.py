"""Changes to graphs before they are sent: several functions as one graph, and attributes that are too large left out."""

from __future__ import annotations

from collections.abc import Callable

from stepscope.model.protobuf_bytes import message, varint
from stepscope.model.protobuf_fields import Field, fields

# Field numbers of TensorFlow's messages.
_NODE, _LIBRARY, _VERSIONS, _PRODUCER = 1, 2, 4, 1
_NAME, _OP, _INPUT, _ATTR = 1, 2, 3, 5
_FUNCTION, _GRADIENT, _SIGNATURE = 1, 2, 1
_KEY, _VALUE, _FUNC, _LIST, _STRINGS = 1, 2, 10, 1, 2
_FUNCTION_GRAPHS, _BEFORE_OPTIMIZATION = 4, 2
_CALL = b"PartitionedCall"

Edit = Callable[[Field], bytes | None]
"""The bytes of a changed field, with its key; None when it stays as it is."""


def function_graphs(run_metadata: bytes) -> bytes:
    """The graphs of all functions, as they were before optimization, as one; of several, names get the number of theirs in front."""
    found = [
        inner.data
        for outer in fields(run_metadata)
        if outer.id == _FUNCTION_GRAPHS
        for inner in fields(outer.data)
        if inner.id == _BEFORE_OPTIMIZATION
    ]
    if len(found) <= 1:
        return found[0] if found else b""
    versions = [next((one.data for one in fields(graph) if one.id == _VERSIONS), b"") for graph in found]
    nodes: list[bytes] = []
    library: list[bytes] = []
    for number, graph in enumerate(found, 1):
        for one in fields(graph):
            if one.id == _NODE:
                nodes.append(message(_NODE, _renamed_node(one.data, f"graph_{number}".encode())))
            elif one.id == _LIBRARY:
                library.append(_renamed_library(one.data, f"graph_{number}_".encode()))
    shared = message(_VERSIONS, versions[0]) if any(one.id == _PRODUCER for one in fields(versions[0])) else b""
    functions = b"".join(library)
    return b"".join([*nodes, message(_LIBRARY, functions) if functions else b"", shared])


def without_large_attributes(graph: bytes, limit: int, key: str) -> bytes:
    """Attributes of nodes that take more bytes are replaced by a list of their names, under that key."""

    def edit(one: Field) -> bytes | None:
        return message(_NODE, _small_node(one.data, limit, key.encode())) if one.id == _NODE else None

    return _edited(graph, edit)


def _small_node(node: bytes, limit: int, key: bytes) -> bytes:
    large: list[bytes] = []

    def edit(one: Field) -> bytes | None:
        if one.id != _ATTR:
            return None
        entry = {part.id: part.data for part in fields(one.data)}
        if len(entry.get(_VALUE, b"")) <= limit:
            return None
        large.append(entry.get(_KEY, b""))
        return b""

    kept = _edited(node, edit)
    if not large:
        return kept
    names = message(_LIST, b"".join(message(_STRINGS, name) for name in large))
    return kept + message(_ATTR, message(_KEY, key) + message(_VALUE, names))


def _renamed_node(node: bytes, prefix: bytes) -> bytes:
    is_call = any(one.id == _OP and one.data == _CALL for one in fields(node))

    def edit(one: Field) -> bytes | None:
        if one.id in (_NAME, _INPUT):
            return message(one.id, prefix + b"/" + one.data)
        if one.id == _ATTR and is_call and any(part.id == _KEY and part.data == b"f" for part in fields(one.data)):
            return message(_ATTR, _edited(one.data, lambda part: _renamed_call(part, prefix + b"_")))
        return None

    return _edited(node, edit)


def _renamed_call(part: Field, prefix: bytes) -> bytes | None:
    if part.id != _VALUE:
        return None

    def edit(one: Field) -> bytes | None:
        return message(_FUNC, _with_prefix(one.data, prefix, (_NAME,))) if one.id == _FUNC else None

    return message(_VALUE, _edited(part.data, edit))


def _renamed_library(library: bytes, prefix: bytes) -> bytes:
    def in_function(one: Field) -> bytes | None:
        return message(_SIGNATURE, _with_prefix(one.data, prefix, (_NAME,))) if one.id == _SIGNATURE else None

    def edit(one: Field) -> bytes | None:
        if one.id == _FUNCTION:
            return message(_FUNCTION, _edited(one.data, in_function))
        return message(_GRADIENT, _with_prefix(one.data, prefix, (1, 2))) if one.id == _GRADIENT else b""

    return _edited(library, edit)


def _with_prefix(whole: bytes, prefix: bytes, ids: tuple[int, ...]) -> bytes:
    return _edited(whole, lambda one: message(one.id, prefix + one.data) if one.id in ids else None)


def _edited(whole: bytes, edit: Edit) -> bytes:
    """The message with some fields changed; the others keep their bytes. Raises BadMessage."""
    out: list[bytes] = []
    for one in fields(whole):
        changed = edit(one)
        out.append(_kept(one) if changed is None else changed)
    return b"".join(out)


def _kept(one: Field) -> bytes:
    """As it was: the messages that are edited have no numbers of fixed size."""
    if one.is_bytes:
        return message(one.id, one.data)
    return varint(one.id << 3) + varint(one.number)
