"""The way from the training thread to the file: a bounded queue, and a thread that encodes and appends what is in it.

What happens when things go wrong, in this order:

1. The thread falls behind: the queue takes 65,536 entries (or `max_queue`, if that is more). The call that fills it
   waits for room, once and for at most 0.1 s; then the queue's limit doubles.
2. The disk refuses: one warning, up to 64 MB of encoded records wait in memory, and writing is tried again, ever more
   seldom, at most 30 s apart. When it works again nothing has been lost, and a second line says so.
3. Both, for long: at a million entries in the queue, further ones are counted and dropped, with a warning at once and
   the number at the end. Training is never stopped, and never pays more than the wait above.

Arrays count by their size, too: 256 MB of them may wait to be encoded. The call that finds them there waits until enough
are done, but at most 0.1 s; after one such wait in vain, further ones are counted and dropped until there is room.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import deque
from typing import cast

from stepscope._native import EventEncoder
from stepscope.writer import lifetime
from stepscope.writer.event_log import EventLog
from stepscope.writer.scalar import ScalarEntry
from stepscope.writer.summary import Deferred

Entry = ScalarEntry | Deferred
"""A scalar, or the making of any other kind of event."""

QUEUE_ENTRIES = 1 << 16
MOST_QUEUE_ENTRIES = 1 << 20
LONGEST_BLOCK_SECONDS = 0.1
GATHER_SECONDS = 0.2
MEMORY_BYTES = 64 << 20
HELD_BYTES = 256 << 20
LONGEST_FLUSH_SECONDS = 30.0

_FIRST_RETRY_SECONDS = 1.0
_LONGEST_RETRY_SECONDS = 30.0
# Encoding scalars holds the interpreter lock, about 0.2 ms for so many entries. That also means that a fork, which needs the
# lock too, never copies an encoder in the middle of its work.
_BATCH_ENTRIES = 1024
# While arrays are encoded, what is ready goes to the file this often.
_WRITE_SECONDS = 0.5
_SESSION_START = 1
_SESSION_STOP = 2

_log = logging.getLogger("stepscope.writer")


class EventStream:
    """One event file's queue and thread. All public methods may be called from any thread."""

    def __init__(
        self,
        folder: str,
        suffix: str = "",
        *,
        max_queue: int = 10,
        flush_secs: float = 120,
        form: int = 0,
        purge_step: int | None = None,
    ) -> None:
        """Opens the file and starts the thread; a disk that refuses is warned about, never raised."""
        self._folder = folder
        self._suffix = suffix
        self._form = form
        self._room = max(max_queue, QUEUE_ENTRIES)
        self._gather = min(max(flush_secs, 0.01), GATHER_SECONDS)
        self._begin()
        if purge_step is not None:
            self._encoder.add_session_log(time.time(), purge_step, _SESSION_START)
        self._try_to_write()
        self._rouse()

    def _begin(self) -> None:
        """The state of a stream that has queued nothing; also that of a child after a fork."""
        self._queue: deque[Entry] = deque()
        self._limit = self._room
        self._crowded_at = self._room // 2
        self._blocked = False
        self._held = 0
        self._deferred = 0
        self._waited_in_vain = False
        self._used = False
        self._idle = True
        self._wake = threading.Event()
        self._hurry = threading.Event()
        self._progress = threading.Condition()
        self._thread: threading.Thread | None = None
        self._asked = 0
        self._answered = 0
        self._closing = False
        self._finished = False
        self._lost = 0
        self.highest_step: int | None = None
        self._refused = False
        self._slow_warned = False
        self._retry_after = _FIRST_RETRY_SECONDS
        self._next_try = 0.0
        self._file = EventLog(self._folder, self._suffix)
        self._encoder = EventEncoder(self._form)
        self._encoder.add_file_version(time.time(), b"stepscope.writer")

    @property
    def path(self) -> str:
        """Where the file is, or will be once the disk lets it."""
        return self._file.path

    def put(self, entry: Entry) -> bool:
        """Queues an entry, the training thread's share of the work; False when it had to be dropped."""
        queue = self._queue
        if len(queue) >= self._crowded_at and not self._make_room():
            return False
        queue.append(entry)
        if self._idle:
            self._rouse()
        return True

    def put_deferred(self, work: Deferred) -> None:
        """Queues what the thread will encode, when the arrays that wait already leave room for it."""
        with self._progress:
            if not self._has_room_for(work.held_bytes):
                self._drop("a quarter of a gigabyte of arrays waits already")
                return
            self._held += work.held_bytes
            self._deferred += 1
        if not self.put(work):
            self._release(work)

    def flush(self) -> None:
        """Returns when all that was queued is in the file, the disk has refused it, or 30 s have passed."""
        self._await(self._ask(), LONGEST_FLUSH_SECONDS)

    def ask_to_close(self, finished: bool) -> int:
        """Starts closing and returns a ticket for wait_closed; `finished` says that the run came to its proper end."""
        self._finished = finished
        self._closing = True
        return self._ask()

    def wait_closed(self, ticket: int, seconds: float) -> None:
        """Waits for the thread's last write, and says what could not be written."""
        self._await(ticket, seconds)
        lifetime.forget(self)
        unwritten = self._file.waiting
        if unwritten or self._lost or self._queue:
            _log.warning(
                "Points were lost: %d bytes and %d queued points could not be written to %s, and %d points found no room;"
                " look at the disk's free space and permissions.",
                unwritten,
                len(self._queue),
                self.path,
                self._lost,
            )

    def close(self, finished: bool = True) -> None:
        """Writes what is left and ends the thread."""
        self.wait_closed(self.ask_to_close(finished), LONGEST_FLUSH_SECONDS)

    def restart_in_child(self) -> None:
        """After a fork: what is queued is the parent's to write; the child's own points go to a file of its own."""
        inherited = self._file
        self._begin()
        with contextlib.suppress(OSError):  # The parent has the same file open and will hear of it.
            inherited.close()

    def _rouse(self) -> None:
        self._used = True
        self._idle = False
        self._wake.set()
        if self._thread is not None:
            return
        with self._progress:
            if self._thread is not None:
                return
            lifetime.watch(self)
            thread = threading.Thread(target=self._run, name="stepscope-writer", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # No thread to be had, as when the interpreter shuts down: its work is done here.
                self._work()
                self._idle = True
            else:
                self._thread = thread

    def _make_room(self) -> bool:
        """Called when the queue is half full or more; False when the entry must be dropped."""
        if len(self._queue) < self._limit:
            self._crowded_at = self._limit
            self._hurry.set()
            return True
        if not self._blocked:
            self._blocked = True
            self._hurry.set()
            with self._progress:
                if self._progress.wait_for(lambda: len(self._queue) < self._limit, LONGEST_BLOCK_SECONDS):
                    return True
        if self._limit < MOST_QUEUE_ENTRIES:
            self._limit = self._crowded_at = min(2 * self._limit, MOST_QUEUE_ENTRIES)
            self._blocked = False
            if not self._slow_warned:
                self._slow_warned = True
                _log.warning("Writing %s cannot keep up; points wait in memory, and nothing is lost so far.", self.path)
            return True
        self._drop("a million wait already")
        return False

    def _has_room_for(self, held_bytes: int) -> bool:
        """Waits for room as the file's head says; called with the lock."""
        if self._held == 0 or self._held + held_bytes <= HELD_BYTES:
            return True
        if self._waited_in_vain:
            return False
        self._hurry.set()
        found = self._progress.wait_for(lambda: self._held == 0 or self._held + held_bytes <= HELD_BYTES, LONGEST_BLOCK_SECONDS)
        self._waited_in_vain = not found
        return found

    def _release(self, work: Deferred) -> None:
        with self._progress:
            self._held -= work.held_bytes
            self._deferred -= 1
            if self._held <= HELD_BYTES // 2:
                self._waited_in_vain = False
            self._progress.notify_all()

    def _drop(self, why: str) -> None:
        if self._lost == 0:
            _log.warning("Points for %s are being dropped: %s; see why the disk is slow.", self.path, why)
        self._lost += 1

    def _ask(self) -> int:
        if not self._used:  # A forked child that has logged nothing has nothing to write, and gets no file.
            return 0
        with self._progress:
            self._asked += 1
            ticket = self._asked
        self._hurry.set()
        self._rouse()
        return ticket

    def _await(self, ticket: int, seconds: float) -> None:
        thread = self._thread
        if thread is None or thread is threading.current_thread():
            return
        deadline = time.monotonic() + seconds
        with self._progress:
            while self._answered < ticket and thread.is_alive():
                left = deadline - time.monotonic()
                if left <= 0:
                    _log.warning("Writing %s takes longer than %g s; going on without waiting.", self.path, seconds)
                    return
                self._progress.wait(min(left, 1.0))

    def _run(self) -> None:
        closing = False
        while not closing:
            self._idle = True
            if not self._queue and self._asked == self._answered:
                self._wake.wait(self._seconds_to_retry())
            self._wake.clear()
            self._idle = False
            self._hurry.wait(self._gather)
            self._hurry.clear()
            closing = self._work()

    def _work(self) -> bool:
        """Encodes and writes what there is, answers who waits for that, and returns whether it was the last time."""
        asked, closing = self._asked, self._closing
        self._drain()
        if closing and self._finished:
            self._encoder.add_session_log(time.time(), 0, _SESSION_STOP)
        if asked != self._answered or time.monotonic() >= self._next_try:
            self._try_to_write()
        if closing:
            self._close_file()
        with self._progress:
            self._answered = asked
            self._progress.notify_all()
        return closing

    def _seconds_to_retry(self) -> float | None:
        return max(0.0, self._next_try - time.monotonic()) if self._file.waiting else None

    def _drain(self) -> None:
        """Encodes what is queued, as long as the records that wait for the disk leave room."""
        queue, encoder = self._queue, self._encoder
        next_write = time.monotonic() + _WRITE_SECONDS
        while queue and self._file.waiting < MEMORY_BYTES:
            # In this order: what is deferred is announced before it is queued, so none is among entries counted earlier.
            count = min(len(queue), _BATCH_ENTRIES)
            if self._deferred:
                self._encode_one(queue.popleft())
            else:
                scalars = cast("list[ScalarEntry]", [queue.popleft() for _ in range(count)])
                encoder.add_scalars(scalars)
                self._note_step(scalars[-1])
            self._file.add(encoder.take())
            if self._deferred and not self._refused and time.monotonic() >= next_write:
                self._try_to_write()
                next_write = time.monotonic() + _WRITE_SECONDS
        if len(queue) < self._room // 2:
            self._limit = self._room
            self._crowded_at = self._room // 2
            self._blocked = False
        with self._progress:
            self._progress.notify_all()

    def _encode_one(self, entry: Entry) -> None:
        """Of entries among which there are arrays. What goes wrong in making one costs that one and nothing else."""
        if not isinstance(entry, Deferred):
            self._encoder.add_scalars([entry])
            self._note_step(entry)
            return
        try:
            event = entry.make()
            if event is not None:
                self._encoder.add_event(event)
        except Exception as error:  # noqa: BLE001 (the thread must go on for all the others)
            self._lost += 1
            _log.warning("Something logged to %s could not be written and is left out: %s", self._folder, error)
        self._release(entry)

    def _note_step(self, entry: ScalarEntry) -> None:
        if self.highest_step is None or entry[1] > self.highest_step:
            self.highest_step = entry[1]

    def _try_to_write(self) -> None:
        self._file.add(self._encoder.take())
        try:
            self._file.write()
        except OSError as error:
            if not self._refused:
                _log.warning(
                    "Cannot write %s (%s); points wait in memory, up to %d MB, and writing is tried again.",
                    self.path,
                    error.strerror or error,
                    MEMORY_BYTES >> 20,
                )
            self._refused = True
            self._next_try = time.monotonic() + self._retry_after
            self._retry_after = min(2 * self._retry_after, _LONGEST_RETRY_SECONDS)
        else:
            if self._refused:
                _log.warning("Writing %s works again.", self.path)
            self._refused = False
            self._next_try = 0.0
            self._retry_after = _FIRST_RETRY_SECONDS

    def _close_file(self) -> None:
        try:
            self._file.close()
        except OSError as error:
            _log.warning("Closing %s failed (%s); its last points may be missing.", self.path, error.strerror or error)
