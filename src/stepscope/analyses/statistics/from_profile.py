"""Nodes with costs, from the operations of a profile of any format."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stepscope._native import self_times
from stepscope.analyses.graphs.node_times import operation_sums
from stepscope.model.node_costs import CostNode, Execution, Frame, StepCost
from stepscope.model.profile import NONE, Operation, Profile, SpanKind, TrackRole

_HOST, _DEVICE = "host", "device"


def profile_costs(profiles: Sequence[Profile]) -> dict[str, CostNode]:
    """The operations of all workers by scope and name; their costs are those of the whole profile, as one step."""
    found: dict[str, CostNode] = {}
    for profile in profiles:
        host_ns = _own_host_ns(profile)
        for place, (count, _, device_ns, size, _) in operation_sums(profile):
            operation = profile.ops[place]
            name = _name(operation)
            node = found.setdefault(name, CostNode(name, operation.type or operation.name, stack=_stack(operation.source)))
            if not node.flops and not math.isnan(operation.flops):
                node.flops = max(0, round(operation.flops))
            cost = node.steps.setdefault(0, StepCost())
            cost.runs += count
            cost.requested_bytes += size
            for device, ns in ((_HOST, int(host_ns[place])), (_DEVICE, device_ns)):
                if ns:
                    cost.executions.append(Execution(device, device is _DEVICE, 0, ns / 1e3))
    return found


def _own_host_ns(profile: Profile) -> NDArray[np.float64]:
    """By operation, without operations that it calls: costs are summed up, so every moment may count once only."""
    spans = profile.spans
    threads = [track for track in profile.tracks if track.role is TrackRole.THREAD]
    is_operation = (spans.op != NONE) & ~np.isin(spans.kind, (SpanKind.MARKER, SpanKind.ANNOTATION, SpanKind.PYTHON))
    label = np.where(is_operation, 0, -1).astype(np.int8)
    first = np.array([track.first_row for track in threads], np.int64)
    last = np.array([track.last_row for track in threads], np.int64)
    own = self_times(spans.start, spans.end, label, first, last)
    rows = np.flatnonzero(is_operation)
    summed: NDArray[np.float64] = np.bincount(spans.op[rows], own[rows], len(profile.ops)).astype(np.float64)
    return summed


def _name(operation: Operation) -> str:
    """With its scope, where the name does not begin with it already."""
    scope = operation.scope or operation.program
    return operation.name if not scope or operation.name.startswith(f"{scope}/") else f"{scope}/{operation.name}"


def _stack(source: str) -> tuple[Frame, ...]:
    """Of `train.py:12`, or of several lines with the outermost first."""
    file, _, line = source.rpartition(":")
    return (Frame(file, int(line), ""),) if file and line.isdecimal() else ()
