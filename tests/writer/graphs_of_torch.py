"""Logs the same models with torch's writer and with ours, and prints, as JSON, the graphs of both; runs with the peers' Python.

Also: whether ours leaves a model as it was.
"""
# pyright: reportMissingImports=false

import contextlib
import io
import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from google.protobuf.json_format import MessageToDict
from onnx import TensorProto, helper
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef
from torch import nn
from torch.utils.tensorboard import SummaryWriter as TorchWriter

from stepscope.writer import SummaryWriter as OurWriter


class Block(nn.Module):
    """A residual block, with a constant and a module that is used twice."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU())
        self.drop = nn.Dropout(0.5)
        self.register_buffer("scale", torch.tensor([2.0]))

    def forward(self, x: Any) -> Any:
        return self.drop(self.body(self.body(x)) + x) * self.scale


class Net(nn.Module):
    """Nested modules, two inputs, two outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(48, 2)

    def forward(self, x: Any, y: Any) -> Any:
        for block in self.blocks:
            x = block(x)
        output = self.head(x.flatten(1))
        return output, output.sum() + y


class Noisy(nn.Module):
    """Draws random numbers and counts its calls in a buffer."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))
        self.frozen = nn.BatchNorm1d(4)
        self.frozen.eval()

    def forward(self, x: Any) -> Any:
        self.calls += 1
        return self.frozen(x + torch.randn(x.shape) * random.random())


class Unused(nn.Module):
    """Ignores an input and returns a dictionary's worth of shapes."""

    def forward(self, x: Any, unused: Any) -> Any:
        return x.reshape(-1, 2).split(1, dim=1), "text" and x.T


MODELS: dict[str, Any] = {
    "sequential": lambda: (nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1)), torch.zeros(2, 4)),
    "nested": lambda: (Net(), (torch.zeros(1, 3, 4, 4), torch.ones(1))),
    "lstm": lambda: (nn.LSTM(4, 5, 2), torch.zeros(3, 2, 4)),
    "transformer": lambda: (nn.TransformerEncoderLayer(8, 2, 16), torch.zeros(3, 2, 8)),
    "scripted part": lambda: (nn.Sequential(torch.jit.script(nn.Linear(4, 3)), nn.ReLU()), torch.zeros(2, 4)),
    "unused input": lambda: (Unused(), (torch.zeros(2, 4), torch.zeros(1))),
    "identity": lambda: (nn.Identity(), torch.zeros(2)),
    "embedding": lambda: (nn.Embedding(10, 3), torch.tensor([[1, 2], [3, 4]])),
}


def onnx_file(path: Path) -> None:
    """Every kind of attribute, symbolic sizes, and weights."""
    raw = helper.make_tensor("raw", TensorProto.INT64, [2], np.array([2, -1]).tobytes(), raw=True)
    listed = helper.make_tensor("listed", TensorProto.FLOAT, [3], [0.1, -2.5, 1e-20])
    nodes = [
        helper.make_node("Constant", [], ["shape"], value=raw),
        helper.make_node("Constant", [], ["bias"], value=listed),
        helper.make_node("Conv", ["x", "w"], ["hidden"], kernel_shape=[3, 3], pads=[1, 1, 1, 1], auto_pad="NOTSET"),
        helper.make_node("LeakyRelu", ["hidden"], ["soft"], alpha=0.1, name="a name"),
        helper.make_node("Own", ["soft", ""], ["own", "more"], domain="d", floats=[0.5, 0.1], words=["a", "b\n"], flag=0, low=-3),
        helper.make_node("Reshape", ["own", "shape"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, 8, 8])
    y = helper.make_tensor_value_info("y ✓", TensorProto.INT64, None)
    weights = helper.make_tensor("w", TensorProto.FLOAT, [3, 3, 3, 3], np.zeros(81, np.float32))
    path.write_bytes(helper.make_model(helper.make_graph(nodes, "g", [x], [y], [weights])).SerializeToString())
    onnx.load(str(path))


def events(folder: Path) -> Any:
    found: dict[str, Any] = {}
    for path in folder.glob("*tfevents*"):
        for event in LegacyEventFileLoader(str(path)).Load():
            if event.HasField("graph_def"):
                nodes = [MessageToDict(node) for node in GraphDef.FromString(event.graph_def).node]
                found |= {"step": event.step, "nodes": nodes, "versions": MessageToDict(GraphDef.FromString(event.graph_def).versions)}
            if event.HasField("tagged_run_metadata"):
                tagged = event.tagged_run_metadata
                found["metadata"] = [tagged.tag, MessageToDict(RunMetadata.FromString(tagged.run_metadata))]
    accumulator = EventAccumulator(str(folder))
    accumulator.Reload()
    return found | {"loaded": [accumulator.Tags()["graph"], len(accumulator.Graph().node)]}


def both(top: Path, name: str, log: Any) -> Any:
    found: list[Any] = []
    for who, make in (("torch", TorchWriter), ("ours", OurWriter)):
        folder = top / name / who
        with contextlib.redirect_stdout(io.StringIO()), make(str(folder)) as writer:
            log(writer)
        found.append(events(folder))
    return found


def disturbance(top: Path) -> Any:
    """What of a model in training our add_graph has changed."""
    x = torch.zeros(3, 4)
    model: Any = Noisy()
    called: list[int] = []
    model.register_forward_hook(lambda *_: called.append(1))
    before = [torch.get_rng_state(), random.getstate(), model.calls.clone(), model.frozen.running_mean.clone()]
    with OurWriter(str(top / "noisy")) as writer:
        writer.add_graph(model, x)
        unmoved = bool(torch.equal(before[0], torch.get_rng_state())) and before[1] == random.getstate()
        wrong: list[str] = []
        for bad in ((nn.Linear(2, 2), torch.zeros(2, 3)), (nn.Linear(2, 2), None), (object(), x)):
            try:
                writer.add_graph(*bad)
            except (RuntimeError, TypeError) as error:
                wrong.append(str(error))
    return {
        "random": unmoved,
        "buffers": bool(torch.equal(before[2], model.calls)) and bool(torch.equal(before[3], model.frozen.running_mean)),
        "modes": [model.training, model.frozen.training],
        "hooks": len(model._forward_hooks),
        "wrong": wrong,
        "still traceable": len(events(top / "noisy")["nodes"]) > 3,
    }


if __name__ == "__main__":
    top = Path(sys.argv[1])
    onnx_file(top / "model.onnx")
    graphs: dict[str, Any] = {}
    for name, make in MODELS.items():
        torch.manual_seed(0)
        model, inputs = make()
        graphs[name] = both(top, name, lambda writer, model=model, inputs=inputs: writer.add_graph(model, inputs))
    graphs["onnx"] = both(top, "onnx", lambda writer: writer.add_onnx_graph(str(top / "model.onnx")))
    print(json.dumps({"graphs": graphs, "disturbance": disturbance(top)}))
