"""Builds protobuf messages by field name; the numbers are those of the native core's one list."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

from stepscope._native import WIRE
from stepscope.model.protobuf_bytes import varint

if TYPE_CHECKING:
    from numpy.typing import NDArray

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_WRAP = 1 << 64


class Message:
    """One message under construction. As in protobuf, a number that is zero and a text that is empty are left out."""

    __slots__ = ("_numbers", "_parts")

    def __init__(self, name: str) -> None:
        """Of the type with that name in native/wire/fields.hpp."""
        self._numbers = WIRE[name]
        self._parts: list[bytes] = []

    def integer(self, field: str, value: int, *, always: bool = False) -> Self:
        """An integer, an enum or a truth value; `always` where zero differs from nothing, as for a choice."""
        if value or always:
            self._parts += (self._key(field, _VARINT), varint(value % _WRAP))
        return self

    def integers(self, field: str, values: Iterable[int]) -> Self:
        """A repeated integer, packed."""
        return self.data(field, b"".join(varint(value % _WRAP) for value in values))

    def double(self, field: str, value: float, *, always: bool = False) -> Self:
        """A double; `always` where zero differs from nothing, as for a choice."""
        encoded = struct.pack("<d", value)
        if always or any(encoded):
            self._parts += (self._key(field, _FIXED64), encoded)
        return self

    def single(self, field: str, value: float) -> Self:
        """A float of 32 bits."""
        encoded = struct.pack("<f", value)
        if any(encoded):
            self._parts += (self._key(field, _FIXED32), encoded)
        return self

    def array(self, field: str, values: NDArray[Any], form: str) -> Self:
        """A repeated float or double, packed, in NumPy's little-endian type `form`."""
        return self.data(field, values.astype(form, copy=False).tobytes())

    def data(self, field: str, value: bytes, *, always: bool = False) -> Self:
        """Bytes; `always` where none differs from nothing, as in a list."""
        if value or always:
            self._parts += (self._key(field, _LENGTH), varint(len(value)), value)
        return self

    def text(self, field: str, value: str, *, always: bool = False) -> Self:
        """A string. What is no Unicode is written legibly: it would make the record unreadable for TensorBoard."""
        return self.data(field, utf8(value), always=always)

    def message(self, field: str, value: Message) -> Self:
        """A message inside this one, also when it is empty."""
        return self.data(field, value.encoded(), always=True)

    def encoded(self) -> bytes:
        """The bytes of the message."""
        return b"".join(self._parts)

    def _key(self, field: str, kind: int) -> bytes:
        return varint(self._numbers[field] << 3 | kind)


def utf8(text: str) -> bytes:
    """The text's bytes; a lone surrogate, as undecodable file names have, becomes an escape."""
    return text.encode("utf-8", "backslashreplace")
