"""Graphs are events of their own, and traces ask TensorFlow, which is stood in for here."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import message_fields as mf
from stepscope import summary
from stepscope.summary import graphs
from stepscope.summary.graphs import event_work, graph_work
from stepscope.writer.summary import Moment

NODE = b"\x0a\x03\x0a\x01x"  # a GraphDef with one node "x"


class Graph:
    """What tf.Graph has of it that matters."""

    def as_graph_def(self, *, add_shapes: bool) -> Any:
        assert add_shapes
        return SimpleNamespace(SerializeToString=lambda: NODE)


class Collected:
    """A RunMetadata: named parts, serialized as their names."""

    def __init__(self, **parts: str) -> None:
        self.__dict__.update(parts)

    def SerializeToString(self) -> bytes:  # noqa: N802 (as protobuf calls it)
        return ",".join(sorted(self.__dict__)).encode()


@pytest.fixture
def tensorflow(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A stand-in for what TensorFlow collects; the calls that it gets."""
    asked: list[str] = []
    collector: Any = ModuleType("tensorflow.python.ops.summary_ops_v2")
    collector.trace_on = lambda **options: asked.append(f"on {options['graph']} {options['profiler']}")
    collector.trace_off = lambda: asked.append("off")
    collected = Collected(function_graphs="f", partition_graphs="p", step_stats="s")
    context: Any = ModuleType("tensorflow.python.eager.context")
    context.context = lambda: SimpleNamespace(export_run_metadata=lambda: collected)
    monkeypatch.setitem(graphs.modules, collector.__name__, collector)
    monkeypatch.setitem(graphs.modules, context.__name__, context)
    yield asked
    summary.trace_off()


@pytest.mark.parametrize("given", [NODE, Graph()], ids=["bytes", "a graph"])
def test_a_graph_is_an_event_without_a_tag(given: object) -> None:
    event = graph_work(given, Moment(7, 2.5)).make()
    assert event is not None
    assert mf.data(event, "Event.graph_def") == NODE
    assert (mf.integers(event, "Event.step"), mf.doubles(event, "Event.wall_time")) == ([7], [2.5])
    assert mf.found(event, "Event.summary") == []


def test_an_event_says_how_much_memory_it_holds() -> None:
    work = event_work(Moment(0, 1.0), "graph_def", b"")
    made = work.make()
    assert made is not None
    assert work.held_bytes == len(made)
    assert len(mf.found(made, "Event.graph_def")) == 1, "an empty graph is a graph"


def test_only_what_is_recorded_is_written(tmp_path: Path) -> None:
    assert summary.graph(NODE) is False, "there is no writer"
    with summary.create_file_writer(tmp_path).as_default() as writer:
        with summary.record_if(False):
            assert summary.graph(NODE) is False
        assert summary.graph(NODE) is True
        with pytest.raises(TypeError):
            summary.graph(3)
        writer.close()
    (path,) = tmp_path.glob("*tfevents*")
    assert path.read_bytes().count(NODE) == 1


def test_without_tensorflow_nothing_can_be_traced() -> None:
    with pytest.raises(RuntimeError, match="TensorFlow"):
        summary.trace_on()
    with pytest.raises(ValueError, match="trace_on"):
        summary.trace_export("a")
    summary.trace_off()


@pytest.mark.parametrize(
    ("profiler", "plugin", "content"),
    [
        (False, "graph_run_metadata_graph", b"function_graphs,partition_graphs"),
        (True, "graph_run_metadata", b"function_graphs,partition_graphs,step_stats"),
    ],
)
def test_a_trace_is_what_was_collected(
    tmp_path: Path, read: Any, tensorflow: list[str], profiler: bool, plugin: str, content: bytes
) -> None:
    with summary.create_file_writer(tmp_path).as_default(step=2) as writer:
        summary.trace_on(graph=True, profiler=profiler)
        summary.trace_export("train")
        writer.close()
    series = read(tmp_path)["train"]
    assert (series.plugin, series.steps, content in series.bytes[0]) == (plugin, [2], True)
    assert (b"step_stats" in series.bytes[0]) == profiler
    assert tensorflow == [f"on True {profiler}", "off"]


def test_a_second_trace_is_not_begun(tensorflow: list[str], caplog: pytest.LogCaptureFixture) -> None:
    summary.trace_on()
    with caplog.at_level(logging.WARNING):
        summary.trace_on(profiler=True)
    assert (tensorflow, len(caplog.records)) == (["on True False"], 1)
