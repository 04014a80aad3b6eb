"""Times steps before and after a capture, so that the cost of profiling is known, and logs them where reports look for it."""

from __future__ import annotations

import time
from collections import deque
from typing import NamedTuple

from stepscope.capture import ranks
from stepscope.writer.event_stream import EventStream
from stepscope.writer.scalar import scalar_entry

TAG = "profiler/unprofiled_step_time"
STEPS = 50
"""Timed before, and as many after."""
_SUFFIX = ".profiler"


class TimedStep(NamedTuple):
    """One step: its number, when it ended, and its seconds."""

    number: int
    wall: float
    seconds: float


class UnprofiledSteps:
    """The newest steps while nothing is captured, and after each capture the next ones. Of several ranks the first logs."""

    def __init__(self, logdir: str) -> None:
        """No file is made before there is something to write."""
        self._logdir = logdir
        self._before: deque[TimedStep] = deque(maxlen=STEPS)
        self._wanted = 0
        self._stream: EventStream | None = None

    def add(self, number: int, seconds: float) -> None:
        """Takes a step that nothing recorded."""
        step = TimedStep(number, time.time(), seconds)
        if self._wanted:
            self._wanted -= 1
            self._log(step)
        else:
            self._before.append(step)

    def capture_begins(self) -> None:
        """Logs those before; what was still wanted after an earlier capture ends here."""
        self._wanted = 0
        for step in self._before:
            self._log(step)
        self._before.clear()

    def capture_ended(self) -> None:
        """The next ones are logged as they come."""
        self._wanted = STEPS

    def close(self, finished: bool) -> None:
        """Writes what is left."""
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close(finished)

    def _log(self, step: TimedStep) -> None:
        if ranks.rank() != 0:
            return
        if self._stream is None:
            self._stream = EventStream(self._logdir, _SUFFIX)
            self._stream.begin()
        self._stream.put(scalar_entry(TAG, step.seconds, step.number, step.wall, None))
