"""The offset between the clocks of ranks, in the trace of each."""

from __future__ import annotations

from dataclasses import replace

from stepscope.capture.clock_offset import ClockMeeting, meet
from stepscope.capture.profilers.profiler import Addition, Profiler, Recorded
from stepscope.capture.profilers.wrapped import Wrapped

AHEAD, ERROR = "clockAheadNanoseconds", "clockErrorNanoseconds"


class WithRankClock(Wrapped):
    """A profiler whose Chrome traces say how far the rank's clock is ahead of the first rank's."""

    def __init__(self, profiler: Profiler) -> None:
        """Measures nothing yet."""
        super().__init__(profiler)
        self._meeting: ClockMeeting | None = None

    def begin(self) -> None:
        """Measures while the first steps run."""
        self._meeting = meet()

    def end(self) -> Addition | None:
        """Whoever saves the file waits for the measurement."""
        meeting = self._meeting
        if meeting is None:
            return None

        def add(file: Recorded) -> Recorded:
            offset = meeting.offset()
            if offset is None or not file.ending.endswith(".json"):
                return file
            return replace(file, facts={**file.facts, AHEAD: offset.ahead_ns, ERROR: offset.error_ns})

        return add
