"""The event files of one stream: named for TensorBoard, and appended to in order, each byte once, however often the disk says no."""

from __future__ import annotations

import itertools
import os
import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

_PIECE = 1 << 20
_OPEN_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_FRAME_BYTES = 16
_POSTPONED_SECONDS = 30.0

_serial = itertools.count()


class Rotation(NamedTuple):
    """When a file is followed by a new one; None is never."""

    max_bytes: int | None = None
    max_age: float | None = None


class _Batch(NamedTuple):
    records: bytes
    points: int


class EventLog:
    """An event file that is made at the first write, its successors, and the bytes that still wait to get into it.

    Every byte is handed to the system exactly once and in order, so a reader never sees a broken record except the
    last one while it is being written. Every file begins with the records that `opening` makes, which is told whether the
    file goes on from another.
    """

    def __init__(self, folder: str, suffix: str, opening: Callable[[bool], bytes], rotation: Rotation | None = None) -> None:
        """Names the file, and touches nothing yet."""
        self._folder = folder
        self._suffix = suffix
        self._opening = opening
        self._rotation = rotation or Rotation()
        self._batches: deque[_Batch] = deque()
        self._sent = 0  # Bytes of the first batch that are in the file.
        self._handle: int | None = None
        self._previous: int | None = None
        self._has_begun = False
        self._identity = (0, 0)
        self._size = 0
        self._opened = 0.0
        self._not_before = 0.0
        self.waiting = 0
        """Bytes that are not in the file yet."""
        self.points = 0
        """Points in the file."""
        self.path = self._new_path()

    @property
    def is_open(self) -> bool:
        """Whether there is a file to write to."""
        return self._handle is not None

    @property
    def waiting_points(self) -> int:
        """Points that are not, or not wholly, in the file yet."""
        return sum(batch.points for batch in self._batches)

    @property
    def room(self) -> int | None:
        """Bytes until the file is full, None when it never is."""
        most = self._rotation.max_bytes
        return None if most is None else max(0, most - self._size - self.waiting)

    def add(self, records: bytes, points: int) -> None:
        """Keeps whole records for the next write."""
        if records:
            self._batches.append(_Batch(records, points))
            self.waiting += len(records)

    def write(self) -> None:
        """Writes all that waits. Raises OSError; what was not written keeps waiting."""
        if self._handle is None:
            self._begin(self._open())
        while self._batches:
            records, points = self._batches[0]
            written = os.write(self._handle or 0, memoryview(records)[self._sent : self._sent + _PIECE])
            self._sent += written
            self._size += written
            self.waiting -= written
            if self._sent == len(records):
                self._batches.popleft()
                self._sent = 0
                self.points += points

    def is_due(self) -> bool:
        """Whether the next record belongs into a new file."""
        if self._handle is None or time.monotonic() < self._not_before:
            return False
        age = self._rotation.max_age
        return self.room == 0 or (age is not None and time.monotonic() - self._opened >= age)

    def begin_next(self) -> None:
        """Goes on in a new file; nothing may be waiting. Raises OSError, and then goes on in the old one for a while."""
        old_handle, old_path = self._handle, self.path
        self.path = self._new_path()
        try:
            handle = self._open()
        except OSError:
            self.path = old_path
            self._not_before = time.monotonic() + _POSTPONED_SECONDS
            raise
        self._previous = old_handle
        self._begin(handle)

    def is_gone(self) -> bool:
        """Whether somebody has deleted the file, or closed it behind our back, so that writing would be in vain or do harm."""
        if self._handle is None:
            return False
        try:
            found = os.fstat(self._handle)
        except OSError:
            return True
        if (found.st_dev, found.st_ino) != self._identity:
            return True
        # Some network file systems know no links, so the name is asked for, too.
        return found.st_nlink == 0 and not os.path.exists(self.path)

    def abandon(self) -> int:
        """Has the next write begin a new file, after is_gone; returns how many points were in the old one."""
        handle, self._handle = self._handle, None
        if handle is not None and self._is_ours(handle):
            os.close(handle)
        if self._sent:
            records, points = self._batches.popleft()
            rest = records[_last_boundary(records, self._sent) :]
            self.waiting += self._sent - (len(records) - len(rest))
            self._batches.appendleft(_Batch(rest, points))
            self._sent = 0
        gone, self.points = self.points, 0
        self.path = self._new_path()
        return gone

    def close_previous(self) -> None:
        """Closes the file that begin_next has replaced. Raises OSError."""
        handle, self._previous = self._previous, None
        if handle is not None:
            os.close(handle)

    def close(self) -> None:
        """Closes the file; some network file systems report here that earlier bytes were refused. Raises OSError."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)

    def _is_ours(self, handle: int) -> bool:
        try:
            found = os.fstat(handle)
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == self._identity

    def _begin(self, handle: int) -> None:
        found = os.fstat(handle)
        self._handle = handle
        self._identity = (found.st_dev, found.st_ino)
        self._size = 0
        self._opened = time.monotonic()
        self.points = 0
        opening = self._opening(self._has_begun)
        self._has_begun = True
        self._batches.appendleft(_Batch(opening, 0))
        self.waiting += len(opening)

    def _open(self) -> int:
        os.makedirs(self._folder, exist_ok=True)
        while True:
            try:
                return os.open(self.path, _OPEN_FLAGS, 0o666)
            except FileExistsError:
                self.path = self._new_path()

    def _new_path(self) -> str:
        # TensorBoard reads a run's files in the order of their names: the tenth file of a second must not sort before the ninth.
        name = f"events.out.tfevents.{int(time.time()):010d}.{host_name()}.{os.getpid()}.{next(_serial):06d}"
        return os.path.join(self._folder, name + self._suffix)


def host_name() -> str:
    """This machine's; the socket module, which has it everywhere, takes long to load."""
    if hasattr(os, "uname"):
        return os.uname().nodename
    import socket

    return socket.gethostname()


def _last_boundary(records: bytes, before: int) -> int:
    """Where the last record begins that is not wholly within so many bytes."""
    at = 0
    while True:
        end = at + _FRAME_BYTES + int.from_bytes(records[at : at + 8], "little")
        if end > before:
            return at
        at = end
