"""The tree of a model's modules with host and device time of the forward and the backward pass.

Modules are PyTorch's recorded calls of modules where a file has them, otherwise the name scopes of operations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.grouping import Grouped
from stepscope.analyses.rows import names_with, rows_of_role
from stepscope.analyses.work.module_calls import DEEPEST, Flags, module_calls
from stepscope.analyses.work.operations import own_times
from stepscope.model.profile import NONE, Int64, Profile, SpanKind, TrackRole
from stepscope.model.span_names import NameRole

BACKWARD_SCOPES = ("gradient_tape", "gradients")
"""Scopes that TensorFlow puts around the backward pass of the scopes inside; JAX writes transpose(…) around the scope itself."""
_TRANSPOSED = "transpose("

_HOST, _DEVICE, _BACKWARD = 0, 1, 2  # columns of a node's own times; the backward pass comes after the forward pass


@dataclass(frozen=True, slots=True)
class PassTime:
    """Nanoseconds of one pass: in all, and outside of the modules below."""

    host_ns: int
    host_self_ns: int
    device_ns: int
    device_self_ns: int


@dataclass(frozen=True, slots=True)
class ModuleRow:
    """One module; rows come in the order of the tree, each after what holds it."""

    path: str  # "Net_0/Linear_1"
    name: str
    depth: int
    calls: int
    forward: PassTime
    backward: PassTime
    share: float  # of the time of all modules: on devices where any ran there, otherwise on the host


@dataclass(frozen=True, slots=True)
class ModuleTree:
    """All modules; without recorded calls they are the name scopes of operations."""

    rows: list[ModuleRow]
    recorded: bool


def modules(profile: Profile) -> list[ModuleRow]:
    """The tree, or nothing when the file knows neither modules nor scopes."""
    return module_tree(profile).rows


def module_tree(profile: Profile) -> ModuleTree:
    """The tree with where it comes from."""
    called = _called_modules(profile)
    recorded = bool(called.nodes)
    return ModuleTree((called if recorded else _scopes(profile)).rows(), recorded)


def has_modules(profile: Profile) -> bool:
    """Whether the tree has any row, without making it."""
    scoped = any(_scope_path(op.scope)[0] for op in profile.ops)
    return scoped or any(bool(names_with(profile, role).any()) for role in (NameRole.MODULE_CALL, NameRole.ANNOTATED_MODULE_CALL))


class _Tree:
    """Nodes by path with their own times; what is inside a module is added when the tree is read."""

    def __init__(self) -> None:
        self.nodes: dict[tuple[str, ...], int] = {}
        self.calls: list[int] = []
        self.own: list[list[int]] = []  # host forward, device forward, host backward, device backward

    def node(self, path: tuple[str, ...]) -> int:
        """The number of a path; those above it are made too."""
        found = self.nodes.get(path)
        if found is not None:
            return found
        if len(path) > 1:
            self.node(path[:-1])
        self.nodes[path] = len(self.calls)
        self.calls.append(0)
        self.own.append([0, 0, 0, 0])
        return self.nodes[path]

    def add(self, time: Int64, node: Int64, backward: Flags, column: int) -> None:
        """Adds times to nodes; what has no node is left out."""
        known = node >= 0
        if not known.any():
            return
        place = Grouped((node[known] * 4 + column + _BACKWARD * backward[known]).astype(np.int32), 4 * len(self.own))
        for at, total in enumerate(place.sums(time[known]).tolist()):
            self.own[at // 4][at % 4] += total

    def rows(self) -> list[ModuleRow]:
        """Depth first, in the order in which modules first ran."""
        totals = [own.copy() for own in self.own]
        children: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        for path, place in sorted(self.nodes.items(), key=lambda item: -len(item[0])):
            if len(path) > 1:
                above = self.nodes[path[:-1]]
                for column in range(4):
                    totals[above][column] += totals[place][column]
        for path in self.nodes:
            children.setdefault(path[:-1], []).append(path)
        column = _DEVICE if any(own[_DEVICE] or own[_BACKWARD + _DEVICE] for own in self.own) else _HOST
        whole = max(1, sum(own[column] + own[_BACKWARD + column] for own in self.own))
        found: list[ModuleRow] = []
        waiting = list(reversed(children.get((), [])))
        while waiting:
            path = waiting.pop()
            place = self.nodes[path]
            total, own = totals[place], self.own[place]
            forward = PassTime(total[0], own[0], total[1], own[1])
            backward = PassTime(total[2], own[2], total[3], own[3])
            share = (total[column] + total[_BACKWARD + column]) / whole
            found.append(ModuleRow("/".join(path), path[-1], len(path) - 1, self.calls[place], forward, backward, share))
            waiting += reversed(children.get(path, []))
        return found


def _called_modules(profile: Profile) -> _Tree:
    """Modules whose calls were recorded."""
    tree = _Tree()
    found = module_calls(profile)
    if found is None:
        return tree
    node_of_module = np.array([tree.node(path) for path in found.paths], np.int64)
    for node, count in zip(node_of_module.tolist(), found.calls, strict=True):
        tree.calls[node] += count
    spans = profile.spans
    for role, time, column in ((TrackRole.THREAD, own_times(profile), _HOST), (TrackRole.STREAM, spans.end - spans.start, _DEVICE)):
        rows = rows_of_role(profile, role)
        rows = rows[found.module[rows] >= 0]
        tree.add(time[rows], node_of_module[found.module[rows]], found.backward[rows], column)
    return tree


def _scopes(profile: Profile) -> _Tree:
    """Name scopes of operations; a scope inside a gradient's scope is the backward pass of the scope without it."""
    tree = _Tree()
    spans = profile.spans
    node_of_op = np.full(len(profile.ops) + 1, NONE, np.int64)
    backward_op = np.zeros(len(profile.ops) + 1, bool)
    for place, op in enumerate(profile.ops):
        path, backward = _scope_path(op.scope)
        if path:
            node_of_op[place] = tree.node(path)
            backward_op[place] = backward
    hosts = rows_of_role(profile, TrackRole.THREAD)
    hosts = hosts[spans.kind[hosts] == SpanKind.OP]
    tree.add(own_times(profile)[hosts], node_of_op[spans.op[hosts]], backward_op[spans.op[hosts]], _HOST)
    devices = rows_of_role(profile, TrackRole.STREAM)
    length = spans.end[devices] - spans.start[devices]
    tree.add(length, node_of_op[spans.op[devices]], backward_op[spans.op[devices]], _DEVICE)
    calls = np.bincount(node_of_op[spans.op[hosts]] + 1, minlength=len(tree.calls) + 1)[1:]
    tree.calls = calls.tolist()
    return tree


def _scope_path(scope: str) -> tuple[tuple[str, ...], bool]:
    """The parts of a scope, and whether it belongs to the backward pass."""
    parts = [part for part in scope.split("/") if part][:DEEPEST]
    kept = [
        part.removeprefix(_TRANSPOSED)[:-1] if part.startswith(_TRANSPOSED) else part for part in parts if part not in BACKWARD_SCOPES
    ]
    return tuple(part for part in kept if part), kept != parts
