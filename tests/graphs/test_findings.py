"""Findings of small graphs with known answers, and what differs between two graphs."""

from __future__ import annotations

from graph_bytes import constant, dtype, function_def, graph_def, graph_of, read
from stepscope.analyses.graphs.comparison import compare_graphs
from stepscope.analyses.graphs.findings import Finding, findings
from stepscope.analyses.graphs.operations import has_effects
from stepscope.graphs.opened import OpenedGraph
from stepscope.model.graph import Graph


def found(graph: Graph) -> dict[str, Finding]:
    return {one.rule: one for one in findings(graph, OpenedGraph(graph).around)}


def test_what_no_result_needs_is_unused() -> None:
    lines = ["a: Relu x", "b: Neg x", "c: Abs b:y:0", "d: Print x"]
    called = read(graph_def(["call: NoOp"], functions=[function_def("f", ["x"], {"y": "a:z:0"}, lines, {})])).graphs[1]
    unused = found(called)["unused"]
    assert (unused.verdict, unused.nodes) == ("fires", ("b", "c"))
    assert found(graph_of(["a: Relu"]))["unused"].verdict == "cannot_tell"


def test_equal_computations_are_duplicates_through_their_inputs() -> None:
    same = {"T": dtype(1)}
    lines = [
        "x: Placeholder",
        "a: Relu x",
        "b: Relu x",
        "c: Neg a",
        "d: Neg b",
        "e: Neg x",
        "r: RandomUniform x",
        "s: RandomUniform x",
        "f: Relu x",
    ]
    graph = graph_of(lines, {**dict.fromkeys("abcders", same), "f": {"T": dtype(2)}})
    duplicates = found(graph)["duplicates"]
    assert (duplicates.count, duplicates.nodes) == (2, ("b", "d"))
    swapped = graph_of(["x: Placeholder", "y: Placeholder", "a: Sub x y", "b: Sub y x"], {"a": same, "b": same})
    assert found(swapped)["duplicates"].verdict == "quiet"


def test_what_depends_on_constants_alone_could_be_folded() -> None:
    values = {"value": constant(b"\0\0\0\0", 1)}
    lines = ["a: Const", "b: Const", "c: Add a b", "d: Neg c", "e: Add d x", "x: Placeholder", "v: VariableV2", "s: Assign v c"]
    constants = found(graph_of(lines, {"a": values, "b": values}))["constant"]
    assert constants.nodes == ("c", "d")


def test_casts_to_the_same_type_and_back() -> None:
    lines = [
        "x: Placeholder",
        "a: Cast x",
        "b: Cast x",
        "c: Cast b",
        "d: Transpose x p",
        "p: Const",
        "e: Transpose d p",
        "f: aten::clone x",
        "g: aten::clone f",
    ]
    types = {"x": {"dtype": dtype(1)}, "a": {"DstT": dtype(1)}, "b": {"DstT": dtype(19)}, "c": {"DstT": dtype(1)}}
    each = found(graph_of(lines, types))
    assert (each["casts"].nodes, each["transposes"].nodes, each["copies"].nodes) == (("a", "c"), ("e",), ("g",))


def test_work_on_the_host_between_accelerators() -> None:
    lines = ["a: MatMul", "b: Where a", "c: MatMul b", "d: Shape a"]
    gpu, cpu = "/device:GPU:0", "/device:CPU:0"
    assert found(graph_of(lines, devices={"a": gpu, "b": cpu, "c": gpu, "d": cpu}))["device"].nodes == ("b",)
    assert found(graph_of(lines, devices=dict.fromkeys("abcd", cpu)))["device"].verdict == "quiet"
    assert found(graph_of(lines))["device"].verdict == "cannot_tell"


def test_an_empty_graph_and_a_cycle_have_no_findings() -> None:
    assert {one.verdict for one in found(read(b"\n\x0b\n\x01a\x12\x04NoOp\x22\x00").graphs[0]).values()} <= {"quiet", "cannot_tell"}
    assert found(graph_of(["a: Relu b", "b: Relu a"]))["constant"].verdict == "quiet"


def test_operations_with_effects() -> None:
    assert all(has_effects(op) for op in ("", "AssignVariableOp", "RandomUniform", "aten::add_", "_Retval", "PartitionedCall"))
    assert not any(has_effects(op) for op in ("MatMul", "aten::add", "dot", "Conv"))


def test_graphs_are_compared_by_name() -> None:
    before = OpenedGraph(graph_of(["x: Placeholder", "a: Relu x", "b: Neg a", "gone: Abs x"], {"b": {"T": dtype(1)}}))
    after = OpenedGraph(graph_of(["x: Placeholder", "a: Gelu x", "b: Neg x a:1", "new: Abs x"], {"b": {"T": dtype(2)}}))
    found = compare_graphs(before.graph, after.graph, before.rows, after.rows)
    assert (found.same, found.added, found.removed, found.changed) == (1, 1, 1, 2)
    changes = {one.node: (one.change, one.what) for one in found.differences}
    assert changes == {
        "new": ("added", ()),
        "gone": ("removed", ()),
        "a": ("changed", ("op",)),
        "b": ("changed", ("inputs", "dtype")),
    }
    same = compare_graphs(before.graph, before.graph, before.rows, before.rows)
    assert (same.same, same.differences) == (4, [])
