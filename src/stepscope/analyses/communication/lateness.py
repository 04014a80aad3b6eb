"""Whom the ranks wait for in their collectives: what each makes the others wait, and in how many steps most of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.communication.matching import Clocks, Gathered, Meeting
from stepscope.analyses.steps import step_of_spans
from stepscope.model.profile import NONE, Profile

OFTEN = 0.6
"""A rank that is last in this share of steps is late by itself; less is chance."""


class Causes:
    """What ranks wait for each other; `steps` names the place of the step of every row that takes part, for each rank."""

    def __init__(
        self,
        breakdowns: Sequence[Breakdown],
        steps: Sequence[Mapping[int, int]],
        latest: Sequence[tuple[Meeting, int, int]],
        clocks: Clocks | None,
    ) -> None:
        self.waited = np.zeros(
            (len(breakdowns), len(breakdowns))
        )  # in typical steps, by the rank that waits and the one that came last
        typical = [set(breakdown.typical) for breakdown in breakdowns]
        by_step: dict[int, list[float]] = {}
        for meeting, moment, last in latest:
            for rank, row, start in zip(meeting.ranks, meeting.rows, meeting.starts, strict=True):
                place = steps[rank][row]
                if place == NONE or rank == last:
                    continue
                waited = float(max(0, moment - start - (clocks.shift(rank) if clocks else 0)))
                by_step.setdefault(int(breakdowns[rank].steps.number[place]), [0.0] * len(breakdowns))[last] += waited
                if place in typical[rank]:
                    self.waited[rank, last] += waited
        self._worst = Counter(int(np.argmax(waits)) for waits in by_step.values())
        self.counted = len(by_step)

    def share(self, rank: int) -> float:
        """Of steps, those in which the others wait for this rank most."""
        return self._worst[rank] / self.counted if self.counted else 0.0

    def of(self, rank: int, waiting_ns: Sequence[float | None]) -> tuple[float | None, float | None]:
        """What another rank's typical step waits for this one, in the mean, and the share of steps in which it is last.

        `waiting_ns` is what each rank's typical step waits for all others, None where that is not known.
        """
        if not self.counted:
            return None, None
        whole = self.waited.sum(axis=1)
        others = [
            waits * self.waited[other, rank] / whole[other]
            for other, waits in enumerate(waiting_ns)
            if other != rank and waits is not None and whole[other] > 0
        ]
        return float(sum(others)) / max(1, len(waiting_ns) - 1), self.share(rank)

    @property
    def straggler(self) -> int | None:
        """The rank the others wait for most, in nearly every step."""
        if not self.counted or not self.waited.any():
            return None
        worst = int(np.argmax(self.waited.sum(axis=0)))
        return worst if self.share(worst) >= OFTEN else None


def causes_of(gathered: Gathered, profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]) -> Causes:
    """Of a session whose collectives are gathered."""
    met: list[set[int]] = [set() for _ in profiles]
    for meeting, _, _ in gathered.latest:
        for place, row in zip(meeting.ranks, meeting.rows, strict=True):
            met[place].add(row)
    steps: list[dict[int, int]] = []
    for profile, breakdown, rows in zip(profiles, breakdowns, map(sorted, met), strict=True):
        places: list[int] = step_of_spans(profile, breakdown.steps, np.array(rows, np.int64)).tolist() if rows else []
        steps.append(dict(zip(rows, places, strict=True)))
    return Causes(breakdowns, steps, [each for each in gathered.latest if not each[0].paired], gathered.clocks)
