"""What every node of a RunMetadata cost, as tf.profiler counts it: time by device, and memory by allocator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from stepscope._native import WIRE
from stepscope.formats.run_metadata.executed import node_stats
from stepscope.model.node_costs import CostNode, Execution, StepCost
from stepscope.model.protobuf_fields import BadMessage, Field, fields

_HOST = re.compile(r".*/(device:gpu|gpu|device:cpu|cpu):\d+")
_STREAMS = "stream:all"
_NO_NODES = ("RecvTensor", "_SOURCE")
"""Events of the executor itself, which tf.profiler does not count."""
_STATS = WIRE["NodeExecStats"]
_MEMORY_STATS = 12
"""Of NodeExecStats; in it are the bytes that are gone after the node (1), and those that stay (3)."""


def read_costs(data: bytes) -> dict[str, CostNode]:
    """The nodes of a serialised RunMetadata, as step 0 of each. Of a damaged node what comes before the damage counts."""
    costs: dict[str, CostNode] = {}
    for device, message in node_stats(data):
        with suppress(BadMessage):
            _add_node(costs, device.lower(), message)
    return costs


def _add_node(costs: dict[str, CostNode], device: str, message: bytes) -> None:
    found = {one.id: one for one in fields(message)}
    name = found.get(_STATS["node_name"], Field(0)).text.partition(":")[0]
    if name and name not in _NO_NODES and "MEMCPY" not in name:
        _add(costs.setdefault(name, CostNode(name, name)), device, found, message)


def _add(node: CostNode, device: str, found: dict[int, Field], message: bytes) -> None:
    is_host = _HOST.fullmatch(device) is not None
    if is_host and node.device and node.device != device:
        return  # of a node that ran on several devices, the first is counted
    if is_host:
        node.device = device
    cost = node.steps.setdefault(0, StepCost())
    start = found.get(_STATS["all_start_micros"], Field(0)).signed
    if start <= 0:
        return
    # What took less than a microsecond counts as one, so that it is not mistaken for something that did not run.
    us = found.get(_STATS["op_end_rel_micros"], Field(0)).signed or 1
    if is_host or _STREAMS in device:
        cost.executions.append(Execution(device, not is_host, start, us))
    if is_host:
        cost.runs += 1
        _add_memory(cost, message)


def _add_memory(cost: StepCost, message: bytes) -> None:
    """Allocations of the node, memory that it keeps or uses for itself, and its outputs."""
    for one in fields(message):
        if one.id == _STATS["memory"]:
            used = _numbers(one, "AllocatorMemoryUsed")
            cost.requested_bytes += used["total_bytes"]
            cost.peak_bytes += used["peak_bytes"]
            cost.residual_bytes += used["live_bytes"]
        elif one.id == _MEMORY_STATS:
            inside = {each.id: each.signed for each in fields(one.data) if not each.is_bytes}
            temporary, kept = inside.get(1, 0), inside.get(3, 0)
            cost.residual_bytes += kept
            cost.requested_bytes += kept + temporary
            cost.peak_bytes += kept + temporary
        elif one.id == _STATS["output"]:
            cost.output_bytes += sum(_output_sizes(one))


def _numbers(message: Field, kind: str) -> dict[str, int]:
    found = {one.id: one.signed for one in fields(message.data) if not one.is_bytes}
    return {name: found.get(number, 0) for name, number in WIRE[kind].items()}


def _output_sizes(output: Field) -> Iterator[int]:
    for description in fields(output.data):
        if description.id == WIRE["NodeOutput"]["tensor_description"]:
            for allocation in fields(description.data):
                if allocation.id == WIRE["TensorDescription"]["allocation_description"]:
                    sizes = _numbers(allocation, "AllocationDescription")
                    yield max(sizes["allocated_bytes"], sizes["requested_bytes"])
