"""What is odd about a graph: work whose result nobody reads, work done twice, constants computed in every step, needless casts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.graphs.operations import CASTS, CONSTANTS, COPIES, RESULTS, TRANSPOSES, has_effects
from stepscope.analyses.graphs.tracing import Direction, Neighbours, traced
from stepscope.model.graph import Graph

MOST_NODES = 200
"""Nodes that one finding names."""
_GIVEN = frozenset({"_Arg", "Input", "Placeholder", "InputLayer", "parameter", "Initializer", "IO Node", "Buffer", "CustomObject"})
"""What a graph is given: that it is not used costs nothing. Parameters that nothing uses are those of an unused layer."""
_ROUNDS = 64
"""Levels of equal inputs that are followed for duplicates."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Nodes that share an oddity; `verdict` is `fires`, `quiet`, or `cannot_tell` with the reason in `text`."""

    rule: str
    title: str
    verdict: str
    text: str
    count: int
    nodes: tuple[str, ...]
    """Of each, what to look at first; at most MOST_NODES."""


def findings(graph: Graph, around: Neighbours) -> list[Finding]:
    """All of them, in the order of their importance."""
    return [
        _unused(graph, around),
        _duplicates(graph, around),
        _foldable(graph, around),
        _casts(graph),
        _after_itself(graph, "transposes", "Consecutive transposes", TRANSPOSES, "Two transposes in a row can be one, or none."),
        _after_itself(graph, "copies", "Consecutive copies", COPIES, "A copy of a copy is not needed."),
        _wrong_device(graph, around),
    ]


def _unused(graph: Graph, around: Neighbours) -> Finding:
    rule, title = "unused", "Unused operations"
    ops = _ops(graph)
    results = np.flatnonzero(np.isin(graph.op, _places(graph, RESULTS)))
    if not len(results):
        text = "The graph does not record what is fetched from it, so unused operations cannot be told from results."
        return Finding(rule, title, "cannot_tell", text, 0, ())
    effects = np.flatnonzero(np.fromiter((has_effects(op) for op in ops), np.bool_, len(ops))[graph.op])
    needed = traced(graph, around, np.concatenate([results, effects]).astype(np.int32), Direction.INPUTS)
    inputs = np.isin(graph.op, _places(graph, _GIVEN))
    return _found(graph, rule, title, np.flatnonzero(~needed & ~inputs), "No result of the graph depends on these operations.")


def _duplicates(graph: Graph, around: Neighbours) -> Finding:
    """Nodes of one operation with the same attributes and the same inputs, or inputs that are duplicates themselves."""
    rule, title = "duplicates", "Duplicate computations"
    if not graph.likeness.any():
        text = "The source does not record attributes of operations, so equal ones cannot be told."
        return Finding(rule, title, "cannot_tell", text, 0, ())
    ops = _ops(graph)
    pure = ~np.fromiter((has_effects(op) for op in ops), np.bool_, len(ops))[graph.op] & (graph.likeness != 0)
    same = np.arange(len(graph), dtype=np.int64)
    for _ in range(_ROUNDS):
        key = _keys(graph, around, same, pure)
        order = np.lexsort(key)
        equal = np.ones(len(graph) - 1, np.bool_) if len(graph) > 1 else np.zeros(0, np.bool_)
        for column in key:
            equal &= column[order][1:] == column[order][:-1]
        group = np.concatenate([[0], np.cumsum(~equal)])
        first = np.full(int(group[-1]) + 1, len(graph), np.int64)
        np.minimum.at(first, group, order)
        now = np.empty(len(graph), np.int64)
        now[order] = first[group]
        if np.array_equal(now, same):
            break
        same = now
    repeated = np.flatnonzero((same != np.arange(len(graph))) & ~np.isin(graph.op, _places(graph, CONSTANTS)))
    return _found(graph, rule, title, repeated, "Each of these has the operation, attributes and inputs of an earlier one.")


def _keys(graph: Graph, around: Neighbours, same: NDArray[np.int64], pure: NDArray[np.bool_]) -> list[NDArray[np.int64]]:
    """Columns that are equal for nodes that compute the same; a node that may not be merged has its own number in them."""
    source = np.where(graph.input >= 0, same[np.maximum(graph.input, 0)], -2 - graph.input_name.astype(np.int64))
    first = np.concatenate([[0], graph.input_end])[:-1]
    place = np.arange(len(graph.input)) - first[around.target]
    mixed = _mixed(_mixed(source.astype(np.int64) * 65_599 + graph.port) + place * 1_000_003)
    sums = np.zeros(len(graph), np.int64)
    np.add.at(sums, around.target, mixed)
    own = np.where(pure, -1, np.arange(len(graph)))
    return [graph.op.astype(np.int64), graph.likeness, sums, np.diff(graph.input_end, prepend=0).astype(np.int64), own]


def _mixed(values: NDArray[np.int64]) -> NDArray[np.int64]:
    bits = values.astype(np.uint64)
    bits ^= bits >> np.uint64(33)
    bits *= np.uint64(0xFF51AFD7ED558CCD)
    bits ^= bits >> np.uint64(33)
    return bits.astype(np.int64)


def _foldable(graph: Graph, around: Neighbours) -> Finding:
    """Operations without effects all of whose inputs are constants, or such operations themselves."""
    rule, title = "constant", "Constant subgraphs"
    ops = _ops(graph)
    constant = np.isin(graph.op, _places(graph, CONSTANTS))
    stays = constant.copy()
    pure = ~np.fromiter((has_effects(op) for op in ops), np.bool_, len(ops))[graph.op]
    has_input = np.diff(graph.input_end, prepend=0) > 0
    known = graph.input >= 0
    while True:
        fed = np.ones(len(graph), np.bool_)
        np.logical_and.at(fed, around.target, known & constant[np.maximum(graph.input, 0)])
        now = constant | (fed & has_input & pure)
        if np.array_equal(now, constant):
            break
        constant = now
    return _found(
        graph, rule, title, np.flatnonzero(constant & ~stays), "The result is the same in every step; compute it once, outside."
    )


def _casts(graph: Graph) -> Finding:
    """A conversion to the type that its input has, or back to the type before another conversion."""

    def odd(row: int) -> bool:
        source = _only_input(graph, row)
        if source < 0:
            return False
        mine, before = graph.text(graph.dtypes, row), graph.text(graph.dtypes, source)
        if mine and mine == before:
            return True
        above = _only_input(graph, source) if graph.text(graph.op, source) in CASTS else -1
        return above >= 0 and bool(mine) and mine == graph.text(graph.dtypes, above)

    return _of_kind(graph, "casts", "Needless casts", CASTS, odd, "The value has this type already, or is converted back to it.")


def _wrong_device(graph: Graph, around: Neighbours) -> Finding:
    """Operations on the host between operations on an accelerator: their inputs and outputs are copied across."""
    rule, title = "device", "Operations on another device"
    kinds = np.array([_device_kind(text) for text in graph.texts], np.int8)[graph.device] if len(graph) else np.zeros(0, np.int8)
    if not (kinds == 2).any():
        text = "No operation of the graph is placed on an accelerator."
        return Finding(rule, title, "cannot_tell" if not kinds.any() else "quiet", text, 0, ())
    carries = (graph.port >= 0) & (graph.input >= 0)
    from_device = np.zeros(len(graph), np.bool_)
    to_device = np.zeros(len(graph), np.bool_)
    from_device[around.target[carries & (kinds[np.maximum(graph.input, 0)] == 2)]] = True
    to_device[graph.input[carries & (kinds[around.target] == 2)]] = True
    between = np.flatnonzero((kinds == 1) & from_device & to_device)
    return _found(graph, rule, title, between, "Inputs come from an accelerator and outputs go back to one, so both are copied.")


def _device_kind(text: str) -> int:
    """1 for the host, 2 for an accelerator, 0 when unknown."""
    lower = text.lower()
    return 1 if "cpu" in lower else 2 if any(kind in lower for kind in ("gpu", "tpu", "cuda")) else 0


def _after_itself(graph: Graph, rule: str, title: str, kinds: frozenset[str], text: str) -> Finding:
    """Operations of some kinds that read what another of these kinds made."""

    def odd(row: int) -> bool:
        source = _first_input(graph, row)
        return source >= 0 and graph.text(graph.op, source) in kinds

    return _of_kind(graph, rule, title, kinds, odd, text)


def _of_kind(graph: Graph, rule: str, title: str, kinds: frozenset[str], odd: Callable[[int], bool], text: str) -> Finding:
    rows = np.flatnonzero(np.isin(graph.op, _places(graph, kinds)))
    return _found(graph, rule, title, np.array([row for row in rows.tolist() if odd(row)], np.int64), text)


def _found(graph: Graph, rule: str, title: str, rows: NDArray[np.int64], text: str) -> Finding:
    if not len(rows):
        return Finding(rule, title, "quiet", "", 0, ())
    return Finding(rule, title, "fires", text, len(rows), tuple(graph.text(graph.node, row) for row in rows[:MOST_NODES].tolist()))


def _only_input(graph: Graph, row: int) -> int:
    carried = list(_tensor_inputs(graph, row))
    return carried[0] if len(carried) == 1 else -1


def _first_input(graph: Graph, row: int) -> int:
    return next(_tensor_inputs(graph, row), -1)


def _tensor_inputs(graph: Graph, row: int) -> Iterator[int]:
    return (int(graph.input[place]) for place in graph.inputs(row) if graph.port[place] >= 0)


def _ops(graph: Graph) -> list[str]:
    """Texts, of which those in the column of operations are asked about."""
    used = np.zeros(len(graph.texts), np.bool_)
    used[graph.op] = True
    return [text if mark else "" for text, mark in zip(graph.texts, used.tolist(), strict=True)]


def _places(graph: Graph, ops: frozenset[str] | set[str]) -> list[int]:
    return [place for place in np.unique(graph.op).tolist() if graph.texts[place] in ops]
