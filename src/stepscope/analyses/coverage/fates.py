"""What became of every node of the user's graph in the graph that was executed: by its edges, never by what it is called.

Nodes of both graphs are matched by name, as TensorFlow keeps names. A node that is gone was fed, folded into a constant, fused into
another, skipped over, or never needed: which of these is told by what the nodes that read it read instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from stepscope.analyses.graphs.operations import CONSTANTS
from stepscope.model.graph import Graph

_ARGUMENTS = frozenset({"_Arg", "_DeviceArg"})
_MOST_NAMED = 3


class Fate(Enum):
    """What became of a node."""

    RAN = "ran"
    FED = "fed"
    FUSED = "fused"
    FOLDED = "constant_folded"
    MERGED = "merged"
    SKIPPED = "removed"
    PRUNED = "pruned"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class NodeFate:
    """A fate, the executed node that it went into, if any, and the edge that shows it."""

    fate: Fate
    into: str = ""
    evidence: str = ""
    ran_as: str = ""
    """The operation of a node that ran as another one."""


@dataclass(slots=True)
class _Reading:
    graph: Graph
    executed: Graph
    rows: Mapping[str, int]
    """Executed nodes by name."""
    fused: Callable[[int], bool]
    """Whether an executed row says that it does the work of others too."""
    readers: list[list[tuple[int, int]]]
    """Of each row: who reads it, and at which of its tensor inputs; -1 for a control edge."""
    twins: Mapping[str, int]
    """Rows of the graph by name."""
    folded: Mapping[str, str]
    """Constants that the framework has marked as the value of a node, by that node."""
    fates: dict[int, NodeFate] = field(default_factory=dict[int, NodeFate])


def node_fates(
    graph: Graph, executed: Graph, fused: Callable[[int], bool], *, complete: bool, origins: Mapping[str, str] | None = None
) -> list[NodeFate]:
    """The fate of each row. Without a `complete` executed graph, only what is certain without one is said of missing nodes.

    `origins` are the nodes of the graph that executed ones stand for, where the framework has marked them.
    """
    rows = {executed.text(executed.node, row): row for row in reversed(range(len(executed)))}
    twins = {graph.text(graph.node, row): row for row in reversed(range(len(graph)))}
    constants = [name for name, row in rows.items() if executed.text(executed.op, row) in CONSTANTS]
    folded = {origins[name]: name for name in constants if name in origins} if origins else {}
    reading = _Reading(graph, executed, rows, fused, _readers(graph), twins, folded)
    for row in _readers_first(graph, reading.readers):
        reading.fates[row] = _fate(reading, row)
    found = [reading.fates[row] for row in range(len(graph))]
    if complete:
        return found
    certain = {Fate.RAN, Fate.FED, Fate.FOLDED}
    return [one if one.fate in certain else NodeFate(Fate.UNKNOWN) for one in found]


def _readers(graph: Graph) -> list[list[tuple[int, int]]]:
    readers: list[list[tuple[int, int]]] = [[] for _ in range(len(graph))]
    for row in range(len(graph)):
        place = 0
        for at in graph.inputs(row):
            source, is_control = int(graph.input[at]), int(graph.port[at]) < 0
            if source >= 0:
                readers[source].append((row, -1 if is_control else place))
            place += not is_control
    return readers


def _readers_first(graph: Graph, readers: list[list[tuple[int, int]]]) -> list[int]:
    """Rows so that those that read a row come before it; in a cycle, in any order."""
    order: list[int] = []
    state = bytearray(len(graph))
    for start in range(len(graph)):
        left = [(start, False)]
        while left:
            row, is_done = left.pop()
            if is_done:
                order.append(row)
            elif not state[row]:
                state[row] = 1
                left.append((row, True))
                left.extend((reader, False) for reader, _ in readers[row] if not state[reader])
    return order


def _fate(reading: _Reading, row: int) -> NodeFate:
    graph, executed = reading.graph, reading.executed
    name, op = graph.text(graph.node, row), graph.text(graph.op, row)
    ran = reading.rows.get(name)
    if ran is not None:
        ran_as = executed.text(executed.op, ran)
        return NodeFate(Fate.RAN, ran_as=ran_as if ran_as and ran_as != op else "")
    if (constant := reading.folded.get(name)) is not None:
        return NodeFate(Fate.FOLDED, constant, f"{constant} is its value, computed before the step")
    found = [fate for reader, place in reading.readers[row] if (fate := _by_reader(reading, row, reader, place)) is not None]
    if not found:
        return NodeFate(Fate.PRUNED, evidence=_pruned_text(reading, row))
    return min(found, key=lambda one: _ORDER.index(one.fate))


_ORDER = (Fate.FED, Fate.FUSED, Fate.FOLDED, Fate.MERGED, Fate.SKIPPED, Fate.UNKNOWN)


def _by_reader(reading: _Reading, row: int, reader: int, place: int) -> NodeFate | None:
    """What one reader shows; None when it does not need the node."""
    graph, executed = reading.graph, reading.executed
    fate = reading.fates.get(reader)
    name = graph.text(graph.node, reader)
    if fate is None:  # in a cycle
        return NodeFate(Fate.UNKNOWN)
    if fate.fate is not Fate.RAN:
        return _by_missing_reader(fate, name, place, has_readers=any(at >= 0 for _, at in reading.readers[row]))
    ran = reading.rows[name]
    if executed.text(executed.op, ran) in CONSTANTS and graph.text(graph.op, reader) not in CONSTANTS:
        return NodeFate(Fate.FOLDED, name, f"{name} ran as a constant")
    if place < 0:
        return NodeFate(Fate.SKIPPED, name, f"{name} ran without waiting for it")
    if reading.fused(ran):
        return NodeFate(Fate.FUSED, name, f"{name} ran as {executed.text(executed.op, ran)} and reads {_inputs_text(executed, ran)}")
    return _by_replacement(reading, row, ran, name, place)


def _by_missing_reader(fate: NodeFate, name: str, place: int, *, has_readers: bool) -> NodeFate | None:
    """A node that only missing nodes read has their fate. What only waits for a node does not need it, unless that is all it is for."""
    if fate.fate in {Fate.PRUNED, Fate.FED} or (place < 0 and has_readers):  # nothing before what is fed is needed
        return None
    if place < 0 and fate.fate is not Fate.UNKNOWN:
        return NodeFate(Fate.SKIPPED, fate.into, f"only {name} waits for it, and did not run")
    return NodeFate(fate.fate, fate.into, f"only read by {name}: {fate.evidence}" if fate.evidence else "")


def _by_replacement(reading: _Reading, row: int, ran: int, name: str, place: int) -> NodeFate:
    """What the reader reads now in the place of the node."""
    executed = reading.executed
    tensors = [at for at in executed.inputs(ran) if executed.port[at] >= 0]
    if place >= len(tensors):
        return NodeFate(Fate.FUSED, name, f"{name} ran with {len(tensors)} inputs: {_inputs_text(executed, ran)}")
    at = tensors[place]
    source = executed.text(executed.input_name, at)
    other = int(executed.input[at])
    op = executed.text(executed.op, other) if other >= 0 else ""
    said = f"{name} reads {source} instead"
    if op in _ARGUMENTS:
        return NodeFate(Fate.FED, source, said)
    if op in CONSTANTS:
        return NodeFate(Fate.FOLDED, source, said)
    graph = reading.graph
    twin = reading.twins.get(source, -1)
    if twin >= 0 and graph.text(graph.op, twin) == graph.text(graph.op, row):
        return NodeFate(Fate.MERGED, source, said)
    if _is_before(reading, row, source):
        return NodeFate(Fate.SKIPPED, source, said)
    return NodeFate(Fate.FUSED, source, said)


def _is_before(reading: _Reading, row: int, source: str) -> bool:
    """Whether a node is computed from the source through missing nodes alone: skipping it reads the source directly."""
    graph = reading.graph
    left, seen = [row], {row}
    while left:
        for at in graph.inputs(left.pop()):
            before = int(graph.input[at])
            if graph.port[at] < 0:
                continue
            if graph.text(graph.input_name, at) == source:
                return True
            if before >= 0 and before not in seen and graph.text(graph.node, before) not in reading.rows:
                seen.add(before)
                left.append(before)
    return False


def _inputs_text(graph: Graph, row: int) -> str:
    names = [graph.text(graph.input_name, at) for at in graph.inputs(row) if graph.port[at] >= 0]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more or "nothing"


def _pruned_text(reading: _Reading, row: int) -> str:
    readers = reading.readers[row]
    if not readers:
        return "nothing reads it"
    names = [reading.graph.text(reading.graph.node, reader) for reader, _ in readers]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"only read by {', '.join(names[:_MOST_NAMED])}{more}, which did not run"
