"""What running at once costs where threads use all cores there are: neither has a core to itself, and both take longer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stepscope.analyses.breakdown import Segments
from stepscope.analyses.intervals import Intervals, lengths_inside, union
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Float64

FEWEST_CORES = 2
"""On which anything runs at once: what is assumed where nobody knows."""
_NEARLY = 0.1


def cost_of_sharing(cores: int | None, threads: float) -> float:
    """By which fraction work takes longer while so many threads work; none while a core is free.

    As of work that is moved, the other one's part comes back divided by the cores.
    """
    known = FEWEST_CORES if cores is None else max(1, cores)
    return 1 / known if threads >= known - _NEARLY else 0.0


def cost_of_a_core(cores: int, threads: float) -> float:
    """By which fraction work that wants every core takes longer at most while another thread keeps one; none while a core is free."""
    return 1 / max(1, cores - 1) if threads >= max(1, cores) - _NEARLY else 0.0


def computing(tracks: Sequence[Segments], within: Intervals) -> float:
    """Threads that compute at an average instant of a set."""
    whole = int((within[1] - within[0]).sum())
    busy = 0
    for start, end, _, label in tracks:
        works = label == TimeClass.COMPUTE
        busy += int(lengths_inside(union(start[works], end[works]), *within).sum())
    return busy / whole if whole else 0.0


def relieved(beside: Float64, cost: float) -> Float64:
    """By how much compute is shorter alone that took so long beside other work."""
    return np.asarray(beside * cost / (1 + cost), np.float64)
