"""A source whose files are in memory: what a bucket is to Stepscope, without a network."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from stepscope.sources.source import FoundFile, Listing, Ranges, Stat, Tell, Wanted


@dataclass
class MemorySource:
    """Files by address; every write counts as a moment of time."""

    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    times: dict[str, int] = field(default_factory=dict[str, int])
    inodes: dict[str, int] = field(default_factory=dict[str, int])
    reads: list[tuple[str, int, int]] = field(default_factory=list[tuple[str, int, int]])
    """Path, offset and length of every range that was asked for."""
    clock: int = 1_700_000_000

    def write(self, path: str, data: bytes) -> None:
        """Makes a file anew."""
        self.clock += 1
        self.inodes[path] = self.clock
        self._keep(path, data)

    def append(self, path: str, data: bytes) -> None:
        """Lets a file grow."""
        self.clock += 1
        self._keep(path, self.files[path] + data)

    def cut(self, path: str, size: int) -> None:
        """Truncates a file."""
        self.clock += 1
        self._keep(path, self.files[path][:size])

    def remove(self, path: str) -> None:
        """Takes a file away."""
        del self.files[path]

    def _keep(self, path: str, data: bytes) -> None:
        self.files[path] = data
        self.times[path] = self.clock

    def list_folder(self, folder: str, wanted: Wanted) -> Listing:
        """By the addresses that begin with the folder's."""
        listing = Listing()
        inside = folder.rstrip("/") + "/"
        folders: set[str] = set()
        for path in self.files:
            name, _, below = path.removeprefix(inside).partition("/")
            if not path.startswith(inside):
                continue
            if below:
                folders.add(inside + name)
            elif wanted(name):
                listing.files.append(FoundFile(path, len(self.files[path]), float(self.times[path]), self.inodes[path]))
        listing.folders = sorted(folders)
        return listing

    def stat(self, path: str) -> Stat:
        """Raises FileNotFoundError."""
        if path in self.files:
            moment = self.times[path]
            return Stat(len(self.files[path]), float(moment), moment * 10**9, self.inodes[path], True, False)
        if any(file.startswith(path.rstrip("/") + "/") for file in self.files):
            return Stat(0, 0.0, 0, 0, False, True)
        raise FileNotFoundError(2, "no such file", path)

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """Raises FileNotFoundError."""
        self.stat(path)
        self.reads.append((path, offset, length))
        return self.files[path][offset : offset + length]

    def origin(self, path: str) -> bytes | Ranges:
        """Ranges: there is no local file."""
        return Ranges(self, path)

    def absolute(self, path: str) -> str:
        """An address is always whole."""
        return path

    def canonical(self, path: str) -> str:
        """There are no links."""
        return path

    def can_watch(self, folder: str) -> bool:
        """Never: it is polled."""
        return False

    def watch(self, folders: Sequence[str], tell: Tell, stop: threading.Event) -> None:
        """Is not called."""
        raise NotImplementedError
