"""What a source is: a place where log files live, which is listed, looked at, read in ranges and perhaps watched."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

Wanted = Callable[[str], bool]
"""Whether a file of that base name is wanted."""

Tell = Callable[[set[str]], None]
"""Called with the paths that changed; an empty set says only that the watch goes on."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file as a listing or stat shows it."""

    path: str
    size: int
    modified: float
    inode: int
    """What tells this file from another that takes its place; 0 when the source cannot tell."""


@dataclass(slots=True)
class Listing:
    """What one folder contains: its wanted files, its sub-folders, and what could not be looked at."""

    files: list[FoundFile] = field(default_factory=list[FoundFile])
    folders: list[str] = field(default_factory=list[str])
    problems: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    complete: bool = True
    """False when the folder itself could not be listed, so that its content is not known."""


@dataclass(frozen=True, slots=True)
class Stat:
    """What is at a path now."""

    size: int
    modified: float
    modified_ns: int
    inode: int
    is_file: bool
    """A file that can be read in ranges; a pipe or device is none."""
    is_folder: bool
    identity: tuple[int, int] | None = None
    """Equal for all paths that lead to the same folder (links); None when the source has no such numbers."""


class Source(Protocol):
    """A place where files live. A path is always a whole address: "/logs/run" or "scheme://logs/run", with "/" between folders.

    Safe from any thread. Failures are OSError; FileNotFoundError when there is nothing at the path.
    """

    def list_folder(self, folder: str, wanted: Wanted) -> Listing:
        """Lists one folder; never raises. A file that vanishes meanwhile, or a folder that is not there, is left out."""
        ...

    def stat(self, path: str) -> Stat:
        """Looks at a file or folder, links followed. Raises OSError."""
        ...

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """Reads `length` bytes of a file from `offset` on; fewer only where the file ends. Raises OSError."""
        ...

    def origin(self, path: str) -> bytes | Ranges:
        """What the native core reads the file from: a path of the local file system, or ranges."""
        ...

    def absolute(self, path: str) -> str:
        """The whole address of a path as a user gives it."""
        ...

    def canonical(self, path: str) -> str:
        """One spelling for all paths that lead to the same file; caches use it as their key."""
        ...

    def can_watch(self, folder: str) -> bool:
        """Whether `watch` learns of every change in the folder; where not, it is polled."""
        ...

    def watch(self, folders: Sequence[str], tell: Tell, stop: threading.Event) -> None:
        """Reports changes in and below the folders until `stop` is set; the first report, perhaps an empty one, says that it has begun.

        Raises OSError or RuntimeError when it cannot go on.
        """
        ...


@dataclass(frozen=True, slots=True)
class Ranges:
    """A file of any source as the native core reads it: without a local path, by ranges."""

    source: Source
    address: str

    @property
    def path(self) -> bytes:
        """The address, as the core reports it."""
        return os.fsencode(self.address)

    def size(self) -> int:
        """Bytes in the file now. Raises OSError."""
        return self.source.stat(self.address).size

    def read_range(self, offset: int, length: int) -> bytes:
        """As the source reads it. Raises OSError."""
        return self.source.read_range(self.address, offset, length)


def reason_of(error: OSError) -> str:
    """The system's words for an error, as the end of a sentence."""
    return (error.strerror or str(error)).lower()
