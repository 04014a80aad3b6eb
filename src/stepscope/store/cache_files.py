"""Files of a cache folder: written under another name and renamed, and taken away least recently used first when they are too many."""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from stepscope.sources.files import read_range
from stepscope.store.private_files import create_private


def write_file(place: Path, parts: Iterable[bytes | memoryview], alignment: int = 1) -> None:
    """Writes parts, each but the first from a multiple of `alignment` on; a reader sees all of the file or the one before it."""
    draft = place.with_name(f"{secrets.token_hex(8)}.tmp")
    try:
        with create_private(draft) as out:
            for part in parts:
                write_all(out, bytes(-out.tell() % alignment))
                write_all(out, part)
        os.replace(draft, place)  # a crash may lose what the system has not written yet; the checksums tell
    finally:
        draft.unlink(missing_ok=True)


def read_file(place: Path) -> bytes:
    """The whole of a regular file; a pipe in its place would never end. Raises OSError."""
    return read_range(str(place), 0, sys.maxsize)


def mark_used(place: Path) -> None:
    """Makes it the last to go."""
    with contextlib.suppress(OSError):  # a cache that cannot be written is still good to read
        os.utime(place, (time.time(), time.time()))


def make_room(folder: Path, limit_bytes: int) -> None:
    """Takes away what a crash left, then files, least recently used first, until all fit the limit."""
    found: list[tuple[float, int, Path]] = []
    for file in folder.iterdir():
        if file.suffix == ".tmp":
            file.unlink(missing_ok=True)
        elif file.name != "lock":
            with contextlib.suppress(OSError):
                info = file.stat()
                found.append((info.st_mtime, info.st_size, file))
    total = sum(size for _, size, _ in found)
    for _, size, file in sorted(found):
        if total <= limit_bytes:
            return
        with contextlib.suppress(OSError):  # Windows keeps what somebody has mapped
            file.unlink()
            total -= size


def write_all(out: IO[bytes], data: bytes | memoryview) -> None:
    """A write may take only a part: Linux stops at 2 GB."""
    rest = memoryview(data)
    while rest:
        rest = rest[out.write(rest) :]
