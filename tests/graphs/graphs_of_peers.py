"""Logs graphs with the real TensorFlow, Keras, torch and ONNX, and prints the nodes and edges that they count themselves."""
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false, reportFunctionMemberAccess=false

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np


def tensorflow_1(folder: Path) -> dict[str, Any]:
    """A graph with variables, control edges, gradients and a while loop, by the writer of TensorFlow 1."""
    import tensorflow as tf

    v1 = tf.compat.v1
    graph = tf.Graph()
    with graph.as_default():
        x = v1.placeholder(tf.float32, [None, 8], name="x")
        with v1.name_scope("dense"):
            w = v1.get_variable("w", [8, 4], initializer=v1.zeros_initializer(), use_resource=False)
            y = tf.nn.relu(tf.matmul(x, w), name="y")
        loss = tf.reduce_mean(tf.square(y), name="loss")
        gradient = tf.gradients(loss, [w])[0]
        with tf.control_dependencies([loss]):
            v1.assign(w, w - 0.1 * gradient, name="step")
        v1.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, s * 2.0), [tf.constant(0), tf.constant(1.0)])
        tf.split(y, 2, axis=1, name="halves")
        v1.cast(tf.argmax(y, 1), tf.int32, name="cast")
        v1.summary.FileWriter(str(folder / "tf1"), graph).close()
        definition = graph.as_graph_def()
        tf.io.write_graph(definition, str(folder / "files"), "graph.pbtxt", as_text=True)
        tf.io.write_graph(definition, str(folder / "files"), "graph.pb", as_text=False)
        return counted(graph)


def counted(graph: Any) -> dict[str, Any]:
    """What TensorFlow's own objects say of a graph: edges as `source:port`, shapes and types of outputs."""
    operations = graph.get_operations()
    edges = [f"{each.op.name}:{each.value_index} -> {one.name}" for one in operations for each in one.inputs]
    control = [f"^{each.name} -> {one.name}" for one in operations for each in one.control_inputs]
    outputs = {
        one.name: [
            (
                each.dtype.base_dtype.name,
                None if each.shape.rank is None else [None if size is None else int(size) for size in each.shape],
            )
            for each in one.outputs
        ]
        for one in operations
    }
    return {
        "nodes": {one.name: one.type for one in operations},
        "edges": sorted(edges + control),
        "outputs": outputs,
    }


def tensorflow_2(folder: Path) -> dict[str, Any]:
    """A tf.function that calls another, with a loop and a branch: its graph, and what trace_export logs."""
    import tensorflow as tf

    @tf.function
    def inner(a: Any) -> Any:
        return a * 2.0 + 1.0

    @tf.function
    def outer(x: Any) -> Any:
        total = tf.constant(0.0)
        for _ in tf.range(3):
            total += tf.reduce_sum(inner(x))
        return tf.cond(total > 0, lambda: total, lambda: -total)

    x = tf.constant(np.ones((2, 3), np.float32))
    writer = tf.summary.create_file_writer(str(folder / "tf2"))
    with writer.as_default():
        tf.summary.trace_on(graph=True)
        outer(x)
        tf.summary.trace_export("traced", step=0)
        concrete = outer.get_concrete_function(x)
        tf.summary.graph(concrete.graph.as_graph_def())
    writer.close()
    definition = concrete.graph.as_graph_def()
    functions = {
        one.signature.name: [len(one.signature.input_arg), len(one.node_def), len(one.ret)] for one in definition.library.function
    }
    saved = tf.Module()
    saved.f = outer
    tf.saved_model.save(saved, str(folder / "saved"), signatures=concrete)
    return {**counted(concrete.graph), "functions": functions}


def keras(folder: Path) -> dict[str, Any]:
    """Functional, sequential, nested, shared and subclassed models as JSON, with the connections that Keras lists itself."""
    import keras as k

    layers = k.layers
    given = k.Input((8,), name="given")
    shared = layers.Dense(4, name="shared")
    left, right = shared(given), shared(layers.Dense(8, name="before")(given))
    inside = k.Sequential([k.Input((4,)), layers.Dense(3, name="first"), layers.ReLU(name="second")], name="inside")
    joined = layers.Concatenate(name="joined")([inside(left), right])
    functional = k.Model(given, [layers.Dense(1, name="out")(joined), left], name="whole")
    sequential = k.Sequential(
        [k.Input((8,)), layers.Dense(4, name="one"), layers.Dropout(0.5, name="two"), layers.Dense(1, name="three")]
    )

    class Own(k.Model):
        def call(self, x: Any) -> Any:
            return x

    files = folder / "keras"
    files.mkdir(parents=True)
    for name, model in {"functional_model": functional, "sequential_model": sequential}.items():
        (files / f"{name}.json").write_text(model.to_json())
    (files / "own_model.json").write_text(json.dumps({"module": "own", "class_name": "Own", "config": {"name": "own"}}))
    functional.compile("sgd", "mse")
    callback = k.callbacks.TensorBoard(str(folder / "callback"), write_graph=True)
    functional.fit(np.zeros((4, 8)), [np.zeros((4, 1)), np.zeros((4, 4))], verbose=0, callbacks=[callback])
    return {"functional": _layers(functional), "sequential": len(sequential.layers) + 1}


def _layers(model: Any, prefix: str = "") -> list[str]:
    found: list[str] = []
    for layer in model.layers:
        name = f"{prefix}{layer.name}"
        inside = getattr(layer, "layers", None)
        found.extend([f"{name}/{each.name}" for each in [*layer._layers]] if inside else [name])
    return found


def torch_graphs(folder: Path) -> dict[str, Any]:
    """torch's add_graph and ours of the same model, as TensorBoard's own reader has torch's, and an ONNX file."""
    import torch
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.compat.proto.graph_pb2 import GraphDef
    from torch.utils.tensorboard import SummaryWriter

    from stepscope import SummaryWriter as Ours

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))

        def forward(self, x: Any) -> Any:
            return torch.softmax(self.body(x), dim=-1)

    model, given = Net(), torch.zeros(2, 8)
    for name, writer in {"torch": SummaryWriter, "ours": Ours}.items():
        made = writer(str(folder / name))
        made.add_graph(model, given)
        made.close()
    reader = EventAccumulator(str(folder / "torch"))
    reader.Reload()
    definition: GraphDef = reader.Graph()
    (folder / "onnx").mkdir()
    onnx_counts = onnx_file(folder / "onnx" / "model.onnx")
    return {
        "nodes": {one.name: one.op for one in definition.node},
        "edges": sorted(f"{source}:0 -> {one.name}" for one in definition.node for source in one.input),
        "onnx": onnx_counts,
    }


def exported_program(folder: Path) -> dict[str, Any]:
    """What torch.export saves of a model with modules, buffers, several outputs of one node, a condition and an unused layer."""
    import torch

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
            self.unused = torch.nn.Linear(3, 3)

        def forward(self, x: Any, flag: Any) -> Any:
            left, right = torch.split(torch.softmax(self.body(x), dim=-1), 2, dim=1)
            return torch.cond(flag, lambda v: v + 1, lambda v: v * 2, (left,)), right.sum()

    given = (torch.zeros(4, 8), torch.tensor(True))
    program = torch.export.export(Net().eval(), given, dynamic_shapes=({0: torch.export.Dim("batch")}, None))
    folder.mkdir()
    torch.export.save(program, str(folder / "model.pt2"))
    torch.save({"weights": torch.zeros(3)}, str(folder / "checkpoint.pt2"))
    inputs = [one for one in program.graph.nodes if one.op == "placeholder"]
    calls = [one for one in program.graph.nodes if one.op == "call_function" and "getitem" not in str(one.target)]
    return {
        "inputs": {spec.arg.name: [spec.kind.name, spec.target] for spec in program.graph_signature.input_specs},
        "given": [one.name for one in inputs],
        "calls": {one.name: str(one.target) for one in calls},
        "modules": {one.name: [path for path, _ in one.meta["nn_module_stack"].values()][-1] for one in calls},
        "shapes": {one.name: [int(each) if isinstance(each, int) else None for each in one.meta["val"].shape] for one in inputs},
        "outputs": len(program.graph_signature.output_specs),
    }


def onnx_file(path: Path) -> dict[str, Any]:
    """A model with weights, a branch, and several outputs of one node."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    value = helper.make_tensor_value_info
    weight = numpy_helper.from_array(np.ones((8, 4), np.float32), "weight")
    branch = helper.make_graph(
        [helper.make_node("Identity", ["s0"], ["r"], name="same")], "b", [], [value("r", TensorProto.FLOAT, None)]
    )
    nodes = [
        helper.make_node("MatMul", ["x", "weight"], ["y"], name="/dense/MatMul"),
        helper.make_node("Split", ["y"], ["s0", "s1"], name="/split", axis=1, num_outputs=2),
        helper.make_node("If", ["flag"], ["z"], name="/if", then_branch=branch, else_branch=branch),
        helper.make_node("Add", ["z", "s1"], ["out"]),
    ]
    graph = helper.make_graph(
        nodes, "g", [value("x", TensorProto.FLOAT, ["batch", 8]), value("flag", TensorProto.BOOL, [])],
        [value("out", TensorProto.FLOAT, None)], [weight],
    )  # fmt: skip
    model = helper.make_model(graph)
    onnx.save(model, str(path))
    loaded = onnx.load(str(path)).graph
    names = {each.name for each in (*loaded.input, *loaded.initializer)} | {out for one in loaded.node for out in one.output}
    return {
        "nodes": len(loaded.node) + len(loaded.input) + len(loaded.initializer) + len(loaded.output),
        "edges": sum(1 for one in loaded.node for each in one.input if each in names) + len(loaded.output),
    }


def main() -> None:
    """Writes everything below the folder that is given."""
    folder = Path(sys.argv[1])
    made = {"tf1": tensorflow_1(folder), "tf2": tensorflow_2(folder), "keras": keras(folder), "torch": torch_graphs(folder)}
    made["exported"] = exported_program(folder / "exported")
    print(json.dumps(made))


main()
