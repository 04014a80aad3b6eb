"""Idle time of devices in a window of the trace with its causes, the same that the table of idle causes sums up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.idle_causes import Cause, cause_pieces
from stepscope.model.profile import NONE, Int64, Profile


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch in which a device is idle for one cause."""

    device: int  # into Profile.devices, NONE for the CPU
    start: int
    end: int
    cause: Cause
    row: int  # the span of the host meanwhile, or the work that was held; NONE for none


def gaps_in(profile: Profile, breakdown: Breakdown, window: tuple[int, int], limit: int) -> tuple[list[Gap], int]:
    """Gaps that overlap the window, in nanoseconds of the profile, by device and time, and how many there are.

    With more than `limit` those are left out that are shortest.
    """
    parts: list[tuple[Int64, ...]] = []
    for device in breakdown.classified.devices:
        pieces = cause_pieces(profile, breakdown, device)
        inside = slice(np.searchsorted(pieces.end, window[0], side="right"), np.searchsorted(pieces.start, window[1], side="left"))
        columns = (pieces.start, pieces.end, pieces.cause, pieces.row)
        parts.append((np.full(len(pieces.start[inside]), device, np.int64), *(column[inside].astype(np.int64) for column in columns)))
    found = [np.concatenate(column) for column in zip(*parts, strict=True)]
    _, start, end, _, _ = found
    total = len(start)
    if total > limit:
        longest = np.sort(np.argpartition(start - end, limit)[:limit])
        found = [column[longest] for column in found]
    rows = zip(*(column.tolist() for column in found), strict=True)
    return [Gap(device, first, last, Cause(cause), row) for device, first, last, cause, row in rows], total


def process_of(profile: Profile, breakdown: Breakdown, device: int) -> tuple[str, int | None]:
    """What the trace calls a device; without one the process of the thread that controls the steps, and that thread's track."""
    if device == NONE and breakdown.classified.cpu_only:
        control = next(iter(breakdown.classified.control), None)
        return ("" if control is None else profile.tracks[control].process), control
    return next((track.process for track in profile.tracks if track.device == device), ""), None
