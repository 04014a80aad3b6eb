"""Folders and files that only their owner can read: logs may be private, and what is kept of them must not be less so."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import IO

from stepscope.store.folders import cache_folder, data_folder, is_chosen

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def make_private_folder(folder: Path) -> None:
    """Makes the folder, and those above it that are missing, and closes what others could open. Raises OSError."""
    missing: list[Path] = []
    place = folder
    while not place.exists():
        missing.append(place)
        place = place.parent
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(exist_ok=True)  # raises when it is a file
    close_own_folders(folder)


def close_own_folders(folder: Path) -> None:
    """Closes a folder of ours and those above it, up to the cache or data folder, to others.

    A folder that the environment names is left as its owner made it; what is in it is closed all the same.
    """
    top = next((root for root in (cache_folder(), data_folder()) if folder.is_relative_to(root)), folder)
    for one in (folder, *folder.parents):
        if not is_chosen(one):
            close_to_others(one)
        if one == top:
            return


def create_private(path: Path) -> IO[bytes]:
    """A new file for writing, unbuffered. Raises OSError, FileExistsError when there is one."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    return open(descriptor, "wb", buffering=0)


def close_to_others(path: Path) -> None:
    """Takes away the rights of others on a file or folder of ours; what is somebody else's, or not there, is left as it is."""
    if os.name != "posix":
        return  # elsewhere the user's profile folder is private
    with contextlib.suppress(OSError):  # what cannot be changed is still good to read
        info = path.stat()
        if info.st_uid == os.geteuid() and info.st_mode & _OTHERS:
            path.chmod(stat.S_IMODE(info.st_mode) & ~_OTHERS)
