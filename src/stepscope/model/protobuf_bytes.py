"""Fields of protobuf messages as bytes, by number."""

from __future__ import annotations

_LENGTH = 2
_WRAP = 1 << 64


def varint(value: int) -> bytes:
    """A number that is not negative, seven bits a byte."""
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


def integer(number: int, value: int) -> bytes:
    """An integer, also when it is zero."""
    return varint(number << 3) + varint(value % _WRAP)


def message(number: int, *parts: bytes) -> bytes:
    """A message of these fields, or bytes."""
    data = b"".join(parts)
    return varint(number << 3 | _LENGTH) + varint(len(data)) + data


def text(number: int, value: str) -> bytes:
    """A string; what is no Unicode is written legibly."""
    return message(number, value.encode("utf-8", "backslashreplace"))
