"""Reads the protobuf messages that the writer makes, for tests that look at what is in them."""

from __future__ import annotations

import struct

from stepscope._native import WIRE
from stepscope.model.protobuf_fields import Field, fields


def found(message: bytes, *path: str) -> list[Field]:
    """All fields at the end of a path of `Kind.field`; those on the way are each there once."""
    *way, last = path
    for step in way:
        (inner,) = found(message, step)
        message = inner.data
    kind, _, name = last.partition(".")
    return [field for field in fields(message) if field.id == WIRE[kind][name]]


def data(message: bytes, *path: str) -> bytes:
    """The bytes of the only such field."""
    (field,) = found(message, *path)
    return field.data


def texts(message: bytes, *path: str) -> list[str]:
    """Fields that are texts."""
    return [field.text for field in found(message, *path)]


def integers(message: bytes, *path: str) -> list[int]:
    """Fields that are whole numbers."""
    return [field.signed for field in found(message, *path)]


def doubles(message: bytes, *path: str) -> list[float]:
    """Fields of the type double."""
    return [struct.unpack("<d", struct.pack("<Q", field.number))[0] for field in found(message, *path)]
