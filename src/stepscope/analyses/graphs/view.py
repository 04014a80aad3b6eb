"""What is seen of a graph when some of its scopes are open: rows in a tree, and edges between those rows that are closed.

Nothing below a closed scope is looked at one by one, so a view of a graph of a million nodes is as small as what is open.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.graphs.scopes import ScopeTree
from stepscope.analyses.graphs.series import Item, series_of
from stepscope.model.graph import Graph, Int32

MOST_IN_SCOPE = 500
"""Rows of one scope; what is beyond is one more row."""
MOST_LOOKED = 20_000
"""Scopes, and nodes, of one scope that are looked at one by one."""
MOST_ROWS = 20_000
MOST_SHAPES = 3
"""Shapes that an edge names."""
_MOST_SHARES = 4
_ASIDE_LEAST = 12
_ASIDE_SHARE = 0.25
"""A row of a scope that is connected to more than this many others, and this share of them, is best drawn aside."""

SERIES = "["
"""What stands before the name of a series in its path, so that no node or scope has the same."""


class RowKind(Enum):
    """What a row of a view is."""

    NODE = "node"
    SCOPE = "scope"
    SERIES = "series"
    REST = "rest"


@dataclass(frozen=True, slots=True)
class Share:
    """How many nodes of a row have a value, such as a device."""

    name: str
    nodes: int


@dataclass(slots=True)
class Row:
    """One row. `nodes` are the rows of the graph that it stands for."""

    kind: RowKind
    path: str
    name: str
    parent: int
    """Place of the row that it is in; -1 at the top."""
    nodes: Int32
    is_open: bool = False
    node: int = -1
    """The row of the graph, of a node."""
    members: int = 0
    """Of a series, or of what is too much for its scope."""
    series: str = ""
    """The path of the series that it is a member of, when that is open."""
    structure: str = ""
    """Equal for scopes that have the same operations, as often."""
    aside: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """All edges of the graph from nodes of one row to nodes of another."""

    source: int
    target: int
    tensors: int
    control: int
    shapes: tuple[str, ...]
    more_shapes: int


@dataclass(frozen=True, slots=True)
class GraphView:
    """Rows and edges; `row_of` is the row that each node of the graph is seen in."""

    rows: list[Row]
    edges: list[Edge]
    row_of: Int32
    cut: bool
    """Whether scopes were left closed because there would be too many rows."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What is open, by path; and which rows are taken out of the main graph or put back into it by hand."""

    scopes: Collection[str] = ()
    series: Collection[str] = ()
    aside: Collection[str] = ()
    main: Collection[str] = ()


@dataclass(slots=True)
class _Making:
    graph: Graph
    tree: ScopeTree
    opened: Opened
    rows: list[Row] = field(default_factory=list[Row])
    cut: bool = False


def view_of(graph: Graph, tree: ScopeTree, opened: Opened) -> GraphView:
    """The view with these scopes open; the top is always open."""
    making = _Making(graph, tree, opened)
    left = [(0, -1)]
    while left:
        scope, parent = left.pop()
        left.extend(_open_scope(making, scope, parent))
    row_of = np.full(len(graph), -1, np.int32)
    for place, row in enumerate(making.rows):  # an open scope comes before what is in it
        row_of[row.nodes] = place
    edges = _edges(graph, row_of, len(making.rows))
    _put_aside(making.rows, edges, opened)
    return GraphView(making.rows, edges, row_of, making.cut)


def _open_scope(making: _Making, scope: int, parent: int) -> list[tuple[int, int]]:
    """Adds what is directly in a scope; returns the scopes among it that are open too, with their rows."""
    scopes, direct = making.tree.children(scope), making.tree.direct(scope)
    rows = [_scope_row(making, child, parent) for child in scopes[:MOST_LOOKED]]
    rows += [_node_row(making, node, scope, parent) for node in direct[:MOST_LOOKED].tolist()]
    rows = _grouped(making, rows, making.tree.shown(scope), parent)
    rows.extend(_rest(making, rows, scopes[MOST_LOOKED:], direct[MOST_LOOKED:], (scope, parent)))
    first = len(making.rows)
    making.rows.extend(rows)
    found: list[tuple[int, int]] = []
    for place, row in enumerate(rows, start=first):
        if row.kind is RowKind.SCOPE and row.path in making.opened.scopes:
            if len(making.rows) + len(found) * MOST_IN_SCOPE > MOST_ROWS:
                making.cut = True
                continue
            row.is_open = True
            found.append((making.tree.by_path[row.path], place))
    return found


def _rest(making: _Making, rows: list[Row], scopes: list[int], direct: Int32, at: tuple[int, int]) -> list[Row]:
    """One row for what is too much for its scope; takes it out of the others."""
    more = rows[MOST_IN_SCOPE - 1 :] if len(rows) > MOST_IN_SCOPE else []
    if not more and not scopes and not len(direct):
        return []
    del rows[len(rows) - len(more) :]
    nodes = np.concatenate([*(row.nodes for row in more), *(making.tree.nodes(child) for child in scopes), direct])
    members = len(more) + len(scopes) + len(direct)
    path = f"{making.tree.shown(at[0])}{SERIES}rest"
    return [Row(RowKind.REST, path, f"{members:,} more", at[1], nodes.astype(np.int32), members=members)]


def _scope_row(making: _Making, child: int, parent: int) -> Row:
    tree = making.tree
    nodes = tree.nodes(child)
    return Row(RowKind.SCOPE, tree.shown(child), tree.name(child), parent, nodes, structure=_structure(making.graph, nodes))


def _node_row(making: _Making, node: int, scope: int, parent: int) -> Row:
    graph, path = making.graph, making.tree.path[scope]
    whole = graph.text(graph.node, node)
    # A node of the name of the scope that it is in: TensorFlow calls the last operation of a scope so.
    name = f"({making.tree.name(scope)})" if whole == path else whole[len(path) :].strip("/") or whole
    return Row(RowKind.NODE, whole, name, parent, np.array([node], np.int32), node=node)


def _grouped(making: _Making, rows: Sequence[Row], path: str, parent: int) -> list[Row]:
    """Series in the place of their first member; members of a series that the user has opened only name it."""
    graph = making.graph
    items = [Item(row.name, (row.kind, int(graph.op[row.node]) if row.node >= 0 else row.structure)) for row in rows]
    found: dict[int, Row] = {}
    hidden: set[int] = set()
    for stem, members in series_of(items).items():
        name = f"{path}{SERIES}{stem}"
        if name in making.opened.series or any(rows[place].path in making.opened.scopes for place in members):
            for place in members:
                rows[place].series = name
            continue
        nodes = np.concatenate([rows[place].nodes for place in members])
        label = f"{rows[members[0]].name} … {rows[members[-1]].name}"
        structure = rows[members[0]].structure
        found[min(members)] = Row(RowKind.SERIES, name, label, parent, nodes, members=len(members), structure=structure)
        hidden.update(members)
    return [found.get(place, row) for place, row in enumerate(rows) if place in found or place not in hidden]


def _structure(graph: Graph, nodes: Int32) -> str:
    ops, counts = np.unique(graph.op[nodes], return_counts=True)
    return hashlib.blake2b(ops.tobytes() + counts.tobytes(), digest_size=6).hexdigest()


def _edges(graph: Graph, row_of: Int32, rows: int) -> list[Edge]:
    if not len(graph.input):
        return []
    source, target = graph.input, graph.targets()
    from_row = np.where(source >= 0, row_of[np.maximum(source, 0)], -1)
    to_row = row_of[target]
    crossing = np.flatnonzero((from_row >= 0) & (to_row >= 0) & (from_row != to_row))
    if not len(crossing):
        return []
    pairs = from_row[crossing].astype(np.int64) * rows + to_row[crossing]
    port = graph.port[crossing]
    keys, place = np.unique(pairs, return_inverse=True)
    control = np.bincount(place, port < 0, len(keys)).astype(np.int64)
    tensors, shapes, more = _tensors(graph, source[crossing], port, place, len(keys))
    return [
        Edge(key // rows, key % rows, tensors[each], int(control[each]), shapes[each], more[each])
        for each, key in enumerate(keys.tolist())
    ]


def _tensors(
    graph: Graph, source: Int32, port: Int32, pair: NDArray[np.int64], pairs: int
) -> tuple[list[int], list[tuple[str, ...]], list[int]]:
    """Of each pair of rows: how many different tensors go from one to the other, the shapes of some, and how many more there are."""
    carries = port >= 0
    ports = int(port.max(initial=0)) + 1
    keys = np.unique((pair[carries] * len(graph) + source[carries]) * ports + port[carries])
    of_pair = keys // ports // len(graph)
    counts = np.bincount(of_pair, minlength=pairs)
    ends = np.cumsum(counts)
    shapes: list[tuple[str, ...]] = []
    more: list[int] = []
    for each in range(pairs):
        listed = keys[int(ends[each] - counts[each]) : int(ends[each])]
        found = Counter(_tensor_text(graph, key, ports) for key in listed[: 16 * MOST_SHAPES].tolist())
        found.pop("", None)
        common = tuple(text for text, _ in found.most_common(MOST_SHAPES))
        shapes.append(common)
        more.append(len(found) - len(common))
    return counts.tolist(), shapes, more


def _tensor_text(graph: Graph, key: int, ports: int) -> str:
    row, port = key // ports % len(graph), key % ports
    return f"{graph.output(graph.dtypes, row, port)} {graph.output(graph.shapes, row, port)}".strip()


def _put_aside(rows: list[Row], edges: Sequence[Edge], opened: Opened) -> None:
    """Marks what is connected to a large part of its own scope: drawn in the middle, it would hide how the others are connected."""
    siblings = Counter(row.parent for row in rows)
    into, out_of = Counter[int](), Counter[int]()
    for edge in edges:
        if rows[edge.source].parent == rows[edge.target].parent:
            out_of[edge.source] += 1
            into[edge.target] += 1
    for place, row in enumerate(rows):
        many = max(_ASIDE_LEAST, _ASIDE_SHARE * siblings[row.parent])
        row.aside = max(into[place], out_of[place]) > many and not row.is_open
        row.aside = row.path in opened.aside or (row.aside and row.path not in opened.main)


def shares(graph: Graph, column: Int32, nodes: Int32) -> list[Share]:
    """The most frequent texts of a column among some nodes; unknown ones are not counted."""
    values, counts = np.unique(column[nodes], return_counts=True)
    counted: dict[int, int] = dict(zip(values.tolist(), counts.tolist(), strict=True))
    found = [Share(graph.texts[value], count) for value, count in counted.items() if graph.texts[value]]
    return sorted(found, key=lambda one: -one.nodes)[:_MOST_SHARES]
