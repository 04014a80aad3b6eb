"""One event file: a name TensorBoard recognises, and bytes appended in order, each once, however often the disk says no."""

from __future__ import annotations

import itertools
import os
import socket
import time

_PIECE = 1 << 20
_OPEN_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)

_serial = itertools.count()


class EventLog:
    """An event file that is made at the first write, and the bytes that still wait to get into it.

    Every byte is handed to the system exactly once and in order, so a reader never sees a broken record except the
    last one while it is being written.
    """

    def __init__(self, folder: str, suffix: str) -> None:
        """Names the file, and touches nothing yet."""
        self._folder = folder
        self._suffix = suffix
        self._waiting = bytearray()
        self._handle: int | None = None
        self.path = self._new_path()

    @property
    def waiting(self) -> int:
        """Bytes that are not in the file yet."""
        return len(self._waiting)

    def add(self, records: bytes) -> None:
        """Keeps whole records for the next write."""
        self._waiting += records

    def write(self) -> None:
        """Writes all that waits. Raises OSError; what was not written keeps waiting."""
        if self._handle is None:
            self._handle = self._open()
        while self._waiting:
            written = os.write(self._handle, bytes(self._waiting[:_PIECE]))
            del self._waiting[:written]

    def close(self) -> None:
        """Closes the file; some network file systems report here that earlier bytes were refused. Raises OSError."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)

    def _open(self) -> int:
        os.makedirs(self._folder, exist_ok=True)
        while True:
            try:
                return os.open(self.path, _OPEN_FLAGS, 0o666)
            except FileExistsError:
                self.path = self._new_path()

    def _new_path(self) -> str:
        # TensorBoard reads a run's files in the order of their names: the tenth file of a second must not sort before the ninth.
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{next(_serial):06d}"
        return os.path.join(self._folder, name + self._suffix)
