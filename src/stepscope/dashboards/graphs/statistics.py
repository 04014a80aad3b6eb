"""Times and memory of a profile session on the nodes of a graph, matched by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.graphs.view import Share
from stepscope.dashboards.context import RequestContext
from stepscope.graphs.opened import OpenedGraph
from stepscope.model.graph import GraphKind, Int32
from stepscope.session.parts.coverage import COVERAGE, CoverageWanted, MissingRow
from stepscope.session.parts.graph import GRAPH, GraphWanted, NodeTimeRow
from stepscope.session.parts.node import NODE, NodeCosts, NodeWanted
from stepscope.session.reader import Reading

_WAIT = 1.0
"""Seconds that a request waits for a session to be read."""


@dataclass(frozen=True)
class NodeStatistics:
    """Columns by node of the graph; a node of which nothing was recorded has 0 and is not marked."""

    us: NDArray[np.float64]
    bytes: NDArray[np.int64]
    has_time: NDArray[np.bool_]
    has_memory: NDArray[np.bool_]
    rows: Mapping[int, NodeTimeRow] = field(default_factory=dict[int, NodeTimeRow])
    missing: Mapping[int, MissingRow] = field(default_factory=dict[int, MissingRow])
    """Why nodes have no time or memory."""

    def reasons(self, nodes: Int32) -> list[Share]:
        """Why some nodes have no time, most frequent first."""
        rows: list[int] = nodes.tolist()
        found = Counter(one.reason for row in rows if (one := self.missing.get(row)) is not None and not one.has_time)
        return [Share(reason, count) for reason, count in found.most_common()]

    def sums(self, nodes: Int32) -> tuple[float | None, int | None, int, int]:
        """Duration and memory of some nodes, None when nothing of them was recorded, and how many of them have each."""
        with_time, with_memory = int(self.has_time[nodes].sum()), int(self.has_memory[nodes].sum())
        us = float(self.us[nodes].sum()) if with_time else None
        return us, int(self.bytes[nodes].sum()) if with_memory else None, with_time, with_memory


def node_statistics(context: RequestContext, opened: OpenedGraph, session: str) -> NodeStatistics | None:
    """What a session records of the nodes; None while it is read. Raises what reading it raises."""
    reader = context.reads.sessions
    where = reader.find(session)
    found = reader.ask(GRAPH, where, GraphWanted(variables=False), _WAIT)
    coverage = reader.ask(COVERAGE, where, CoverageWanted(), _WAIT)
    if isinstance(found, Reading) or isinstance(coverage, Reading):
        return None
    size = len(opened.graph)
    made = NodeStatistics(np.zeros(size), np.zeros(size, np.int64), np.zeros(size, np.bool_), np.zeros(size, np.bool_), {})
    rows: dict[int, NodeTimeRow] = {}
    graph = opened.graph
    is_program = graph.kind is GraphKind.PROGRAM
    named = opened.instructions if is_program else opened.rows
    for each in found.nodes:
        row = named.get(each.name)
        if row is None or each.eager or each.program != (graph.name if is_program else ""):
            continue
        rows[row] = each
        made.us[row], made.bytes[row] = each.us, each.bytes
        made.has_time[row], made.has_memory[row] = True, each.has_memory
    prefix = f"{graph.name}/" if is_program else ""
    missing = {
        row: one
        for one in coverage.missing
        if one.name.startswith(prefix) and (row := named.get(one.name.removeprefix(prefix))) is not None
    }
    return NodeStatistics(made.us, made.bytes, made.has_time, made.has_memory, rows, missing)


def node_costs(context: RequestContext, opened: OpenedGraph, session: str, path: str) -> NodeCosts | None:
    """Time by step and memory by allocator of a node or scope; None while the session is read. Raises what reading it raises."""
    is_program = opened.graph.kind is GraphKind.PROGRAM
    if is_program and path not in opened.rows:  # its scopes have names of the framework, and profiles those of instructions
        return NodeCosts(steps=[], total_steps=0, allocators=[])
    wanted = NodeWanted(name=path.rpartition("/")[2], program=opened.graph.name) if is_program else NodeWanted(name=path)
    found = context.reads.sessions.ask_open(NODE, context.reads.sessions.find(session), wanted, _WAIT)
    return None if isinstance(found, Reading) else found
