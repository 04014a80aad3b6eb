"""The graph of the demo's network has the shapes that the network makes, and every input is there."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from stepscope.demo.model_graph import write_graph
from stepscope.demo.network import Network
from stepscope.demo.tones import NAMES, Tones
from stepscope.formats.read_graphs import graphs_of
from stepscope.formats.stored_bytes import StoredBytes


def test_the_graph_is_that_of_the_network(tmp_path: Path) -> None:
    network = Network(6, len(NAMES), seed=1)
    write_graph(str(tmp_path / "train"), network)
    (graph,) = graphs_of(StoredBytes.of((tmp_path / "train" / "graph.pb").read_bytes()), "graph.pb")[1].graphs
    assert graph.input.min() >= 0, "no input is missing"
    assert set(network.parameters) <= set(graph.names())
    shapes = {name: graph.text(graph.shapes, row) for row, name in enumerate(graph.names())}
    seen = network.forward(Tones(2, seed=1).batch(np.arange(2), np.random.default_rng(2)).spectrograms)
    made = {"flatten": seen.features, "conv/relu": seen.pooled, "hidden/tanh": seen.embedding, "output/add": seen.logits}
    for name, array in made.items():
        assert shapes[name] == f"[?,{','.join(map(str, array.shape[1:]))}]", name
    for name, array in network.parameters.items():
        assert shapes[name] == f"[{','.join(map(str, array.shape))}]", name
