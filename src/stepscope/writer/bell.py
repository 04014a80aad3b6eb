"""Waits and wake-ups without a lock that anybody holds: a signal handler may interrupt any of it, and wait or wake itself.

The locks of `threading` are not made for that: a handler that runs while its own thread holds one waits for itself.
"""

from __future__ import annotations

import contextlib
from _thread import LockType, allocate_lock
from collections import deque
from collections.abc import Callable
from time import monotonic


class Bell:
    """Wakes all who wait for it. Everyone waits on a lock of their own, so that none is shared."""

    def __init__(self) -> None:
        """Nobody waits yet."""
        self._waiting: deque[LockType] = deque()

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits now."""
        return bool(self._waiting)

    def wait(self, condition: Callable[[], bool], seconds: float | None = None) -> bool:
        """Returns when the condition holds, which is tested at every ring; False when so many seconds have passed."""
        deadline = None if seconds is None else monotonic() + seconds
        while not condition():
            turn = allocate_lock()
            turn.acquire()
            try:
                self._waiting.append(turn)
                if condition():  # The bell may have been rung just before.
                    return True
                left = -1.0 if deadline is None else deadline - monotonic()
                if deadline is not None and left <= 0:
                    return False
                turn.acquire(timeout=left)
            finally:
                with contextlib.suppress(ValueError):
                    self._waiting.remove(turn)
        return True

    def ring(self) -> None:
        """Wakes all who wait now. Each leaves the list alone: a signal handler that raises here can take nobody off it unheard."""
        for turn in list(self._waiting):
            with contextlib.suppress(RuntimeError):  # It was rung, and has not noticed yet.
                turn.release()
