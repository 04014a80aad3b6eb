"""Builds the two files of a TensorFlow checkpoint byte by byte, for tests that damage them."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stepscope._native import masked_crc32c


def varint(value: int) -> bytes:
    """A number as tables and messages have it."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes(found) + bytes([value])


def number_field(number: int, value: int) -> bytes:
    """A field of a message that is a number."""
    return varint(number << 3) + varint(value)


def bytes_field(number: int, data: bytes) -> bytes:
    """A field of a message that is bytes."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def block(entries: list[tuple[bytes, bytes]], kind: int = 0) -> bytes:
    """A block with its trailer; no key shares anything with the one before."""
    body = b"".join(varint(0) + varint(len(key)) + varint(len(value)) + key + value for key, value in entries)
    body += struct.pack("<II", 0, 1)
    return body + bytes([kind]) + struct.pack("<I", masked_crc32c(body + bytes([kind])))


def index(entries: list[tuple[bytes, bytes]], kind: int = 0) -> bytes:
    """A whole index of one block."""
    first = block(entries, kind)
    meta = block([])
    handles = block([(b"\xff", varint(0) + varint(len(first) - 5))])
    footer = varint(len(first)) + varint(len(meta) - 5) + varint(len(first) + len(meta)) + varint(len(handles) - 5)
    return first + meta + handles + footer.ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)


def entry(
    values: NDArray[np.float32], offset: int = 0, shape: tuple[int, ...] | None = None, dtype: int = 1, more: bytes = b""
) -> bytes:
    """The entry of one variable."""
    sizes = b"".join(bytes_field(2, number_field(1, size)) for size in (shape or values.shape))
    crc = struct.pack("<I", masked_crc32c(values.tobytes()))
    return (
        number_field(1, dtype) + bytes_field(2, sizes) + number_field(4, offset) + number_field(5, values.nbytes) + b"\x35" + crc + more
    )


def header(shards: int = 1, endianness: int = 0) -> tuple[bytes, bytes]:
    """The entry that every index begins with."""
    return b"", number_field(1, shards) + number_field(2, endianness)


def write(folder: Path, name: str, table: bytes, data: bytes) -> str:
    """Writes both files and returns the path without endings."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.index").write_bytes(table)
    (folder / f"{name}.data-00000-of-00001").write_bytes(data)
    return str(folder / name)
