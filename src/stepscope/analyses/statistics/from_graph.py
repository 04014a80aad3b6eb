"""Nodes to be costed, from a graph: their inputs, and how many parameters variables have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from stepscope.model.graph import Graph, NodeAttribute
from stepscope.model.node_costs import CostNode

_VARIABLES = frozenset({"Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable"})
_SHAPE = re.compile(r"\[([\d,?]*)\]")


Attributes = Callable[[int], Sequence[NodeAttribute]]
"""Those of the node in a row."""


def graph_costs(graph: Graph, attributes: Attributes) -> dict[str, CostNode]:
    """The nodes of a graph without costs, by name."""
    found: dict[str, CostNode] = {}
    for row, name in enumerate(graph.names()):
        op = graph.text(graph.op, row)
        inputs = tuple(graph.text(graph.input_name, place) for place in graph.inputs(row))
        found[name] = CostNode(name, op, inputs, _shape(attributes(row)) if op in _VARIABLES else None)
    return found


def variable_parameters(graph: Graph, attributes: Attributes) -> dict[str, int]:
    """How many parameters each variable of a graph has, by name; variables of unknown shape have none."""
    wanted = np.flatnonzero(np.isin(graph.op, [place for place in np.unique(graph.op).tolist() if graph.texts[place] in _VARIABLES]))
    rows: list[int] = wanted.tolist()
    return {name: CostNode(name, "", shape=_shape(attributes(row))).parameters for row in rows if (name := graph.text(graph.node, row))}


def with_graph(costs: Mapping[str, CostNode], graph: Graph, attributes: Attributes) -> dict[str, CostNode]:
    """All nodes of a graph, those with costs with their costs, and then what the graph does not have."""
    found = graph_costs(graph, attributes)
    for name, node in costs.items():
        known = found.get(name)
        if known is None:
            found[name] = node
        else:
            found[name] = replace(node, op=known.op, inputs=node.inputs or known.inputs, shape=node.shape or known.shape)
    return found


def _shape(attributes: Sequence[NodeAttribute]) -> tuple[int, ...] | None:
    """Of a variable, such as `[5,5,1,16]`; a number has one parameter. The shape of its output may be that of a handle."""
    match = _SHAPE.fullmatch(next((one.value for one in attributes if one.key == "shape"), ""))
    if match is None:
        return None
    return tuple(-1 if size == "?" else int(size) for size in match[1].split(",")) if match[1] else (1,)
