"""Copies of one direction that nothing hides: how many and how large they are, from which memory, and who asks for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.executions import host_operation_of
from stepscope.model.profile import CopyDirection, Int64, MemoryKind, Profile

_DIRECTION = {TimeClass.H2D: CopyDirection.HOST_TO_DEVICE, TimeClass.D2H: CopyDirection.DEVICE_TO_HOST}


@dataclass(frozen=True, slots=True)
class ExposedCopies:
    """Copies with time of their own in typical steps; there is at least one."""

    rows: Int64
    longest: int  # the one with most time of its own
    asked_by: int  # the operation that asks for it, NONE when it was not recorded
    largest_bytes: int  # 0 when no size is known
    host_memory: frozenset[MemoryKind]  # of those of the direction
    on_computing_streams: bool  # none of them could run beside compute


def exposed_copies(profile: Profile, breakdown: Breakdown, part: TimeClass) -> ExposedCopies:
    """`part` is copying to the device or to the host, and must have time in a typical step."""
    spans, copies, label = profile.spans, profile.copies, breakdown.classified.label
    rows = np.flatnonzero((label == part) & (breakdown.exposed > 0))
    mine = np.flatnonzero(np.isin(copies.row, rows))
    memory = copies.source_memory if part is TimeClass.H2D else copies.target_memory
    directed = mine[copies.direction[mine] == _DIRECTION[part]]
    longest = int(rows[int(np.argmax(breakdown.exposed[rows]))])
    computing = np.unique(spans.track[label == TimeClass.COMPUTE])
    return ExposedCopies(
        rows=rows,
        longest=longest,
        asked_by=int(host_operation_of(profile, np.array([longest], np.int64))[0]),
        largest_bytes=max(0, int(copies.bytes[mine].max(initial=0))),
        host_memory=frozenset(MemoryKind(int(kind)) for kind in np.unique(memory[directed])),
        on_computing_streams=bool(np.isin(spans.track[rows], computing).all()),
    )


def copies_between_devices(profile: Profile, breakdown: Breakdown) -> Int64:
    """Rows of copies from device to device with time of their own."""
    copies = profile.copies
    rows = copies.row[np.isin(copies.direction, (CopyDirection.PEER, CopyDirection.DEVICE_TO_DEVICE))].astype(np.int64)
    rows = rows[breakdown.classified.label[rows] == TimeClass.D2D]
    return rows[breakdown.exposed[rows] > 0]
