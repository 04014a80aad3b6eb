"""Scopes, views, series, tracing, search and cards of small graphs with known answers."""

from __future__ import annotations

import numpy as np
import pytest

from graph_bytes import dtype, graph_of, shapes
from stepscope.analyses.graphs import view as view_module
from stepscope.analyses.graphs.card import card, rows_at
from stepscope.analyses.graphs.scopes import DEEPEST, scope_tree
from stepscope.analyses.graphs.search import search
from stepscope.analyses.graphs.series import FEWEST, numbered
from stepscope.analyses.graphs.tracing import Direction, neighbours, traced
from stepscope.analyses.graphs.view import GraphView, Opened, view_of
from stepscope.graphs.opened import OpenedGraph
from stepscope.model.graph import Graph

LINES = [
    "x: Placeholder",
    "conv/w/init: Const",
    "conv/w: Variable ^conv/w/init",
    "conv/mul: Conv2D x conv/w",
    "conv/relu: Relu conv/mul",
    "out/a: Add conv/relu conv/mul:1",
    "out: Identity out/a",
]
ATTRIBUTES = {"conv/mul": {"T": dtype(1), "_output_shapes": shapes((2, 3), (5,))}, "conv/relu": {"T": dtype(1)}}


def seen(graph: Graph, *scopes: str, series: tuple[str, ...] = ()) -> GraphView:
    return view_of(graph, scope_tree(graph), Opened(scopes, series))


def drawn(found: GraphView) -> tuple[list[str], list[str]]:
    """Rows as `path` (open ones with a `+`), indented by a dot for each level, and edges as text."""
    rows = found.rows

    def level(place: int) -> int:
        return 0 if rows[place].parent < 0 else 1 + level(rows[place].parent)

    names = [f"{'.' * level(place)}{row.path}{'+' if row.is_open else ''}" for place, row in enumerate(rows)]
    edges = [f"{rows[edge.source].path} -> {rows[edge.target].path} {edge.tensors}+{edge.control}" for edge in found.edges]
    return names, sorted(edges)


def test_scopes_have_their_nodes_as_a_range() -> None:
    graph = graph_of(LINES)
    tree = scope_tree(graph)
    assert tree.path == ["", "conv", "conv/w", "out"]
    inside = {tree.shown(scope): [graph.text(graph.node, row) for row in tree.nodes(scope).tolist()] for scope in range(4)}
    assert sorted(inside[""]) == sorted(graph.names())
    assert sorted(inside["conv/"]) == ["conv/mul", "conv/relu", "conv/w", "conv/w/init"]
    assert sorted(inside["conv/w/"]) == ["conv/w", "conv/w/init"]
    assert sorted(inside["out/"]) == ["out", "out/a"]


def test_a_closed_graph_has_its_top_scopes_and_their_edges() -> None:
    rows, edges = drawn(seen(graph_of(LINES)))
    assert rows == ["conv/", "out/", "x"]
    assert edges == ["conv/ -> out/ 2+0", "x -> conv/ 1+0"]


def test_an_open_scope_shows_what_is_in_it_and_edges_cross_its_border() -> None:
    rows, edges = drawn(seen(graph_of(LINES), "conv/", "out/", "conv/w/nothing/"))
    assert rows == ["conv/+", "out/+", "x", ".out/a", ".out", ".conv/w/", ".conv/mul", ".conv/relu"]
    assert edges == [
        "conv/mul -> conv/relu 1+0",
        "conv/mul -> out/a 1+0",
        "conv/relu -> out/a 1+0",
        "conv/w/ -> conv/mul 1+0",
        "out/a -> out 1+0",
        "x -> conv/mul 1+0",
    ]
    names = [row.name for row in seen(graph_of(LINES), "out/").rows]
    assert names == ["conv", "out", "x", "a", "(out)"]


def test_edges_name_types_and_shapes() -> None:
    found = seen(graph_of(LINES, ATTRIBUTES))
    (edge,) = [edge for edge in found.edges if found.rows[edge.target].path == "out/"]
    assert (edge.tensors, sorted(edge.shapes), edge.more_shapes) == (2, ["[5]", "float32"], 0)


def test_control_edges_are_counted_alone() -> None:
    _, edges = drawn(seen(graph_of(LINES), "conv/", "conv/w/"))
    assert "conv/w/init -> conv/w 0+1" in edges


def blocks(count: int) -> list[str]:
    return ["x: Placeholder", *(line for each in range(count) for line in (f"b_{each}/m: MatMul x", f"b_{each}/r: Relu b_{each}/m"))]


def test_similar_scopes_are_a_series() -> None:
    graph = graph_of([*blocks(7), "b_7/m: Conv2D x", "b_7/r: Relu b_7/m"])
    rows, edges = drawn(seen(graph))
    assert rows == ["[b", "b_7/", "x"]
    assert edges == ["x -> [b 1+0", "x -> b_7/ 1+0"]
    first = seen(graph).rows[0]
    assert (first.members, first.name, len(first.nodes)) == (7, "b_0 … b_6", 14)
    opened = seen(graph, series=("[b",))
    assert [row.series for row in opened.rows] == ["[b"] * 7 + ["", ""]
    assert len(drawn(seen(graph, "b_3/"))[0]) == 7 + 2 + 2  # a series with an open member is shown member by member
    assert len(seen(graph_of(blocks(FEWEST - 1))).rows) == FEWEST


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("dense_12", ("dense", 12)), ("layer12", ("layer", 12)), ("Block[3]", ("Block", 3)), ("dense", ("dense", -1)),
        ("12", ("12", 12)), ("Linear[fc]", ("Linear[fc]", -1)), ("_", ("_", -1)),
    ],
)  # fmt: skip
def test_numbers_at_the_end_of_names(name: str, found: tuple[str, int]) -> None:
    assert numbered(name) == found


def test_a_scope_with_too_many_members_shows_the_rest_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = [f"n{chr(97 + each // 26)}{chr(97 + each % 26)}x" for each in range(600)]
    graph = graph_of(["x: Placeholder", *(f"{name}: Relu x" for name in letters)])
    found = seen(graph)
    assert len(found.rows) == view_module.MOST_IN_SCOPE
    assert (found.rows[-1].kind.value, found.rows[-1].members, len(found.rows[-1].nodes)) == ("rest", 102, 102)
    assert sum(len(row.nodes) for row in found.rows) == 601
    monkeypatch.setattr(view_module, "MOST_LOOKED", 100)
    found = seen(graph)
    assert (len(found.rows), len(found.rows[-1].nodes)) == (101, 501)


def test_what_is_connected_to_all_of_its_scope_is_put_aside() -> None:
    lines = ["c: Const", *(f"{name}: Op{name} c" for name in "efghijklmnopqrst")]
    graph = graph_of(lines)
    aside = [row.path for row in seen(graph).rows if row.aside]
    assert aside == ["c"]
    by_hand = view_of(graph, scope_tree(graph), Opened(aside={"e"}, main={"c"}))
    assert [row.path for row in by_hand.rows if row.aside] == ["e"]


def test_tracing_follows_edges_and_ends_in_cycles() -> None:
    graph = graph_of(["a: Enter", "b: Merge a d", "c: Switch b", "d: NextIteration c", "e: Exit c", "z: Const ^e"])
    around = neighbours(graph)

    def names(start: int, direction: Direction, **more: bool) -> str:
        found = np.flatnonzero(traced(graph, around, np.array([start], np.int32), direction, **more))
        return "".join(graph.text(graph.node, row) for row in found.tolist())

    assert names(4, Direction.INPUTS) == "abcde"
    assert names(0, Direction.OUTPUTS) == "abcdez"
    assert names(0, Direction.OUTPUTS, control=False) == "abcde"
    assert names(5, Direction.OUTPUTS) == "z"


def test_search_looks_at_names_and_operations() -> None:
    graph = graph_of(LINES)
    tree = scope_tree(graph)
    found, total = search(graph, tree, ["CONV"], 2)
    assert ([(one.path, one.is_scope) for one in found], total) == ([("conv/", True), ("conv/w", False)], 5)
    assert [one.path for one in search(graph, tree, ["op:conv"], 9)[0]] == ["conv/mul"]
    assert [one.path for one in search(graph, tree, ["w", "init"], 9)[0]] == ["conv/w/init"]


def test_a_card_has_the_edges_that_leave_a_scope() -> None:
    opened = OpenedGraph(graph_of([*LINES, "lost: Add gone"], ATTRIBUTES))
    graph = opened.graph
    found = card(graph, opened.around, rows_at(opened.tree, opened.rows, "conv/"))
    assert [(one.node, one.shape) for one in found.inputs] == [("x", "")]
    assert [(one.node, one.port, one.shape, one.dtype) for one in found.outputs] == [
        ("out/a", 0, "", "float32"),
        ("out/a", 1, "[5]", ""),
    ]
    assert {one.op: one.nodes for one in found.ops} == {"Const": 1, "Variable": 1, "Conv2D": 1, "Relu": 1}
    node = card(graph, opened.around, rows_at(opened.tree, opened.rows, "conv/w"))
    assert [(one.node, one.control) for one in node.inputs] == [("conv/w/init", True)]
    lost = card(graph, opened.around, rows_at(opened.tree, opened.rows, "lost"))
    assert [(one.node, one.missing) for one in lost.inputs] == [("gone", True)]


def test_names_of_many_slashes_stay_shallow() -> None:
    graph = graph_of([f"{'a/' * 3_000}b: Const", "//c//d: Const", "e/: Const"])
    tree = scope_tree(graph)
    assert max(path.count("/") for path in tree.path) < DEEPEST
    assert len(tree.path) < DEEPEST + 5
    assert sum(len(row.nodes) for row in seen(graph).rows) == 3
