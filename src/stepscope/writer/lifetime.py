"""Keeps streams whole over the ends of a process: exit writes what is queued, and a fork starts afresh in the child."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import time
import weakref
from typing import Protocol

from stepscope.writer import background, complaints
from stepscope.writer.request import Request

_LONGEST_EXIT_SECONDS = 30.0


class Stream(Protocol):
    """What has to be closed at exit and restarted after a fork."""

    def ask_to_close(self, finished: bool) -> Request | None:
        """Starts closing."""
        ...

    def wait_closed(self, ticket: Request | None, seconds: float) -> None:
        """Waits until it is closed."""
        ...

    def restart_in_child(self) -> None:
        """Drops what the parent will write."""
        ...


_open: dict[int, weakref.ref[Stream]] = {}
_child_hook_of: int | None = None
_over = False


def is_over() -> bool:
    """Whether the process has come to its end: what is still logged, as by a `__del__`, has to be written at the call.

    A thread that is started now may never run, and Python up to 3.11 waits for it for ever.
    """
    return _over


def watch(stream: Stream) -> None:
    """From now on the stream is closed at exit, and restarted in forked children."""
    key = id(stream)
    _open[key] = weakref.ref(stream, lambda _: _open.pop(key, None))
    _hook_into_multiprocessing()


def forget(stream: Stream) -> None:
    """The stream was closed by its owner."""
    _open.pop(id(stream), None)


def _watched() -> list[Stream]:
    """Copied in one step: threads and signal handlers may add to it meanwhile."""
    return [stream for found in list(_open.values()) if (stream := found()) is not None]


def _close_all() -> None:
    """A process that dies of an exception has not finished its runs, so their files do not say so."""
    global _over
    finished = getattr(sys, "last_type", None) is None
    deadline = time.monotonic() + _LONGEST_EXIT_SECONDS
    try:
        tickets = [(stream, stream.ask_to_close(finished)) for stream in _watched()]
        for stream, ticket in tickets:
            stream.wait_closed(ticket, max(0.1, deadline - time.monotonic()))
    finally:  # Ctrl-C ends the wait, not the order in which things end.
        _over = True
        background.stop()


def _restart_all() -> None:
    """A child closes at its exit only what it has used itself; a stream announces itself when that happens."""
    global _over
    _over = False
    complaints.forget_all()
    background.forget_all()
    for stream in _watched():
        stream.restart_in_child()
    _open.clear()


def _hook_into_multiprocessing() -> None:
    """Children of multiprocessing leave without atexit, but run finalizers; a fork forgets those of the parent."""
    global _child_hook_of
    multiprocessing = sys.modules.get("multiprocessing.process")
    if multiprocessing is None or multiprocessing.parent_process() is None or _child_hook_of == os.getpid():
        return
    _child_hook_of = os.getpid()
    with contextlib.suppress(OSError, ImportError):  # Without a free file handle nothing can be imported; atexit may still run.
        from multiprocessing import util

        util.Finalize(None, _close_all, exitpriority=0)


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restart_all)
