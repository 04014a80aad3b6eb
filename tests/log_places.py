"""Places for log files in each source: the local file system, and memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from memory_source import MemorySource


class Place(Protocol):
    """Somewhere to write files, named relative to it, and the address to read them from."""

    root: str

    def write(self, name: str, data: bytes) -> str: ...
    def append(self, name: str, data: bytes) -> None: ...
    def cut(self, name: str, size: int) -> None: ...
    def remove(self, name: str) -> None: ...


class LocalPlace:
    """A folder on disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = str(folder)

    def write(self, name: str, data: bytes) -> str:
        """Puts a new file in the place of an old one; returns its address."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name("draft")
        draft.write_bytes(data)
        os.replace(draft, path)
        return str(path)

    def append(self, name: str, data: bytes) -> None:
        """Lets a file grow."""
        with (self.folder / name).open("ab") as file:
            file.write(data)

    def cut(self, name: str, size: int) -> None:
        """Truncates a file."""
        os.truncate(self.folder / name, size)

    def remove(self, name: str) -> None:
        """Takes a file away."""
        (self.folder / name).unlink()


class MemoryPlace:
    """A folder of the source in memory."""

    def __init__(self, source: MemorySource) -> None:
        self.source = source
        self.root = "memory://bucket/logs"

    def write(self, name: str, data: bytes) -> str:
        """As LocalPlace does."""
        self.source.write(f"{self.root}/{name}", data)
        return f"{self.root}/{name}"

    def append(self, name: str, data: bytes) -> None:
        """As LocalPlace does."""
        self.source.append(f"{self.root}/{name}", data)

    def cut(self, name: str, size: int) -> None:
        """As LocalPlace does."""
        self.source.cut(f"{self.root}/{name}", size)

    def remove(self, name: str) -> None:
        """As LocalPlace does."""
        self.source.remove(f"{self.root}/{name}")
