"""Walks the fields of small protobuf messages in Python; large ones are the native core's."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10
_LONGEST_HEAD = 2 * _LONGEST_VARINT


class BadMessage(ValueError):
    """The bytes are no message, or are cut short."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: `number` for a number, `data` for bytes, text and messages."""

    id: int
    number: int = 0
    data: bytes = b""
    is_bytes: bool = False

    @property
    def signed(self) -> int:
        """The number as int64."""
        return self.number - (1 << 64) if self.number >= 1 << 63 else self.number

    @property
    def text(self) -> str:
        """The bytes as text; what is no UTF-8 is replaced."""
        return self.data.decode("utf-8", "replace")


def fields(message: bytes) -> Iterator[Field]:
    """Every field in order. Raises BadMessage where the bytes stop making sense; what came before was good."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        wire, number = key & 7, key >> 3
        if wire == _VARINT:
            value, place = _varint(message, place)
            yield Field(number, value)
        elif wire == _BYTES:
            size, place = _varint(message, place)
            if size > len(message) - place:
                raise BadMessage("a field is longer than its message")
            yield Field(number, data=message[place : place + size], is_bytes=True)
            place += size
        elif wire in {_FIXED64, _FIXED32}:
            size = 8 if wire == _FIXED64 else 4
            if size > len(message) - place:
                raise BadMessage("a number is cut short")
            yield Field(number, struct.unpack_from("<Q" if size == 8 else "<I", message, place)[0])
            place += size
        else:
            raise BadMessage("a field has a type that no message has")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the content of one field is; `size` is 0 for a number."""

    id: int
    start: int
    size: int
    is_bytes: bool


def places(read: Callable[[int, int], bytes], start: int, end: int) -> Iterator[Place]:
    """Where every field of the message from `start` to `end` is; of bytes, texts and messages only the lengths are read.

    `read` gives the bytes from a place on, at most so many. Raises BadMessage as `fields` does.
    """
    place = start
    while place < end:
        head = read(place, min(_LONGEST_HEAD, end - place))
        key, used = _varint(head, 0)
        wire, number = key & 7, key >> 3
        size = 0
        if wire == _VARINT:
            _, used = _varint(head, used)
        elif wire == _BYTES:
            size, used = _varint(head, used)
        elif wire in {_FIXED64, _FIXED32}:
            used += 8 if wire == _FIXED64 else 4
        else:
            raise BadMessage("a field has a type that no message has")
        if size > end - place - used:
            raise BadMessage("a field is longer than its message")
        yield Place(number, place + used, size, wire == _BYTES)
        place += used + size


def numbers(field: Field) -> list[int]:
    """A repeated number as int64s, packed or one by one."""
    if not field.is_bytes:
        return [field.signed]
    found: list[int] = []
    place = 0
    while place < len(field.data):
        value, place = _varint(field.data, place)
        found.append(value - (1 << 64) if value >= 1 << 63 else value)
    return found


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for shift in range(_LONGEST_VARINT):
        if place >= len(data):
            raise BadMessage("a number is cut short")
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:
            return value & ((1 << 64) - 1), place
    raise BadMessage("a number is too long")
