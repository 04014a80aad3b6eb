"""The graph of an ONNX file, read field by field: weights are stepped over, and the onnx package is not needed."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, NamedTuple

from stepscope._native import WIRE
from stepscope.model.regular_files import open_regular
from stepscope.writer.graph import GraphNode, shape_attribute, text_attribute, type_attribute

MOST_NODE_BYTES = 64 << 20
MOST_TENSOR_BYTES = 1 << 12
"""Larger constants are shown without their values."""

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10
_WRAP = 1 << 64


class _Field(NamedTuple):
    number: int
    value: Any
    """An int, or bytes; of eight or four bytes for a fixed number."""


def onnx_nodes(path: str | os.PathLike[str]) -> list[GraphNode]:
    """The nodes that torch would write for the file: its inputs, outputs and operations."""
    try:
        with open_regular(path) as file:
            graph = _open_graph(file, os.fstat(file.fileno()).st_size)
            if graph is None:
                raise ValueError("it contains no graph")
            return _nodes_of(file, *graph)
    except (ValueError, TypeError, AttributeError, IndexError, struct.error) as error:
        raise ValueError(f"Give an ONNX model; {os.fspath(path)} is not one, or is corrupt ({error}).") from error


def _open_graph(file: BinaryIO, end: int) -> tuple[int, int] | None:
    """Where in the file the graph begins and ends."""
    found: tuple[int, int] | None = None
    for number, size in _fields_on_disk(file, end):
        if number == WIRE["OnnxModel"]["graph"] and size is not None:
            found = (file.tell(), file.tell() + size)
    return found


def _nodes_of(file: BinaryIO, begin: int, end: int) -> list[GraphNode]:
    wanted = WIRE["OnnxGraph"]
    variables: dict[int, list[GraphNode]] = {wanted["input"]: [], wanted["output"]: []}
    read = {wanted["node"], *variables}
    operations: list[GraphNode] = []
    file.seek(begin)
    for number, size in _fields_on_disk(file, end):
        if size is None or number not in read:
            continue
        if size > MOST_NODE_BYTES:
            raise ValueError("one of its nodes is too large")
        fields = list(_fields(file.read(size)))
        if number == wanted["node"]:
            operations.append(_operation(fields))
        else:
            variables[number].append(_variable(fields))
    return [*variables[wanted["input"]], *variables[wanted["output"]], *operations]


def _fields_on_disk(file: BinaryIO, end: int) -> Iterator[tuple[int, int | None]]:
    """Number and size of each field; the file stands at its bytes, and they need not be read. Other numbers have no size."""
    while file.tell() < end:
        number, kind = divmod(_varint_of(lambda: file.read(1)), 8)
        if kind == _LENGTH:
            size = _varint_of(lambda: file.read(1))
            next_field = file.tell() + size
            if next_field > end:
                raise ValueError("it is truncated")
            yield number, size
            file.seek(next_field)
        elif kind == _VARINT:
            _varint_of(lambda: file.read(1))
            yield number, None
        elif kind in (_FIXED64, _FIXED32):
            file.seek(8 if kind == _FIXED64 else 4, os.SEEK_CUR)
            yield number, None
        else:
            raise ValueError("its fields are not valid")


def _varint_of(next_byte: Callable[[], bytes]) -> int:
    value = 0
    for place in range(_LONGEST_VARINT):
        byte = next_byte()
        if not byte:
            raise ValueError("it is truncated")
        value |= (byte[0] & 0x7F) << (7 * place)
        if byte[0] < 0x80:
            return value % _WRAP
    raise ValueError("its numbers are not valid")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number in memory, and where the next begins."""
    end = at
    while end < len(data) and data[end] >= 0x80:
        end += 1
    pieces = iter(range(at, end + 1))
    return _varint_of(lambda: data[(place := next(pieces)) : place + 1]), end + 1


def _fields(data: bytes) -> Iterator[_Field]:
    """The fields of a message in memory."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = divmod(key, 8)
        if kind == _VARINT:
            value, at = _varint(data, at)
            yield _Field(number, value)
            continue
        if kind not in (_LENGTH, _FIXED64, _FIXED32):
            raise ValueError("its fields are not valid")
        size, at = _varint(data, at) if kind == _LENGTH else (8 if kind == _FIXED64 else 4, at)
        if at + size > len(data):
            raise ValueError("it is truncated")
        yield _Field(number, data[at : at + size])
        at += size


def _all(fields: list[_Field], number: int) -> list[Any]:
    return [field.value for field in fields if field.number == number]


def _inside(fields: list[_Field], number: int) -> list[_Field]:
    """The fields of the last message with that number."""
    found = [value for value in _all(fields, number) if isinstance(value, bytes)]
    return list(_fields(found[-1])) if found else []


def _text(fields: list[_Field], number: int) -> str:
    found = _all(fields, number)
    return found[-1].decode("utf-8", "backslashreplace") if found and isinstance(found[-1], bytes) else ""


def _number(fields: list[_Field], number: int) -> int:
    found = _all(fields, number)
    return _signed(found[-1]) if found and isinstance(found[-1], int) else 0


def _signed(value: int) -> int:
    return value - _WRAP if value >= _WRAP >> 1 else value


def _variable(fields: list[_Field]) -> GraphNode:
    tensor = _inside(_inside(fields, WIRE["OnnxValueInfo"]["type"]), WIRE["OnnxType"]["tensor_type"])
    shape = _inside(tensor, WIRE["OnnxTensorType"]["shape"])
    dimensions = [list(_fields(each)) for each in _all(shape, WIRE["OnnxShape"]["dim"])]
    sizes = [_number(each, WIRE["OnnxDim"]["dim_value"]) for each in dimensions]
    attributes = {"dtype": type_attribute(_number(tensor, WIRE["OnnxTensorType"]["elem_type"])), "shape": shape_attribute(sizes)}
    return GraphNode(_text(fields, WIRE["OnnxValueInfo"]["name"]), "Variable", (), attributes)


def _operation(fields: list[_Field]) -> GraphNode:
    """Named by its first output, as edges name it."""
    names = WIRE["OnnxNode"]
    outputs = [value.decode("utf-8", "backslashreplace") for value in _all(fields, names["output"])]
    inputs = [value.decode("utf-8", "backslashreplace") for value in _all(fields, names["input"])]
    op = _text(fields, names["op_type"])
    parameters = ", ".join(_attribute(value) for value in _all(fields, names["attribute"]))
    return GraphNode(outputs[0] if outputs else op, op, inputs, {"parameters": text_attribute(parameters)})


def _attribute(data: bytes) -> str:
    """Name, value and type of a parameter, as torch writes them."""
    values = _by_name(data, "OnnxAttribute")
    return " = ".join(_SHOWN_ATTRIBUTE[name](each) for name, each in values.items())


def _by_name(data: bytes, message: str) -> dict[str, list[Any]]:
    """The values of each field that is known, in the order of the fields' numbers."""
    numbers = WIRE[message]
    fields = list(_fields(data))
    values = {name: _all(fields, number) for name, number in sorted(numbers.items(), key=lambda item: item[1])}
    return {name: found for name, found in values.items() if found}


def _last_text(values: list[Any]) -> str:
    return values[-1].decode("utf-8", "backslashreplace")


def _integers(values: list[Any]) -> list[int]:
    """Of a list, packed or not."""
    found: list[int] = []
    for value in values:
        if isinstance(value, int):
            found.append(_signed(value))
            continue
        at = 0
        while at < len(value):
            number, at = _varint(value, at)
            found.append(_signed(number))
    return found


def _floats(values: list[Any], form: str = "f") -> list[float]:
    return [number for value in values for (number,) in struct.iter_unpack(f"<{form}", value)]


def _count_graphs(values: list[Any]) -> str:
    """Torch writes them out whole, many pages for a loop."""
    return f"{len(values)} graphs" if len(values) != 1 else "a graph"


def _tensors(values: list[Any]) -> str:
    """In protobuf's text format, which is how torch shows a constant."""
    return "".join(_tensor(value) for value in values)


def _tensor(data: bytes) -> str:
    lines: list[str] = []
    for name, values in _by_name(data, "OnnxTensor").items():
        if name.endswith("_data") and sum(len(value) for value in values if isinstance(value, bytes)) > MOST_TENSOR_BYTES:
            lines.append(f"{name}: …")
        else:
            lines += [f"{name}: {text}" for text in _SHOWN_TENSOR.get(name, _quoted)(values)]
    return "".join(f"{line}\n" for line in lines)


def _quoted(values: list[Any]) -> list[str]:
    return [f'"{"".join(map(_escaped, value))}"' for value in values]


def _escaped(byte: int) -> str:
    return _ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")


def _short_floats(values: list[Any]) -> list[str]:
    """The fewest digits that are the same float of 32 bits."""
    return [next(text for digits in range(6, 18) if _same(text := f"{value:.{digits}g}", value)) for value in _floats(values)]


def _same(text: str, value: float) -> bool:
    return value != value or struct.pack("<f", float(text)) == struct.pack("<f", value)


_ESCAPES = {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t", ord('"'): '\\"', ord("'"): "\\'", ord("\\"): "\\\\"}
_SHOWN_ATTRIBUTE: dict[str, Callable[[list[Any]], str]] = {
    "name": _last_text,
    "f": lambda values: str(_floats(values)[-1]),
    "i": lambda values: str(_signed(values[-1])),
    "s": lambda values: str(values[-1]),
    "t": _tensors,
    "g": _count_graphs,
    "floats": lambda values: str(_floats(values)),
    "ints": lambda values: str(_integers(values)),
    "strings": str,
    "tensors": _tensors,
    "graphs": _count_graphs,
    "doc_string": _last_text,
    "type": lambda values: str(values[-1]),
    "ref_attr_name": _last_text,
}
_SHOWN_TENSOR: dict[str, Callable[[list[Any]], list[str]]] = {
    "dims": lambda values: [str(value) for value in _integers(values)],
    "data_type": lambda values: [str(values[-1])],
    "float_data": _short_floats,
    "int32_data": lambda values: [str(value) for value in _integers(values)],
    "int64_data": lambda values: [str(value) for value in _integers(values)],
    "uint64_data": lambda values: [str(value % _WRAP) for value in _integers(values)],
    "double_data": lambda values: [repr(value) for value in _floats(values, "d")],
}
