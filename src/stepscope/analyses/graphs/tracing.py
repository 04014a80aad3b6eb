"""What a node depends on, and what depends on it, as far as edges lead; cycles end where they began."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from stepscope.model.graph import Graph, Int32


class Direction(Enum):
    """Which way edges are followed."""

    INPUTS = "inputs"
    OUTPUTS = "outputs"


@dataclass(frozen=True)
class Neighbours:
    """Edges by either end: `after[after_first[row] : after_first[row + 1]]` are the places in `Graph.input` that read from a row."""

    after: NDArray[np.int64]
    after_first: NDArray[np.int64]
    target: Int32
    """The row that has each input."""


def neighbours(graph: Graph) -> Neighbours:
    """Sorts the edges of a graph by where they come from."""
    known = np.flatnonzero(graph.input >= 0)
    after = known[np.argsort(graph.input[known], kind="stable")]
    first = np.searchsorted(graph.input[after], np.arange(len(graph) + 1))
    return Neighbours(after, first, graph.targets())


def traced(graph: Graph, around: Neighbours, start: Int32, direction: Direction, *, control: bool = True) -> NDArray[np.bool_]:
    """Which nodes are reached from some, those included; one step at a time, so every edge is followed once."""
    reached = np.zeros(len(graph), np.bool_)
    reached[start] = True
    ends = np.concatenate([[0], graph.input_end]).astype(np.int64)
    rim = np.unique(start)
    while len(rim):
        if direction is Direction.INPUTS:
            places = _ranges(ends[rim], ends[rim + 1])
            found = graph.input[places]
            usable = found >= 0
        else:
            places = around.after[_ranges(around.after_first[rim], around.after_first[rim + 1])]
            found = around.target[places]
            usable = np.ones(len(found), np.bool_)
        if not control:
            usable &= graph.port[places] >= 0
        found = np.unique(found[usable])
        rim = found[~reached[found]]
        reached[rim] = True
    return reached


def _ranges(first: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
    """All numbers of several ranges, one after the other."""
    sizes = end - first
    total = int(sizes.sum())
    if not total:
        return np.zeros(0, np.int64)
    starts = np.repeat(first - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    return starts + np.arange(total)
