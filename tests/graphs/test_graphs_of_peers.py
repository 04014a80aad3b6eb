"""Graphs of the real TensorFlow, Keras, torch and ONNX have the nodes, edges, shapes and types that the frameworks count themselves."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from graph_bytes import dtype, edges, graph_of
from log_folder import LogFolder
from stepscope.analyses.graphs.findings import findings
from stepscope.analyses.graphs.operations import has_effects
from stepscope.analyses.graphs.tracing import neighbours
from stepscope.formats.tensorflow_attributes import DTYPES
from stepscope.graphs.reader import GraphSource
from stepscope.model.graph import Graph, GraphKind, GraphSet
from stepscope.session.reads import Reads

pytestmark = [pytest.mark.peers, pytest.mark.slow]
SCRIPT = Path(__file__).with_name("graphs_of_peers.py")


class Logged:
    """A folder that the frameworks wrote, and what they say of it."""

    def __init__(self, path: Path, theirs: Any) -> None:
        folder = LogFolder(path)
        self.theirs = theirs
        self.reads = Reads(folder.load())
        names = {str(run.id): run.name for run in folder.library.snapshot.runs}
        self.sources: dict[tuple[str, str], GraphSource] = {}
        for one in self.reads.graphs.listed():
            self.sources[names[one.run], one.name] = one

    def open(self, run: str, name: str) -> GraphSet:
        one = self.sources[run, name]
        return self.reads.graphs.open(one.run, one.source).found


@pytest.fixture(scope="module")
def logged(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Logged:
    path = tmp_path_factory.mktemp("graphs")
    return Logged(path, run_in_peers(SCRIPT, path))


def nodes(graph: Graph) -> dict[str, str]:
    return {graph.text(graph.node, row): graph.text(graph.op, row) for row in range(len(graph))}


def shape_text(sizes: list[int | None] | None) -> str:
    return "?" if sizes is None else f"[{','.join('?' if size is None else str(size) for size in sizes)}]"


def check_outputs(graph: Graph, outputs: dict[str, Any], *, shapes: bool) -> int:
    """Every type and shape that we name is theirs; says how many types are known."""
    known = 0
    for row in range(len(graph)):
        for port, (kind, sizes) in enumerate(outputs[graph.text(graph.node, row)]):
            ours = graph.output(graph.dtypes, row, port)
            assert ours in {"", kind}, (graph.text(graph.node, row), graph.text(graph.op, row), ours, kind)
            known += bool(ours)
            if shapes:
                assert graph.output(graph.shapes, row, port) == shape_text(sizes), graph.text(graph.node, row)
    return known


def test_a_graph_of_tensorflow_1(logged: Logged) -> None:
    theirs = logged.theirs["tf1"]
    graph = logged.open("tf1", "__run_graph__").graphs[0]
    assert nodes(graph) == theirs["nodes"]
    assert sorted(edges(graph)) == theirs["edges"]
    assert check_outputs(graph, theirs["outputs"], shapes=True) > 0.8 * sum(map(len, theirs["outputs"].values()))
    assert logged.open("tf1", "__meta_graph__").graphs[0].names() == graph.names()


@pytest.mark.parametrize("name", ["graph.pb", "graph.pbtxt"])
def test_a_graph_in_a_file(logged: Logged, name: str) -> None:
    found = logged.open("files", name)
    assert nodes(found.graphs[0]) == logged.theirs["tf1"]["nodes"]
    assert sorted(edges(found.graphs[0])) == logged.theirs["tf1"]["edges"]
    check_outputs(found.graphs[0], logged.theirs["tf1"]["outputs"], shapes=False)
    row = found.graphs[0].names().index("w")
    assert {one.key: one.value for one in found.attributes(found.graphs[0], row)}["shape"] == "[8,4]"


def test_a_function_of_tensorflow_2_and_those_that_it_calls(logged: Logged) -> None:
    theirs = logged.theirs["tf2"]
    found = logged.open("tf2", "__run_graph__")
    assert nodes(found.graphs[0]) == theirs["nodes"]
    assert sorted(edges(found.graphs[0])) == theirs["edges"]
    functions = {graph.name: graph for graph in found.graphs[1:]}
    assert functions.keys() == theirs["functions"].keys()
    for name, (arguments, operations, results) in theirs["functions"].items():
        ops = list(nodes(functions[name]).values())
        assert (ops.count("_Arg"), ops.count("_Retval"), len(ops)) == (arguments, results, arguments + operations + results), name
        assert not any(each.startswith("?") for each in edges(functions[name])), name
    called = {name for graph in found.graphs for row in range(len(graph)) for name in graph.calls(row)}
    assert called <= functions.keys()
    assert len(called) >= 4


def test_what_trace_export_logs(logged: Logged) -> None:
    found = logged.open("tf2", "traced")
    assert found.graphs[0].kind is GraphKind.OPS
    assert {graph.kind for graph in found.graphs} >= {GraphKind.OPS, GraphKind.PARTITION}


def test_a_saved_model(logged: Logged) -> None:
    found = logged.open("saved", "saved_model.pb")
    assert len(found.graphs) > 2
    assert found.notes == ()


def test_layers_of_keras_models(logged: Logged) -> None:
    for run, name in (("keras", "functional_model.json"), ("callback/train", "keras")):
        found = logged.open(run, name)
        (graph,) = found.graphs
        assert sorted(graph.names()) == sorted(logged.theirs["keras"]["functional"]), run
        assert found.notes == ()
        inside = next(each for each in graph.names() if each.startswith("inside/") and each not in {"inside/first", "inside/second"})
        assert sorted(edges(graph)) == sorted(
            [
                "given:0 -> before", "given:0 -> shared", "before:0 -> shared", f"shared:0 -> {inside}", f"{inside}:0 -> inside/first",
                "inside/first:0 -> inside/second", "inside/second:0 -> joined", "shared:0 -> joined", "joined:0 -> out",
            ]
        )  # fmt: skip
        assert graph.output(graph.shapes, graph.names().index("given"), 0) == "[?,8]"


def test_a_sequential_and_a_subclassed_keras_model(logged: Logged) -> None:
    (graph,) = logged.open("keras", "sequential_model.json").graphs
    assert len(graph) == logged.theirs["keras"]["sequential"]
    assert [each.partition(" -> ")[2] for each in edges(graph)] == ["one", "two", "three"]
    own = logged.open("keras", "own_model.json")
    assert ([nodes(graph) for graph in own.graphs], [note.code for note in own.notes]) == ([{"own": "Own"}], ["no_layers"])


@pytest.mark.parametrize("writer", ["torch", "ours"])
def test_graphs_of_torch(logged: Logged, writer: str) -> None:
    theirs = logged.theirs["torch"]
    (graph,) = logged.open(writer, "__run_graph__").graphs
    assert nodes(graph) == theirs["nodes"]
    assert sorted(each.lstrip("?") for each in edges(graph)) == theirs["edges"]


def test_an_onnx_model(logged: Logged) -> None:
    found = logged.open("onnx", "model.onnx")
    main = found.graphs[0]
    theirs = logged.theirs["torch"]["onnx"]
    assert (len(main), len(main.input)) == (theirs["nodes"], theirs["edges"])
    assert set(edges(main)) >= {"x:0 -> dense/MatMul", "weight:0 -> dense/MatMul", "split:1 -> Add_3", "Add_3:0 -> out (output)"}
    weight = main.names().index("weight")
    assert (main.text(main.shapes, weight), main.text(main.dtypes, weight)) == ("[8,4]", "float32")
    assert sorted(main.calls(main.names().index("if"))) == ["if.else_branch", "if.then_branch"]
    assert [(one.key, one.value) for one in found.attributes(main, main.names().index("split"))] == [
        ("axis", "1"),
        ("num_outputs", "2"),
    ]


def test_an_exported_program_of_torch(logged: Logged) -> None:
    theirs, found = logged.theirs["exported"], logged.open("exported", "model.pt2")
    main = found.graphs[0]
    kept = {name: target for name, (kind, target) in theirs["inputs"].items() if kind in {"PARAMETER", "BUFFER"}}
    inputs = [kept[name].replace(".", "/") if name in kept else name for name in theirs["given"]]
    calls = ["/".join([*filter(None, theirs["modules"][name].split(".")), name]) for name in theirs["calls"]]
    assert main.names()[: len(inputs) + len(calls)] == inputs + calls
    assert len(main) == len(inputs) + len(calls) + theirs["outputs"]
    assert [main.text(main.shapes, row) for row in range(len(inputs))] == [
        shape_text(theirs["shapes"][name]) for name in theirs["given"]
    ]
    ops = [op.replace("::", ".").removeprefix("higher_order.") for op in nodes(main).values()]
    assert ops[len(inputs) : len(inputs) + len(calls)] == [".".join(target.split(".")[:2]) for target in theirs["calls"].values()]
    assert not any(each.startswith("?") for each in edges(main))
    assert set(edges(main)) >= {"x:0 -> body/0/linear", "body/0/weight:0 -> body/0/linear", "split:0 -> cond", "split:1 -> sum_1"}
    assert main.calls(main.names().index("cond")) == [graph.name for graph in found.graphs[1:]]
    assert [sorted(nodes(graph).values()) for graph in found.graphs[1:]] == [
        ["Input", "Output", "aten::add"],
        ["Input", "Output", "aten::mul"],
    ]
    split = {one.key: one.value for one in found.attributes(main, main.names().index("split"))}
    assert (split["dim"], split["target"], "torch.split" in split["stack_trace"]) == ("1", "torch.ops.aten.split.Tensor", True)
    (unused,) = [one for one in findings(main, neighbours(main)) if one.rule == "unused"]
    assert set(unused.nodes) == {"unused/weight", "unused/bias"}


def test_a_checkpoint_is_no_exported_program(logged: Logged) -> None:
    assert ("exported", "checkpoint.pt2") not in logged.sources


def test_the_schema_of_texts_is_tensorflows(peers_python: str) -> None:
    from stepscope.formats.graph_def.from_text import _SCHEMA

    code = """
import json
from tensorflow.core.framework import graph_pb2, node_def_pb2, attr_value_pb2, tensor_pb2, tensor_shape_pb2
from tensorflow.core.framework import function_pb2, op_def_pb2, versions_pb2
kinds = {"GraphDef": graph_pb2.GraphDef, "Versions": versions_pb2.VersionDef, "NodeDef": node_def_pb2.NodeDef,
 "AttrValue": attr_value_pb2.AttrValue,
 "AttrList": attr_value_pb2.AttrValue.ListValue, "NameAttrs": attr_value_pb2.NameAttrList, "Shape": tensor_shape_pb2.TensorShapeProto,
 "Dim": tensor_shape_pb2.TensorShapeProto.Dim, "Tensor": tensor_pb2.TensorProto, "Library": function_pb2.FunctionDefLibrary,
 "Function": function_pb2.FunctionDef, "OpDef": op_def_pb2.OpDef, "ArgDef": op_def_pb2.OpDef.ArgDef}
print(json.dumps({name: {f.name: f.number for f in kind.DESCRIPTOR.fields} for name, kind in kinds.items()}))
"""
    made = subprocess.run([peers_python, "-c", code], capture_output=True, text=True, check=True)
    real = json.loads(made.stdout.splitlines()[-1])
    for name, known in real.items():
        ours = {field: number for field, (number, _) in _SCHEMA[name].items() if number}
        assert ours == {field: known.get(field) for field in ours}, name


REGISTRY = """
import json
from tensorflow.python.framework import kernels, op_def_registry
found = {}
for name in sorted({each.op for each in kernels.get_all_registered_kernels().kernel}):
    known = op_def_registry.get(name)
    if known is not None:
        types = [each.name for each in known.attr if each.type == "type"]
        first = known.output_arg[0] if known.output_arg else None
        output = None if first is None else first.type_attr or first.type_list_attr or first.type
        found[name] = [known.is_stateful, types, output]
print(json.dumps(found))
"""


def test_effects_and_types_are_those_of_tensorflows_registry(peers_python: str) -> None:
    made = subprocess.run([peers_python, "-c", REGISTRY], capture_output=True, text=True, check=True)
    registry: dict[str, tuple[bool, list[str], str | int | None]] = json.loads(made.stdout.splitlines()[-1])
    assert len(registry) > 1_000
    assert [name for name, (stateful, _, _) in registry.items() if stateful and not has_effects(name)] == []
    attributes = {name: {key: dtype(place + 1) for place, key in enumerate(types[:6])} for name, (_, types, _) in registry.items()}
    graph = graph_of([f"{name}: {name}" for name in registry], attributes)
    wrong: list[str] = []
    for row, (name, (_, types, output)) in enumerate(registry.items()):
        ours = graph.output(graph.dtypes, row, 0)
        if ours and output is not None and (output not in types[:6] or ours != DTYPES[types.index(str(output)) + 1]):
            wrong.append(name)
    assert wrong == []
