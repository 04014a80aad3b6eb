"""Warnings of the writer to the logger `stepscope.writer`: from any thread and any signal handler, and never in the way of either.

A thread of the writer must not wait for the lock of a logging handler: whoever waits for the thread may hold it. So the thread
leaves its warnings here, and they are told by whoever waits for it, or else by a thread that does nothing else.
"""

from __future__ import annotations

import contextlib
import logging
from _thread import start_new_thread
from collections import deque

from stepscope.writer.background import is_background
from stepscope.writer.bell import Bell

_log = logging.getLogger("stepscope.writer")
_untold: deque[tuple[str, tuple[object, ...]]] = deque()
_told_once: set[str] = set()
_tellers: deque[None] = deque()
_teller_ends = Bell()
_LONGEST_WAIT_SECONDS = 0.1


def warn(text: str, *facts: object) -> None:
    """Logs the sentence with its facts; at once, unless a thread of the writer says it."""
    _untold.append((text, facts))
    if not is_background():
        tell()


def warn_once(text: str, *facts: object) -> None:
    """The same, unless it has been said in this process: a training logs the like of it at every step."""
    if text not in _told_once:
        _told_once.add(text)
        warn(f"{text} This message appears once.", *facts)


def tell() -> None:
    """Logs what the writer's threads have left, or waits shortly for the thread that is doing so."""
    _tell_all()
    if _tellers:
        _teller_ends.wait(lambda: not _tellers, _LONGEST_WAIT_SECONDS)


def tell_soon() -> None:
    """For the writer's threads: has what they have left logged, when nobody waits for them who would do it."""
    if not _untold:
        return
    _tellers.append(None)
    try:
        start_new_thread(_tell_elsewhere, ())
    except RuntimeError:  # At the end of the process there is no thread to be had; exit waits for us then, and tells.
        _tellers.pop()


def forget_all() -> None:
    """After a fork: what was left is the parent's to tell."""
    _untold.clear()
    _tellers.clear()


def _tell_elsewhere() -> None:
    try:
        _tell_all()
    finally:
        with contextlib.suppress(IndexError):  # A fork forgets.
            _tellers.pop()
        _teller_ends.ring()


def _tell_all() -> None:
    """A handler that fails, as on a stream that is interrupted while it writes, costs that warning."""
    while _untold:
        try:
            text, facts = _untold.popleft()
        except IndexError:  # Another thread is faster.
            return
        with contextlib.suppress(Exception):
            _log.warning(text, *facts)
