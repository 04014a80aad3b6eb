"""Prints messages of graphs in protobuf's text format, as clients of TensorBoard read them; unknown fields are left out."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator

from stepscope.compat.graph_messages import FieldType, enumerations, messages
from stepscope.model.protobuf_fields import BadMessage, Field, fields

_DEEPEST = 100
_ESCAPES = {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t", ord('"'): '\\"', ord("'"): "\\'", ord("\\"): "\\\\"}
_FLOATS = {"float": ("<I", "<f", (6, 9)), "double": ("<Q", "<d", (15, 17))}
_FIXED = {"float": 4, "double": 8, "fixed32": 4, "fixed64": 8}
_PLAIN = frozenset({"int", "uint", "bool", "string", "bytes", *_FIXED})

Value = int | bytes
"""What a field has: a number as it is on the wire, or bytes."""


def proto_text(data: bytes, message: str, indent: int = 0) -> Iterator[str]:
    """The lines of a message. Raises BadMessage where it is none."""
    if indent > _DEEPEST:
        raise BadMessage("messages are nested too deeply")
    known = messages()[message]
    found = _by_number(data, known)
    for number, type_ in known.items():
        values = found.get(number)
        if not values:
            continue
        if type_.is_map:
            yield from _map(type_, values, indent)
        else:
            for value in values if type_.is_list else values[-1:]:
                yield from _field(type_, value, indent)


def _by_number(data: bytes, known: dict[int, FieldType]) -> dict[int, list[Value]]:
    found: dict[int, list[Value]] = {}
    for one in fields(data):
        type_ = known.get(one.id)
        if type_ is None:
            continue
        values = found.setdefault(one.id, [])
        is_number = type_.is_enum or (type_.type in _PLAIN and type_.type not in ("string", "bytes"))
        if is_number and one.is_bytes and type_.is_list:
            values.extend(_packed(type_, one.data))
        elif is_number != one.is_bytes:
            values.append(one.data if one.is_bytes else one.number)
    return found


def _packed(type_: FieldType, data: bytes) -> Iterator[int]:
    size = _FIXED.get(type_.type)
    if size is not None:
        yield from (number for (number,) in struct.iter_unpack("<I" if size == 4 else "<Q", data[: len(data) // size * size]))
        return
    # A packed list is a message of numbers without keys; with keys the reader of fields takes them.
    place = 0
    while place < len(data):
        end = place
        while end < len(data) and data[end] & 0x80:
            end += 1
        one: Field = next(fields(b"\x08" + data[place : end + 1]))
        yield one.number
        place = end + 1


def _map(type_: FieldType, values: list[Value], indent: int) -> Iterator[str]:
    """Entries by key, with both key and value; of one key the last counts."""
    known = messages()[type_.type]
    entries: dict[Value, bytes] = {}
    for value in values:
        if isinstance(value, bytes):
            entry = _by_number(value, known)
            entries[entry.get(1, [b"" if known[1].type == "string" else 0])[-1]] = value
    space = "  " * indent
    for key in sorted(entries):
        entry = _by_number(entries[key], known)
        yield f"{space}{type_.name} {{\n"
        yield from _always(known[1], key, indent + 1)
        missing: Value = b"" if known[2].type not in _PLAIN or known[2].type in ("string", "bytes") else 0
        yield from _always(known[2], entry.get(2, [missing])[-1], indent + 1)
        yield f"{space}}}\n"


def _field(type_: FieldType, value: Value, indent: int) -> Iterator[str]:
    """A field unless it has the value that it has by default."""
    is_message = not type_.is_enum and type_.type not in _PLAIN
    if type_.is_list or type_.is_always or is_message or value not in (0, b""):
        yield from _always(type_, value, indent)


def _always(type_: FieldType, value: Value, indent: int) -> Iterator[str]:
    space = "  " * indent
    if isinstance(value, int):
        yield f"{space}{type_.name}: {_number(type_, value)}\n"
    elif type_.type in ("string", "bytes"):
        yield f'{space}{type_.name}: "{_escaped(value, type_.type == "bytes")}"\n'
    else:
        yield f"{space}{type_.name} {{\n"
        yield from proto_text(value, type_.type, indent + 1)
        yield f"{space}}}\n"


def _number(type_: FieldType, value: int) -> str:
    signed = value - (1 << 64) if value >= 1 << 63 else value
    if type_.is_enum:
        return enumerations()[type_.type].get(signed, str(signed))
    if type_.type == "bool":
        return "true" if value else "false"
    if type_.type in _FLOATS:
        return _float(type_.type, value)
    return str(signed if type_.type == "int" else value)


def _float(kind: str, bits: int) -> str:
    """With as many digits as are needed to get the same number again, of two possible counts."""
    whole, real, digits = _FLOATS[kind]
    (number,) = struct.unpack(real, struct.pack(whole, bits & ((1 << 8 * struct.calcsize(whole)) - 1)))
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    short = f"{number:.{digits[0]}g}"
    same = struct.unpack(real, struct.pack(real, float(short)))[0] == number
    return short if same else f"{number:.{digits[1]}g}"


def _escaped(data: bytes, is_bytes: bool) -> str:
    """Text stays as it is where it can be printed; bytes that cannot are written in octal digits."""
    if not is_bytes:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            return _escaped(data, True)
        return "".join(_ESCAPES.get(ord(one)) or (f"\\{ord(one):03o}" if ord(one) < 32 or ord(one) == 127 else one) for one in text)
    return "".join(_ESCAPES.get(one) or (chr(one) if 32 <= one < 127 else f"\\{one:03o}") for one in data)
