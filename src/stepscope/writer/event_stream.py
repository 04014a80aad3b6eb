"""The way from the training thread to the file: a bounded queue, and a thread that encodes and appends what is in it.

What happens when things go wrong, in this order:

1. The thread falls behind: the queue takes 65,536 points (or `max_queue`, if that is more). The call that fills it
   waits for room, once and for at most 0.1 s; then the queue's limit doubles.
2. The disk refuses: one warning, up to 64 MB of encoded records wait in memory, and writing is tried again, ever more
   seldom, at most 30 s apart. When it works again nothing has been lost, and a second line says so.
3. Both, for long: at a million points in the queue, further ones are counted and dropped, with a warning at once and
   the number at the end. Training is never stopped, and never pays more than the wait above.
4. The file is deleted: one warning, the points that were in it count as lost, and writing goes on in a new file.

Only the thread touches the disk: folders and files are made and opened by it, so that a disk that hangs holds up no call.
There is no lock that a call holds: a signal handler may log, flush and close while the code it interrupts does the same
(writer/bell.py).

The number of lost points is also written into the file as soon as that is possible (writer/lost_points.py). Arrays have a
queue and a thread of their own (writer/array_queue.py), so that what is slow to encode delays nothing else.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable

from stepscope._native import EventEncoder, ScalarQueue
from stepscope.writer import background, lifetime
from stepscope.writer.array_queue import ArrayQueue
from stepscope.writer.bell import Bell
from stepscope.writer.complaints import tell, tell_soon, warn
from stepscope.writer.event_log import EventLog, Rotation
from stepscope.writer.lost_points import lost_points_event
from stepscope.writer.post import Post
from stepscope.writer.request import Request
from stepscope.writer.scalar import FULL, OWN_FORM, QUEUED, UNKNOWN_TYPE, ScalarEntry, scalar_entry
from stepscope.writer.summary import Deferred

QUEUE_ENTRIES = 1 << 16
MOST_QUEUE_ENTRIES = 1 << 20
LONGEST_BLOCK_SECONDS = 0.1
GATHER_SECONDS = 0.2
MEMORY_BYTES = 64 << 20
LONGEST_FLUSH_SECONDS = 30.0

_ASK_AGAIN_SECONDS = 1.0
_FIRST_RETRY_SECONDS = 1.0
_LONGEST_RETRY_SECONDS = 30.0
# So much is encoded before it is handed to the system.
_WRITE_BYTES = 1 << 20
_SESSION_START = 1
_SESSION_STOP = 2

# A fork copies an encoder perhaps in the middle of its work, when not even its destructor may touch it.
_inherited: list[EventEncoder] = []


class EventStream:
    """The queue and thread of one run's event files. All public methods may be called from any thread."""

    def __init__(
        self,
        folder: str,
        suffix: str = "",
        *,
        max_queue: int = 10,
        flush_secs: float = 120,
        form: int = 0,
        purge_step: int | None = None,
        rotation: Rotation | None = None,
    ) -> None:
        """Touches nothing yet; `begin` does, or the first point."""
        self._folder = folder
        self._suffix = suffix
        self._rotation = rotation
        self._room = max(max_queue, QUEUE_ENTRIES)
        self._gather = min(max(flush_secs, 0.01), GATHER_SECONDS)
        self._queue = ScalarQueue(form)
        self.put_now = self._queue.put
        """The training thread's share of the work; what it returns other than QUEUED goes to `attend`."""
        self.put_if_certain = self._queue.put_if_certain
        """The same, but it returns CONDITIONAL, with nothing done, where record_if or a compiler has to be asked first."""
        self.put_all_now = self._queue.put_all
        """Several points of one moment at the cost of one; what it returns other than QUEUED goes to `attend_all`."""
        self._reset()
        if purge_step is not None:
            self._encoder.add_session_log(time.time(), purge_step, _SESSION_START)

    def _reset(self) -> None:
        """The state of a stream that has queued nothing; also that of a child after a fork."""
        self._queue.clear()
        self._queue.asleep = True
        self._limit = self._room
        self._queue.limit = self._room // 2
        self._blocked = False
        self._arrays = ArrayQueue(self._folder, self._notice_array)
        self._used = False
        self._post = Post(self._work_on, self._has_work)
        self._to_do = Bell()
        self._done = Bell()
        self._hurried = False
        self._tried = False
        self._requests: deque[Request] = deque()
        self._left_out: deque[None] = deque()  # Counts in one step, whoever interrupts it.
        self._gone = 0
        self._told = 0
        self._refused = False
        self._slow_warned = False
        self._stuck_warned = False
        self._failed_warned = False
        self._retry_after = _FIRST_RETRY_SECONDS
        self._next_try = 0.0
        self._file = EventLog(self._folder, self._suffix, _opening, self._rotation)
        self._encoder = EventEncoder()

    @property
    def path(self) -> str:
        """Where the file is, or will be once the disk lets it."""
        return self._file.path

    @property
    def highest_step(self) -> int | None:
        """Of the scalars queued so far."""
        return self._queue.highest_step

    @property
    def lost(self) -> int:
        """Points that will never be in the file."""
        return self._queue.dropped + self._gone + self._unencoded

    @property
    def _unencoded(self) -> int:
        return self._arrays.failed + len(self._left_out)

    def begin(self) -> None:
        """Has the thread open the file; what the disk refuses is warned about, never raised."""
        self._rouse()

    def wait_begun(self, seconds: float) -> None:
        """Returns when the file is open, the disk has refused that, or so many seconds have passed."""
        self._done.wait(lambda: self._tried, seconds)
        tell()

    def put(self, entry: ScalarEntry) -> bool:
        """Queues a scalar; False when it had to be dropped."""
        tag, (step, when, value), form = entry[0].decode(), entry[1:4], entry[4] if len(entry) == 5 else OWN_FORM
        return self.attend(self.put_now(tag, value, step, when, form), tag, value, step, when, form)

    def attend(self, outcome: int, tag: object, value: object, step: object, when: float | None, form: int) -> bool:
        """Does what `put_now` left to do for the point; False when it had to be dropped. Raises for what is no point."""
        if outcome == UNKNOWN_TYPE:
            return self.put(scalar_entry(tag, value, step, when, None if form == OWN_FORM else form))
        while outcome == FULL:
            if not self._make_room():
                return False
            outcome = self.put_now(tag, value, step, when, form)
        if outcome != QUEUED:
            self._rouse()
        return True

    def attend_all(self, outcome: int, tags: tuple[str, ...], values: list[float], step: int, when: float) -> None:
        """Does what `put_all_now` left to do."""
        if outcome == FULL:
            for tag, value in zip(tags, values, strict=True):
                self.attend(self.put_now(tag, value, step, when, OWN_FORM), tag, value, step, when, OWN_FORM)
        else:
            self._rouse()

    def put_deferred(self, work: Deferred) -> None:
        """Queues what a thread will encode, when the arrays that wait already leave room for it."""
        if self._arrays.put(work):
            self._rouse()
        else:
            self._drop("256 MiB of arrays are already waiting")

    def flush(self) -> None:
        """Returns when all that was queued is in the file, the disk has refused it, or 30 s have passed."""
        self.wait_done(self._ask(Request()), LONGEST_FLUSH_SECONDS)

    def ask_to_close(self, finished: bool) -> Request | None:
        """Starts closing and returns a ticket for wait_closed; `finished` says that the run came to its proper end."""
        return self._ask(Request(closing=True, finished=finished))

    def wait_closed(self, ticket: Request | None, seconds: float) -> None:
        """Waits for the thread's last write, and says what could not be written."""
        if not self.wait_done(ticket, seconds):
            lifetime.forget(self)
        self._tell_losses()

    def _tell_losses(self) -> None:
        unwritten = self._file.waiting_points + len(self._queue) + self._encoder.kept + self._arrays.unfinished
        if unwritten or self.lost:
            warn(
                "Points were lost: %d could not be written to %s, %d found no room, %d could not be encoded and %d were in files"
                " that are gone; look at the disk's free space and permissions.",
                unwritten,
                self.path,
                self._queue.dropped,
                self._unencoded,
                self._gone,
            )

    def wait_done(self, ticket: Request | None, seconds: float) -> bool:
        """Whether the thread answered in time, or never will; warns when it did not."""
        if self.is_done(ticket, seconds):
            return True
        warn("Writing %s is slower than %.3g s; continuing without waiting.", self.path, seconds)
        return False

    def is_done(self, ticket: Request | None, seconds: float) -> bool:
        """Whether the thread answers within so many seconds; says nothing when it does not."""
        if ticket is None or self._post.is_mine or lifetime.is_over():
            return True
        deadline = time.monotonic() + seconds
        while not self._done.wait(lambda: ticket.done, min(_ASK_AGAIN_SECONDS, max(0.0, deadline - time.monotonic()))):
            if time.monotonic() >= deadline:
                ticket.waited_for = False
                break
            self._wake()
            self._arrays.rouse()
        tell()
        return ticket.done

    def close(self, finished: bool = True) -> None:
        """Writes what is left and ends the thread."""
        self.wait_closed(self.ask_to_close(finished), LONGEST_FLUSH_SECONDS)

    def restart_in_child(self) -> None:
        """After a fork: what is queued is the parent's to write; the child's own points go to a file of its own."""
        inherited = self._file
        _inherited.append(self._encoder)
        self._reset()
        with contextlib.suppress(OSError):  # The parent has the same file open and will hear of it.
            inherited.close()

    def count_lost(self) -> None:
        """Counts a value that could not even be queued; whoever calls says why."""
        self._left_out.append(None)

    def _notice_array(self, hurry: bool) -> None:
        if hurry or self._requests:
            self._hurried = True
        self._to_do.ring()

    def _rouse(self) -> None:
        self._used = True
        self._wake()

    def _wake(self) -> None:
        self._to_do.ring()
        if not self._post.is_manned:
            lifetime.watch(self)
            self._post.man()

    def _hurry(self) -> None:
        self._hurried = True
        self._wake()

    def _make_room(self) -> bool:
        """Called when the queue is half full or more; False when the point must be dropped."""
        if len(self._queue) < self._limit:
            self._queue.limit = self._limit
            self._hurry()
            return True
        if not self._blocked:
            self._blocked = True
            self._hurry()
            if self._done.wait(lambda: len(self._queue) < self._limit, LONGEST_BLOCK_SECONDS):
                return True
        if self._limit < MOST_QUEUE_ENTRIES:
            self._limit = self._queue.limit = min(2 * self._limit, MOST_QUEUE_ENTRIES)
            self._blocked = False
            if not self._slow_warned:
                self._slow_warned = True
                warn("Writing %s cannot keep up; points wait in memory. Nothing is lost so far.", self.path)
            return True
        self._drop("a million points are already waiting")
        return False

    def _drop(self, why: str) -> None:
        if self._queue.drop() == 1:
            warn("Dropping points for %s: %s. Check why the disk is slow.", self.path, why)

    def _ask(self, request: Request) -> Request | None:
        if not self._used and not self._has_logged():
            return None  # A forked child that has logged nothing, or a closed stream, has nothing to write and gets no file.
        self._arrays.follow(request)
        self._requests.append(request)
        self._hurry()
        return request

    def _work_on(self) -> Callable[[], None]:
        """The thread, until the stream is closed. Who logs while that happens gets a file of their own."""
        if self._has_logged():
            self._used = True
            lifetime.watch(self)
        ended = self._work_safely()
        while not ended and background.is_background():
            self._rest()
            ended = self._work_safely()
        self._queue.asleep = True
        return lambda: self._answer(ended)  # Who has closed the stream can then rely on there being no thread.

    def _rest(self) -> None:
        """Waits for something to do, and then a little for more of it."""
        self._queue.asleep = True
        self._to_do.wait(self._has_work, self._seconds_to_retry())
        self._queue.asleep = False
        self._to_do.wait(lambda: self._hurried, self._gather)
        self._hurried = False

    def _work_safely(self) -> list[Request]:
        """Works; the thread survives what nobody thought of, such as no memory left."""
        requests = list(self._requests)
        try:
            return self._work(requests)
        except Exception as error:  # noqa: BLE001 (without the thread all further points would be lost)
            if not self._failed_warned:
                self._failed_warned = True
                warn("Writing %s failed (%r); retrying. This message appears once.", self.path, error)
            time.sleep(_FIRST_RETRY_SECONDS)
            if not any(request.closing for request in requests):  # asked to close only since then, it tries once more
                return []
            self._end()
            return requests

    def _has_logged(self) -> bool:
        return len(self._queue) > 0 or self._arrays.unfinished > 0

    def _has_work(self) -> bool:
        return len(self._queue) > 0 or self._arrays.has_ready() or any(not request.done for request in list(self._requests))

    def _work(self, requests: list[Request]) -> list[Request]:
        """Encodes and writes what there is, and answers who waits for that; returns those who wait for the end, when it has come."""
        if self._used and not self._file.is_open and time.monotonic() >= self._next_try:
            self._try_to_write()
        self._drain()
        passed = [request for request in requests if request.passed]
        ending = [request for request in passed if request.closing]
        if self._used or len(self._encoder) or self._file.waiting:
            if any(request.finished for request in ending) and not self._is_abandoned():
                self._encoder.add_session_log(time.time(), 0, _SESSION_STOP)
            if any(not request.done for request in requests) or time.monotonic() >= self._next_try:
                self._try_to_write()
        self._tried = True
        if ending:
            self._end()
        self._answer([request for request in (requests if self._refused else passed) if request not in ending])
        return ending

    def _end(self) -> None:
        """Closes the file. Whatever is logged from now on is the beginning of a new one."""
        self._used = False
        self._queue.asleep = True
        self._arrays.close()
        self._close_file(self.path, self._file.close)
        lifetime.forget(self)

    def _answer(self, requests: list[Request]) -> None:
        """Tells who waits; they also say what there is to say, and a thread does where nobody waits.

        Whom a disk that refuses has kept from closing is not waited for any longer, but the stream still closes when it can.
        """
        heard = any(request.waited_for and not request.done for request in list(self._requests))
        for request in requests:
            if request.passed or not request.closing:
                with contextlib.suppress(ValueError):  # A fork has begun anew.
                    self._requests.remove(request)
                if request.closing and not request.waited_for:
                    self._tell_losses()
            request.done = True
        self._done.ring()
        if not heard:
            tell_soon()

    def _is_abandoned(self) -> bool:
        """Whether somebody took the whole log away and nothing new is to be written, as with a temporary folder at exit."""
        return not self._file.waiting and self._file.is_gone()

    def _seconds_to_retry(self) -> float | None:
        return max(0.0, self._next_try - time.monotonic()) if self._file.waiting else None

    def _drain(self) -> None:
        """Encodes what is queued, as long as the records that wait for the disk leave room."""
        queue, encoder, arrays, file = self._queue, self._encoder, self._arrays, self._file
        while (len(queue) or encoder.kept or arrays.has_ready()) and file.waiting < MEMORY_BYTES:
            self._rotate_if_due()
            points = 0
            if arrays.has_ready():
                event = arrays.take()
                if event is not None:
                    encoder.add_event(event)
                    points += 1
            with background.in_core():
                points += encoder.add_queued(queue, min(file.room or _WRITE_BYTES, _WRITE_BYTES, MEMORY_BYTES - file.waiting))
            file.add(encoder.take(), points)
            if file.waiting >= _WRITE_BYTES and not self._refused:
                self._try_to_write()
        if len(queue) < self._room // 2:
            self._limit = self._room
            self._queue.limit = self._room // 2
            self._blocked = False
            self._tell_lost()
        self._done.ring()

    def _tell_lost(self) -> None:
        lost = self.lost
        if lost != self._told:
            self._told = lost
            self._encoder.add_event(lost_points_event(lost))

    def _rotate_if_due(self) -> None:
        if not self._file.is_due():
            return
        self._try_to_write()
        if self._refused:
            return
        old = self.path
        try:
            self._file.begin_next()
        except OSError as error:
            if not self._stuck_warned:
                self._stuck_warned = True
                warn("Cannot create a new event file (%s); continuing to write to %s. Nothing is lost.", error.strerror or error, old)
        else:
            self._close_file(old, self._file.close_previous)

    def _try_to_write(self) -> None:
        self._file.add(self._encoder.take(), 0)
        if self._file.waiting and self._file.is_gone():
            old = self.path
            gone = self._file.abandon()
            self._gone += gone
            self._tell_lost()
            self._file.add(self._encoder.take(), 0)
            warn("%s was deleted, with %d points; continuing in a new file, %s.", old, gone, self.path)
        try:
            self._file.write()
        except OSError as error:
            if not self._refused:
                warn(
                    "Cannot write %s (%s); points wait in memory (up to %d MB) while writing is retried.",
                    self.path,
                    error.strerror or error,
                    MEMORY_BYTES >> 20,
                )
            self._refused = True
            self._next_try = time.monotonic() + self._retry_after
            self._retry_after = min(2 * self._retry_after, _LONGEST_RETRY_SECONDS)
        else:
            if self._refused:
                warn("Writing %s works again.", self.path)
            self._refused = False
            self._next_try = 0.0
            self._retry_after = _FIRST_RETRY_SECONDS

    def _close_file(self, path: str, close: Callable[[], None]) -> None:
        try:
            close()
        except OSError as error:
            warn("Closing %s failed (%s); its last points may be missing.", path, error.strerror or error)


def _opening(goes_on: bool) -> bytes:
    """A file that goes on from another says so: it is no restart, whatever its first step (native/event_file.cpp)."""
    encoder = EventEncoder()
    encoder.add_file_version(time.time(), b"stepscope.writer, continued" if goes_on else b"stepscope.writer")
    return encoder.take()
