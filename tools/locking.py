"""A lock between processes, so that two callers never build the same thing at once."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


def try_lock(handle: IO[Any]) -> bool:
    """Takes the lock when nobody has it. The system frees it when the holder dies."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Holds the lock file, and first waits for whoever has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as handle:
        if not try_lock(handle):
            print(f"waiting for another process that holds {path}", file=sys.stderr)
            while not try_lock(handle):
                time.sleep(0.1)
        yield
