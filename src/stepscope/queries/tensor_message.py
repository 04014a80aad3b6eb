"""TensorProto without protobuf: a message with TensorFlow's field names, and its numbers or strings as an array."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepscope._native import WIRE
from stepscope.model.protobuf_fields import BadMessage, Field, fields, numbers

FLOAT, DOUBLE, STRING, BOOL, BFLOAT16 = 1, 2, 7, 10, 14
_COMPLEX64, _COMPLEX128 = 8, 18
_TYPES: dict[int, tuple[str, str]] = {
    FLOAT: ("<f4", "float_val"),
    DOUBLE: ("<f8", "double_val"),
    3: ("<i4", "int_val"),
    4: ("u1", "int_val"),
    5: ("<i2", "int_val"),
    6: ("i1", "int_val"),
    _COMPLEX64: ("<c8", "scomplex_val"),
    9: ("<i8", "int64_val"),
    BOOL: ("?", "bool_val"),
    BFLOAT16: ("<u2", "half_val"),
    17: ("<u2", "int_val"),
    _COMPLEX128: ("<c16", "dcomplex_val"),
    19: ("<f2", "half_val"),
    22: ("<u4", "uint32_val"),
    23: ("<u8", "uint64_val"),
}
"""How the numbers of each type are laid out, and the list that has them when they are listed one by one."""
_FLOATS = {"float_val": "<f4", "scomplex_val": "<f4", "double_val": "<f8", "dcomplex_val": "<f8"}
_KNOWN = WIRE["TensorProto"] | {"version_number": 3, "scomplex_val": 9, "dcomplex_val": 12}
"""Field numbers; the core reads no versions and no complex numbers."""
_LISTS = sorted({name for _, name in _TYPES.values()})
MOST_VALUES = 1 << 26
"""Values of one array at most: a shape of a few bytes can claim any number."""

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Dim:
    """One dimension."""

    size: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class TensorShape:
    """Sizes of the dimensions; none for a single value."""

    dim: list[Dim] = field(default_factory=list[Dim])
    unknown_rank: bool = False


@dataclass(frozen=True, slots=True)
class TensorProto:
    """A tensor as it was logged, with the names of TensorFlow's message, so that tensorboard's `make_ndarray` reads it too."""

    dtype: int = 0
    tensor_shape: TensorShape = field(default_factory=TensorShape)
    version_number: int = 0
    tensor_content: bytes = b""
    half_val: list[int] = field(default_factory=list[int])
    float_val: list[float] = field(default_factory=list[float])
    double_val: list[float] = field(default_factory=list[float])
    int_val: list[int] = field(default_factory=list[int])
    string_val: list[bytes] = field(default_factory=list[bytes])
    scomplex_val: list[float] = field(default_factory=list[float])
    int64_val: list[int] = field(default_factory=list[int])
    bool_val: list[bool] = field(default_factory=list[bool])
    dcomplex_val: list[float] = field(default_factory=list[float])
    uint32_val: list[int] = field(default_factory=list[int])
    uint64_val: list[int] = field(default_factory=list[int])
    message: bytes = field(default=b"", repr=False)
    """The message's own bytes."""

    def SerializeToString(self) -> bytes:  # noqa: N802 - protobuf's name
        """The message's own bytes, for protobuf's classes."""
        return self.message

    def numpy(self) -> Array:
        """The values in their shape; strings as an array of bytes objects. Raises BadMessage."""
        shape = tuple(dim.size for dim in self.tensor_shape.dim)
        if any(size < 0 for size in shape) or math.prod(shape) > MOST_VALUES:
            raise BadMessage("a tensor that is too large, or of unknown size")
        found = self._values()
        wanted = math.prod(shape)
        if len(found) == 1 != wanted:
            found = np.repeat(found, wanted)
        if len(found) != wanted:
            raise BadMessage("a tensor that does not fill its shape")
        return found.reshape(shape)

    def _values(self) -> Array:
        if self.dtype == STRING:
            strings = np.empty(len(self.string_val), object)
            strings[:] = self.string_val
            return strings
        if self.dtype not in _TYPES:
            raise BadMessage(f"a tensor of type {self.dtype}, which is not read")
        layout, name = _TYPES[self.dtype]
        if self.tensor_content:
            width = np.dtype(layout).itemsize
            found = np.frombuffer(self.tensor_content[: len(self.tensor_content) // width * width], layout)
        else:
            listed: list[Any] = getattr(self, name)
            found = _listed(listed, name, layout)
        # numpy has no such type: the bits are the upper half of a float's.
        return (found.astype(np.uint32) << 16).view(np.float32) if self.dtype == BFLOAT16 else found


def _listed(values: list[Any], name: str, layout: str) -> Array:
    if name == "half_val":
        return np.array(values, np.int64).astype(np.uint16).view(layout)
    if name in _FLOATS:
        return np.array(values, _FLOATS[name])[: len(values) // 2 * 2 if layout[1] == "c" else None].view(layout)
    return np.array(values, np.uint64 if name == "uint64_val" else np.int64).astype(layout)


def scalar_tensor(value: float) -> TensorProto:
    """A single number as tensors have it. It is a 32-bit float unless that would change it."""
    with np.errstate(over="ignore"):
        exact = math.isnan(value) or float(np.float32(value)) == value
    dtype, listed = (FLOAT, "float_val") if exact else (DOUBLE, "double_val")
    content = np.array(value, _TYPES[dtype][0]).tobytes()
    message = bytes([_KNOWN["dtype"] << 3, dtype, _KNOWN["tensor_shape"] << 3 | 2, 0, _KNOWN["tensor_content"] << 3 | 2, len(content)])
    return TensorProto(dtype, tensor_content=content, message=message + content, **{listed: [value]})  # pyright: ignore[reportArgumentType]


def value_tensor(value: bytes) -> TensorProto | None:
    """The tensor of a summary value; None without one. Raises BadMessage."""
    found = next((part.data for part in fields(value) if part.id == WIRE["Value"]["tensor"] and part.is_bytes), None)
    return None if found is None else tensor_message(found)


def tensor_message(message: bytes) -> TensorProto:
    """Reads a TensorProto. Raises BadMessage."""
    parts = list(fields(message))
    lists: dict[str, Any] = {name: _numbers([part for part in parts if part.id == _KNOWN[name]], name) for name in _LISTS}
    return TensorProto(
        dtype=next((part.number for part in parts if part.id == _KNOWN["dtype"]), 0),
        tensor_shape=next((_shape(part.data) for part in parts if part.id == _KNOWN["tensor_shape"]), TensorShape()),
        version_number=next((part.signed for part in parts if part.id == _KNOWN["version_number"] and not part.is_bytes), 0),
        tensor_content=b"".join(part.data for part in parts if part.id == _KNOWN["tensor_content"]),
        string_val=[part.data for part in parts if part.id == _KNOWN["string_val"] and part.is_bytes],
        message=message,
        **lists,
    )


def _numbers(parts: list[Field], name: str) -> list[Any]:
    """A repeated number, packed or one by one."""
    if name in _FLOATS:
        width = np.dtype(_FLOATS[name]).itemsize
        data = b"".join(part.data if part.is_bytes else part.number.to_bytes(8, "little")[:width] for part in parts)
        return np.frombuffer(data[: len(data) // width * width], _FLOATS[name]).tolist()
    found = [number for part in parts for number in numbers(part)]
    if name == "bool_val":
        return [bool(number) for number in found]
    return [number % (1 << 64) for number in found] if name == "uint64_val" else found


def _shape(message: bytes) -> TensorShape:
    known = WIRE["TensorShape"]["dim"]
    dims: list[Dim] = []
    unknown = False
    for part in fields(message):
        if part.id == known and part.is_bytes:
            inside = list(fields(part.data))
            size = next((each.signed for each in inside if each.id == WIRE["Dim"]["size"]), 0)
            dims.append(Dim(size, next((each.text for each in inside if each.id == 2 and each.is_bytes), "")))
        elif part.id == WIRE["TensorShape"]["unknown_rank"]:
            unknown = bool(part.number)
    return TensorShape(dims, unknown)
