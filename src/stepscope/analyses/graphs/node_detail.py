"""One node or scope in a profile: its time in each step, and the memory that it allocated by allocator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.graphs.node_times import allocation_owners, working_rows
from stepscope.analyses.steps import step_of_spans
from stepscope.model.profile import NONE, Int64, Profile
from stepscope.model.steps import Steps

_HOST = "host"


@dataclass(frozen=True, slots=True)
class StepTime:
    """Time in one step, as `NodeTime.ns` counts it; the step is NONE for what ran outside of steps."""

    step: int
    ns: int


@dataclass(frozen=True, slots=True)
class AllocatorMemory:
    """What was allocated through one allocator, and in how many pieces."""

    allocator: str
    device: str
    bytes: int
    allocations: int


@dataclass(frozen=True, slots=True)
class NodeDetail:
    """Steps by number, and allocators with most memory first."""

    steps: list[StepTime]
    allocators: list[AllocatorMemory]


def node_detail(workers: Iterable[tuple[Profile, Steps]], name: str, program: str) -> NodeDetail:
    """Of the operation of that name, of all in the scope when it ends in a slash, or of all when it is empty; over all workers."""
    times: Counter[int] = Counter()
    sizes: Counter[tuple[str, str]] = Counter()
    pieces: Counter[tuple[str, str]] = Counter()
    for profile, steps in workers:
        operations = _operations(profile, name, program)
        times.update(_times(profile, steps, operations))
        for key, size in _allocated(profile, operations):
            sizes[key] += size
            pieces[key] += 1
    return NodeDetail(
        [StepTime(step, times[step]) for step in sorted(times)],
        [AllocatorMemory(*key, size, pieces[key]) for key, size in sizes.most_common()],
    )


def _operations(profile: Profile, name: str, program: str) -> Int64:
    """Places of operations; those that ran eagerly are named by their type, and belong to no node."""
    scope = name if not name or name.endswith("/") else None
    found = [
        place
        for place, one in enumerate(profile.ops)
        if one.program == program
        and one.eager is not True
        and (one.name == name.rstrip("/") or (scope is not None and one.name.startswith(scope)))
    ]
    return np.array(found, np.int64)


def _times(profile: Profile, steps: Steps, operations: Int64) -> dict[int, int]:
    """Nanoseconds by step; an operation that ran on a device counts its time there alone."""
    rows, on_device = working_rows(profile)
    mine = np.isin(profile.spans.op[rows], operations)
    rows, on_device = rows[mine], on_device[mine]
    launched = np.isin(profile.spans.op[rows], profile.spans.op[rows[on_device]])
    rows = rows[on_device | ~launched]
    if not len(rows):
        return {}
    places = step_of_spans(profile, steps, rows)
    length = profile.spans.end[rows] - profile.spans.start[rows]
    found: Counter[int] = Counter()
    for place in np.unique(places).tolist():
        numbered = place != NONE and int(steps.number[place]) != NONE
        found[int(steps.number[place]) if numbered else place] += int(length[places == place].sum())
    return found


def _allocated(profile: Profile, operations: Int64) -> list[tuple[tuple[str, str], int]]:
    """Allocator, device and size of each allocation."""
    gained, owner = allocation_owners(profile)
    table = profile.allocations
    rows: list[int] = gained[np.isin(owner, operations)].tolist()
    return [
        ((_allocator(profile, int(table.allocator[row])), _device(profile, int(table.device[row]))), int(table.bytes[row]))
        for row in rows
    ]


def _allocator(profile: Profile, place: int) -> str:
    return profile.names[place] if place != NONE else ""


def _device(profile: Profile, place: int) -> str:
    return f"{profile.devices[place].kind} {profile.devices[place].ordinal}" if place != NONE else _HOST
