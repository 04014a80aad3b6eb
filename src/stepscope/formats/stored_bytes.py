"""Bytes that are read where they are needed: a part of a file of any source, or an upload in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stepscope.sources.files import origin_of, read_range

if TYPE_CHECKING:
    from stepscope._native import Origin

_WINDOW = 16 << 10


@dataclass(frozen=True, slots=True)
class StoredBytes:
    """`length` bytes from `offset` on; places in them are counted from there."""

    path: str
    offset: int
    length: int
    memory: bytes | None = None
    """What they are read from when they are in no file."""

    @staticmethod
    def of(data: bytes, name: str = "") -> StoredBytes:
        """Bytes in memory."""
        return StoredBytes(name, 0, len(data), data)

    @property
    def origin(self) -> Origin:
        """What the native core reads from; there, they begin at `offset`."""
        return origin_of(self.path) if self.memory is None else _Memory(self.memory)

    def read(self, start: int, size: int) -> bytes:
        """At most so many bytes from a place on. Raises OSError."""
        size = max(0, min(size, self.length - start))
        first = self.offset + start
        return read_range(self.path, first, size) if self.memory is None else self.memory[first : first + size]

    def windowed(self) -> Callable[[int, int], bytes]:
        """The same as `read` for many small reads one after the other: some kilobytes are read at once."""
        start, kept = 0, b""

        def read(place: int, size: int) -> bytes:
            nonlocal start, kept
            if not start <= place <= place + size <= start + len(kept):
                start, kept = place, self.read(place, max(size, _WINDOW))
            return kept[place - start : place - start + size]

        return read

    def part(self, start: int, size: int) -> StoredBytes:
        """Some of them."""
        return replace(self, offset=self.offset + start, length=max(0, min(size, self.length - start)))


@dataclass(frozen=True, slots=True)
class _Memory:
    """Bytes as the core reads ranges."""

    data: bytes

    @property
    def path(self) -> bytes:
        """They have none."""
        return b""

    def size(self) -> int:
        """How many there are."""
        return len(self.data)

    def read_range(self, offset: int, length: int) -> bytes:
        """Some of them."""
        return self.data[offset : offset + length]
