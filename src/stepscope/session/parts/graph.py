"""Time and memory of every named operation, for the nodes of a graph of the same names."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Struct

from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Contains, contains, limited
from stepscope.session.part import Answer, Part
from stepscope.session.row_choice import CountedRowsWanted, is_chosen

GraphOrder = Literal["time", "bytes", "parameters", "flops", "count", "name"]


class GraphWanted(CountedRowsWanted, frozen=True, kw_only=True):
    """Which rows are listed, and in which order."""

    contains: Contains = ""
    order: Annotated[GraphOrder, d.text("What rows are sorted by; names ascend, all others descend.")] = "time"
    variables: Annotated[
        bool, d.flag("Whether parameters of variables are counted, which needs the graph that the run has logged.")
    ] = False


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
    parameters: Annotated[int | None, d.count("Parameters of the variable; null when they are not counted.")]
    flops: Annotated[float | None, d.number("Floating-point operations of all executions; null when unknown.", "FLOP")]
    eager: Annotated[bool, d.flag("Whether it ran eagerly: its name is then its type, and not that of a node.")]


class NodeTimes(Answer, frozen=True, kw_only=True):
    """All operations by name."""

    nodes: Annotated[list[NodeTimeRow], d.nested("The operations, longest first.")]
    total: Annotated[int, d.count("Number of rows, also of those that are not listed.")]


def _make(session: AnalysedSession, wanted: GraphWanted) -> NodeTimes:
    from stepscope.analyses.graphs.node_times import node_times

    profiles = [session.profiles[place] for place in session.places(wanted.worker)]
    counts_variables = wanted.variables or wanted.min_parameters > 0 or wanted.order == "parameters"
    parameters = session.variable_parameters() if counts_variables else None
    found = [
        fill(NodeTimeRow, one, parameters=None if parameters is None else parameters.get(one.name, 0))
        for one in node_times(profiles)
        if contains(wanted.contains, one.name, one.type) and is_chosen(wanted, one.name, one.type)
    ]
    rows = [row for row in found if _is_enough(row, wanted)]
    rows.sort(key=lambda row: (-_sorted_by(row, wanted.order), row.name))
    return NodeTimes(nodes=limited(rows, wanted.limit), total=len(rows))


def _is_enough(row: NodeTimeRow, wanted: GraphWanted) -> bool:
    return (
        row.us >= wanted.min_us
        and row.bytes >= wanted.min_bytes
        and (row.parameters or 0) >= wanted.min_parameters
        and (row.flops or 0.0) >= wanted.min_flops
    )


def _sorted_by(row: NodeTimeRow, order: GraphOrder) -> float:
    measures = {"time": row.us, "bytes": row.bytes, "parameters": row.parameters, "flops": row.flops, "count": row.count}
    return measures.get(order) or 0.0


GRAPH = Part("graph", "Time and memory of graph nodes", GraphWanted, NodeTimes, _make, table="nodes", reads_logs=True)
