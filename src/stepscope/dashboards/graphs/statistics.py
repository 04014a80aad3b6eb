"""Times and memory of a profile session on the nodes of a graph, matched by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stepscope.dashboards.context import RequestContext
from stepscope.graphs.opened import OpenedGraph
from stepscope.model.graph import Int32
from stepscope.session.parts.nodes import NODES, NodesWanted, NodeTimeRow
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

    def sums(self, nodes: Int32) -> tuple[float | None, int | None, int, int]:
        """Duration and memory of some nodes, None when nothing of them was recorded, and how many of them have each."""
        with_time, with_memory = int(self.has_time[nodes].sum()), int(self.has_memory[nodes].sum())
        us = float(self.us[nodes].sum()) if with_time else None
        return us, int(self.bytes[nodes].sum()) if with_memory else None, with_time, with_memory


def node_statistics(context: RequestContext, opened: OpenedGraph, session: str) -> NodeStatistics | None:
    """What a session records of the nodes; None while it is read. Raises what reading it raises."""
    reader = context.reads.sessions
    found = reader.ask(NODES, reader.find(session), NodesWanted(), _WAIT)
    if isinstance(found, Reading):
        return None
    size = len(opened.graph)
    made = NodeStatistics(np.zeros(size), np.zeros(size, np.int64), np.zeros(size, np.bool_), np.zeros(size, np.bool_), {})
    rows: dict[int, NodeTimeRow] = {}
    for each in found.nodes:
        row = opened.rows.get(each.name)
        if row is None:
            continue
        rows[row] = each
        made.us[row], made.bytes[row] = each.us, each.bytes
        made.has_time[row], made.has_memory[row] = True, each.has_memory
    return NodeStatistics(made.us, made.bytes, made.has_time, made.has_memory, rows)
