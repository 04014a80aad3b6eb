"""The tables of an HDF5 file as h5py and Keras write it: groups by symbol tables, and numbers that lie in one piece.

The layout is that of the HDF5 specification, version 0 and 1 of the superblock. Files are untrusted: every address is checked, an
object is visited once, and nothing leads out of the file, as soft and external links are not followed.
"""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import RawIOBase

from stepscope.model.errors import BadInput
from stepscope.sources.files import read_range, stat

SIGNATURE = b"\x89HDF\r\n\x1a\n"
ZIP_SIGNATURE = b"PK\x03\x04"
KERAS_MEMBER = "model.weights.h5"

MOST_OBJECTS = 100_000
MOST_DEPTH = 32
_MOST_HEADER = 1 << 20
_MOST_NAMES = 4 << 20
_MOST_ENTRIES = 1 << 12
_UNDEFINED = (1 << 64) - 1
_DATASPACE, _DATATYPE, _LAYOUT, _CONTINUATION, _SYMBOL_TABLE = 0x1, 0x3, 0x8, 0x10, 0x11
_NEW_GROUP = (0x2, 0x6)
_CONTIGUOUS = 1
_INTEGER, _FLOAT = 0, 1
_BRAIN_EXPONENT = 8


@dataclass(frozen=True, slots=True)
class Dataset:
    """Numbers of a file: their type and shape, and where they lie."""

    path: str
    dtype: str | None
    """As numpy names it, or "bfloat16"; None for a type that is no number."""
    shape: tuple[int, ...]
    offset: int | None
    """In the file on disk; None when they do not lie in one piece."""
    size: int


class _Corrupt(Exception):
    """What is read makes no sense."""


class Hdf5File:
    """An open file. All addresses are checked against its size."""

    def __init__(self, path: str) -> None:
        """Raises BadInput when it is no HDF5 file, OSError."""
        self._path = path
        self._base, self._size = _inside(path)
        self._seen: set[int] = set()
        head = read_range(path, self._base, 96)
        if not head.startswith(SIGNATURE):
            raise self._bad("it does not begin as one")
        if len(head) < 96 or head[8] > 1 or head[13] != 8 or head[14] != 8:
            raise BadInput(
                f"{self._name} has a newer HDF5 layout than Keras writes; save it with h5py.File(path, 'w'), without libver.",
                "bad_vectors",
            )
        # A symbol table entry is the last part; version 1 has four bytes more before the addresses.
        (self._root,) = struct.unpack_from("<Q", head, 24 + 4 * head[8] + 32 + 8)

    @property
    def _name(self) -> str:
        return os.path.basename(self._path)

    def datasets(self) -> list[Dataset]:
        """All numbers in the file, in the order of the groups. Raises BadInput or OSError."""
        try:
            return list(self._below(self._root, "", 0))
        except (_Corrupt, struct.error, IndexError, ValueError) as error:
            raise self._bad(str(error) if isinstance(error, _Corrupt) else "it is corrupt") from None

    def _bad(self, reason: str) -> BadInput:
        return BadInput(f"{self._name} is not an HDF5 file that can be read: {reason}.", "bad_vectors")

    def _read(self, address: int, length: int, most: int = _MOST_HEADER) -> bytes:
        if length > most or address + length > self._size:
            raise _Corrupt("an address lies outside of it")
        data = read_range(self._path, self._base + address, length)
        if len(data) < length:
            raise _Corrupt("it was truncated")
        return data

    def _below(self, address: int, path: str, depth: int) -> Iterator[Dataset]:
        """The datasets of an object and of what is below it."""
        if address in self._seen or depth > MOST_DEPTH:
            return  # a group may be reached by several hard links
        self._seen.add(address)
        if len(self._seen) > MOST_OBJECTS:
            raise _Corrupt(f"it has more than {MOST_OBJECTS:,} objects")
        messages = dict(self._messages(address))
        if _SYMBOL_TABLE in messages:
            tree, heap = struct.unpack_from("<QQ", messages[_SYMBOL_TABLE])
            for name, child in self._links(tree, self._names(heap)):
                yield from self._below(child, f"{path}/{name}" if path else name, depth + 1)
        elif _LAYOUT in messages and _DATASPACE in messages and _DATATYPE in messages:
            yield self._dataset(path, messages)
        elif any(kind in messages for kind in _NEW_GROUP):
            raise _Corrupt("its groups have a newer layout; save it without libver")

    def _messages(self, address: int) -> Iterator[tuple[int, bytes]]:
        """The messages of an object; of several of one kind the last counts."""
        head = self._read(address, 16)
        if head[0] != 1:
            raise _Corrupt("an object has a newer layout; save it without libver")
        blocks = [(address + 16, struct.unpack_from("<I", head, 8)[0])]
        for at, length in blocks:
            if len(blocks) > _MOST_ENTRIES:
                raise _Corrupt("an object has too many parts")
            data, place = self._read(at, length), 0
            while place + 8 <= len(data):
                kind, size = struct.unpack_from("<HH", data, place)
                body = data[place + 8 : place + 8 + size]
                place += 8 + size
                if kind == _CONTINUATION:
                    blocks.append(struct.unpack_from("<QQ", body))
                else:
                    yield kind, body

    def _names(self, address: int) -> bytes:
        """The local heap of a group, with the names of its links."""
        head = self._read(address, 32)
        if head[:4] != b"HEAP":
            raise _Corrupt("a list of names is missing")
        size, _, start = struct.unpack_from("<QQQ", head, 8)
        return self._read(start, size, _MOST_NAMES)

    def _links(self, address: int, names: bytes) -> Iterator[tuple[str, int]]:
        """Names and addresses of a group's hard links."""
        nodes, seen = [address], set[int]()
        while nodes:
            node = nodes.pop()
            if node in seen or len(seen) > _MOST_ENTRIES:
                raise _Corrupt("a group contains itself")
            seen.add(node)
            head = self._read(node, 24)
            if head[:4] == b"TREE":
                (used,) = struct.unpack_from("<H", head, 6)
                body = self._read(node + 24, 16 * used + 8)
                nodes += [struct.unpack_from("<Q", body, 16 * place + 8)[0] for place in reversed(range(used))]
            elif head[:4] == b"SNOD":
                (used,) = struct.unpack_from("<H", head, 6)
                body = self._read(node + 8, 40 * used)
                for place in range(used):
                    name, child, cached = struct.unpack_from("<QQI", body, 40 * place)
                    if cached <= 1 and child != _UNDEFINED:  # 2 is a soft link
                        yield names[name : names.index(b"\0", name)].decode("utf-8", "replace"), child
            else:
                raise _Corrupt("a list of links is missing")

    def _dataset(self, path: str, messages: dict[int, bytes]) -> Dataset:
        space, kind, layout = messages[_DATASPACE], messages[_DATATYPE], messages[_LAYOUT]
        rank = space[1]
        shape = struct.unpack_from(f"<{rank}Q", space, 8 if space[0] == 1 else 4)
        offset, size = None, 0
        if layout[0] in (3, 4) and layout[1] == _CONTIGUOUS:
            address, size = struct.unpack_from("<QQ", layout, 2)
            if address != _UNDEFINED and address + size <= self._size:
                offset = self._base + address
        return Dataset(path, _dtype(kind), shape, offset, size)


def _dtype(message: bytes) -> str | None:
    """The type of a dataset, little-endian; None for one that is no plain number."""
    kind, bits, (size,) = message[0] & 15, message[1], struct.unpack_from("<I", message, 4)
    if bits & 1 or size not in (1, 2, 4, 8):
        return None  # big-endian, or of an odd width
    if kind == _FLOAT and size >= 2:
        return "bfloat16" if size == 2 and message[13] == _BRAIN_EXPONENT else f"<f{size}"
    return f"<{'i' if bits & 8 else 'u'}{size}" if kind == _INTEGER else None


class _Bytes(RawIOBase):
    """A file of a source, for the reader of zip files."""

    def __init__(self, path: str) -> None:
        self._path, self._at, self._size = path, 0, stat(path).size

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = max(0, offset + (0, self._at, self._size)[whence])
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        wanted = self._size - self._at if size < 0 else size
        data = read_range(self._path, self._at, max(0, min(wanted, self._size - self._at)))
        self._at += len(data)
        return data


def _inside(path: str) -> tuple[int, int]:
    """Where the HDF5 file begins and how long it is: the whole file, or the weights in a Keras model, which is a zip file."""
    size = stat(path).size
    if read_range(path, 0, 4) != ZIP_SIGNATURE:
        return 0, size
    name = os.path.basename(path)
    try:
        member = zipfile.ZipFile(_Bytes(path)).getinfo(KERAS_MEMBER)  # pyright: ignore[reportArgumentType]
        head = read_range(path, member.header_offset, 30)
        names, extra = struct.unpack_from("<HH", head, 26)
    except (zipfile.BadZipFile, KeyError, struct.error, ValueError):
        raise BadInput(f"{name} is not a Keras model: it has no {KERAS_MEMBER}.", "bad_vectors") from None
    start = member.header_offset + 30 + names + extra
    if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1 or start + member.file_size > size:
        raise BadInput(f"{name} is compressed; save the model with model.save, which does not compress it.", "bad_vectors")
    return start, member.file_size
