"""How long each named operation of a profile ran, on the host and on devices, and how much memory it allocated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope.model.profile import NONE, Profile, SpanKind, TrackRole

_NO_WORK = (SpanKind.MARKER, SpanKind.ANNOTATION, SpanKind.PYTHON)


@dataclass(frozen=True, slots=True)
class NodeTime:
    """One operation over the whole profile."""

    name: str
    type: str
    program: str
    """The compiled program that it belongs to; empty outside of programs."""
    count: int
    host_ns: int
    device_ns: int
    bytes: int
    """Allocated by it; 0 when no allocation of it was recorded."""
    has_memory: bool
    flops: float = math.nan
    """Of all executions; NaN when unknown."""
    eager: bool = False
    """Whether it ran eagerly: its name is then its type, and not that of a node, even where a graph has a node of that name."""

    @property
    def ns(self) -> int:
        """On devices, or on the host where nothing of it ran on a device."""
        return self.device_ns or self.host_ns


def node_times(profiles: Sequence[Profile]) -> list[NodeTime]:
    """All operations of all workers by name, program and whether they ran eagerly, in order of their first appearance."""
    found: dict[tuple[str, str, bool], list[int]] = {}
    types: dict[tuple[str, str, bool], str] = {}
    flops: dict[tuple[str, str, bool], float] = {}
    for profile in profiles:
        for place, columns in operation_sums(profile):
            operation = profile.ops[place]
            key = (operation.name, operation.program, operation.eager is True)
            sums = found.setdefault(key, [0, 0, 0, 0, 0])
            for column, value in enumerate(columns):
                sums[column] += value
            types.setdefault(key, operation.type)
            if not math.isnan(operation.flops):
                flops[key] = flops.get(key, 0.0) + operation.flops * columns[0]
    return [
        NodeTime(
            name,
            types[name, program, eager],
            program,
            *sums[:4],
            has_memory=sums[4] > 0,
            flops=flops.get((name, program, eager), math.nan),
            eager=eager,
        )
        for (name, program, eager), sums in found.items()
    ]


def node_windows(profile: Profile) -> dict[str, tuple[int, int]]:
    """When each named operation first started and last ended."""
    found: dict[str, tuple[int, int]] = {}
    spans, names = profile.spans, [operation.name for operation in profile.ops]
    rows = np.flatnonzero(spans.op != NONE)
    ops: list[int] = spans.op[rows].tolist()
    starts: list[int] = spans.start[rows].tolist()
    ends: list[int] = spans.end[rows].tolist()
    for op, start, end in zip(ops, starts, ends, strict=True):
        first, last = found.get(names[op], (start, end))
        found[names[op]] = (min(first, start), max(last, end))
    return found


def operation_sums(profile: Profile) -> list[tuple[int, tuple[int, ...]]]:
    """Of each operation that ran, its place and: executions, ns on the host and on devices, bytes allocated, and in how many pieces."""
    spans, ops = profile.spans, profile.ops
    if not len(spans) or not len(ops):
        return []
    rows, on_device = working_rows(profile)
    op, length = spans.op[rows], (spans.end - spans.start)[rows]
    size = len(ops)
    count = np.bincount(op[~on_device], minlength=size)
    launched = np.bincount(op[on_device], minlength=size)
    host = np.bincount(op, np.where(on_device, 0, length), size)
    device = np.bincount(op, np.where(on_device, length, 0), size)
    memory, allocations = _memory(profile, size)
    return [
        (
            place,
            (int(count[place] or launched[place]), int(host[place]), int(device[place]), int(memory[place]), int(allocations[place])),
        )
        for place, operation in enumerate(ops)
        if operation.name and (count[place] or launched[place])
    ]


def working_rows(profile: Profile) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Spans of named operations that are work, and which of them are on a device."""
    spans = profile.spans
    roles = np.array([track.role for track in profile.tracks] or [0], np.int8)[spans.track]
    usable = (spans.op != NONE) & ~np.isin(spans.kind, _NO_WORK) & np.isin(roles, (TrackRole.THREAD, TrackRole.STREAM))
    rows = np.flatnonzero(usable)
    return rows, roles[rows] == TrackRole.STREAM


def _memory(profile: Profile, size: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Bytes that each operation allocated, and in how many pieces."""
    gained, owner = allocation_owners(profile)
    sizes = profile.allocations.bytes[gained].astype(np.float64)
    summed: NDArray[np.float64] = np.bincount(owner, sizes, size).astype(np.float64)
    return summed, np.bincount(owner, minlength=size)


def allocation_owners(profile: Profile) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Allocations of operations, and the operation of each: by the name in the file, or else by the span around it."""
    allocations = profile.allocations
    gained = np.flatnonzero(allocations.bytes > 0)
    by_name = {operation.name: place for place, operation in enumerate(profile.ops)}
    named = allocations.op[gained]
    owner = np.full(len(gained), NONE, np.int64)
    texts: list[int] = np.unique(named[named != NONE]).tolist()
    for text in texts:
        owner[named == text] = by_name.get(profile.names[text], NONE)
    row = allocations.row[gained]
    around = (owner == NONE) & (row != NONE)
    owner[around] = profile.spans.op[row[around]]
    known = owner != NONE
    return gained[known], owner[known]
