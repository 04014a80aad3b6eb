"""Threads of the writer: how they start, and how they are out of the way when the process ends.

One is started in a single step, so that a signal handler can do it whatever it interrupts: `threading.Thread` takes a lock of that
module to start, which the interrupted code may hold.
"""

from __future__ import annotations

import contextlib
import threading
from _thread import allocate_lock, start_new_thread
from collections import deque
from collections.abc import Callable, Generator

from stepscope.writer.bell import Bell

_LONGEST_STOP_SECONDS = 1.0


class _Here(threading.local):
    """What is known of the running thread."""

    is_ours: bool = False


_here = _Here()
_in_core: deque[None] = deque()
_out_of_core = Bell()
_stopping = False


def is_background() -> bool:
    """Whether the calling code runs in a thread of the writer."""
    return _here.is_ours


def start(work: Callable[[], None]) -> bool:
    """Has a new thread do the work; False when there is no thread to be had, as when the interpreter shuts down."""
    try:
        start_new_thread(run, (work,))
    except RuntimeError:
        return False
    return True


def run(work: Callable[[], None]) -> None:
    """What a thread of the writer begins with."""
    _here.is_ours = True
    work()


@contextlib.contextmanager
def in_core() -> Generator[None]:
    """Around what lets the interpreter go on meanwhile. Python ends a thread that comes back from there after the interpreter's end,
    and with native code on its stack that ends the process.
    """
    _in_core.append(None)
    if _stopping and _here.is_ours:
        _leave_core()
        _wait_for_the_end()
    try:
        yield
    finally:
        _leave_core()


def stop() -> None:
    """At the end of the process: returns when no thread of the writer is in the native core, and none will enter it any more."""
    global _stopping
    _stopping = True
    _out_of_core.wait(lambda: not _in_core, _LONGEST_STOP_SECONDS)


def forget_all() -> None:
    """After a fork: there are no threads."""
    global _stopping
    _stopping = False
    _in_core.clear()


def _leave_core() -> None:
    with contextlib.suppress(IndexError):  # A fork forgets.
        _in_core.pop()
    _out_of_core.ring()


def _wait_for_the_end() -> None:
    never = allocate_lock()
    never.acquire()
    never.acquire()
