"""Which times belong to one recording, for formats that are read in Python; the native core has the same rule for the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stepscope.model.profile import Note

LONGEST_NS = 1 << 53
"""A recording lasts at most a hundred days: up to there a double counts every nanosecond. What lies farther away is damage."""

LATEST_NS = 1 << 61
"""Since 1970: the year 2043. A file that says it was recorded later does not know when."""

_DAY_NS = 86_400 * 10**9


def near_bounds(times: NDArray[np.int64]) -> tuple[int, int]:
    """The first and the last time, in nanoseconds, that belong with the others: half of the longest recording around their median."""
    median = int(np.partition(times, len(times) // 2)[len(times) // 2]) if len(times) else 0
    limits = np.iinfo(np.int64)
    return max(median - LONGEST_NS // 2, int(limits.min)), min(median + LONGEST_NS // 2, int(limits.max))


def known_base(ns: int) -> int:
    """The time of a recording's start, 0 when no clock shows it."""
    return ns if 0 <= ns < LATEST_NS else 0


def far_note(count: int) -> Note:
    """Says that events were left out for their times."""
    words = "1 event has a time" if count == 1 else f"{count} events have times"
    days = LONGEST_NS // 2 // _DAY_NS
    skipped = "it is" if count == 1 else "they are"
    return Note("warning", "far_times", f"{words} more than {days} days from the rest of the profile; {skipped} skipped.")
