"""The index of a TensorFlow checkpoint: a sorted table of blocks, as LevelDB writes it, with an entry for each variable."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace

from stepscope._native import crc32c
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.protobuf_fields import BadMessage, fields
from stepscope.sources.files import read_range, stat
from stepscope.sources.source import reason_of

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
_TRAILER = 5  # type of compression, and checksum
_MOST_BLOCK = 64 << 20
MOST_BYTES = 256 << 20
"""Of an index: a hundred bytes for each variable."""
MOST_NAMES = 64 << 20
"""Bytes of all names; an index shares the beginnings of names, so that a small one could hold endless ones."""

_TYPES = {1: "<f4", 2: "<f8", 3: "<i4", 4: "|u1", 5: "<i2", 6: "|i1", 9: "<i8", 10: "|b1", 14: "bfloat16", 17: "<u2", 19: "<f2"}
_HEADER_KEY = b""
_SLICE_KEY = b"\0"
_BIG_ENDIAN = 1


Extents = tuple[tuple[int, int], ...]
"""Start and length of a piece in each dimension; a length of -1 is all of it."""
WHOLE = -1
MOST_SLICES = 4_096


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable: its type and shape, and where its bytes are."""

    name: str
    dtype: str | None
    """As numpy names it, or "bfloat16"; None for a type that holds no numbers."""
    shape: tuple[int, ...]
    shard: int
    shards: int
    offset: int
    size: int
    crc: int
    """Masked, as the table has it."""
    slices: tuple[Extents, ...] = ()
    """Which parts of it were saved as entries of their own; empty for a variable that is whole."""
    pieces: tuple[Variable, ...] = ()
    """These entries, in the same order; fewer when some are missing."""


def read_variables(prefix: str) -> dict[str, Variable]:
    """All variables of a checkpoint by name. Raises BadInput when it is none, NotThere when it is gone."""
    path = f"{prefix}.index"
    shards, names = 1, 0
    found: dict[str, Variable] = {}
    pieces: dict[bytes, Variable] = {}
    try:
        for key, value in _entries(path):
            if key == _HEADER_KEY:
                header = {field.id: field.number for field in fields(value)}
                if header.get(2, 0) == _BIG_ENDIAN:
                    raise _bad(path, "it was written on a big-endian machine")
                shards = header.get(1, 1)
            else:
                names += len(key)
                if names > MOST_NAMES:
                    raise _bad(path, f"its names take more than {MOST_NAMES >> 20} MiB")
                name = key.decode("utf-8", "replace")
                if key.startswith(_SLICE_KEY):
                    pieces[key] = _variable(name, value, shards)
                else:
                    found[name] = _variable(name, value, shards)
    except (BadMessage, struct.error, IndexError):
        raise _bad(path, "it is corrupt") from None
    except OSError as error:
        raise NotThere(f"{os.path.basename(path)} cannot be read: {reason_of(error)}.", "no_checkpoint") from None
    return {name: _joined(one, pieces) if one.slices else one for name, one in found.items()}


def _joined(variable: Variable, pieces: dict[bytes, Variable]) -> Variable:
    """A variable that was saved in pieces, with those that are there."""
    keys = [slice_key(variable.name, extents) for extents in variable.slices]
    return replace(variable, pieces=tuple(pieces[key] for key in keys if key in pieces))


def slice_key(name: str, extents: Extents) -> bytes:
    """The key of a piece, by which TensorFlow sorts them: a zero, the name, the number of dimensions, and start and length of each."""
    escaped = name.encode().replace(b"\xff", b"\xff\0").replace(b"\0", b"\0\xff")
    rank = len(extents)
    return b"".join(
        (
            _SLICE_KEY,
            escaped + b"\0\x01",
            bytes([1, rank]) if rank else b"\0",
            *(_ordered(number) for extent in extents for number in extent),
        )
    )


def _ordered(number: int) -> bytes:
    """A number so that bytes sort as numbers do: ones for the length, a zero, and the number in what is left."""
    length = 1
    while not -(1 << (7 * length - 1)) <= number < 1 << (7 * length - 1):
        length += 1
    bits = 8 * length
    header = ((1 << length) - 1) << (bits - length)
    return ((number & ((1 << bits) - 1)) ^ header).to_bytes(length, "big")


def _extents(message: bytes) -> Extents:
    found: list[tuple[int, int]] = []
    for field in fields(message):
        if field.id == 1:
            numbers = {inner.id: inner.signed for inner in fields(field.data)}
            found.append((numbers.get(1, 0), numbers.get(2, WHOLE)))
    return tuple(found)


def _variable(name: str, entry: bytes, shards: int) -> Variable:
    numbers = dict[int, int]()
    shape: list[int] = []
    slices: list[Extents] = []
    for field in fields(entry):
        if field.id == 2:
            for dim in fields(field.data):
                if dim.id == 2:
                    shape.append(next((inner.signed for inner in fields(dim.data) if inner.id == 1), 0))
        elif field.id == 7:
            slices.append(_extents(field.data))
            if len(slices) > MOST_SLICES:
                raise BadMessage("too many pieces")
        else:
            numbers[field.id] = field.number
    return Variable(
        name,
        _TYPES.get(numbers.get(1, 0)),
        tuple(shape),
        numbers.get(3, 0),
        shards,
        numbers.get(4, 0),
        numbers.get(5, 0),
        numbers.get(6, 0),
        tuple(slices),
    )


def _entries(path: str) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values in order. Raises BadInput, OSError, or what the readers of numbers raise."""
    size = stat(path).size
    if size > MOST_BYTES:
        raise _bad(path, f"it is larger than {MOST_BYTES >> 20} MiB")
    if size < _FOOTER:
        raise _bad(path, "it is too short")
    table = read_range(path, 0, size)
    if len(table) < _FOOTER or struct.unpack_from("<Q", table, len(table) - 8)[0] != _MAGIC:
        raise _bad(path, "it does not end as an index does")
    footer = table[-_FOOTER:-8]
    _, place = _varint(footer, 0)
    _, place = _varint(footer, place)
    start, place = _varint(footer, place)
    length, _ = _varint(footer, place)
    seen = 0
    for _, handle in _block(path, table, start, length):
        inner, place = _varint(handle, 0)
        inner_length, _ = _varint(handle, place)
        seen += inner_length  # two handles of one block would make a small file endless
        if seen > len(table):
            raise _bad(path, "its blocks overlap")
        yield from _block(path, table, inner, inner_length)


def _block(path: str, table: bytes, start: int, length: int) -> Iterator[tuple[bytes, bytes]]:
    if length > _MOST_BLOCK or start + length + _TRAILER > len(table) or length < 4:
        raise _bad(path, "a block lies outside of it")
    kind = table[start + length]
    (expected,) = struct.unpack_from("<I", table, start + length + 1)
    if masked(crc32c(table[start : start + length + 1])) != expected:
        raise _bad(path, "a checksum is wrong")
    if kind != 0:
        raise _bad(path, "it is compressed, which TensorFlow does not do")
    block = table[start : start + length]
    (restarts,) = struct.unpack_from("<I", block, length - 4)
    end = length - 4 - 4 * restarts
    if end < 0:
        raise _bad(path, "a block is corrupt")
    place, key = 0, b""
    while place < end:
        shared, place = _varint(block, place)
        own, place = _varint(block, place)
        size, place = _varint(block, place)
        if shared > len(key) or place + own + size > end:
            raise _bad(path, "a block is corrupt")
        key = key[:shared] + block[place : place + own]
        yield key, block[place + own : place + own + size]
        place += own + size


def masked(crc: int) -> int:
    """A checksum as tables and records store it."""
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise BadMessage("a number is too long")


def _bad(path: str, reason: str) -> BadInput:
    return BadInput(f"{os.path.basename(path)} is not the index of a TensorFlow checkpoint: {reason}.", "not_a_checkpoint")
