"""Finds nodes and scopes whose name or operation contains some words."""

from __future__ import annotations

from dataclasses import dataclass

from stepscope.analyses.graphs.scopes import ScopeTree
from stepscope.model.graph import Graph


@dataclass(frozen=True, slots=True)
class Match:
    """A node, or a scope, which has no operation."""

    path: str
    op: str
    is_scope: bool


def search(graph: Graph, tree: ScopeTree, words: list[str], limit: int) -> tuple[list[Match], int]:
    """Scopes, then nodes, that contain every word (case-insensitive), shortest first; and how many there are in all.

    A word after `op:` is looked for in the operation alone.
    """
    lowered = [word.lower() for word in words]
    of_op = [word.removeprefix("op:") for word in lowered if word.startswith("op:")]
    plain = [word for word in lowered if not word.startswith("op:")]
    found: list[Match] = []
    if not of_op:
        scopes = range(1, len(tree.path))
        found = [Match(tree.shown(scope), "", True) for scope in scopes if all(word in tree.name(scope).lower() for word in plain)]
    ops = [text.lower() for text in graph.texts] if of_op or plain else []
    names: list[int] = graph.node.tolist()
    kinds: list[int] = graph.op.tolist()
    for name, op in zip(names, kinds, strict=True):
        if all(word in ops[op] for word in of_op) and all(word in ops[name] or word in ops[op] for word in plain):
            found.append(Match(graph.texts[name], graph.texts[op], False))
    found.sort(key=lambda one: (not one.is_scope, len(one.path), one.path))
    return found[:limit], len(found)
