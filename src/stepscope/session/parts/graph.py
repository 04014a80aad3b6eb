"""Time and memory of every named operation, for the nodes of a graph of the same names."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.declared import fill_all
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Contains, LeastBytes, LeastUs, Limit, contains, limited
from stepscope.session.part import Answer, Part, Wanted


class GraphWanted(Wanted, frozen=True, kw_only=True):
    """Which rows are listed."""

    min_us: LeastUs = 0.0
    min_bytes: LeastBytes = 0
    contains: Contains = ""
    limit: Limit = 0


class NodeTimeRow(Struct, frozen=True, kw_only=True):
    """One operation by its name. Times cover the whole profile, or the chosen range."""

    name: Annotated[str, d.text("Name of the operation, which is that of a node of the graph that it was made from.")]
    type: Annotated[str, d.text("Type of the operation.")]
    program: Annotated[str, d.text("Compiled program that it belongs to; empty outside of programs.")]
    count: Annotated[int, d.count("Number of executions.")]
    us: Annotated[float, d.us("Total duration on devices, or on the host where nothing of it ran on a device.")]
    host_us: Annotated[float, d.us("Total duration on the host.")]
    device_us: Annotated[float, d.us("Total duration on devices.")]
    bytes: Annotated[int, d.size("Memory that it allocated; 0 when none was recorded.")]
    has_memory: Annotated[bool, d.flag("Whether any allocation of it was recorded.")]
    eager: Annotated[bool, d.flag("Whether it ran eagerly: its name is then its type, and not that of a node.")]


class NodeTimes(Answer, frozen=True, kw_only=True):
    """All operations by name."""

    nodes: Annotated[list[NodeTimeRow], d.nested("The operations, longest first.")]
    total: Annotated[int, d.count("Number of rows, also of those that are not listed.")]


def _make(session: AnalysedSession, wanted: GraphWanted) -> NodeTimes:
    from stepscope.analyses.graphs.node_times import node_times

    profiles = [session.profiles[place] for place in session.places(wanted.worker)]
    found = [
        one
        for one in node_times(profiles)
        if one.ns >= wanted.min_us * 1e3 and one.bytes >= wanted.min_bytes and contains(wanted.contains, one.name, one.type)
    ]
    found.sort(key=lambda one: (-one.ns, one.name))
    return NodeTimes(nodes=fill_all(NodeTimeRow, limited(found, wanted.limit)), total=len(found))


GRAPH = Part("graph", "Time and memory of graph nodes", GraphWanted, NodeTimes, _make, table="nodes")
