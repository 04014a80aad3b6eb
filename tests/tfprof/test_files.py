"""Costs of nodes through bytes and back, and as the text of tf.profiler."""

from __future__ import annotations

import pytest

import event_bytes as eb
from graph_bytes import graph_of
from stepscope.analyses.statistics.advice import all_advice
from stepscope.analyses.statistics.from_graph import graph_costs, with_graph
from stepscope.analyses.statistics.options import ViewOptions, regular_expression, simple_pattern
from stepscope.analyses.statistics.text import count_text, op_text, size_text, time_text, tree_text
from stepscope.analyses.statistics.views import op_view, scope_view
from stepscope.cli.profile.code import command as code
from stepscope.cli.profile.scope import command as scope
from stepscope.cli.terminal import number_of
from stepscope.formats.run_metadata import costs as run_metadata
from stepscope.formats.run_metadata.executed import read_executed
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.formats.tfprof.nodes import read_costs
from stepscope.model.errors import BadInput
from stepscope.model.graph import NodeAttribute
from stepscope.model.node_costs import TRAINABLE, CostNode, Execution, Frame, Measures, StepCost
from stepscope.model.protobuf_bytes import integer, message, text, varint
from stepscope.tfprof.option_builder import view_options
from stepscope.tfprof.saving import write_costs


def costs() -> dict[str, CostNode]:
    step = StepCost(2, [Execution("/cpu:0", False, 1_000, 40), Execution("/gpu:0/stream:all", True, 1_010, 5)], 64, 65, 66, 67)
    stack = (Frame("/a/train.py", 12, "step", 10), Frame("/a/model.py", 3, "a_function_of_a_long_name", 1))
    matmul = CostNode("net/MatMul", "MatMul", ("net/w",), None, 800, "/cpu:0", {"MatMul", "/cpu:0"}, stack, {0: step, 7: StepCost(1)})
    return {"net/MatMul": matmul, "net/w": CostNode("net/w", "VariableV2", (), (4, -1), types={"VariableV2", TRAINABLE})}


def test_nodes_survive_a_file() -> None:
    assert read_costs(write_costs(costs())) == costs()
    for wrong in (b"", b"\x0a", write_costs(costs())[:-2]):
        with pytest.raises(BadInput):
            read_costs(wrong)


def test_fields_are_written_as_protobuf_does() -> None:
    assert (varint(300), integer(2, 5), integer(2, -1)[-1]) == (b"\xac\x02", eb.integer(2, 5), 1)
    assert message(3, integer(1, 1)) == eb.message(3, eb.integer(1, 1))
    assert text(1, "a\udc80") == eb.message(1, b"a\\udc80")


def test_measures_add_up_and_unknown_sizes_are_no_parameters() -> None:
    both = costs()["net/MatMul"].measures(0) + Measures(us=1, nodes=2)
    assert (both.us, both.accelerator_us, both.flops, both.nodes, both.residual_bytes) == (46, 5, 1600, 3, 66)
    assert (costs()["net/w"].parameters, CostNode("b", "Variable", shape=(1,)).parameters) == (0, 1)
    assert costs()["net/MatMul"].measures(3).us == 0


def test_numbers_are_written_as_tf_profiler_writes_them() -> None:
    assert [time_text(us) for us in (0, 999, 3_060, 2_500_000)] == ["0us", "999us", "3.06ms", "2.50sec"]
    assert [size_text(size) for size in (999, 1_600, 5_220_000, 3e9)] == ["999B", "1.60KB", "5.22MB", "3.00GB"]
    assert [count_text(count) for count in (416, 31_786, 70_314_197, 2e9)] == ["416", "31.79k", "70.31m", "2.00b"]
    assert [number_of(count) for count in (0, 999, 31_786, 70_314_197)] == ["0", "999", "31.8k", "70.3M"]


def test_texts_of_views() -> None:
    tree = tree_text(scope_view(costs(), ViewOptions(step=0)), ["micros", "peak_bytes"], of_lines=False).splitlines()
    assert tree[0].split(" | ")[1:] == ["peak bytes", "total execution time", "accelerator execution time", "cpu execution time"]
    assert tree[3] == "    net/MatMul (65B/65B, 45us/45us, 5us/5us, 40us/40us)"
    table = op_text(op_view(costs(), ViewOptions(step=0, order_by="micros")), ["cpu_micros"]).splitlines()
    assert table[1].split() == ["MatMul", "40us", "(100.00%,", "100.00%)"]


def test_patterns_fit_whole_names() -> None:
    for kind in (regular_expression, simple_pattern):
        assert [bool(kind("net/.*")(name)) for name in ("net/a", "a/net/b")] == [True, False]
        with pytest.raises(BadInput):
            kind("(")
    with pytest.raises(BadInput):
        simple_pattern("(a+)+")  # which could take hours
    assert view_options({"min_params": 3, "step": 4}).least == {"parameters": 3}


def test_a_graph_gives_inputs_and_parameters_to_costs() -> None:
    graph = graph_of(["w: VarHandleOp", "net/MatMul: MatMul w", "x: Placeholder"])
    shaped = {0: (NodeAttribute("shape", "[4,8]"),), 2: (NodeAttribute("shape", "[4,8]"),)}
    found = with_graph(
        {"net/MatMul": CostNode("net/MatMul", "?", flops=3), "new": CostNode("new", "New")}, graph, lambda row: shaped.get(row, ())
    )
    assert (found["w"].parameters, found["x"].parameters, "new" in found) == (32, 0, True)
    assert (found["net/MatMul"].op, found["net/MatMul"].inputs, found["net/MatMul"].flops) == ("MatMul", ("w",), 3)
    assert graph_costs(graph, lambda _: ())["w"].parameters == 0


def test_run_metadata_that_is_damaged_ends_early() -> None:
    event = eb.message(2, eb.message(1, b"a"), eb.integer(2, 10), eb.integer(4, 3), eb.message(12, eb.integer(1, 4), eb.integer(3, 8)))
    data = eb.message(1, eb.message(1, eb.message(1, b"/device:CPU:0"), event))
    (step,) = run_metadata.read_costs(data)["a"].steps.values()
    assert (step.runs, step.requested_bytes, step.residual_bytes) == (1, 12, 8)
    assert run_metadata.read_costs(data[:-4]) == {}


def test_a_damaged_node_costs_that_node_alone() -> None:
    damage = b"\x07"  # a type that no field has
    times = eb.integer(2, 10) + eb.integer(4, 3)
    memory = eb.message(6, eb.integer(2, 64), damage)
    nodes = (
        eb.message(2, eb.message(1, b"name"), times, damage),
        eb.message(2, eb.message(1, b"memory"), times, memory),
        eb.message(2, eb.message(1, b"good"), times),
    )
    data = eb.message(1, eb.message(1, eb.message(1, b"/device:CPU:0"), *nodes))
    found = run_metadata.read_costs(data)
    assert {name: node.steps[0].runs for name, node in found.items()} == {"memory": 1, "good": 1}
    executed = read_executed(StoredBytes.of(data, "run_metadata.pb"))
    assert set(executed.labels.names()) == {"memory", "good"}


def test_verbs_have_the_options_of_tf_profiler() -> None:
    for verb in (scope, code):
        names = {option.name for option in verb.params}
        assert {"start", "show", "hide", "types", "min_us", "min_bytes", "min_parameters", "min_flops", "order", "depth"} <= names


def test_advice_of_nothing_is_nothing() -> None:
    assert all_advice({}) == {"ExpensiveOperationChecker": [], "AcceleratorUtilizationChecker": []}
