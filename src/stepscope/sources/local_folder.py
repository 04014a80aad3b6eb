"""Finds folders and wanted files below a local folder without opening any file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

DEEPEST = 64
"""Folders nested deeper than this are not looked into; nothing real is, and a bind mount of a folder into itself would be endless."""

_NETWORK_FILE_SYSTEMS = (
    "nfs", "cifs", "smb", "fuse", "9p", "lustre", "ceph", "beegfs", "gpfs", "afs", "glusterfs", "virtiofs", "ncpfs", "davfs",
)  # fmt: skip


Wanted = Callable[[str], bool]
"""Whether a file of that base name is wanted."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A wanted file as the folder listing and stat show it."""

    path: str
    size: int
    modified: float
    inode: int


@dataclass(slots=True)
class Listing:
    """What one folder holds: its wanted files, its sub-folders, and what could not be looked at."""

    files: list[FoundFile] = field(default_factory=list[FoundFile])
    folders: list[str] = field(default_factory=list[str])
    problems: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    complete: bool = True
    """False when the folder itself could not be listed, so that what it holds is not known."""


def stat_file(path: str) -> FoundFile | None:
    """The file's size and time now, or None when it is gone."""
    try:
        info = os.stat(path)
    except OSError:
        return None
    return FoundFile(path, info.st_size, info.st_mtime, info.st_ino)


def identity_of(path: str) -> tuple[int, int] | None:
    """What tells a folder from any other, whatever way leads to it; None when it is gone or the system has no such numbers."""
    try:
        info = os.stat(path)
    except OSError:
        return None
    return (info.st_dev, info.st_ino) if info.st_ino else None


def reason_of(error: OSError) -> str:
    """The system's words for an error, as the end of a sentence."""
    return (error.strerror or str(error)).lower()


def list_folder(path: str, wanted: Wanted) -> Listing:
    """Lists one folder. What vanishes while it is listed is left out."""
    listing = Listing()
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                _take_entry(entry, wanted, listing)
    except FileNotFoundError:
        pass
    except OSError as error:
        listing.problems.append((path, reason_of(error)))
        listing.complete = False
    return listing


def _take_entry(entry: os.DirEntry[str], wanted: Wanted, listing: Listing) -> None:
    try:
        if entry.is_dir():
            listing.folders.append(entry.path)
        elif wanted(entry.name) and entry.is_file():
            info = entry.stat()
            listing.files.append(FoundFile(entry.path, info.st_size, info.st_mtime, info.st_ino))
    except FileNotFoundError:
        pass
    except OSError as error:
        listing.problems.append((entry.path, reason_of(error)))


def walk(root: str, wanted: Wanted, stopped: Callable[[], bool] = lambda: False) -> Iterator[tuple[str, Listing]]:
    """Every folder from root down with its listing, sub-folders by name; links are followed, loops are not.

    A folder reached by two ways is listed once, under the way found first, so that a link to a parent cannot repeat the tree.
    """
    seen: set[tuple[int, int]] = set()
    stack = [(root, 0)]
    while stack and not stopped():
        path, depth = stack.pop()
        try:
            info = os.stat(path)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                yield path, Listing(problems=[(path, reason_of(error))], complete=False)
            continue
        if info.st_ino and (info.st_dev, info.st_ino) in seen:
            continue
        seen.add((info.st_dev, info.st_ino))
        listing = list_folder(path, wanted)
        yield path, listing
        if depth < DEEPEST:
            stack.extend((folder, depth + 1) for folder in sorted(listing.folders, reverse=True))


def notifies(path: str) -> bool:
    """Whether the file system tells of changes made elsewhere: not for network file systems, where polling is needed."""
    try:
        with open("/proc/self/mounts", encoding="utf-8", errors="replace") as mounts:
            lines = [line.split() for line in mounts]
    except OSError:
        return True  # not Linux: watchfiles uses the system's own way
    real = os.path.realpath(path)
    best, kind = "", ""
    for fields in lines:
        point = fields[1].replace("\\040", " ")
        inside = point == "/" or real == point or real.startswith(point + "/")
        if inside and len(point) >= len(best):
            best, kind = point, fields[2]
    return not kind.startswith(_NETWORK_FILE_SYSTEMS)
