"""Graphs of TensorFlow, and the traces of its functions, which TensorFlow collects and our file receives."""

from __future__ import annotations

import logging
import threading
from functools import partial
from sys import modules
from typing import Any, NamedTuple

from stepscope.summary.encoding import text_work
from stepscope.summary.metadata import PluginMetadata
from stepscope.summary.record import record_event
from stepscope.summary.scopes import tag_of
from stepscope.summary.writers import missing_writer
from stepscope.writer.compiled import compiler, plain
from stepscope.writer.message import Message
from stepscope.writer.ready_messages import serialized
from stepscope.writer.recording import calls, condition_at
from stepscope.writer.summary import Deferred, Moment, moment_of

_VERSION = b"1"
_log = logging.getLogger("stepscope.summary")


class _Trace(NamedTuple):
    graph: bool
    profiler: bool


_trace: _Trace | None = None
_trace_lock = threading.Lock()


@plain
def graph(graph_data: object) -> bool:
    """Logs a graph: a tf.Graph, the graph of a concrete function, a GraphDef or its bytes."""
    if compiler() is not None:
        raise ValueError("Call summary.graph outside of compiled functions.")
    writer = calls.writer
    if writer is None:
        return missing_writer()
    if calls.condition is not None and not condition_at(None):
        return False
    writer.put_event(graph_work(graph_data, moment_of(0, None)))
    return True


def graph_work(graph_data: object, moment: Moment) -> Deferred:
    """The event of a graph, read at the call."""
    as_graph_def: Any = getattr(graph_data, "as_graph_def", None)
    definition = graph_data if as_graph_def is None else as_graph_def(add_shapes=True)
    encoded = serialized(definition, "the graph as a tf.Graph, or its GraphDef")
    return event_work(moment, "graph_def", encoded)


def event_work(moment: Moment, field: str, content: bytes) -> Deferred:
    """An event of one of the kinds that are no summaries."""
    event = Message("Event").double("wall_time", moment.wall_time).integer("step", moment.step)
    encoded = event.data(field, content, always=True).encoded()
    return Deferred(lambda: encoded, len(encoded))


@plain
def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None) -> None:
    """Starts collecting the graphs of the functions that TensorFlow runs, and with `profiler` a profile into profiler_outdir."""
    global _trace
    collector = _collector()
    if compiler() is not None:
        _log.warning("Call trace_on outside of compiled functions; inside one it does nothing.")
        return
    with _trace_lock:
        if _trace is not None:
            _log.warning("A trace is already on; end it with trace_export or trace_off.")
            return
        collector.trace_on(graph=graph, profiler=profiler, profiler_outdir=profiler_outdir)
        _trace = _Trace(graph, profiler)


@plain
def trace_export(name: str, step: object = None, profiler_outdir: str | None = None) -> None:
    """Logs what was collected since trace_on under that name, and stops. profiler_outdir is there for TensorFlow's sake."""
    del profiler_outdir
    if compiler() is not None:
        _log.warning("Call trace_export outside of compiled functions; inside one it does nothing.")
        return
    trace = _trace
    if trace is None:
        raise ValueError("Call trace_on before trace_export.")
    collected = modules["tensorflow.python.eager.context"].context().export_run_metadata()
    plugin = "graph_run_metadata"
    if trace.graph and not trace.profiler:
        plugin = "graph_run_metadata_graph"
        collected = type(collected)(function_graphs=collected.function_graphs, partition_graphs=collected.partition_graphs)
    metadata = PluginMetadata(plugin, _VERSION).encoded()
    record_event(partial(text_work, tag_of(name, f"{plugin}_summary"), metadata), (collected.SerializeToString(),), step)
    trace_off()


@plain
def trace_off() -> None:
    """Stops collecting, and forgets what was collected."""
    global _trace
    with _trace_lock:
        if _trace is None:
            return
        _trace = None
        _collector().trace_off()


def _collector() -> Any:  # noqa: ANN401 (TensorFlow is not imported here)
    """TensorFlow's own module: `tensorflow.summary` itself may have been replaced by this one."""
    found = modules.get("tensorflow.python.ops.summary_ops_v2")
    if found is None:
        raise RuntimeError("Import TensorFlow before trace_on: its runtime collects the trace.")
    return found
