"""Builds the bytes of event files by hand, field by field, independently of the code under test."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

Number = int | float


def _crc_table() -> list[int]:
    table: list[int] = []
    for index in range(256):
        crc = index
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


_TABLE = _crc_table()


def crc32c(data: bytes) -> int:
    """CRC-32C, one byte at a time."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> bytes:
    """The checksum as a record stores it."""
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def header(length: int) -> bytes:
    """A record's length and the length's checksum."""
    packed = struct.pack("<Q", length)
    return packed + masked(packed)


def record(data: bytes) -> bytes:
    """One framed record."""
    return header(len(data)) + data + masked(data)


# --- protobuf fields ---


def varint(number: int) -> bytes:
    """A base-128 number; negative ones take ten bytes, as int64 does."""
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def integer(field: int, number: int) -> bytes:
    """A varint field."""
    return varint(field << 3) + varint(number)


def double(field: int, number: float) -> bytes:
    """A 64-bit float field."""
    return varint(field << 3 | 1) + struct.pack("<d", number)


def single(field: int, number: float) -> bytes:
    """A 32-bit float field."""
    return varint(field << 3 | 5) + struct.pack("<f", number)


def message(field: int, *parts: bytes) -> bytes:
    """A length-delimited field: bytes, text or a message of these fields."""
    body = b"".join(parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


# --- TensorBoard's messages ---

FLOAT, DOUBLE, INT32, UINT8, INT16, INT8, STRING, COMPLEX64, INT64, BOOL = range(1, 11)
BFLOAT16, UINT16, HALF, UINT32, UINT64 = 14, 17, 19, 22, 23
FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E4M3FNUZ, FLOAT8_E4M3B11FNUZ, FLOAT8_E5M2FNUZ, INT4, UINT4 = range(24, 31)


def tensor(dtype: int, *parts: bytes, shape: Iterable[int] | None = ()) -> bytes:
    """A TensorProto's fields; a shape of None leaves the field out, which stands for rank 0 too."""
    dims = b"" if shape is None else message(2, *(message(2, integer(1, size)) for size in shape))
    return integer(1, dtype) + dims + b"".join(parts)


def content(data: bytes) -> bytes:
    """TensorProto.tensor_content."""
    return message(4, data)


def metadata(
    plugin: bytes = b"", *, content: bytes = b"", display: bytes = b"", description: bytes = b"", data_class: int = 0
) -> bytes:
    """SummaryMetadata's fields."""
    parts = message(1, message(1, plugin), message(2, content)) if plugin else b""
    parts += message(2, display) if display else b""
    parts += message(3, description) if description else b""
    return parts + (integer(4, data_class) if data_class else b"")


def value(tag: bytes, *parts: bytes) -> bytes:
    """A Summary holding one Value of that tag."""
    return message(1, message(1, tag), *parts)


def event(step: int, wall: float, *parts: bytes) -> bytes:
    """An Event's bytes with any further fields."""
    return double(1, wall) + integer(2, step) + b"".join(parts)


def summary(*values: bytes) -> bytes:
    """Event.summary with these values."""
    return message(5, *values)


def version(wall: float) -> bytes:
    """The record every file begins with."""
    return record(double(1, wall) + message(3, b"brain.Event:2"))


def scalar(tag: bytes, step: int, wall: float, number: float) -> bytes:
    """A whole record with one simple_value."""
    return record(event(step, wall, summary(value(tag, single(2, number)))))


def session_log(step: int, wall: float, status: int = 1) -> bytes:
    """A whole record with a session log; status 1 is START."""
    return record(event(step, wall, message(7, integer(1, status))))


def scalars(tag: bytes, steps: Iterable[int], wall: float = 1000.0) -> bytes:
    """Records of one tag, a second apart, whose values equal their steps."""
    return b"".join(scalar(tag, step, wall + i, float(step)) for i, step in enumerate(steps))


def write(path: Path, *records: bytes) -> Path:
    """Writes an event file, making its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(records))
    return path
