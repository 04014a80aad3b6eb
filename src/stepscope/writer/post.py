"""A place of work that one thread at a time is at, whoever asks for one, and however many ask at once."""

from __future__ import annotations

from _thread import allocate_lock, get_ident, start_new_thread
from collections.abc import Callable
from time import monotonic

from stepscope.writer import background, lifetime

_START_SECONDS = 1.0


class Post:
    """Has a thread when there is something to do. Where none is to be had, as at the end of the process, calls do the work."""

    def __init__(self, work: Callable[[], Callable[[], None]], has_work: Callable[[], bool]) -> None:
        """`work` returns when the thread is to end, and at once in a call; what it returns is called when nobody is here any more.

        `has_work` then says whether somebody has to come back.
        """
        self._work = work
        self._has_work = has_work
        self._turn = allocate_lock()
        self._worker: int | None = None
        self._next_start = 0.0

    @property
    def is_manned(self) -> bool:
        """Whether somebody is at work."""
        return self._turn.locked()

    @property
    def is_mine(self) -> bool:
        """Whether the calling thread is at work here, and is only interrupted."""
        return self._worker == get_ident()

    def man(self) -> None:
        """Starts a thread, unless one is here or on its way."""
        if self._turn.locked():
            return
        if lifetime.is_over():
            self._run()
            return
        now = monotonic()
        if now < self._next_start:
            return
        try:
            # No signal handler runs between these two. Should one do so in another interpreter, and call this or raise, then no thread
            # is started here; after a second somebody else may do it.
            self._next_start = now + _START_SECONDS
            start_new_thread(background.run, (self._run,))
        except RuntimeError:  # There is no thread to be had.
            self._run()

    def _run(self) -> None:
        while self._turn.acquire(blocking=False):  # Of several that begin at once all but one leave.
            self._worker = get_ident()
            try:
                leave = self._work()
            finally:
                self._worker = None
                self._next_start = 0.0
                self._turn.release()
            leave()
            if not background.is_background() or not self._has_work():
                return
