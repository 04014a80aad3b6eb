"""The checkpoint cache: what was read of a log folder's files, so that the next start reads only what is new.

One folder per set of roots holds an `index` and immutable `pack-…` files. A write makes a new pack, then a new index under a
temporary name, and renames it over the old one; a crash at any moment leaves the old pair or the new one. Anything that does not
fit is dropped with one line in the log, and the event files, which hold everything, are read again.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import secrets
import shutil
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from stepscope._native import CheckpointError, EventFile, NamePool, PackFile, crc32c
from stepscope.sources.files import canonical, origin_of
from stepscope.store.cache_files import read_file, write_all
from stepscope.store.folder_lock import try_lock
from stepscope.store.folders import cache_folder
from stepscope.store.library import FileRecord
from stepscope.store.private_files import close_own_folders, create_private

log = logging.getLogger("stepscope.cache")

MAGIC = b"stepscope checkpoint 1\n"
LIMIT_BYTES = 20 << 30
"""All checkpoints together; the folders used least recently go first."""
LIVE_SHARE = 0.5
"""A pack of which less than this is still named by the index is written anew."""


class SavedFile(msgspec.Struct, array_like=True, frozen=True):
    """One event file in the index."""

    path: bytes
    pack: str
    length: int
    """Bytes it takes in the pack."""
    offset: int
    """How far the event file had been read."""
    index: bytes


class SavedIndex(msgspec.Struct, array_like=True, frozen=True):
    """The index file's content."""

    generation: str
    files: list[SavedFile]


class Checkpoint:
    """The checkpoint of one set of roots. Used by the ingest thread alone."""

    def __init__(self, roots: Sequence[tuple[str, str]], folder: Path | None = None, limit_bytes: int = LIMIT_BYTES) -> None:
        key = "\0".join(f"{name}\0{canonical(path)}" for name, path in roots)
        digest = hashlib.blake2b(key.encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()
        self._shelf = (folder or cache_folder()) / "checkpoints"
        self._folder = self._shelf / digest
        self._limit = limit_bytes
        self._generation = ""
        self._saved: dict[bytes, SavedFile] = {}
        self._packs: dict[str, PackFile] = {}

    def open(self) -> None:
        """Reads the index, if there is one."""
        try:
            index = _read_index(self._folder / "index")
        except (FileNotFoundError, NotADirectoryError):  # also a home that is no folder
            return
        except (OSError, ValueError) as error:
            log.warning("Cannot use the cache in %s (%s); rebuilding it.", self._folder, error)
            return
        self._generation = index.generation
        self._saved = {file.path: file for file in index.files}
        close_own_folders(self._folder)
        _touch(self._folder / "index")

    def restore(self, path: str, size: int, names: NamePool) -> EventFile | None:
        """The file as it was saved, or None when it is not in the checkpoint, or is shorter now."""
        saved = self._saved.get(os.fsencode(path))
        if saved is None or size < saved.offset:
            return None
        try:
            return EventFile.restore(origin_of(path), names, saved.index, self._pack(saved.pack))
        except (OSError, CheckpointError) as error:
            log.warning("Cannot use part of the cache in %s (%s); reading %s again.", self._folder, error, path)
            self.forget(path)
            return None

    def _pack(self, name: str) -> PackFile:
        if name not in self._packs:
            if "/" in name or "\\" in name or not name.startswith("pack-"):
                raise CheckpointError(f"the index names a strange pack, {name!r}")
            self._packs[name] = PackFile(os.fsencode(self._folder / name))
        return self._packs[name]

    def forget(self, path: str) -> None:
        """Drops a file whose saved columns turned out damaged."""
        self._saved.pop(os.fsencode(path), None)

    def covers(self, record: FileRecord) -> bool:
        """Whether all that was read of the file is saved."""
        saved = self._saved.get(os.fsencode(record.path))
        return saved is not None and saved.offset == record.events.offset

    def write(self, records: Iterable[FileRecord], due: Iterable[FileRecord]) -> bool:
        """Saves the files that are due, keeps what is saved of the others, and says whether it could.

        Raises OSError, which names the cache, when its disk is full or read-only; what was begun is taken away.
        """
        try:
            return self._write(records, due)
        except OSError as error:
            raise OSError(error.errno, error.strerror or str(error), str(self._folder)) from error

    def _write(self, records: Iterable[FileRecord], due: Iterable[FileRecord]) -> bool:
        with try_lock(self._folder) as got:
            if not got:
                return False
            self._take_up_newer()
            self._remove_strays(self._saved.values())
            known = {os.fsencode(record.path): record for record in records}
            fresh = {os.fsencode(record.path): record for record in due}
            kept = {path: saved for path, saved in self._saved.items() if path in known and path not in fresh}
            for path in self._in_poor_packs(kept):
                fresh[path] = known[path]
                del kept[path]
            written = self._write_pack(fresh)
            try:
                self._write_index([*kept.values(), *written])
            finally:
                self._remove_strays(self._saved.values())
        self._make_room()
        return True

    def _take_up_newer(self) -> None:
        """Another server may have written meanwhile and taken away the packs we know: its index then holds, not ours."""
        try:
            index = _read_index(self._folder / "index")
        except (OSError, ValueError):
            index = SavedIndex("", [])
        if index.generation != self._generation:
            self._saved = {file.path: file for file in index.files}

    def _in_poor_packs(self, kept: dict[bytes, SavedFile]) -> list[bytes]:
        live: dict[str, int] = {}
        for saved in kept.values():
            live[saved.pack] = live.get(saved.pack, 0) + saved.length
        poor = {name for name, used in live.items() if used < LIVE_SHARE * _size(self._folder / name)}
        return [path for path, saved in kept.items() if saved.pack in poor]

    def _write_pack(self, records: dict[bytes, FileRecord]) -> list[SavedFile]:
        if not records:
            return []
        name = f"pack-{secrets.token_hex(8)}"
        written: list[SavedFile] = []
        at = 0
        try:
            with create_private(self._folder / name) as pack:
                for path, record in records.items():
                    try:
                        index, length = record.events.save(pack.fileno(), at)
                    except CheckpointError:
                        continue  # what came from the cache is damaged; the loader reads the log again
                    # How far the saved state had read stands in the index itself; reading may have gone on since.
                    written.append(SavedFile(path, name, length, _saved_offset(index), index))
                    at += length
                os.fsync(pack.fileno())
        except BaseException:
            (self._folder / name).unlink(missing_ok=True)
            raise
        return written

    def _write_index(self, files: list[SavedFile]) -> None:
        index = SavedIndex(secrets.token_hex(8), files)
        payload = msgspec.msgpack.encode(index)
        draft = self._folder / f"index-{index.generation}.tmp"
        with create_private(draft) as out:
            write_all(out, MAGIC + crc32c(payload).to_bytes(4, "little") + payload)
            os.fsync(out.fileno())
        os.replace(draft, self._folder / "index")
        self._generation = index.generation
        self._saved = {file.path: file for file in files}
        _sync_folder(self._folder)

    def _remove_strays(self, files: Iterable[SavedFile]) -> None:
        """Takes away old packs and what a crash or a full disk left; who has a pack open keeps it."""
        named = {file.pack for file in files} | {"index", "lock"}
        for stray in self._folder.iterdir():
            if stray.name not in named:
                stray.unlink(missing_ok=True)

    def _make_room(self) -> None:
        """Takes away whole checkpoints, least recently used first, until all fit the limit."""
        folders = [folder for folder in self._shelf.iterdir() if folder.is_dir()]
        sizes = {folder: sum(_size(file) for file in folder.iterdir()) for folder in folders}
        total = sum(sizes.values())
        for folder in sorted(folders, key=lambda folder: _modified(folder / "index")):
            if total <= self._limit:
                return
            with try_lock(folder) as got:
                if got:
                    shutil.rmtree(folder, ignore_errors=True)
                    total -= sizes[folder]


def _saved_offset(index: bytes) -> int:
    # The native index begins with its version (4 bytes) and how far the file was read (8 bytes).
    return int.from_bytes(index[4:12], "little")


def _read_index(path: Path) -> SavedIndex:
    content = read_file(path)
    head = len(MAGIC) + 4
    if not content.startswith(MAGIC) or len(content) < head:
        raise ValueError("it was written by another version")
    payload = content[head:]
    if crc32c(payload) != int.from_bytes(content[len(MAGIC) : head], "little"):
        raise ValueError("its checksum is wrong")
    return msgspec.msgpack.decode(payload, type=SavedIndex)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _touch(path: Path) -> None:
    with contextlib.suppress(OSError):  # a cache that cannot be written is still good to read
        os.utime(path, (time.time(), time.time()))


def _sync_folder(folder: Path) -> None:
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return  # Windows cannot open folders; the rename there is durable enough for a cache
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
