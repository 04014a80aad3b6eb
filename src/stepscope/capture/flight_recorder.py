"""stepscope.flight_recorder: keeps the last seconds of all threads in memory, and saves them when something goes wrong."""

from __future__ import annotations

import atexit
import json
import logging
import os
import shutil
import signal as signals
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

from stepscope.capture import ranks, running
from stepscope.capture.profilers.profiler import Recorded
from stepscope.capture.profilers.python_profiler import PythonMarks
from stepscope.capture.profilers.python_trace import ENDING, Clock, trace_of
from stepscope.capture.profilers.sampler import INTERVAL_SECONDS, Sampler
from stepscope.capture.session_folder import save
from stepscope.writer.folders import checked_folder, fixed

LONGEST_SECONDS = 3_600
MOST_ROWS = 200_000
"""Marked spans that are kept: about 40 MB."""
MOST_SAVED = 10
"""Saved by slow steps, so that a training that is slow from some moment on does not fill the disk."""
_log = logging.getLogger("stepscope.capture")
_open: weakref.WeakSet[FlightRecorder] = weakref.WeakSet()


def flight_recorder(
    logdir: str | os.PathLike[str], *, seconds: float = 30.0, signal: int | None = None, name: str = "last"
) -> FlightRecorder:
    """Records what all threads do, all the time, and keeps the last `seconds` in memory; nothing is written until it is asked for.

    They are saved as a profile of the run by `save()`, by the signal that is given (such as signal.SIGUSR2), after a slow step of
    stepscope.steps, and when its `with` block raises, such as out of memory. It has the functions of Python, sampled
    every 10 ms, and the steps, phases, spans and operations that the program marks; not what a framework's own profiler records.
    Raises ValueError for what cannot be meant, and RuntimeError while another one runs.
    """
    if not 0 < seconds <= LONGEST_SECONDS:
        raise ValueError(f"Give seconds as a number from 1 to {LONGEST_SECONDS:,}, not as {seconds!r}.")
    return FlightRecorder(fixed(checked_folder(logdir, "logdir")), float(seconds), signal, ranks.plain_name(name))


class FlightRecorder:
    """Records from when it is made until `stop`; a forked child does not go on with it."""

    def __init__(self, logdir: str, seconds: float, signal: int | None, name: str) -> None:
        """Use stepscope.flight_recorder."""
        self.logdir = logdir
        self.sessions: list[str] = []
        """Folders of the sessions that are saved."""
        self.marks = PythonMarks(MOST_ROWS)
        self._seconds = seconds
        self._name = name
        self._asked: list[str] = []
        self._asked_at = float("-inf")
        self._times_asked = 0
        self._guard = threading.Lock()
        self._savers: list[threading.Thread] = []
        self._sampler = Sampler(most=max(1, round(seconds / INTERVAL_SECONDS)), after_each=self._answer)
        running.set_recorder(self)
        try:
            self._restore = _handled(signal, lambda: self._asked.append("signal"))
        except BaseException:
            running.set_recorder(None)
            raise
        self._stopped = False
        self._sampler.start()
        _open.add(self)

    def save(self, reason: str = "") -> str | None:
        """Saves the last seconds now, and returns the session's folder; None, with a warning, where that cannot be written."""
        with self._guard:
            return self._saved(ranks.plain_name(reason))

    def ask(self, reason: str) -> None:
        """Has a thread save them; once for the seconds that are kept, and ten times at most."""
        now = time.monotonic()
        if self._times_asked < MOST_SAVED and now - self._asked_at >= self._seconds:
            self._times_asked += 1
            self._asked_at = now
            self._asked.append(reason)

    def stop(self) -> None:
        """Ends; what is not saved is forgotten."""
        if self._stopped:
            return
        self._stopped = True
        _open.discard(self)
        running.set_recorder(None)
        self._restore()
        self._sampler.stop()
        self._answer()
        for saver in self._savers:
            saver.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Saves the last seconds before a failure; a program that is asked to end has not failed."""
        if error is not None and isinstance(error, Exception):
            self.save(type(error).__name__)
        self.stop()

    def _answer(self) -> None:
        """Called by the sampler's thread: a signal's handler may run anywhere, so that it only leaves a word."""
        while self._asked:
            saver = threading.Thread(target=self.save, args=(self._asked.pop(0),), name="stepscope-flight-recorder", daemon=True)
            saver.start()
            self._savers = [*(each for each in self._savers if each.is_alive()), saver]

    def _saved(self, reason: str) -> str | None:
        now = Clock.now()
        kept = round(self._seconds * 1e9)
        clock = Clock(now.wall_ns - kept, now.zero_ns - kept)
        rows = [row for row in list(self.marks.rows) if row.end > clock.zero_ns]
        scratch = tempfile.mkdtemp(prefix="stepscope-profile-")
        try:
            path = os.path.join(scratch, f"0{ENDING}")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(trace_of(rows, self._sampler, clock), file)
            folder = save(self.logdir, now.wall_ns / 1e9, f"{self._name}_{reason}" if reason else self._name, [Recorded(path, ENDING)])
        except OSError as error:
            _log.warning("Could not save the last %g s in %s: %s.", self._seconds, self.logdir, (error.strerror or str(error)).lower())
            return None
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        self.sessions.append(folder)
        _log.warning("Saved the last %g s%s in %s.", self._seconds, f" ({reason})" if reason else "", folder)
        return folder


def _handled(signal: int | None, action: Callable[[], object]) -> Callable[[], object]:
    """Has the signal do this before what it did; returns what undoes it. Raises ValueError outside of the main thread."""
    if signal is None:
        return lambda: None
    if threading.current_thread() is not threading.main_thread():
        raise ValueError("Start a flight recorder with signal=… in the main thread: only there can Python set signal handlers.")
    before: Any = signals.getsignal(signal)

    def handler(number: int, frame: FrameType | None) -> None:
        action()
        if callable(before):
            before(number, frame)

    signals.signal(signal, handler)
    return lambda: signals.signal(signal, before) if signals.getsignal(signal) is handler else None


def _stop_all() -> None:
    """What was asked for is written before the process ends."""
    for recorder in list(_open):
        recorder.stop()


atexit.register(_stop_all)
