"""A lock on a folder that is taken or not, at once; the system lets go of it when the process ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from stepscope.store.private_files import make_private_folder

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def try_lock(folder: Path) -> Generator[bool]:
    """Yields whether the lock was got; who does not get it does not write."""
    make_private_folder(folder)
    with open(folder / "lock", "a+b", opener=_private) as handle:
        try:
            _try_lock(handle.fileno())
        except OSError:
            yield False
            return
        yield True


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
