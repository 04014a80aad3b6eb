"""The tree of a model's modules with host and device time of the forward and the backward pass.

Modules are PyTorch's recorded calls of modules where a file has them, otherwise the name scopes of operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.grouping import Grouped
from stepscope.analyses.operations import own_times
from stepscope.analyses.rows import rows_of_role
from stepscope.model.profile import NONE, FlowKind, Int64, Profile, SpanKind, TrackRole

MODULE_CALLS = ("nn.Module: ", "[pl][module]")
"""How PyTorch and Lightning name the call of a module; readers keep such spans as Python calls."""
BACKWARD_SCOPES = ("gradient_tape", "gradients")
"""Scopes that TensorFlow puts around the backward pass of the scopes inside; JAX writes transpose(…) around the scope itself."""
_TRANSPOSED = "transpose("

_Flags: TypeAlias = NDArray[np.bool_]
_HOST, _DEVICE, _BACKWARD = 0, 1, 2  # columns of a node's own times; the backward pass comes after the forward pass
_DEEPEST = 64


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


def modules(profile: Profile) -> list[ModuleRow]:
    """The tree, or nothing when the file knows neither modules nor scopes."""
    tree = _called_modules(profile)
    if not tree.nodes:
        tree = _scopes(profile)
    return tree.rows()


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

    def add(self, rows: Int64, time: Int64, anchor: Int64, node: Int64, is_backward: _Flags, column: int) -> None:
        """Adds the time of rows to the modules of their anchors."""
        inside = rows[anchor[rows] >= 0]
        self.add_direct(inside, time[inside], node[anchor[inside]], is_backward[anchor[inside]], column)

    def add_direct(self, rows: Int64, time: Int64, node: Int64, backward: _Flags, column: int) -> None:
        """Adds the time of rows to nodes; rows without one are left out."""
        known = node >= 0
        if not len(rows) or not known.any():
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
        found: list[ModuleRow] = []
        waiting = list(reversed(children.get((), [])))
        while waiting:
            path = waiting.pop()
            place = self.nodes[path]
            total, own = totals[place], self.own[place]
            forward = PassTime(total[0], own[0], total[1], own[1])
            backward = PassTime(total[2], own[2], total[3], own[3])
            found.append(ModuleRow("/".join(path), path[-1], len(path) - 1, self.calls[place], forward, backward))
            waiting += reversed(children.get(path, []))
        return found


def _called_modules(profile: Profile) -> _Tree:
    """Modules whose calls were recorded; backward operations belong to the module of their forward operation."""
    tree = _Tree()
    spans = profile.spans
    named = np.array([name.startswith(MODULE_CALLS) for name in profile.names] or [False])
    calls = np.flatnonzero(named[spans.name] & (spans.kind == SpanKind.PYTHON)) if len(spans) else np.zeros(0, np.int64)
    if not len(calls):
        return tree
    node = np.full(len(spans), NONE, np.int64)
    is_call = np.zeros(len(spans), bool)
    is_call[calls] = True
    above = _nearest(profile, is_call, spans.parent[calls].astype(np.int64))
    paths: dict[int, tuple[str, ...]] = {}
    for row, holder in zip(calls.tolist(), above.tolist(), strict=True):
        # What lies deeper than any model has modules counts for the module that holds it.
        inner = (_module_name(profile.names[int(spans.name[row])]),)
        paths[row] = (*paths.get(holder, ()), *inner)[:_DEEPEST]
        node[row] = tree.node(paths[row])
        tree.calls[int(node[row])] += 1
    is_backward = _add_backward(profile, is_call, node)
    hosts = rows_of_role(profile, TrackRole.THREAD)
    anchor = np.full(len(spans), NONE, np.int64)
    anchor[hosts] = _nearest(profile, is_call | is_backward, hosts)
    devices = rows_of_role(profile, TrackRole.STREAM)
    devices = devices[spans.cause[devices] >= 0]
    anchor[devices] = anchor[spans.cause[devices]]
    tree.add(hosts, own_times(profile), anchor, node, is_backward, _HOST)
    tree.add(devices, spans.end - spans.start, anchor, node, is_backward, _DEVICE)
    return tree


def _add_backward(profile: Profile, is_call: _Flags, node: Int64) -> _Flags:
    """Gives each backward operation the module of its forward operation, and says which rows these are."""
    flows = profile.flows
    pairs = np.flatnonzero(flows.kind == FlowKind.BACKWARD)
    source, target = flows.source[pairs].astype(np.int64), flows.target[pairs].astype(np.int64)
    holder = _nearest(profile, is_call, source)
    known = (holder >= 0) & ~is_call[target]
    node[target[known]] = node[holder[known]]
    found = np.zeros(len(is_call), bool)
    found[target[known]] = True
    return found


def _nearest(profile: Profile, wanted: _Flags, rows: Int64) -> Int64:
    """The first row that is wanted on the way up from each row, itself included; NONE when there is none."""
    parent = profile.spans.parent
    found = rows.copy()
    open_ = np.flatnonzero(found >= 0)
    while len(open_):
        open_ = open_[~wanted[found[open_]]]
        found[open_] = parent[found[open_]]
        open_ = open_[found[open_] >= 0]
    return found


def _module_name(call: str) -> str:
    """`nn.Module: Linear_0` and `[pl][module]torch.nn.Linear: layer.0` without what all share."""
    for start in MODULE_CALLS:
        call = call.removeprefix(start)
    return call.strip()


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
    tree.add_direct(hosts, own_times(profile)[hosts], node_of_op[spans.op[hosts]], backward_op[spans.op[hosts]], _HOST)
    devices = rows_of_role(profile, TrackRole.STREAM)
    length = spans.end[devices] - spans.start[devices]
    tree.add_direct(devices, length, node_of_op[spans.op[devices]], backward_op[spans.op[devices]], _DEVICE)
    calls = np.bincount(node_of_op[spans.op[hosts]] + 1, minlength=len(tree.calls) + 1)[1:]
    tree.calls = calls.tolist()
    return tree


def _scope_path(scope: str) -> tuple[tuple[str, ...], bool]:
    """The parts of a scope, and whether it belongs to the backward pass."""
    parts = [part for part in scope.split("/") if part][:_DEEPEST]
    kept = [
        part.removeprefix(_TRANSPOSED)[:-1] if part.startswith(_TRANSPOSED) else part for part in parts if part not in BACKWARD_SCOPES
    ]
    return tuple(part for part in kept if part), kept != parts
