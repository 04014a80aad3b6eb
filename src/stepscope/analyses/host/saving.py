"""When checkpoints and summaries are written: from the first of their spans to the last while nothing of the model runs in between."""

from __future__ import annotations

import numpy as np

from stepscope.analyses.breakdown import Breakdown, device_segments, host_segments
from stepscope.analyses.intervals import Intervals, minus, union_labelled
from stepscope.analyses.rows import names_with
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Profile
from stepscope.model.span_names import NameRole

_WORK = (TimeClass.COMPUTE, TimeClass.COMM, TimeClass.INPUT)


def saving_stretches(profile: Profile, breakdown: Breakdown) -> Intervals:
    """A checkpoint reads variable after variable before it writes any: its short calls are no loop that could be merged.

    Found once, for several analyses ask.
    """
    return breakdown.once("saving", lambda: _stretches(profile, breakdown))


def between_work(profile: Profile, breakdown: Breakdown) -> Intervals:
    """Stretches of all steps without compute, communication and input; one operation that runs eagerly does not end a stretch."""
    eager = names_with(profile, NameRole.EAGER_KERNEL)[profile.spans.name]
    tracks = [
        *(each for device in breakdown.classified.devices for each in device_segments(profile, breakdown.classified, device)),
        *host_segments(profile, breakdown.classified),
    ]
    work = union_labelled(((start[kept], end[kept], label[kept]) for start, end, row, label in tracks for kept in [~eager[row]]), _WORK)
    bounds = breakdown.steps.bounds
    return minus((bounds[:1], bounds[-1:]), work)


def _stretches(profile: Profile, breakdown: Breakdown) -> Intervals:
    owned = [(start, end, label) for start, end, _, label in host_segments(profile, breakdown.classified)]
    start, end = union_labelled(owned, [TimeClass.IO])
    if not len(start):
        return start, end
    idle_start, idle_end = between_work(profile, breakdown)
    place = np.searchsorted(idle_start, start, side="right") - 1
    within = (place >= 0) & (start < idle_end[np.maximum(place, 0)]) if len(idle_start) else np.zeros(len(start), bool)
    place, start, end = place[within], start[within], end[within]
    found = np.unique(place)
    first = np.searchsorted(place, found, side="left")
    last = np.searchsorted(place, found, side="right") - 1
    return start[first], np.minimum(end[last], idle_end[found])
