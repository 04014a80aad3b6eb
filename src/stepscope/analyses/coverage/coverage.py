"""Of all operations of a graph and a trace: which have time, which have memory, and why the others have not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from stepscope.analyses.coverage.fates import Fate, NodeFate, node_fates
from stepscope.analyses.coverage.reasons import Reason
from stepscope.analyses.graphs.node_times import NodeTime
from stepscope.analyses.graphs.operations import FED
from stepscope.model.executed import ExecutedStep
from stepscope.model.graph import Graph, GraphKind, NodeAttribute

_OF_FATE = {
    Fate.FED: Reason.FED,
    Fate.FUSED: Reason.FUSED,
    Fate.FOLDED: Reason.CONSTANT_FOLDED,
    Fate.MERGED: Reason.MERGED,
    Fate.SKIPPED: Reason.REMOVED,
    Fate.PRUNED: Reason.PRUNED,
    Fate.UNKNOWN: Reason.CANNOT_TELL,
}
_PYTHON = frozenset({"PyFunc", "EagerPyFunc", "PyFuncStateless"})
_COMMUNICATION = ("Collective", "Nccl", "_Send", "_Recv", "_HostSend", "_HostRecv", "RecvTensor", "c10d::", "gloo:", "nccl:")
"""How operations of the frameworks begin that exchange tensors between devices or hosts."""
_FUSED_OPS = "fused_ops"
"""The attribute in which TensorFlow lists what a fused operation does beside its own work."""


@dataclass(frozen=True, slots=True)
class Covered:
    """One operation of the graph or of the trace."""

    name: str
    op: str
    in_graph: bool
    time: NodeTime | None
    reason: Reason | None
    """Why it has no time; None when it has."""
    memory_reason: Reason | None
    into: str = ""
    evidence: str = ""
    ran_as: str = ""
    at_most_ns: int | None = None
    """Of an operation that ran without an event: the time between the end of its inputs and the start of what reads it."""

    @property
    def has_time(self) -> bool:
        """Whether any execution was recorded."""
        return self.time is not None

    @property
    def has_memory(self) -> bool:
        """Whether any allocation was recorded."""
        return self.time is not None and self.time.has_memory


@dataclass(frozen=True, slots=True)
class Executed:
    """The executed graph that nodes are compared with."""

    graph: Graph
    complete: bool
    """Whether it has every node that ran, and not only those with events."""
    attributes: Callable[[int], Sequence[NodeAttribute]]
    with_output: frozenset[str]
    devices: frozenset[str]
    origins: Mapping[str, str]


def executed_graph(step: ExecutedStep) -> Executed:
    """The partition graph of a step with most nodes, or what the labels of its events say."""
    parts = [graph for graph in step.partitions.graphs if graph.kind is GraphKind.PARTITION] if step.partitions is not None else []
    if not parts or step.partitions is None:
        return Executed(step.labels, False, lambda _: (), step.with_output, step.devices, step.origins)
    largest, found = max(parts, key=len), step.partitions
    return Executed(largest, True, lambda row: found.attributes(largest, row), step.with_output, step.devices, step.origins)


Windows = Mapping[str, tuple[int, int]]
"""When each operation first started and last ended."""


def graph_coverage(graph: Graph, times: Sequence[NodeTime], executed: Executed | None, windows: Windows) -> list[Covered]:
    """The nodes of a graph, then the operations of the trace that the graph does not have."""
    by_name = {one.name: one for one in times if not one.eager}
    names = graph.names()
    any_memory = any(one.has_memory for one in times)
    found: list[Covered] = []
    fates = [NodeFate(Fate.UNKNOWN)] * len(graph)
    if executed is not None:
        fates = node_fates(
            graph, executed.graph, lambda row: _is_fused(executed, row), complete=executed.complete, origins=executed.origins
        )
    for row, name in enumerate(names):
        one = _covered(name, graph.text(graph.op, row), by_name.get(name), fates[row], executed, any_memory)
        found.append(_bracketed(one, executed, windows) if one.reason is Reason.DROPPED_EVENT and executed is not None else one)
    known = set(names)
    found.extend(_in_trace(one, executed, any_memory) for one in times if one.eager or one.name not in known)
    return found


def trace_coverage(times: Sequence[NodeTime]) -> list[Covered]:
    """The operations of a trace without a graph."""
    any_memory = any(one.has_memory for one in times)
    return [_in_trace(one, None, any_memory) for one in times]


def _is_fused(executed: Executed, row: int) -> bool:
    return any(one.key == _FUSED_OPS and one.value not in {"", "[]"} for one in executed.attributes(row))


def _covered(name: str, op: str, time: NodeTime | None, fate: NodeFate, executed: Executed | None, any_memory: bool) -> Covered:
    if time is not None:
        memory = _memory_reason(time, op, executed, any_memory)
        return Covered(name, op, True, time, None, memory, ran_as=fate.ran_as or _other(time.type, op))
    if executed is None and op in FED:
        return Covered(name, op, True, None, Reason.FED, Reason.FED, evidence=f"{op} is an argument of the graph")
    if fate.fate is not Fate.RAN:
        reason = _OF_FATE[fate.fate]
        return Covered(name, op, True, None, reason, reason, fate.into, fate.evidence, fate.ran_as)
    reason, evidence = _unrecorded(name, executed)
    return Covered(name, op, True, None, reason, reason, evidence=evidence, ran_as=fate.ran_as)


def _unrecorded(name: str, executed: Executed | None) -> tuple[Reason, str]:
    """Why a node that a device ran has no event."""
    if executed is None:
        return Reason.CANNOT_TELL, ""
    graph = executed.graph
    row = next((row for row in range(len(graph)) if graph.text(graph.node, row) == name), -1)
    device = graph.text(graph.device, row) if row >= 0 else ""
    if device and not any(_same_device(device, each) for each in executed.devices):
        return Reason.OTHER_DEVICE, f"it ran on {device}, which recorded nothing"
    return Reason.DROPPED_EVENT, "it is in the partition graph, but the step has no event for it"


def _bracketed(one: Covered, executed: Executed, windows: Windows) -> Covered:
    """With the time between the last of its inputs and the first that reads it, which it cannot have exceeded."""
    graph = executed.graph
    before: list[int] = []
    after: list[int] = []
    for row in range(len(graph)):
        name = graph.text(graph.node, row)
        inputs = [graph.text(graph.input_name, at) for at in graph.inputs(row)]
        if name == one.name:
            before.extend(windows[each][1] for each in inputs if each in windows)
        elif one.name in inputs and name in windows:
            after.append(windows[name][0])
    if not before or not after or min(after) < max(before):
        return one
    return replace(one, at_most_ns=min(after) - max(before))


def _same_device(one: str, other: str) -> bool:
    """Whether two names mean one device: either may leave out the job, and streams belong to their device."""
    first, second = (name.lower().partition("/stream:")[0].removesuffix("/memcpy") for name in (one, other))
    return first.endswith(second) or second.endswith(first)


def _in_trace(time: NodeTime, executed: Executed | None, any_memory: bool) -> Covered:
    return Covered(time.name, time.type, False, time, None, _memory_reason(time, time.type, executed, any_memory))


def _memory_reason(time: NodeTime, op: str, executed: Executed | None, any_memory: bool) -> Reason | None:
    if time.has_memory:
        return None
    if op in _PYTHON:
        return Reason.PYTHON_FUNCTION
    if (op or time.name).startswith(_COMMUNICATION):
        return Reason.COMMUNICATION
    if executed is not None and (any_memory or executed.with_output):
        return Reason.REUSES_MEMORY if time.name in executed.with_output else Reason.NO_OUTPUT
    return Reason.ALLOCATES_NOTHING if any_memory else Reason.MEMORY_NOT_RECORDED


def _other(ran_as: str, op: str) -> str:
    return ran_as if ran_as and ran_as != op else ""


def missing(found: Sequence[Covered]) -> Iterator[Covered]:
    """Those without time or memory, without time first."""
    yield from (one for one in found if not one.has_time)
    yield from (one for one in found if one.has_time and not one.has_memory)
