"""A lock on a folder that is taken or not, at once; the system lets go of it when the process ends."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

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
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "a+b") as handle:
        try:
            _try_lock(handle.fileno())
        except OSError:
            yield False
            return
        yield True
