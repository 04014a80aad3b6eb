"""The binary frame: a JSON header and aligned little-endian columns, as the HTTP contract describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np
from msgspec import Struct, UnsetType
from numpy.typing import NDArray

from stepscope.model import declared as d

CONTENT_TYPE = "application/vnd.stepscope.columns"

Dtype = Literal["f64", "f32", "i64", "u64", "i32", "u8"]

# From numpy's names, which count bytes, to the frame's, which count bits.
_DTYPES: dict[str, Dtype] = {"f8": "f64", "f4": "f32", "i8": "i64", "u8": "u64", "i4": "i32", "u1": "u8"}


class ColumnPlace(Struct, frozen=True):
    """Where a column is in the frame."""

    dtype: Annotated[Dtype, d.text("Type of its numbers.")]
    offset: Annotated[int, d.size("Its first byte, counted from the first buffer.")]
    count: Annotated[int, d.count("Number of values in it.")]


Placed = ColumnPlace | UnsetType
"""A column that a frame may have. A struct of these declares the columns of one kind of frame, each with `declared.binary`."""

Columns = TypeVar("Columns", bound=Struct)


class FrameBuilder:
    """Collects columns and then makes the frame."""

    def __init__(self) -> None:
        self._size = 0
        self._buffers: list[NDArray[Any]] = []

    def add(self, kind: type[Columns], columns: Mapping[str, NDArray[Any]]) -> Columns:
        """Places for the columns of one curve, as `kind` declares them.

        An array under two names (x and step, on the step axis) has one place.
        """
        declared = d.dtypes(kind)
        placed: dict[str, ColumnPlace] = {}
        first: dict[int, str] = {}
        for name, array in columns.items():
            dtype = _DTYPES[array.dtype.str[1:]]
            if declared[name] != dtype:
                raise TypeError(f"{kind.__name__}.{name} is declared as {declared[name]} and is {dtype}")
            twin = first.setdefault(id(array), name)
            if twin != name:
                placed[name] = placed[twin]
                continue
            placed[name] = ColumnPlace(dtype, self._size, len(array))
            self._buffers.append(array)
            self._size += (array.nbytes + 7) & ~7
        return kind(**placed)

    def finish(self, header: Struct) -> bytes:
        """The whole frame."""
        text = msgspec.json.encode(header)
        start = (4 + len(text) + 7) & ~7
        frame = bytearray(start + self._size)
        frame[:4] = len(text).to_bytes(4, "little")
        frame[4 : 4 + len(text)] = text
        at = start
        for array in self._buffers:
            place = np.frombuffer(frame, array.dtype.newbyteorder("<"), len(array), at)
            place[:] = array
            at += (array.nbytes + 7) & ~7
        return bytes(frame)
