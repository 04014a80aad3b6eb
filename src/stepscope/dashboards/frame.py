"""The binary frame: a JSON header and aligned little-endian columns, as the HTTP contract describes it."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

CONTENT_TYPE = "application/vnd.stepscope.columns"

_DTYPES = {"float64": "f64", "int32": "i32", "uint8": "u8"}


class Column(msgspec.Struct, frozen=True):
    """Where a column is in the frame; `offset` counts bytes from the first buffer."""

    dtype: str
    offset: int
    count: int


class FrameBuilder:
    """Collects columns and then makes the frame. An array added twice is sent once."""

    def __init__(self) -> None:
        self._size = 0
        self._buffers: list[NDArray[Any]] = []

    def add(self, columns: dict[str, NDArray[Any]]) -> dict[str, Column]:
        """Places for the columns of one curve. Equal columns (x and step, on the step axis) share one place."""
        placed: dict[str, Column] = {}
        x = columns.get("x")
        for name, array in columns.items():
            if name != "x" and x is not None and name in ("step", "wall") and np.array_equal(x, array):
                placed[name] = placed["x"]
                continue
            placed[name] = Column(_DTYPES[array.dtype.name], self._size, len(array))
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
            little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
            frame[at : at + little.nbytes] = little.tobytes()
            at += (little.nbytes + 7) & ~7
        return bytes(frame)
