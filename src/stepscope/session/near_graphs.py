"""The graphs that belong to a session: what its run has logged or has as files, and what its profile records of the executed graph."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from stepscope.formats.all_formats import profile_format
from stepscope.formats.read_graphs import graphs_of, has_graphs, logged_graphs
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.model.errors import StepscopeError
from stepscope.model.executed import ExecutedStep
from stepscope.model.graph import Graph, GraphKind, GraphSet
from stepscope.model.kinds import Kind
from stepscope.model.session import ProfileFile
from stepscope.queries.run_logs import RunLogs


def executed_step(file: ProfileFile) -> ExecutedStep | None:
    """What a profile's file records of the graph that was executed; None when its format records nothing."""
    known = profile_format(file.format)
    if known is None or known.executed is None:
        return None
    content = StoredBytes(file.path, 0, file.size)
    if file.inside is not None:
        content = StoredBytes(file.path, file.inside.offset, file.inside.length)
        if known.logged is not None:
            data = known.logged.content(content.read(0, content.length))
            content = StoredBytes.of(data, file.path)
    return known.executed(content)


def client_graph(logs: RunLogs) -> Graph | None:
    """The largest graph of operations that the run has, as the user's program made it; None when it has none."""
    found = [graph for each in _sets(logs) for graph in each.graphs if graph.kind is GraphKind.OPS and len(graph)]
    return max(found, key=len, default=None)


def _sets(logs: RunLogs) -> Iterator[GraphSet]:
    """What can be read; a graph that cannot is no reason to say nothing about the profile."""
    for path, tag, kind, offset, length in logs.graphs():
        with suppress(StepscopeError):
            yield logged_graphs(StoredBytes(path, offset, length), tag, Kind(kind))[1]
    for file in logs.run.others:
        if has_graphs(file.format):
            with suppress(StepscopeError):
                yield graphs_of(StoredBytes(file.path, 0, file.size), file.path.rpartition("/")[2])[1]
