"""One graph of a model, whatever wrote it: nodes in columns, with edges, devices, shapes and the functions that nodes call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from stepscope.model.profile import Note

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

MISSING = -1
"""The row of an input that no node has."""
CONTROL = -1
"""The port of a control edge: it carries no tensor."""
MOST_NODES = 1_000_000
"""Nodes read of one file; the rest is counted and left out."""
MOST_EDGES = 8_000_000


class GraphKind(Enum):
    """What the nodes of a graph are."""

    OPS = "ops"
    """Operations, as the user's program made them."""
    FUNCTION = "function"
    """Operations of a function that nodes of another graph call."""
    PARTITION = "partition"
    """Operations as one device ran them, after optimisation."""
    LAYERS = "layers"
    """Layers of a Keras model."""
    PROGRAM = "program"
    """Instructions of a compiled program."""


@dataclass(frozen=True, slots=True)
class NodeAttribute:
    """One attribute of a node as text; `bytes` is the size of a value that is too large to be shown, 0 otherwise."""

    key: str
    value: str
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Graph:
    """Columns by node. Columns of texts have places in `texts`, and the empty text for what is not known.

    Inputs of a row are `input[input_end[row - 1] : input_end[row]]`, in their order; each is a row or MISSING, and `port` is which
    output of that row, or CONTROL. What a row calls are names of other graphs of the same set.
    """

    name: str
    """Of a function, device or program; empty for the one graph that needs no name."""
    kind: GraphKind
    texts: list[str]
    node: Int32
    op: Int32
    device: Int32
    shapes: Int32
    """Of all outputs, such as `[?,28,28]; []`."""
    dtypes: Int32
    """Of all outputs, such as `float32; int64`."""
    cluster: Int32
    """Of XLA."""
    constant_bytes: Int64
    """Size of the value of a constant, which is not read; 0 for other nodes."""
    likeness: Int64
    """Equal for nodes with the same attributes; 0 when they are unknown or too large to be compared."""
    offset: Int64
    size: Int64
    """Where the definition of the node is in its source; the size is 0 when it has none."""
    input_end: Int32
    input: Int32
    input_name: Int32
    port: Int32
    called_end: Int32
    called: Int32

    def __len__(self) -> int:
        return len(self.node)

    def text(self, column: Int32, row: int) -> str:
        """A cell of a column of texts."""
        return self.texts[int(column[row])]

    def names(self) -> list[str]:
        """The name of each node."""
        texts = self.texts
        return [texts[place] for place in self.node.tolist()]

    def inputs(self, row: int) -> range:
        """Places of its inputs in `input`, `input_name` and `port`."""
        return range(int(self.input_end[row - 1]) if row else 0, int(self.input_end[row]))

    def calls(self, row: int) -> list[str]:
        """Names of the graphs that it calls."""
        first = int(self.called_end[row - 1]) if row else 0
        return [self.texts[place] for place in self.called[first : int(self.called_end[row])].tolist()]

    def targets(self) -> Int32:
        """The row that has each input: with `input`, the edges of the graph."""
        counts = np.diff(self.input_end, prepend=np.int32(0))
        return np.repeat(np.arange(len(self), dtype=np.int32), counts)

    def output(self, column: Int32, row: int, port: int) -> str:
        """The shape or type of one output; empty when unknown or when the edge carries nothing."""
        if row < 0 or port < 0:
            return ""
        parts = self.text(column, row).split("; ")
        return parts[port] if port < len(parts) else ""


@dataclass(frozen=True, slots=True)
class GraphSet:
    """All that one source has: a graph, and those that it is divided into or that its nodes call. They share their texts."""

    graphs: tuple[Graph, ...]
    notes: tuple[Note, ...] = ()
    """What is missing, and why."""
    attributes: Callable[[Graph, int], tuple[NodeAttribute, ...]] = field(default=lambda _, __: ())
    """The attributes of one node, read when they are asked for."""

    def find(self, name: str) -> Graph | None:
        """The graph of that name; the first one for the empty name."""
        if not name:
            return self.graphs[0] if self.graphs else None
        return next((graph for graph in self.graphs if graph.name == name), None)

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        texts = {id(graph.texts): graph.texts for graph in self.graphs}
        return sum(80 * len(each) for each in texts.values()) + sum(60 * len(graph) + 16 * len(graph.input) for graph in self.graphs)


def joined_sets(sets: Sequence[GraphSet]) -> GraphSet:
    """Several sets as one; graphs of one name are told apart by a number, and a function that several have is there once."""
    graphs: list[Graph] = []
    owner: dict[int, GraphSet] = {}
    names: set[str] = set()
    for each in sets:
        for graph in each.graphs:
            if graph.name in names and graph.kind is GraphKind.FUNCTION:
                continue
            name, number = graph.name, 1
            while name in names:
                number += 1
                name = f"{graph.name} ({number})"
            named = graph if name == graph.name else replace(graph, name=name)
            names.add(name)
            graphs.append(named)
            owner[id(named)] = each
    notes = tuple(dict.fromkeys(note for each in sets for note in each.notes))
    return GraphSet(tuple(graphs), notes, lambda graph, row: owner[id(graph)].attributes(graph, row) if id(graph) in owner else ())
