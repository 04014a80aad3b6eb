"""Everything about one node or one scope: what goes in, what comes out, and what is inside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.graphs.scopes import ScopeTree
from stepscope.analyses.graphs.tracing import Neighbours
from stepscope.model.graph import CONTROL, Graph, Int32

MOST_LISTED = 200
"""Inputs and outputs that are listed one by one."""
_MOST_OPS = 50


@dataclass(frozen=True, slots=True)
class Connection:
    """One edge, as seen from a node: the other end, and what it carries."""

    node: str
    op: str
    port: int
    control: bool
    shape: str
    dtype: str
    missing: bool
    """Whether the graph has no such node."""


@dataclass(frozen=True, slots=True)
class OpCount:
    """How often an operation occurs."""

    op: str
    nodes: int


@dataclass(frozen=True, slots=True)
class Card:
    """A node or a scope with its connections; those inside a scope are left out."""

    inputs: list[Connection]
    outputs: list[Connection]
    total_inputs: int
    total_outputs: int
    ops: list[OpCount]


def card(graph: Graph, around: Neighbours, nodes: Int32) -> Card:
    """Of one node, or of the nodes of a scope."""
    inside = np.zeros(len(graph), np.bool_)
    inside[nodes] = True
    comes_from = (graph.input >= 0) & inside[np.maximum(graph.input, 0)] if len(graph) else np.zeros(0, np.bool_)
    goes_to = inside[around.target]
    into, out = np.flatnonzero(goes_to & ~comes_from).tolist(), np.flatnonzero(comes_from & ~goes_to).tolist()
    ops: list[int] = graph.op[nodes].tolist()
    counted = Counter(ops).most_common(_MOST_OPS)
    return Card(
        [_input(graph, place) for place in into[:MOST_LISTED]],
        [_output(graph, around, place) for place in out[:MOST_LISTED]],
        len(into),
        len(out),
        [OpCount(graph.texts[op], count) for op, count in counted],
    )


def rows_at(tree: ScopeTree, rows: Mapping[str, int], path: str) -> Int32:
    """The nodes at a path: of a scope all that are in it, of a node itself; none when there is nothing."""
    scope = tree.by_path.get(path)
    if scope is not None:
        return tree.nodes(scope)
    return np.array([rows[path]] if path in rows else [], np.int32)


def _input(graph: Graph, place: int) -> Connection:
    row, port = int(graph.input[place]), int(graph.port[place])
    op = graph.text(graph.op, row) if row >= 0 else ""
    shape, dtype = graph.output(graph.shapes, row, port), graph.output(graph.dtypes, row, port)
    return Connection(graph.text(graph.input_name, place), op, max(port, 0), port == CONTROL, shape, dtype, row < 0)


def _output(graph: Graph, around: Neighbours, place: int) -> Connection:
    target, source, port = int(around.target[place]), int(graph.input[place]), int(graph.port[place])
    shape, dtype = graph.output(graph.shapes, source, port), graph.output(graph.dtypes, source, port)
    return Connection(graph.text(graph.node, target), graph.text(graph.op, target), max(port, 0), port == CONTROL, shape, dtype, False)
