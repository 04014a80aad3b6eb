"""Threads of the writer. One is started in a single step, so that a signal handler can do it whatever it interrupts.

`threading.Thread` takes a lock of that module to start, which the interrupted code may hold.
"""

from __future__ import annotations

import threading
from _thread import start_new_thread
from collections.abc import Callable


class _Here(threading.local):
    """What is known of the running thread."""

    is_ours: bool = False


_here = _Here()


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
