"""The cache of profiles: the tables of a recording that took long to read, one file each.

It is read and never mapped: a file that is truncated while it is used, on a network home by another machine, would kill the process.
A file holds a head of everything that is no column, then the columns as aligned little-endian buffers. It is written under another
name, renamed, and never changed again. What does not fit its recording, this program or its checksums is dropped with at most one
line in the log, and the recording, which holds everything, is read again.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from stepscope._native import column_checksum, crc32c, read_whole_file
from stepscope.model import profile as m
from stepscope.sources.files import canonical, read_range, stat
from stepscope.store.cache_files import make_room, mark_used, write_file
from stepscope.store.folder_lock import try_lock
from stepscope.store.folders import cache_folder
from stepscope.store.private_files import close_own_folders, close_to_others

log = logging.getLogger("stepscope.cache")

MAGIC = b"stepscope profile 1\n"
LIMIT_BYTES = 8 << 30
"""All cached profiles together; those used least recently go first."""
ENDS_BYTES = 64
_ALIGNMENT = 64
_LONGEST_HEAD = 2 << 30
_TABLES: dict[str, type[Any]] = {
    "spans": m.Spans,
    "markers": m.Markers,
    "kernels": m.Kernels,
    "copies": m.Copies,
    "collectives": m.Collectives,
    "allocations": m.Allocations,
    "flows": m.Flows,
    "counters": m.Counters,
    "aggregates": m.Aggregates,
}


class Identity(msgspec.Struct, array_like=True, frozen=True):
    """What tells that a recording is still the one that was read."""

    size: int
    modified_ns: int
    inode: int
    first: bytes
    last: bytes


class SavedColumn(msgspec.Struct, array_like=True, frozen=True):
    """Where a column lies, counted from the first one."""

    table: str
    name: str
    type: str
    shape: tuple[int, ...]
    offset: int
    checksum: int


class SavedHead(msgspec.Struct, array_like=True, frozen=True):
    """Everything of a profile that is no column, and where the columns are."""

    identity: Identity
    program: str
    """The program that read it: another one may read the same file otherwise."""
    format: str
    host: str
    rank: int
    world_size: int
    base_ns: int
    window: tuple[int, int]
    framework: str
    environment: dict[str, str]
    names: list[str]
    tracks: list[m.Track]
    devices: list[m.Device]
    ops: list[m.Operation]
    programs: list[m.Program]
    notes: list[m.Note]
    columns: list[SavedColumn]


class ProfileCache:
    """The cached profiles of this user. Safe from any thread and process: one of them writes at a time, the others do without."""

    def __init__(self, program: str, folder: Path | None = None, limit_bytes: int = LIMIT_BYTES) -> None:
        self._program = program
        self._folder = (folder or cache_folder()) / "profiles"
        self._limit = limit_bytes

    def load(self, path: str, options: str = "") -> m.Profile | None:
        """The profile as it was saved, or None when there is none of this recording as it is now. Raises OSError of the recording."""
        place = self._place(path, options)
        identity = identify(path)
        try:
            head, data = _read_head(str(place))
            if head.identity != identity or head.program != self._program:
                return None
            content = read_whole_file(os.fsencode(place), self._limit)
            content.setflags(write=False)  # profiles are shared between requests
            profile = _profile(head, path, _columns(head, content, data))
        except (FileNotFoundError, NotADirectoryError):  # also a home that is no folder
            return None
        except (OSError, ValueError, TypeError) as error:
            log.warning("Cannot use a cached profile (%s); reading %s again.", error, path)
            return None
        mark_used(place)
        close_own_folders(self._folder)
        close_to_others(place)
        return profile

    def save(self, path: str, identity: Identity, profile: m.Profile, options: str = "") -> bool:
        """Writes the tables that were read of the recording with this identity, and says whether it could."""
        columns = dict(_columns_of(profile))
        size = sum(column.nbytes for column in columns.values())
        if profile.memory_snapshot is not None or size > self._limit:
            return False
        try:
            with try_lock(self._folder) as got:
                if got:
                    self._write(self._place(path, options), _head(identity, self._program, profile, columns), columns)
                    make_room(self._folder, self._limit)
                return got
        except (OSError, ValueError) as error:
            log.warning("Could not write the cache in %s (%s); the next start reads %s again.", self._folder, error, path)
            return False

    def _place(self, path: str, options: str) -> Path:
        key = f"{canonical(path)}\0{options}".encode("utf-8", "surrogateescape")
        return self._folder / hashlib.blake2b(key, digest_size=10).hexdigest()

    def _write(self, place: Path, head: SavedHead, columns: dict[tuple[str, str], NDArray[Any]]) -> None:
        payload = msgspec.msgpack.encode(head)
        head_bytes = MAGIC + len(payload).to_bytes(8, "little") + crc32c(payload).to_bytes(4, "little") + payload
        write_file(place, [head_bytes, *(column.reshape(-1).view(np.uint8).data for column in columns.values())], _ALIGNMENT)


def identify(path: str) -> Identity:
    """The recording as it is now. Raises OSError."""
    found = stat(path)
    first, last = read_range(path, 0, ENDS_BYTES), read_range(path, max(0, found.size - ENDS_BYTES), ENDS_BYTES)
    return Identity(found.size, found.modified_ns, found.inode, first, last)


def _columns_of(profile: m.Profile) -> Iterator[tuple[tuple[str, str], NDArray[Any]]]:
    for table, kind in _TABLES.items():
        for field in fields(kind):
            column: NDArray[Any] = getattr(getattr(profile, table), field.name)
            yield (table, field.name), np.ascontiguousarray(column, column.dtype.newbyteorder("<"))


def _head(identity: Identity, program: str, profile: m.Profile, columns: dict[tuple[str, str], NDArray[Any]]) -> SavedHead:
    saved: list[SavedColumn] = []
    offset = 0
    for (table, name), column in columns.items():
        offset += -offset % _ALIGNMENT
        saved.append(SavedColumn(table, name, column.dtype.str, column.shape, offset, _checksum(column)))
        offset += column.nbytes
    plain = {name: getattr(profile, name) for name in SavedHead.__struct_fields__ if name not in {"identity", "program", "columns"}}
    return SavedHead(identity=identity, program=program, columns=saved, **plain)


def _read_head(place: str) -> tuple[SavedHead, int]:
    """The head, and where the first column begins."""
    begin = len(MAGIC) + 12
    fixed = read_range(place, 0, begin)
    if fixed[: len(MAGIC)] != MAGIC:
        raise ValueError("it was written by another version")
    length = int.from_bytes(fixed[len(MAGIC) : len(MAGIC) + 8], "little")
    payload = read_range(place, begin, min(length, _LONGEST_HEAD))
    if len(payload) < length:
        raise ValueError("it is truncated")
    if crc32c(payload) != int.from_bytes(fixed[-4:], "little"):
        raise ValueError("its checksum is wrong")
    return msgspec.msgpack.decode(payload, type=SavedHead), begin + length + -(begin + length) % _ALIGNMENT


def _columns(head: SavedHead, content: NDArray[np.uint8], begin: int) -> dict[str, dict[str, NDArray[Any]]]:
    tables: dict[str, dict[str, NDArray[Any]]] = {table: {} for table in _TABLES}
    for saved in head.columns:
        kind = np.dtype(saved.type)
        at = begin + saved.offset
        part = content[at : at + kind.itemsize * int(np.prod(saved.shape, dtype=np.int64))]
        column = part.view(kind).reshape(saved.shape)
        if _checksum(column) != saved.checksum:
            raise ValueError(f"the column {saved.table}.{saved.name} is corrupt")
        tables[saved.table][saved.name] = column
    return tables


def _profile(head: SavedHead, path: str, columns: dict[str, dict[str, NDArray[Any]]]) -> m.Profile:
    plain = {name: getattr(head, name) for name in SavedHead.__struct_fields__ if name not in {"identity", "program", "columns"}}
    return m.Profile(path=path, **plain, **{table: kind(**columns[table]) for table, kind in _TABLES.items()})


def _checksum(column: NDArray[Any]) -> int:
    return column_checksum(column.reshape(-1).view(np.uint8))
