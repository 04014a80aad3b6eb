"""Numbers of a tensor in a summary value as an array, for the types that meshes have."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stepscope._native import WIRE
from stepscope.model.protobuf_fields import BadMessage, Field, fields

_FLOAT, _DOUBLE, _INT32, _UINT8, _INT64 = 1, 2, 3, 4, 9
_CONTENT = {_FLOAT: "<f4", _DOUBLE: "<f8", _INT32: "<i4", _UINT8: "u1", _INT64: "<i8"}


def tensor_array(tensor: bytes, most: int) -> NDArray[np.float64]:
    """The tensor's numbers in its shape. Raises BadMessage when it is of another type, too large, or of another size than it says."""
    known = WIRE["TensorProto"]
    parts = list(fields(tensor))
    dtype = next((part.number for part in parts if part.id == known["dtype"]), 0)
    if dtype not in _CONTENT:
        raise BadMessage("a tensor of a type that is not drawn")
    shape = next((_sizes(part.data) for part in parts if part.id == known["tensor_shape"]), ())
    if any(size < 0 for size in shape) or math.prod(shape) > most:
        raise BadMessage("a tensor that is too large, or of unknown size")
    content = b"".join(part.data for part in parts if part.id == known["tensor_content"])
    if content:
        width = np.dtype(_CONTENT[dtype]).itemsize
        found = np.frombuffer(content[: len(content) // width * width], _CONTENT[dtype])
    else:
        found = _listed(parts, dtype)
    if len(found) != math.prod(shape):
        raise BadMessage("a tensor that does not fill its shape")
    return found.astype(np.float64).reshape(shape)


def _listed(parts: list[Field], dtype: int) -> NDArray[Any]:
    """The numbers of a repeated field, packed or one by one."""
    known = WIRE["TensorProto"]
    name = {_FLOAT: "float_val", _DOUBLE: "double_val", _INT64: "int64_val"}.get(dtype, "int_val")
    mine = [part for part in parts if part.id == known[name]]
    if dtype in (_FLOAT, _DOUBLE):
        width, layout = (4, "<f4") if dtype == _FLOAT else (8, "<f8")
        data = b"".join(part.data if part.is_bytes else part.number.to_bytes(width, "little") for part in mine)
        return np.frombuffer(data[: len(data) // width * width], layout).astype(np.float64)
    return np.concatenate(
        [np.zeros(0, np.int64), *(_varints(part.data) if part.is_bytes else np.array([part.signed]) for part in mine)]
    )


def _varints(data: bytes) -> NDArray[np.int64]:
    """Packed numbers of at most five bytes each, as indices and colours are; longer ones make the tensor bad."""
    octets = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(octets < 0x80)
    if len(octets) and (not len(ends) or ends[-1] != len(octets) - 1):
        raise BadMessage("a number is truncated")
    starts = np.concatenate([[0], ends[:-1] + 1]).astype(np.int64) if len(ends) else ends
    if len(ends) and int((ends - starts).max()) > 4:
        raise BadMessage("a number is too large")
    place = np.arange(len(octets)) - np.repeat(starts, ends - starts + 1)
    parts = (octets & 0x7F).astype(np.int64) << (7 * place)
    return np.add.reduceat(parts, starts) if len(starts) else np.zeros(0, np.int64)


def _sizes(message: bytes) -> tuple[int, ...]:
    dim, size = WIRE["TensorShape"]["dim"], WIRE["Dim"]["size"]
    found = [[part.signed for part in fields(each.data) if part.id == size] for each in fields(message) if each.id == dim]
    return tuple(sizes[-1] if sizes else 0 for sizes in found)
