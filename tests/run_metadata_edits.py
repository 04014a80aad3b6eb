"""Changes RunMetadata and GraphDefs that TensorFlow wrote: takes events or graphs away, and gives every node another name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from stepscope.model.protobuf_fields import Field, fields

Edit = Callable[[tuple[int, ...], bytes], bytes | None]
"""What is written in the place of the bytes at a path of field numbers; None to leave them out."""

STATS, LABEL, NAME, PARTITION, NODE, INPUT = (1, 1, 2), (1, 1, 2, 8), (1, 1, 2, 1), (3,), (3, 1), (3, 1, 3)
_MESSAGES = {(1,), (1, 1), STATS, PARTITION, NODE}


def edited(data: bytes, edit: Edit, messages: set[tuple[int, ...]] | None = None, path: tuple[int, ...] = ()) -> bytes:
    """The message with every part edited, the inner ones first."""
    made = bytearray()
    for each in fields(data):
        at = (*path, each.id)
        if not each.is_bytes:
            made += _number(each)
            continue
        inside = edited(each.data, edit, messages, at) if at in (messages or _MESSAGES) else each.data
        changed = edit(at, inside)
        if changed is not None:
            made += _varint(each.id << 3 | 2) + _varint(len(changed)) + changed
    return bytes(made)


def without_event(data: bytes, name: str) -> bytes:
    """A step in which the event of a node is missing."""
    return edited(data, lambda at, part: None if at == STATS and next(fields(part)).text == name else part)


def without_partitions(data: bytes) -> bytes:
    """A step without the executed graphs."""
    return edited(data, lambda at, part: None if at == PARTITION else part)


def hashed(name: str) -> str:
    """Another name of the same node; what is no name stays."""
    return f"n{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def with_hashed_names(data: bytes) -> bytes:
    """A step in which every node has another name."""

    def edit(at: tuple[int, ...], part: bytes) -> bytes:
        if at in {NAME, (3, 1, 1)}:
            return hashed(part.decode()).encode()
        if at == INPUT:
            return _input(part.decode()).encode()
        return _label(part.decode()).encode() if at == LABEL else part

    return edited(data, edit)


def graph_with_hashed_names(data: bytes) -> bytes:
    """A GraphDef in which every node has another name."""

    def edit(at: tuple[int, ...], part: bytes) -> bytes:
        if at == (1, 1):
            return hashed(part.decode()).encode()
        return _input(part.decode()).encode() if at == (1, 3) else part

    return edited(data, edit, {(1,)})


def _input(text: str) -> str:
    mark, name, port = re.fullmatch(r"(\^?)([^:]*)(:\d+)?", text).groups()  # type: ignore[union-attr]
    return f"{mark}{hashed(name)}{port or ''}"


def _label(text: str) -> str:
    found = re.fullmatch(r"(\[[^\]]*\] )?(\S+) = (\w+)\((.*)\)", text)
    if found is None:
        return text
    memory, name, op, inputs = found.groups()
    return f"{memory or ''}{hashed(name)} = {op}({', '.join(_input(each) for each in inputs.split(', ') if each)})"


def _number(each: Field) -> bytes:
    """All numbers of these messages are varints."""
    return _varint(each.id << 3) + _varint(each.number)


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)
