"""The binary frame: a JSON header and aligned little-endian columns, as the HTTP contract describes it."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

CONTENT_TYPE = "application/vnd.stepscope.columns"

# From numpy's names, which count bytes, to the frame's, which count bits.
_DTYPES = {"f8": "f64", "f4": "f32", "i8": "i64", "u8": "u64", "i4": "i32", "u1": "u8"}


class Column(msgspec.Struct, frozen=True):
    """Where a column is in the frame; `offset` counts bytes from the first buffer."""

    dtype: str
    offset: int
    count: int


class FrameBuilder:
    """Collects columns and then makes the frame."""

    def __init__(self) -> None:
        self._size = 0
        self._buffers: list[NDArray[Any]] = []

    def add(self, columns: dict[str, NDArray[Any]]) -> dict[str, Column]:
        """Places for the columns of one curve. An array under two names (x and step, on the step axis) has one place."""
        placed: dict[str, Column] = {}
        first: dict[int, str] = {}
        for name, array in columns.items():
            twin = first.setdefault(id(array), name)
            if twin != name:
                placed[name] = placed[twin]
                continue
            placed[name] = Column(_DTYPES[array.dtype.str[1:]], self._size, len(array))
            self._buffers.append(array)
            self._size += (array.nbytes + 7) & ~7
        return placed

    def finish(self, header: msgspec.Struct) -> bytes:
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
