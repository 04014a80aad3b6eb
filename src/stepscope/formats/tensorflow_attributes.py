"""The attributes of one NodeDef as text: small values in full, the size of large ones, which are not read."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from stepscope._native import WIRE
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.model.graph import Graph, NodeAttribute
from stepscope.model.protobuf_fields import BadMessage, Field, Place, fields, numbers, places

MOST_ATTRIBUTES = 1_000
_SMALL = 64 << 10
"""Bytes of an attribute that is read."""
_HEAD = 4 << 10
"""Bytes of a large constant that are read for its type and shape."""
_LONGEST = 2_000
"""Letters of a value that are shown."""
_MOST_VALUES = 16
"""Values of a list or a constant that are shown."""

DTYPES = {
    1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 7: "string", 8: "complex64", 9: "int64", 10: "bool",
    11: "qint8", 12: "quint8", 13: "qint32", 14: "bfloat16", 15: "qint16", 16: "quint16", 17: "uint16", 18: "complex128",
    19: "float16", 20: "resource", 21: "variant", 22: "uint32", 23: "uint64", 24: "float8_e5m2", 25: "float8_e4m3fn", 29: "int4",
    30: "uint4",
}  # fmt: skip
"""TensorFlow's numbers of element types."""
_PACKED = {1: "f", 2: "d", 3: "i", 4: "B", 5: "h", 6: "b", 9: "q", 10: "?", 17: "H", 19: "e", 22: "I", 23: "Q"}


def node_attributes(content: StoredBytes, graph: Graph, row: int) -> tuple[NodeAttribute, ...]:
    """The attributes of a node, by key. Raises OSError."""
    start, size = int(graph.offset[row]), int(graph.size[row])
    if not size:
        return ()
    found: list[NodeAttribute] = []
    try:
        for place in places(content.windowed(), start, start + size):
            if place.id == WIRE["NodeDef"]["attr"] and place.is_bytes and len(found) < MOST_ATTRIBUTES:
                found.append(_entry(content, place))
    except BadMessage:
        pass  # the graph itself has a note on the damage
    return tuple(sorted(found, key=lambda one: one.key))


def dtype_name(number: int) -> str:
    """`float32`; a reference to a variable has the type of its value."""
    return DTYPES.get(number - 100 if number > 100 else number, f"type {number}")


def shape_text(message: bytes) -> str:
    """`[?,28,28]`, as the native core writes it; `?` when not even the number of dimensions is known."""
    known, size = WIRE["TensorShape"], WIRE["Dim"]["size"]
    sizes: list[str] = []
    for each in fields(message):
        if each.id == known["unknown_rank"] and each.number:
            return "?"
        if each.id == known["dim"]:
            inside = [part.signed for part in fields(each.data) if part.id == size]
            sizes.append("?" if inside and inside[-1] < 0 else str(inside[-1] if inside else 0))
    return f"[{','.join(sizes)}]"


def _entry(content: StoredBytes, place: Place) -> NodeAttribute:
    wanted = WIRE["NodeAttr"]
    if place.size <= _SMALL:
        inside = {field.id: field for field in fields(content.read(place.start, place.size))}
        key = inside.get(wanted["key"], Field(0)).text
        value = inside.get(wanted["value"], Field(0)).data
        return NodeAttribute(key[:_LONGEST], _value(value)[:_LONGEST])
    key, text, size = "", "", place.size
    for each in places(content.read, place.start, place.start + place.size):
        if each.id == wanted["key"]:
            key = content.read(each.start, min(each.size, _LONGEST)).decode("utf-8", "replace")
        elif each.id == wanted["value"]:
            text, size = _large_value(content, each), each.size
    return NodeAttribute(key, text, size)


def _large_value(content: StoredBytes, value: Place) -> str:
    """Type and shape of a large constant; nothing of other large values."""
    known = WIRE["TensorProto"]
    for each in places(content.read, value.start, value.start + value.size):
        if each.id != WIRE["AttrValue"]["tensor"] or not each.is_bytes:
            continue
        dtype, shape = "", "[]"
        for part in _until_cut(content.read(each.start, _HEAD)):
            if part.id == known["dtype"]:
                dtype = dtype_name(part.number)
            elif part.id == known["tensor_shape"]:
                shape = shape_text(part.data)
        return f"{dtype} {shape}".strip()
    return ""


def _until_cut(head: bytes) -> Iterator[Field]:
    """The fields of a message of which only the beginning is there: its values follow its type and shape."""
    try:
        yield from fields(head)
    except BadMessage:
        return


def _value(message: bytes) -> str:
    known = WIRE["AttrValue"]
    for each in fields(message):
        if each.id == known["list"]:
            return _list(each.data)
        name = next((name for name, number in known.items() if number == each.id), "")
        if name in _SCALARS:
            return _SCALARS[name](each)
    return ""


def _list(message: bytes) -> str:
    known = {number: name for name, number in WIRE["AttrList"].items()}
    found: list[str] = []
    for each in fields(message):
        found.extend(_items(known.get(each.id, ""), each))
        if len(found) > _MOST_VALUES:
            return f"[{', '.join(found[:_MOST_VALUES])}, …]"
    return f"[{', '.join(found)}]"


def _items(name: str, each: Field) -> Iterator[str]:
    if name in {"i", "b", "type"} and each.is_bytes:
        yield from (_SCALARS[name](Field(0, number)) for number in numbers(each)[: _MOST_VALUES + 1])
    elif name == "f" and each.is_bytes:
        packed = each.data[: 4 * (_MOST_VALUES + 1)]
        yield from (f"{value:g}" for (value,) in struct.iter_unpack("<f", packed[: len(packed) // 4 * 4]))
    elif name in _SCALARS:
        yield _SCALARS[name](each)


def _tensor(message: bytes) -> str:
    known = WIRE["TensorProto"]
    dtype, shape, values = 0, "[]", list[str]()
    for each in fields(message):
        if each.id == known["dtype"]:
            dtype = each.number
        elif each.id == known["tensor_shape"]:
            shape = shape_text(each.data)
        elif len(values) <= _MOST_VALUES:
            values.extend(_tensor_values(each, dtype))
    shown = ", ".join(values[:_MOST_VALUES]) + (", …" if len(values) > _MOST_VALUES else "")
    return f"{dtype_name(dtype)} {shape}" + (f" = {shown}" if shown else "")


def _tensor_values(each: Field, dtype: int) -> Iterator[str]:
    known = WIRE["TensorProto"]
    letter = _PACKED.get(dtype)
    if each.id == known["tensor_content"] and letter:
        size = struct.calcsize(letter)
        packed = each.data[: size * (_MOST_VALUES + 1)]
        yield from (f"{value:g}" for (value,) in struct.iter_unpack(f"<{letter}", packed[: len(packed) // size * size]))
    elif each.id == known["string_val"]:
        yield repr(each.text[:100])
    elif each.id in {known["float_val"], known["double_val"]} and each.is_bytes:
        form = "<f" if each.id == known["float_val"] else "<d"
        size = struct.calcsize(form)
        packed = each.data[: size * (_MOST_VALUES + 1)]
        yield from (f"{value:g}" for (value,) in struct.iter_unpack(form, packed[: len(packed) // size * size]))
    elif each.id in {known["int_val"], known["int64_val"], known["bool_val"], known["uint32_val"], known["uint64_val"]}:
        yield from (str(number) for number in numbers(each)[: _MOST_VALUES + 1])


def _float(field: Field) -> str:
    return f"{struct.unpack('<f', struct.pack('<I', field.number & 0xFFFFFFFF))[0]:g}"


def _function(message: bytes) -> str:
    return next((each.text for each in fields(message) if each.id == WIRE["NameAttrList"]["name"]), "")


_SCALARS: dict[str, Callable[[Field], str]] = {
    "s": lambda field: field.text,
    "i": lambda field: str(field.signed),
    "f": _float,
    "b": lambda field: "true" if field.number else "false",
    "type": lambda field: dtype_name(field.number),
    "shape": lambda field: shape_text(field.data),
    "tensor": lambda field: _tensor(field.data),
    "placeholder": lambda field: field.text,
    "func": lambda field: _function(field.data),
}
