"""The local file system as a source: listed with scandir, read by position, watched with the system's notification."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Sequence

from stepscope.model.regular_files import open_regular
from stepscope.sources.source import FoundFile, Listing, Ranges, Stat, Tell, Wanted, reason_of

QUIET_MS = 50
"""Changes are handed on after this long without another one…"""
LONGEST_MS = 250
"""…or this long after the first, when they do not stop."""
IDLE_MS = 1_000
"""So often the watch looks whether it is to end; the first time says that it has begun."""

_NETWORK_FILE_SYSTEMS = (
    "nfs", "cifs", "smb", "fuse", "9p", "lustre", "ceph", "beegfs", "gpfs", "afs", "glusterfs", "virtiofs", "ncpfs", "davfs",
)  # fmt: skip


class LocalFolder:
    """Files of this machine, by path."""

    def list_folder(self, folder: str, wanted: Wanted) -> Listing:
        """Lists one folder. What vanishes while it is listed is left out."""
        listing = Listing()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    _take_entry(entry, wanted, listing)
        except FileNotFoundError:
            pass
        except OSError as error:
            listing.problems.append((folder, reason_of(error)))
            listing.complete = False
        return listing

    def stat(self, path: str) -> Stat:
        """Looks at a file or folder, links followed. Raises OSError."""
        return _stat_of(os.stat(path))

    def read_range(self, path: str, offset: int, length: int) -> bytes:
        """Reads a range of a regular file; anything else might block or never end. Raises OSError."""
        with open_regular(path) as file:
            file.seek(offset)
            return file.read(max(0, min(length, os.fstat(file.fileno()).st_size - offset)))

    def origin(self, path: str) -> bytes | Ranges:
        """The path: the native core reads local files itself."""
        return os.fsencode(path)

    def absolute(self, path: str) -> str:
        """The absolute path, with ~ as the home folder."""
        return os.path.abspath(os.path.expanduser(path))

    def canonical(self, path: str) -> str:
        """The path without links."""
        return os.path.realpath(path)

    def can_watch(self, folder: str) -> bool:
        """Whether the file system tells of changes made elsewhere: not a network file system, where polling is needed."""
        return os.path.isdir(folder) and notifies(folder)

    def watch(self, folders: Sequence[str], tell: Tell, stop: threading.Event) -> None:
        """Reports changes until `stop` is set. Raises OSError or RuntimeError: too many folders for the system's limit."""
        # Imported here: it takes a while, and a load that only runs once never needs it.
        import watchfiles

        changes = watchfiles.watch(
            *folders,
            watch_filter=None,
            debounce=LONGEST_MS,
            step=QUIET_MS,
            stop_event=stop,
            rust_timeout=IDLE_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        for batch in changes:
            tell({path for _, path in batch})


def _stat_of(info: os.stat_result) -> Stat:
    return Stat(
        size=info.st_size,
        modified=info.st_mtime,
        modified_ns=info.st_mtime_ns,
        inode=info.st_ino,
        is_file=stat.S_ISREG(info.st_mode),
        is_folder=stat.S_ISDIR(info.st_mode),
        identity=(info.st_dev, info.st_ino) if info.st_ino else None,
    )


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
