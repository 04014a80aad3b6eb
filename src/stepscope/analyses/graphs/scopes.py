"""The tree of name scopes of a graph, in which every scope knows the nodes below it as one range."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stepscope.model.graph import Graph, Int32

DEEPEST = 64
"""Scopes in scopes; what is deeper belongs to the name of the node."""


@dataclass(frozen=True)
class ScopeTree:
    """Scopes in preorder: those below scope `s` are `s + 1 … last[s] - 1`, and scope 0 is the whole graph.

    `order` lists the rows of nodes so that those in scope `s`, at any depth, are `order[first[s] : end[s]]`.
    """

    path: list[str]
    parent: Int32
    last: Int32
    scope_of: Int32
    """The scope that each node is directly in. A node that has the name of a scope is in that scope."""
    order: Int32
    first: Int32
    end: Int32

    @cached_property
    def by_path(self) -> dict[str, int]:
        """Scopes by their path as answers have it, with a slash at its end: a node may have the name of a scope."""
        return {self.shown(scope): scope for scope in range(len(self.path))}

    def shown(self, scope: int) -> str:
        """`conv1/`, or nothing for the whole graph."""
        return f"{self.path[scope]}/" if scope else ""

    def name(self, scope: int) -> str:
        """The last part of its path."""
        return self.path[scope].rpartition("/")[2]

    def nodes(self, scope: int) -> Int32:
        """Rows of the nodes in a scope, at any depth."""
        return self.order[int(self.first[scope]) : int(self.end[scope])]

    def children(self, scope: int) -> list[int]:
        """The scopes directly in a scope."""
        found: list[int] = []
        child = scope + 1
        while child < int(self.last[scope]):
            found.append(child)
            child = int(self.last[child])
        return found

    def direct(self, scope: int) -> Int32:
        """Rows of the nodes directly in a scope."""
        nodes = self.nodes(scope)
        return nodes[self.scope_of[nodes] == scope]


def scope_tree(graph: Graph) -> ScopeTree:
    """Divides the names of a graph at their slashes."""
    names = graph.names()
    parents = [_parent(name) for name in names]
    children: dict[str, list[str]] = {"": []}
    for path in dict.fromkeys(parents):
        below = None
        while path not in children:
            children[path] = [] if below is None else [below]
            path, below = _parent(path), path
        if below is not None:
            children[path].append(below)
    paths, parent_of, last = _preorder(children)
    places = {path: scope for scope, path in enumerate(paths)}
    scope_of = np.fromiter(
        (places.get(name, places[parent]) for name, parent in zip(names, parents, strict=True)), np.int32, len(names)
    )
    order = np.argsort(scope_of, kind="stable").astype(np.int32)
    bounds = np.searchsorted(scope_of[order], np.arange(len(paths) + 1))
    first = bounds[:-1].astype(np.int32)
    end = bounds[last].astype(np.int32)
    return ScopeTree(paths, parent_of, last, scope_of, order, first, end)


def _parent(path: str) -> str:
    """The scope of a name; slashes at its ends or next to each other make no scope."""
    above = path.rpartition("/")[0].rstrip("/")
    return above if above.count("/") < DEEPEST else "/".join(above.split("/")[:DEEPEST])


def _preorder(children: dict[str, list[str]]) -> tuple[list[str], Int32, Int32]:
    paths: list[str] = []
    parents: list[int] = []
    last: list[int] = []
    left: list[tuple[str, int, bool]] = [("", -1, False)]
    while left:
        path, parent, leaving = left.pop()
        if leaving:
            last[parent] = len(paths)
            continue
        scope = len(paths)
        paths.append(path)
        parents.append(parent)
        last.append(scope + 1)
        left.append((path, scope, True))
        left.extend((child, scope, False) for child in reversed(children[path]))
    return paths, np.array(parents, np.int32), np.array(last, np.int32)
