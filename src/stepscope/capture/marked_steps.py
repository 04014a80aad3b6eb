"""Steps of a training whose framework calls before and after each one, as callbacks are."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Self

from stepscope.capture.environment import capture_from_environment
from stepscope.capture.profile import Capture


class MarkedSteps:
    """Passes the steps of a training on to a capture, which it starts and ends."""

    def __init__(self, capture: Capture) -> None:
        """Starts the capture, which has chosen steps."""
        self._capture = capture.start()
        self._step = ExitStack()

    @classmethod
    def from_environment(cls, logdir: str, framework: str | None = None) -> Self | None:
        """For the capture that STEPSCOPE_PROFILE asks for; None when it asks for none."""
        capture = capture_from_environment(logdir, framework)
        return None if capture is None else cls(capture)

    def begin_epoch(self, number: int) -> None:
        """Called before an epoch."""
        self._capture.begin_epoch(number)

    def begin(self, number: int) -> None:
        """Called before a step; one that has no end, as after an exception, ends here."""
        self._step.close()
        self._step.enter_context(self._capture.step(number))

    def end(self) -> None:
        """Called after a step."""
        self._step.close()

    def close(self) -> None:
        """Writes the profile, also when training ended before the last chosen step."""
        self._step.close()
        self._capture.stop()
