"""Whether loading the input beside the step is worth it: how many workers find a core, and what of the wait they would hide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.input.making import making
from stepscope.analyses.summary import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.levers import Lever
from stepscope.analyses.what_if.moving import cores_in_use, workers_that_fit
from stepscope.model.profile import Profile

USUAL_WORKERS = 4
_MOST_OF_IT = 0.5


@dataclass(frozen=True, slots=True)
class Loading:
    """One rank's input, loaded by as many workers as make sense; times in nanoseconds of a typical step."""

    workers: int  # 0 when no core is free for one
    today: int  # that work beside the step already
    used: float  # cores in use without loading, at most
    cores: int | None
    batch_ns: float  # that one worker needs
    hidden_ns: float  # of the wait, by those workers, at most
    exposed_ns: float

    @property
    def worth(self) -> bool:
        """Whether the workers would hide most of the wait."""
        return self.workers > 0 and self.hidden_ns >= _MOST_OF_IT * self.exposed_ns

    @property
    def limit(self) -> str | None:
        """Why making the input cheaper comes first, None when loading it beside the step hides most of it."""
        if self.worth or self.exposed_ns <= 0:
            return None
        found = f"no core is free for {'more' if self.today else 'loading beside the step'}"
        if self.workers > self.today:
            makers = "a worker needs" if self.workers == 1 else f"each of {self.workers} workers needs"
            found = f"cores are free for no more, and {makers} {milliseconds(self.batch_ns)} for a batch"
        return f"{found[0].upper()}{found[1:]}. If making a batch mostly waits, more at a time help even so."


def loading(profile: Profile, breakdown: Breakdown, cores: int | None) -> Loading:
    """With unknown cores as many workers as are usual, and twice those that there are."""
    made, ranks = making(profile, breakdown), ((profile, breakdown),)
    today = made.makers if made.beside else 0
    wanted = max(USUAL_WORKERS, 2 * today)
    workers = wanted if cores is None else min(wanted, workers_that_fit(ranks, cores))
    step, batch = breakdown.typical_ns, float(np.median(made.ns)) if len(made.ns) else 0.0
    exposed = float(breakdown.typical_parts[TimeClass.INPUT])
    hidden = min(exposed, max(0.0, step - batch / workers)) if workers else 0.0
    return Loading(workers, today, cores_in_use(ranks, [Lever("workers")]), cores, batch, hidden, exposed)
