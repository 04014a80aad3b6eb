"""GraphDefs as graphs, for every format that contains one; attributes of a node are read from its bytes when somebody looks at it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stepscope._native import read_graph_def
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.formats.tensorflow_attributes import node_attributes
from stepscope.model.graph import MOST_EDGES, MOST_NODES, Graph, GraphKind, GraphSet
from stepscope.model.profile import Note


def graph_def_set(content: StoredBytes, name: str = "", kind: GraphKind = GraphKind.OPS) -> GraphSet:
    """The graph of a serialised GraphDef and the functions of its library. Raises OSError."""
    found = read_graph_def(content.origin, content.offset, content.length, MOST_NODES, MOST_EDGES)
    texts: list[str] = found["texts"]
    graphs: list[Graph] = []
    for place, columns in enumerate(found["graphs"]):
        columns["name"] = texts[columns["name"]] if place else name
        columns["offset"] -= content.offset
        graphs.append(Graph(kind=GraphKind.FUNCTION if place else kind, texts=texts, **columns))
    if len(graphs) > 1 and not len(graphs[0]):
        graphs = graphs[1:]  # a library alone
    return GraphSet(tuple(graphs), tuple(_notes(found, graphs)), lambda graph, row: node_attributes(content, graph, row))


def _notes(found: dict[str, Any], graphs: Sequence[Graph]) -> list[Note]:
    notes: list[Note] = []
    if found["damaged"]:
        notes.append(Note("warning", "truncated", "The graph is corrupt or truncated; only the nodes before the damage are shown."))
    if found["nodes_left_out"]:
        text = f"The graph has {found['nodes_left_out']:,} more nodes than the limit of {MOST_NODES:,}; they are not shown."
        notes.append(Note("warning", "too_many_nodes", text))
    if found["repeated_names"]:
        text = f"{found['repeated_names']:,} nodes have the name of another node; edges are drawn to the first."
        notes.append(Note("warning", "repeated_names", text))
    dangling = sum(int((graph.input < 0).sum()) for graph in graphs)
    if dangling:
        text = f"{dangling:,} inputs name a node that the graph does not contain; these edges are not shown."
        notes.append(Note("warning", "dangling_inputs", text))
    return notes
