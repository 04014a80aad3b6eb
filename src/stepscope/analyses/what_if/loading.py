"""Whether loading the input beside the step is worth it: how many workers find a core, and what of the wait they would hide."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.host.threads import cores_told
from stepscope.analyses.input.making import making
from stepscope.analyses.input.pipeline import InputPipeline
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.levers import Lever
from stepscope.analyses.what_if.moving import after_moving, cores_in_use, workers_that_fit
from stepscope.model.profile import Profile

USUAL_WORKERS = 4
_MOST_OF_IT = 0.5
HANDOVER_NS = 1_500_000
"""Taking a batch over from a torch worker that has it ready took 1.4 to 3 ms; a step of 1.2 ms took twice as long with a worker."""


@dataclass(frozen=True, slots=True)
class Loading:
    """One rank's input, loaded by as many workers as make sense; times in nanoseconds of a typical step."""

    workers: int  # 0 when no core is free for one
    today: int  # that work beside the step already
    used: float  # cores in use without loading, at most
    cores: int | None
    batch_ns: float  # that one worker needs
    hidden_ns: float  # of the wait, by those workers, at most
    sure_ns: float  # and at least, as long as they do not slow the step down
    exposed_ns: float
    ready: bool | None = None  # workers' batches are there in time: the wait is for taking them over; None when nothing tells
    handover_ns: float = 0.0  # that taking a batch over costs when a worker process has made it

    @property
    def worth(self) -> bool:
        """Whether more workers would hide most of the wait; false when the number of cores is unknown."""
        return (
            self.workers > self.today and not self.ready and not self.brief and (self.cores is None or self.sure_ns >= self._most_of_it)
        )

    @property
    def brief(self) -> bool:
        """Whether a worker would take so long to hand a batch over that most of the wait stays."""
        return self.exposed_ns - self.handover_ns < self._most_of_it

    @property
    def _most_of_it(self) -> float:
        return _MOST_OF_IT * self.exposed_ns

    @property
    def limit(self) -> str | None:
        """Why making the input cheaper comes first, None when loading it beside the step hides most of it."""
        if self.worth or self.ready or self.exposed_ns <= 0:
            return None
        if self.brief:
            return f"A worker process would need about {milliseconds(self.handover_ns)} to hand a batch over."
        found = f"no CPU core is free for {'more workers' if self.today else 'workers'}"
        if self.workers > self.today:
            fit = (
                "1 worker fits on the free cores, and it"
                if self.workers == 1
                else f"{self.workers} workers fit on the free cores, and each"
            )
            found = f"only {fit} needs {milliseconds(self.batch_ns)} per batch"
        return f"{found[0].upper()}{found[1:]}. If workers mostly wait (for disk or network), more of them still help."


def loading(profile: Profile, breakdown: Breakdown, cores: int | None) -> Loading:
    """With as many workers as bring a batch no later than the rest of the step is done, as far as there are cores.

    With unknown cores as many as are usual, or twice those that there are.
    """
    made, ranks = making(profile, breakdown), ((profile, breakdown),)
    today = made.makers if made.beside else 0
    exposed = float(breakdown.typical_parts[TimeClass.INPUT])
    step, batch = breakdown.typical_ns, float(np.median(made.ns)) if len(made.ns) else 0.0
    rest = max(1.0, step - exposed)
    workers = max(USUAL_WORKERS, 2 * today)
    if cores is not None:
        # More than there are cores is rarely wise, unless the recording shows that they mostly sleep.
        wanted = min(math.ceil(batch / rest), math.floor(cores / made.cores))
        workers = min(max(USUAL_WORKERS, wanted), workers_that_fit(ranks, cores))
    low, high = after_moving(*(np.array([each]) for each in (rest, rest, batch / max(1, workers), 0.0)), ahead=True)
    hidden, sure = (max(0.0, step - float(each[0])) if workers else 0.0 for each in (low, high))
    used = cores_in_use(ranks, [Lever("workers")])
    handover = HANDOVER_NS if profile.framework == "PyTorch" and not today else 0.0
    return Loading(workers, today, used, cores, batch, min(exposed, hidden), sure, exposed, made.ready, handover)


def remedies_text(profile: Profile, breakdown: Breakdown, found: InputPipeline) -> tuple[str, ...]:
    """What may be done about the slowest stage, and whether there are cores for it: by the same measure as the rules'."""
    limit = loading(profile, breakdown, found.cores or cores_told(profile)).limit
    return (*(remedy.value for remedy in found.remedies), *((limit,) if limit is not None and found.remedies else ()))
