"""Arrays on their way to the file: a bounded queue, and a thread that makes their events, so that no picture holds up a scalar.

256 MB of arrays may wait. The call that finds no room waits until enough are done, but at most 0.1 s; after one such wait in
vain, further ones are counted and dropped until there is room.

There is no lock: a signal handler may log while the code it interrupts does (writer/bell.py).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from stepscope._native import WorkQueue
from stepscope.writer import background
from stepscope.writer.bell import Bell
from stepscope.writer.complaints import warn
from stepscope.writer.post import Post
from stepscope.writer.request import Request
from stepscope.writer.summary import Deferred

HELD_BYTES = 256 << 20
LONGEST_BLOCK_SECONDS = 0.1
_LAST_SECONDS = 1.0


class ArrayQueue:
    """Works of one stream, and the events made of them. All methods may be called from any thread, `take` from one at a time."""

    def __init__(self, folder: str, made: Callable[[bool], None]) -> None:
        """`made` is called whenever an event is ready to be taken, and told whether somebody waits for that."""
        self._folder = folder
        self._made = made
        self._works = WorkQueue(HELD_BYTES)
        self._ready: deque[bytes | Request | None] = deque()
        self._post = Post(self._work, lambda: len(self._works) > 0)
        self._to_do = Bell()
        self._room = Bell()
        self._ended = Bell()
        self._waited_in_vain = False
        self._closing = False
        self.failed = 0
        """How many could not be made."""

    @property
    def held(self) -> int:
        """Bytes of the arrays that were put, and then of their events, until those are taken."""
        return self._works.held

    @property
    def unfinished(self) -> int:
        """How many were put and not taken yet."""
        return self._works.unfinished

    def put(self, work: Deferred) -> bool:
        """Queues a work; False when there is no room for it."""
        held = _held_by(work.held_bytes)
        if not self._works.put(work, held) and not self._wait_for_room(work, held):
            return False
        self.rouse()
        return True

    def follow(self, request: Request) -> None:
        """Has the request passed when all that was put before it has been taken."""
        if self._works.unfinished == 0:
            request.passed = True
            return
        self._works.put_marker(request)
        self.rouse()

    def rouse(self) -> None:
        """Sees to it that somebody makes what is queued."""
        self._to_do.ring()
        self._post.man()

    def has_ready(self) -> bool:
        """Whether take would find something."""
        return bool(self._ready)

    def take(self) -> bytes | None:
        """The oldest event; None when there is none, or when it is nothing that goes into the file."""
        if not self._ready:
            return None
        event = self._ready.popleft()
        if isinstance(event, Request):
            event.passed = True
            return None
        self._works.finish(_held_by(len(event or b"")))
        if self._works.held <= HELD_BYTES // 2:
            self._waited_in_vain = False
        self._room.ring()
        return event

    def close(self) -> None:
        """Ends the thread when it has made what there is."""
        self._closing = True
        self._to_do.ring()
        self._ended.wait(lambda: not self._post.is_manned, _LAST_SECONDS)

    def _wait_for_room(self, work: Deferred, held: int) -> bool:
        if self._waited_in_vain:
            return False
        self._made(True)
        found = self._room.wait(lambda: self._works.put(work, held), LONGEST_BLOCK_SECONDS)
        self._waited_in_vain = not found
        return found

    def _work(self) -> Callable[[], None]:
        self._make_all()
        while background.is_background() and not self._closing:
            self._to_do.wait(lambda: len(self._works) > 0 or self._closing)
            self._make_all()
        return self._ended.ring

    def _make_all(self) -> None:
        while (work := self._works.take()) is not None:
            if isinstance(work, Request):
                self._ready.append(work)
            elif isinstance(work, Deferred):
                self._make(work)
            self._made(self._room.is_awaited)

    def _make(self, work: Deferred) -> None:
        """What goes wrong in making one costs that one and nothing else."""
        event = None
        try:
            with background.in_core():
                event = work.make()
        except Exception as error:  # noqa: BLE001 (the thread must go on for all the others)
            self.failed += 1
            warn("Could not write a value to %s; it is left out: %s", self._folder, error)
        self._works.resize(_held_by(work.held_bytes), _held_by(len(event or b"")))
        self._ready.append(event)


def _held_by(size: int) -> int:
    """What counts as held for something of that size: never nothing."""
    return max(1, size)
