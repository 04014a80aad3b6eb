"""What steps are: where they come from, how they are counted, and the bounds between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.model.profile import NONE, Int64, MarkerFamily

CHOSEN_TIME = "selected range"
"""The name of a source of steps that is no marker: the stretch of time that somebody chose is one step."""

_NAMES = {
    MarkerFamily.PROFILER_STEP: "ProfilerStep#",
    MarkerFamily.STEP_NUM: "step number",
    MarkerFamily.STEP_ANNOTATION: "step annotation",
    MarkerFamily.DEVICE_STEP: "device steps",
    MarkerFamily.LOOP_MARK: "loop mark",
    MarkerFamily.ROOT_CALL: "repeated call",
    MarkerFamily.KERNEL_PERIOD: "period of kernels",
    MarkerFamily.WINDOW: "whole profile",
}


@dataclass(frozen=True, slots=True)
class StepSource:
    """Where steps come from: a family of markers, their name without numbers, and the track they are on."""

    family: MarkerFamily
    name: str
    track: int  # NONE when no track marks the steps
    count: int

    @property
    def guessed(self) -> bool:
        """Whether nothing in the file says that these are steps: they repeat, as layers inside one step do too."""
        return self.family in (MarkerFamily.ROOT_CALL, MarkerFamily.KERNEL_PERIOD)

    @property
    def by_device(self) -> bool:
        """Whether the device's own times bound the steps, and not marks of a thread that launches its work."""
        return self.family == MarkerFamily.DEVICE_STEP or (self.family == MarkerFamily.KERNEL_PERIOD and self.track == NONE)

    @property
    def text(self) -> str:
        """As shown to users: `ProfilerStep#`, `step number (train)`, `repeated call (my_function)`."""
        title = _NAMES[self.family]
        if self.name == CHOSEN_TIME:
            return self.name
        return title if self.name in ("", title) else f"{title} ({self.name})"


@dataclass(frozen=True, slots=True)
class Steps:
    """Steps touch and never overlap: step i is [bounds[i], bounds[i + 1])."""

    source: StepSource
    alternatives: tuple[StepSource, ...]  # what else could mark the steps, best first
    number: Int64  # as the format counts, or 0, 1, 2, …
    marker: Int64  # start of each marker; work launched from here on belongs to the step
    last_end: int  # end of the last marker
    bounds: Int64  # one more than there are steps
    problem: str = ""  # why better marks could not be used, one sentence; "" when the best were
    before: int = 0  # steps of the recording before the first of these: more than none when a range was chosen

    def __len__(self) -> int:
        return len(self.number)

    @property
    def length(self) -> Int64:
        """Nanoseconds of each step."""
        return np.diff(self.bounds)
