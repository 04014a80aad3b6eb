"""Data loading that runs in parallel with the step and competes for its cores: the step does not wait, but runs slower."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown, host_segments
from stepscope.analyses.host.threads import loading_threads
from stepscope.analyses.intervals import Intervals, common, lengths_between, minus, union_labelled
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.sharing import computing, cost_of_a_core, relieved
from stepscope.model.profile import Float64, Profile


@dataclass(frozen=True, slots=True)
class Crowding:
    """How much CPU the data loading of one rank takes during its steps."""

    beside_ns: Float64  # of every step: batches are made meanwhile, and the step does not wait for them
    cost: float  # by which fraction the step is slower meanwhile, at most; 0 while a core is free, or when the cores are unknown

    @property
    def freed_ns(self) -> Float64:
        """By how much each step is shorter at most when nothing is loaded."""
        return relieved(self.beside_ns, self.cost)


def crowding(profile: Profile, breakdown: Breakdown, cores: int | None) -> Crowding:
    """From the threads of the input pipeline and those that compute meanwhile; with a device the step does not need the cores."""
    return breakdown.once((crowding, cores), lambda: _found(profile, breakdown, cores))


def _found(profile: Profile, breakdown: Breakdown, cores: int | None) -> Crowding:
    nothing = Crowding(np.zeros(len(breakdown.steps)), 0.0)
    if cores is None or not breakdown.classified.cpu_only:
        return nothing
    loads, segments = loading_threads(profile, breakdown), host_segments(profile, breakdown.classified)

    def labelled(label: TimeClass) -> Intervals:
        return union_labelled(((start, end, labels) for start, end, _, labels in segments), [int(label)])

    crowded = common(loads, labelled(TimeClass.COMPUTE))
    if not len(crowded[0]):
        return nothing
    beside = lengths_between(minus(loads, labelled(TimeClass.INPUT)), breakdown.steps.bounds)
    return Crowding(beside.astype(np.float64), cost_of_a_core(cores, 1 + computing(segments, crowded)))
