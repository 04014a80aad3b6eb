"""The graphs that belong to a session: what its run has logged or has as files, and what its profile records of the executed graph."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from stepscope.formats.all_formats import profile_format
from stepscope.formats.format import ProfileFormat
from stepscope.formats.read_graphs import graphs_of, has_graphs, logged_graphs
from stepscope.formats.stored_bytes import StoredBytes
from stepscope.model.errors import StepscopeError
from stepscope.model.executed import ExecutedStep
from stepscope.model.graph import Graph, GraphKind, GraphSet
from stepscope.model.kinds import Kind
from stepscope.model.node_costs import CostNode
from stepscope.model.session import ProfileFile
from stepscope.queries.run_logs import RunLogs


def executed_step(file: ProfileFile) -> ExecutedStep | None:
    """What a profile's file records of the graph that was executed; None when its format records nothing."""
    known = profile_format(file.format)
    return None if known is None or known.executed is None else known.executed(_content(file, known))


def recorded_costs(file: ProfileFile) -> dict[str, CostNode] | None:
    """What nodes cost as a profile's file records it; None when its format does not record nodes. Raises BadInput."""
    known = profile_format(file.format)
    return None if known is None or known.costs is None else known.costs(_content(file, known))


def _content(file: ProfileFile, known: ProfileFormat) -> StoredBytes:
    if file.inside is None:
        return StoredBytes(file.path, 0, file.size)
    content = StoredBytes(file.path, file.inside.offset, file.inside.length)
    if known.logged is None:
        return content
    return StoredBytes.of(known.logged.content(content.read(0, content.length)), file.path)


def client_graph(logs: RunLogs) -> tuple[Graph, GraphSet] | None:
    """The largest graph of operations that the run has, as the user's program made it, and what it was read with; None without one."""
    found = [(graph, each) for each in _sets(logs) for graph in each.graphs if graph.kind is GraphKind.OPS and len(graph)]
    return max(found, key=lambda one: len(one[0]), default=None)


def _sets(logs: RunLogs) -> Iterator[GraphSet]:
    """What can be read; a graph that cannot is no reason to say nothing about the profile."""
    for path, tag, kind, offset, length in logs.graphs():
        with suppress(StepscopeError):
            yield logged_graphs(StoredBytes(path, offset, length), tag, Kind(kind))[1]
    for file in logs.run.others:
        if has_graphs(file.format):
            with suppress(StepscopeError):
                yield graphs_of(StoredBytes(file.path, 0, file.size), file.path.rpartition("/")[2])[1]
