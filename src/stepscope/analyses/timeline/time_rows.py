"""What owns each instant of a rank, as the breakdown divides time: one row in a picture of all ranks, reduced to its columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope._native import owned_pieces
from stepscope.analyses.breakdown import Breakdown, device_segments, host_segments
from stepscope.analyses.intervals import Intervals, lengths_between, union
from stepscope.analyses.time_classes import GROUP_OF, Group, TimeClass
from stepscope.analyses.timeline.groups import Uint8
from stepscope.model.profile import Profile

OWNERS = tuple(group for group in Group if group != Group.UNTRACED)
"""Groups that own time; what none of them owns is untraced."""
WHOLE = 255
"""The share of a column that one group owns alone."""

_LABELS = len(TimeClass) - 1  # untraced is what is left
_GROUP_OF_LABEL = np.array([GROUP_OF[each] for each in TimeClass], np.int8)


@dataclass(frozen=True, slots=True)
class TimeRow:
    """Per device of a rank and per group of OWNERS, when the group owns the time. Times are those of the profile."""

    owned: tuple[tuple[Intervals, ...], ...]


def time_row(profile: Profile, breakdown: Breakdown) -> TimeRow:
    """Of the whole profile, also before, between and after steps; inside steps it is what the breakdown sums up."""
    bounds, wanted = np.array(profile.window, np.int64), np.ones(1, np.uint8)
    hosts = host_segments(profile, breakdown.classified)
    found: list[tuple[Intervals, ...]] = []
    for device in breakdown.classified.devices:
        tracks = [*device_segments(profile, breakdown.classified, device), *hosts]
        _, start, end, _, label = owned_pieces(tracks, bounds, _LABELS, wanted)
        owner = _GROUP_OF_LABEL[label]
        found.append(tuple(union(start[owner == group], end[owner == group]) for group in OWNERS))
    return TimeRow(tuple(found))


def column_shares(row: TimeRow, window: tuple[int, int], columns: int) -> tuple[Uint8, ...]:
    """The share of each column of a window that each group of OWNERS owns, from 0 to WHOLE; the mean over devices."""
    first, last = window
    bounds = first + np.rint(np.linspace(0, last - first, columns + 1)).astype(np.int64)
    width = np.maximum(1, np.diff(bounds)) * max(1, len(row.owned))
    found: list[Uint8] = []
    for place in range(len(OWNERS)):
        owned = np.zeros(columns, np.int64)
        for device in row.owned:
            owned += lengths_between(_within(device[place], first, last), bounds)
        found.append(np.rint(WHOLE * (owned / width)).astype(np.uint8))
    return tuple(found)


def _within(these: Intervals, first: int, last: int) -> Intervals:
    """Those that overlap a window, so that a closer look takes less time."""
    start, end = these
    here = slice(int(np.searchsorted(end, first, side="right")), int(np.searchsorted(start, last, side="left")))
    return start[here], end[here]
