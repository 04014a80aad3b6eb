"""A graph that is looked at: its nodes, and what is made of them when it is first asked for."""

from __future__ import annotations

from functools import cached_property

from stepscope.analyses.graphs.findings import Finding, findings
from stepscope.analyses.graphs.scopes import ScopeTree, scope_tree
from stepscope.analyses.graphs.tracing import Neighbours, neighbours
from stepscope.model.errors import NotThere
from stepscope.model.graph import Graph, GraphSet


class OpenedGraph:
    """One graph with its scopes and edges."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def tree(self) -> ScopeTree:
        """Its scopes."""
        return scope_tree(self.graph)

    @cached_property
    def around(self) -> Neighbours:
        """Its edges by either end."""
        return neighbours(self.graph)

    @cached_property
    def findings(self) -> list[Finding]:
        """What is odd about it."""
        return findings(self.graph, self.around)

    @cached_property
    def rows(self) -> dict[str, int]:
        """Nodes by name; of several with one name the first."""
        names = self.graph.names()
        return {name: row for row, name in zip(range(len(names) - 1, -1, -1), reversed(names), strict=True)}

    @cached_property
    def instructions(self) -> dict[str, int]:
        """Nodes by the last part of their name: instructions of a program, which are in scopes of the framework's names."""
        return {name.rpartition("/")[2]: row for name, row in self.rows.items()}


class OpenedGraphs:
    """All graphs of one source."""

    def __init__(self, title: str, found: GraphSet) -> None:
        self.title = title
        """Of the format."""
        self.found = found
        self._opened: dict[str, OpenedGraph] = {}

    @property
    def nbytes(self) -> int:
        """About how much memory it takes, with what is made of it."""
        return 2 * self.found.nbytes

    def graph(self, name: str) -> OpenedGraph:
        """A graph by its name; the first one for the empty name. Raises NotThere."""
        graph = self.found.find(name)
        if graph is None:
            raise NotThere("There is no such graph in this source; reload it.", "unknown_graph")
        return self._opened.setdefault(graph.name, OpenedGraph(graph))
