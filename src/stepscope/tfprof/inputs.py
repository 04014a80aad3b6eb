"""What a Profiler takes: a graph of TensorFlow, a GraphDef or a RunMetadata, as an object, as bytes or as a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

from stepscope.analyses.statistics.from_graph import graph_costs
from stepscope.formats.all_formats import profile_format
from stepscope.formats.read_graphs import graphs_of
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.model.errors import BadInput
from stepscope.model.node_costs import TRAINABLE, CostNode, Frame


def serialised(given: Any) -> bytes:  # noqa: ANN401 - objects of TensorFlow, whose types are not known here
    """The bytes of a protobuf message, of bytes, or of the file at a path."""
    if isinstance(given, bytes):
        return given
    if isinstance(given, str | os.PathLike):
        path = Path(cast("str | os.PathLike[str]", given))
        try:
            return path.read_bytes()
        except OSError as problem:
            raise BadInput(f"{path} cannot be read: {(problem.strerror or str(problem)).lower()}.", "no_file") from None
    try:
        data: bytes = given.SerializeToString()
    except AttributeError:
        raise BadInput(f"{type(given).__name__} is neither a protobuf message, bytes, nor a path.", "bad_input") from None
    return data


def nodes_of(graph: Any) -> dict[str, CostNode]:  # noqa: ANN401 - as above
    """The nodes of a graph by name. Of a live graph of TensorFlow also FLOPs, trainable variables and the code that made each node."""
    is_live = hasattr(graph, "as_graph_def")
    data = serialised(graph.as_graph_def(add_shapes=True) if is_live else graph)
    found = graphs_of(StoredBytes.of(data, "graph.pb"), "graph.pb")[1]
    main = next(iter(found.graphs), None)
    costs = {} if main is None else graph_costs(main, lambda row: found.attributes(main, row))
    if is_live:
        _add_from_live(costs, graph)
    return costs


def recorded(format_id: str, data: bytes) -> dict[str, CostNode]:
    """The nodes of a file of this format."""
    known = profile_format(format_id)
    return {} if known is None or known.costs is None else known.costs(StoredBytes.of(data, format_id))


def _add_from_live(costs: dict[str, CostNode], graph: Any) -> None:  # noqa: ANN401 - as above
    from importlib import import_module

    ops = import_module("tensorflow.python.framework.ops")  # the graph is TensorFlow's, so it is there
    trainable = {variable.op.name for variable in graph.get_collection("trainable_variables")}
    for operation in graph.get_operations():
        node = costs.get(operation.name)
        if node is None:
            continue
        if node.name in trainable:
            node.types.add(TRAINABLE)
        node.stack = tuple(Frame(frame.filename, frame.lineno, frame.name) for frame in operation.traceback)
        try:
            flops = ops.get_stats_for_node_def(graph, operation.node_def, "flops").value
        except ValueError:  # of a shape that is not known
            flops = None
        node.flops = int(flops or 0)
