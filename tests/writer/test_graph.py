"""Graphs: torch models and ONNX files beside torch's own writer, and files that are no models."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepscope.writer import SummaryWriter
from stepscope.writer.onnx_graph import onnx_nodes

HERE = Path(__file__).parent
MODELS = ["sequential", "nested", "lstm", "transformer", "scripted part", "unused input", "identity", "embedding", "onnx"]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """The graphs that torch and that we have written, and what became of a model."""
    return run_in_peers(HERE / "graphs_of_torch.py", tmp_path_factory.mktemp("graphs"), tensorflow=False)


@pytest.mark.peers
@pytest.mark.parametrize("model", MODELS)
def test_the_graph_is_the_one_that_torch_writes(found: Any, model: str) -> None:
    theirs, ours = found["graphs"][model]
    assert [node["name"] for node in ours["nodes"]] == [node["name"] for node in theirs["nodes"]]
    for our_node, their_node in zip(ours["nodes"], theirs["nodes"], strict=True):
        assert our_node == their_node
    assert ours == theirs
    assert ours["loaded"][0]


@pytest.mark.peers
def test_every_model_was_compared(found: Any) -> None:
    assert list(found["graphs"]) == MODELS
    assert sum(len(ours["nodes"]) for _, ours in found["graphs"].values()) > 100


@pytest.mark.peers
def test_the_model_stays_as_it_is(found: Any) -> None:
    kept = found["disturbance"]
    assert kept["random"]
    assert kept["buffers"]
    assert kept["modes"] == [True, False]
    assert kept["hooks"] == 1
    assert kept["still traceable"]


@pytest.mark.peers
def test_what_cannot_be_traced_is_said_in_one_sentence(found: Any) -> None:
    shape, no_input, no_model = found["disturbance"]["wrong"]
    assert "cannot trace Linear" in shape
    assert "input_to_model" in no_input
    assert "torch module" in no_model
    assert not any("\n" in message for message in (shape, no_input, no_model))


def length(number: int, content: bytes) -> bytes:
    assert len(content) < 128
    return bytes([number << 3 | 2, len(content)]) + content


def model_of(nodes: bytes) -> bytes:
    return length(7, nodes)


def test_a_node_without_outputs_is_named_by_its_kind(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(model_of(length(1, length(4, b"Sink") + length(1, b"x"))))
    (node,) = onnx_nodes(tmp_path / "m")
    assert (node.name, node.op, list(node.inputs)) == ("Sink", "Sink", ["x"])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x80",
        b"no model at all",
        length(7, b"\x0a\x7f"),
        model_of(length(1, b"\x0b")),
        b"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    ],
)
def test_what_is_no_model_raises_at_the_call_and_writes_nothing(tmp_path: Path, log: Path, data: bytes, read_files: Any) -> None:
    (tmp_path / "m").write_bytes(data)
    with SummaryWriter(log) as writer, pytest.raises(ValueError, match="Give an ONNX model"):
        writer.add_onnx_graph(tmp_path / "m")
    (written,) = read_files(log)
    assert written.path.stat().st_size < 200


@pytest.mark.slow
def test_damage_anywhere_is_no_more_than_a_value_error(tmp_path: Path) -> None:
    attribute = length(5, length(1, b"value") + length(5, length(9, b"12345678") + b"\x08\x02") + b"\xa0\x01\x04")
    whole = model_of(length(1, length(1, b"x") + length(2, b"y") + length(4, b"Constant") + attribute))
    draw = random.Random(1)
    for _ in range(2000):
        damaged = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        (tmp_path / "m").write_bytes(damaged)
        with contextlib.suppress(ValueError):
            onnx_nodes(tmp_path / "m")
