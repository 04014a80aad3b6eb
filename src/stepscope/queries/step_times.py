"""How long a run's steps took as the run itself has logged it, without those that a profiler recorded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope._native import SeriesView
from stepscope.model.identity import TagId
from stepscope.queries.series import series_parts
from stepscope.queries.view import Source
from stepscope.store.library import Library, RunRecord

TAGS = ("step_time/total", "step_time/step", "step_time")
"""Series of seconds a step, in order of choice; anything else below step_time/ is a part of a step."""
UNPROFILED = "profiler/unprofiled_step_time"
"""Seconds of steps that stepscope.profile has timed before and after its captures: no profiler has slowed any of them down."""
LEAST_STEPS = 3
_NEAREST = 100
"""So many of them, 50 before and 50 after, belong to one capture."""
_MARGIN_S = 1.0
"""Starting and stopping a profiler slows down steps beside the recorded ones too."""


@dataclass(frozen=True, slots=True)
class UsualStep:
    """The median of so many steps."""

    seconds: float
    steps: int


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Seconds of each logged step, and when it was logged; `tag` names the series."""

    tag: str
    wall: NDArray[np.float64]
    seconds: NDArray[np.float64]

    def outside(self, start: float, end: float) -> UsualStep | None:
        """The usual one of the steps logged before or after a stretch of time, None when there are too few."""
        timed = np.isfinite(self.seconds) & (self.seconds > 0)
        if self.tag == UNPROFILED:
            distance = np.maximum(start - self.wall[timed], self.wall[timed] - end)
            found = self.seconds[timed][np.argsort(distance, kind="stable")[:_NEAREST]]
        else:
            apart = (self.wall < start - _MARGIN_S) | (self.wall > end + _MARGIN_S)
            found = self.seconds[apart & timed]
        return UsualStep(float(np.median(found)), len(found)) if len(found) >= LEAST_STEPS else None


def step_times(library: Library, run: RunRecord) -> StepTimes | None:
    """The run's series of step times, None when it has none."""
    for name in (UNPROFILED, *TAGS):
        tag = library.names.find(name.encode())
        parts = series_parts(Source(run, TagId(tag))) if tag >= 0 else []
        if any(index >= 0 for _, index in parts):
            _, wall, seconds, _ = SeriesView(parts, "all").arrays()
            return StepTimes(name, wall, seconds)
    return None
