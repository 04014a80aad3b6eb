"""What readers ask of files and folders, whatever source they live in."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from stepscope.model.trash_names import is_trash
from stepscope.sources.all_sources import source_of
from stepscope.sources.source import FoundFile, Listing, Ranges, Stat, Wanted, reason_of

DEEPEST = 64
"""Folders nested deeper than this are not looked into; nothing real is, and a bind mount of a folder into itself would be endless."""

SETTLED_SECONDS = 60.0
"""A file that was not written to for so long has settled. Network file systems show a file as it was up to a minute ago."""


def has_settled(modified: float) -> bool:
    """Whether a file that was last written to at that time, as its source says, is no longer being written."""
    return time.time() - modified > SETTLED_SECONDS


def stat(path: str) -> Stat:
    """Looks at a file or folder. Raises OSError."""
    return source_of(path).stat(path)


def read_range(path: str, offset: int, length: int) -> bytes:
    """Bytes of a file from `offset` on; fewer than `length` only where the file ends. Raises OSError."""
    return source_of(path).read_range(path, offset, length)


def origin_of(path: str) -> bytes | Ranges:
    """What the native core reads the file from."""
    return source_of(path).origin(path)


def absolute(path: str) -> str:
    """The whole address of a path as a user gives it: "~" is their home, and a local path may be relative."""
    return source_of(path).absolute(path)


def canonical(path: str) -> str:
    """One spelling for all paths that lead to the same file."""
    return source_of(path).canonical(path)


def find_file(path: str) -> FoundFile | None:
    """The file's size and time now, or None when it is gone."""
    try:
        found = stat(path)
    except OSError:
        return None
    return FoundFile(path, found.size, found.modified, found.inode)


def exists(path: str) -> bool:
    """Whether there is a file or folder."""
    return _stat(path) is not None


def is_file(path: str) -> bool:
    """Whether there is a file that can be read."""
    found = _stat(path)
    return found is not None and found.is_file


def is_folder(path: str) -> bool:
    """Whether there is a folder."""
    found = _stat(path)
    return found is not None and found.is_folder


def identity_of(path: str) -> tuple[int, int] | None:
    """What tells a folder from any other, whatever path leads to it; None when it is gone or the source has no such numbers."""
    found = _stat(path)
    return found.identity if found else None


def list_folder(path: str, wanted: Wanted) -> Listing:
    """Lists one folder. What vanishes while it is listed is left out."""
    return source_of(path).list_folder(path, wanted)


def walk(root: str, wanted: Wanted, stopped: Callable[[], bool] = lambda: False) -> Iterator[tuple[str, Listing]]:
    """Every folder from root down with its listing, sub-folders by name; links are followed, loops and trash folders are not.

    A folder reached by two paths is listed once, under the path found first, so that a link to a parent cannot repeat the tree.
    """
    source = source_of(root)
    seen: set[tuple[int, int]] = set()
    stack = [(root, 0)]
    while stack and not stopped():
        path, depth = stack.pop()
        try:
            identity = source.stat(path).identity
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                yield path, Listing(problems=[(path, reason_of(error))], complete=False)
            continue
        if identity is not None:
            if identity in seen:
                continue
            seen.add(identity)
        listing = source.list_folder(path, wanted)
        yield path, listing
        if depth < DEEPEST:
            stack.extend((folder, depth + 1) for folder in sorted(listing.folders, reverse=True) if not is_trash(folder[len(root) :]))


def _stat(path: str) -> Stat | None:
    try:
        return stat(path)
    except (OSError, ValueError):
        return None
