"""What differs between two graphs: nodes of one that the other does not have, and nodes of one name that are not the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stepscope.model.graph import Graph

MOST_LISTED = 10_000


@dataclass(frozen=True, slots=True)
class Difference:
    """One node: `added`, `removed`, or `changed` with what is different."""

    node: str
    change: str
    what: tuple[str, ...] = ()
    """Of a changed node: `op`, `inputs`, `device`, `shape`, `dtype`, `attributes`."""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class GraphComparison:
    """Counts of all differences, and a list of the first."""

    same: int
    added: int
    removed: int
    changed: int
    differences: list[Difference]


def compare_graphs(before: Graph, after: Graph, rows_before: Mapping[str, int], rows_after: Mapping[str, int]) -> GraphComparison:
    """Nodes are matched by name; rows by name are given, as both are made anyway."""
    differences: list[Difference] = []
    changed = removed = 0
    for name, row in rows_before.items():
        other = rows_after.get(name)
        found = Difference(name, "removed") if other is None else _changed(before, row, after, other)
        if found is not None:
            removed += found.change == "removed"
            changed += found.change == "changed"
            differences.append(found)
    added = [Difference(name, "added") for name in rows_after if name not in rows_before]
    same = len(rows_before) - removed - changed
    return GraphComparison(same, len(added), removed, changed, [*added, *differences][:MOST_LISTED])


def _changed(before: Graph, row: int, after: Graph, other: int) -> Difference | None:
    pairs = list(_pairs(before, row, after, other))
    different = [(what, old, new) for what, old, new in pairs if old != new]
    if not different:
        return None
    old, new = ("; ".join(f"{what} {text}" for what, *texts in different if (text := texts[place])) for place in (0, 1))
    return Difference(before.text(before.node, row), "changed", tuple(what for what, _, _ in different), old, new)


def _pairs(before: Graph, row: int, after: Graph, other: int) -> Iterator[tuple[str, str, str]]:
    yield "op", before.text(before.op, row), after.text(after.op, other)
    yield "inputs", _inputs(before, row), _inputs(after, other)
    yield "device", before.text(before.device, row), after.text(after.device, other)
    shapes = before.text(before.shapes, row), after.text(after.shapes, other)
    types = before.text(before.dtypes, row), after.text(after.dtypes, other)
    if all(shapes):  # a writer that records no shapes has not changed them
        yield "shape", *shapes
    if all(types):
        yield "dtype", *types
    likeness = int(before.likeness[row]), int(after.likeness[other])
    if all(likeness) and likeness[0] != likeness[1] and shapes[0] == shapes[1] and types[0] == types[1]:
        yield "attributes", "", "different"


def _inputs(graph: Graph, row: int) -> str:
    return " ".join(
        f"^{graph.text(graph.input_name, place)}"
        if graph.port[place] < 0
        else f"{graph.text(graph.input_name, place)}:{int(graph.port[place])}"
        for place in graph.inputs(row)
    )
