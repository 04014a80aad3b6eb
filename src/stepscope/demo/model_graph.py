"""The graph of the demo's network as a GraphDef file beside its logs: layers, weights, and the shapes between them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from stepscope.demo.network import KERNEL, Network
from stepscope.demo.tones import BANDS, FRAMES
from stepscope.writer.graph import GraphNode, graph_def, shapes_attribute, type_attribute

_FLOAT = 1
_ANY = -1
_LINEAR = (("hidden", "tanh", "Tanh"), ("output", "softmax", "Softmax"))


def write_graph(folder: str, network: Network) -> None:
    """Writes `graph.pb`."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "graph.pb"), "wb") as file:
        file.write(graph_def(network_nodes(network)))


def network_nodes(network: Network) -> list[GraphNode]:
    """Every operation of the forward pass with its inputs; the first size of an activation is that of the batch."""
    rows, columns, filters = BANDS - KERNEL + 1, FRAMES - KERNEL + 1, network.filters
    nodes = [
        _node("spectrograms", "Placeholder", (), (_ANY, BANDS, FRAMES)),
        *_parameters(network, "conv"),
        _node("conv/conv2d", "Conv2D", ("spectrograms", "conv/weight"), (_ANY, rows, columns, filters)),
        _node("conv/add", "BiasAdd", ("conv/conv2d", "conv/bias"), (_ANY, rows, columns, filters)),
        _node("conv/max_pool2d", "MaxPool", ("conv/add",), (_ANY, rows // 2, columns // 2, filters)),
        _node("conv/relu", "Relu", ("conv/max_pool2d",), (_ANY, rows // 2, columns // 2, filters)),
        _node("flatten", "Reshape", ("conv/relu",), (_ANY, rows // 2 * (columns // 2) * filters)),
    ]
    above = "flatten"
    for layer, name, op in _LINEAR:
        size = (_ANY, network.parameters[f"{layer}/bias"].size)
        nodes += _parameters(network, layer)
        nodes.append(_node(f"{layer}/matmul", "MatMul", (above, f"{layer}/weight"), size))
        nodes.append(_node(f"{layer}/add", "BiasAdd", (f"{layer}/matmul", f"{layer}/bias"), size))
        nodes.append(_node(f"{layer}/{name}", op, (f"{layer}/add",), size))
        above = f"{layer}/{name}"
    return nodes


def _parameters(network: Network, layer: str) -> list[GraphNode]:
    names = (f"{layer}/weight", f"{layer}/bias")
    return [_node(name, "VariableV2", (), network.parameters[name].shape) for name in names]


def _node(name: str, op: str, inputs: Sequence[str], shape: tuple[int, ...]) -> GraphNode:
    return GraphNode(name, op, inputs, {"dtype": type_attribute(_FLOAT), "_output_shapes": shapes_attribute([shape])})
