"""What most of a step goes to that is not compute: the breakdown's device work, and the table of idle causes for all other time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown, group_sums
from stepscope.analyses.devices.unrecorded import unrecorded_device
from stepscope.analyses.idle_causes import Cause, mean_causes
from stepscope.analyses.time_classes import Group
from stepscope.model.profile import Profile

COMPUTE, STREAM_WAIT, NOTHING, UNRECORDED = "compute", "stream_wait", "nothing", "unrecorded"
STARTUP = "startup"
_MOSTLY = 0.8
_WORTH_A_WORD = 0.05
_ALL = 0.9999
_OF_CAUSE = {Cause.INPUT_WAIT: "input_wait", Cause.STREAM_WAIT: STREAM_WAIT, Cause.UNTRACED: "untraced", Cause.STARTUP: STARTUP}
"""Every other cause is the host's."""


@dataclass(frozen=True, slots=True)
class MainLoss:
    """The word for it and its share of a typical step; compute's own where nothing else is worth a word."""

    cause: str
    """A group of the breakdown, "stream_wait", "startup", "nothing" where the profile does not record what ran, or "unrecorded" where
    it lacks the device's work alone."""
    share: float
    waiting: bool = False
    """Whether most of what is the host's are calls in which it waits for the device itself."""


def losses(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]) -> dict[str, float]:
    """Shares of a typical step, mean over ranks; they sum to 1 where a step takes any time."""
    found: dict[str, float] = {}
    step = sum(breakdown.typical_ns for breakdown in breakdowns) or 1.0
    for profile, breakdown in zip(profiles, breakdowns, strict=True):
        work = group_sums(breakdown.typical_parts)
        for group in (Group.COMPUTE, Group.COMMUNICATION, Group.COPY):
            found[group.key] = found.get(group.key, 0.0) + float(work[group]) / step
        for one in mean_causes(profile, breakdown).sums:
            key = _OF_CAUSE.get(one.cause, Group.HOST.key)
            found[key] = found.get(key, 0.0) + one.per_step_ns / step
    return found


def main_loss(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]) -> MainLoss:
    """The largest loss, as the tables below a headline have it."""
    if any(unrecorded_device(*pair) is not None for pair in zip(profiles, breakdowns, strict=True)):
        return MainLoss(UNRECORDED, 1.0)
    found = losses(profiles, breakdowns)
    compute = found.get(COMPUTE, 0.0)
    if found.get("untraced", 0.0) > _ALL or not any(found.values()):
        return MainLoss(NOTHING, 0.0)
    lost = {key: share for key, share in found.items() if key != COMPUTE}
    worst = max(lost, key=lambda key: lost[key]) if lost else COMPUTE
    if compute >= _MOSTLY or lost.get(worst, 0.0) < _WORTH_A_WORD or not np.isfinite(compute):
        return MainLoss(COMPUTE, compute)
    return MainLoss(worst, lost[worst], worst == Group.HOST.key and _waits(profiles, breakdowns) >= lost[worst] / 2)


def _waits(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]) -> float:
    """The share of a typical step in which devices are idle while the host waits for them, mean over ranks."""
    step = sum(breakdown.typical_ns for breakdown in breakdowns) or 1.0
    return sum(mean_causes(*pair).per_step_ns(Cause.SYNC) for pair in zip(profiles, breakdowns, strict=True)) / step
