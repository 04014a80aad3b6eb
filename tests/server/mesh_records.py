"""Parts of meshes as records."""

from __future__ import annotations

from typing import Any

import numpy as np

import event_bytes as eb
import image_logs as il

VERTICES = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]], np.float32)
FACES = np.array([[[0, 1, 2], [0, 2, 3]]], np.int32)


TYPES = {1: (5, "<f4"), 2: (6, "<f8"), 3: (7, None), 4: (7, None), 9: (10, None)}


def tensor(array: Any, dtype: int, *, listed: bool, shape: list[int] | None = None) -> bytes:
    """A TensorProto: its numbers as raw content, or as a packed list."""
    array = np.asarray(array)
    field, layout = TYPES[dtype]
    if not listed:
        part = eb.message(4, array.astype({1: "<f4", 2: "<f8", 3: "<i4", 4: "u1", 9: "<i8"}[dtype]).tobytes())
    elif layout is None:
        part = eb.message(field, b"".join(eb.varint(int(number)) for number in array.ravel()))
    else:
        part = eb.message(field, array.astype(layout).tobytes())
    return eb.tensor(dtype, part, shape=list(array.shape) if shape is None else shape)


def mesh(tag: str, data: bytes, step: int = 0, config: str = "", description: bytes = b"") -> bytes:
    """A record of one part of a mesh."""
    about = eb.message(9, eb.metadata(b"mesh", content=eb.message(5, config.encode()), description=description))
    return eb.record(eb.event(step, il.START + step, eb.summary(eb.value(tag.encode(), eb.message(8, data), about))))
