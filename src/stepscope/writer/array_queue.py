"""Arrays on their way to the file: a bounded queue, and a thread that makes their events, so that no picture holds up a scalar.

256 MB of arrays may wait. The call that finds no room waits until enough are done, but at most 0.1 s; after one such wait in
vain, further ones are counted and dropped until there is room.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable

from stepscope.writer import lifetime
from stepscope.writer.summary import Deferred

HELD_BYTES = 256 << 20
LONGEST_BLOCK_SECONDS = 0.1
_LAST_SECONDS = 1.0

_log = logging.getLogger("stepscope.writer")


class ArrayQueue:
    """Works of one stream, and the events made of them. All methods may be called from any thread."""

    def __init__(self, folder: str, made: Callable[[bool], None]) -> None:
        """`made` is called whenever an event is ready to be taken, and told whether somebody waits for that."""
        self._folder = folder
        self._made = made
        self._change = threading.Condition()
        self._works: deque[Deferred] = deque()
        self._ready: deque[bytes | None] = deque()
        self._thread: threading.Thread | None = None
        self._waiting = 0
        self._waited_in_vain = False
        self._closing = False
        self.held = 0
        """Bytes of the arrays that were put, and then of their events, until those are taken."""
        self.put_count = 0
        """How many were put so far."""
        self.taken_count = 0
        """How many of them were taken, or failed."""
        self.failed = 0
        """How many could not be made."""

    def put(self, work: Deferred) -> bool:
        """Queues a work; False when there is no room for it."""
        with self._change:
            if not self._has_room_for(work.held_bytes):
                return False
            self.held += work.held_bytes
            self.put_count += 1
            self._works.append(work)
            if lifetime.is_over() or (self._thread is None and not self._start()):
                self._make(self._works.popleft())
            self._change.notify_all()
        return True

    def has_ready(self) -> bool:
        """Whether take would find something."""
        return bool(self._ready)

    def take(self) -> bytes | None:
        """The oldest event; None when there is none, or when it is nothing that goes into the file."""
        with self._change:
            if not self._ready:
                return None
            event = self._ready.popleft()
            self.held -= len(event or b"")
            self.taken_count += 1
            if self.held <= HELD_BYTES // 2:
                self._waited_in_vain = False
            self._change.notify_all()
        return event

    def close(self) -> None:
        """Ends the thread when it has made what there is."""
        with self._change:
            self._closing = True
            self._change.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(_LAST_SECONDS)  # At exit it would otherwise be stopped anywhere, perhaps with the lock.

    def _has_room_for(self, held_bytes: int) -> bool:
        def room() -> bool:
            return self.held == 0 or self.held + held_bytes <= HELD_BYTES

        if room():
            return True
        if self._waited_in_vain:
            return False
        self._made(True)
        self._waiting += 1
        found = self._change.wait_for(room, LONGEST_BLOCK_SECONDS)
        self._waiting -= 1
        self._waited_in_vain = not found
        return found

    def _start(self) -> bool:
        thread = threading.Thread(target=self._run, name="stepscope-arrays", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # No thread to be had, as when the interpreter shuts down.
            return False
        self._thread = thread
        return True

    def _run(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._works or self._closing)
                if not self._works:
                    self._thread = None
                    return
                work = self._works.popleft()
            self._make(work)
            self._made(self._waiting > 0)

    def _make(self, work: Deferred) -> None:
        """What goes wrong in making one costs that one and nothing else."""
        event = None
        try:
            event = work.make()
        except Exception as error:  # noqa: BLE001 (the thread must go on for all the others)
            self.failed += 1
            _log.warning("Could not write a value to %s; it is left out: %s", self._folder, error)
        with self._change:
            self._ready.append(event)
            self.held += len(event or b"") - work.held_bytes
            self._change.notify_all()
