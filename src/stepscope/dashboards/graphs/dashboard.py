"""The routes of graphs: what has them, what is seen of one, a node, search and upload."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from stepscope.analyses.graphs.card import card, rows_at
from stepscope.analyses.graphs.comparison import compare_graphs
from stepscope.analyses.graphs.search import search
from stepscope.analyses.graphs.tracing import Direction, traced
from stepscope.analyses.graphs.view import Opened, Row, shares, view_of
from stepscope.dashboards.context import RequestContext
from stepscope.dashboards.graphs import messages as m
from stepscope.dashboards.graphs.statistics import NodeStatistics, node_costs, node_statistics
from stepscope.dashboards.job_routes import job_row
from stepscope.dashboards.route import Dashboard, NoFields, Role, Route, Waiting
from stepscope.graphs.opened import OpenedGraph, OpenedGraphs
from stepscope.graphs.reader import UPLOADED
from stepscope.jobs.job import Job
from stepscope.model.declared import fill, fill_all
from stepscope.model.errors import BadInput, NotThere, TooMuch
from stepscope.model.graph import CONTROL, Graph, NodeAttribute
from stepscope.model.identity import RunId
from stepscope.model.kinds import Kind
from stepscope.session.parts.node import NodeCosts

_WAIT = 1.0
"""Seconds that a request waits before it answers how far the reading is."""
_LEASE = 10.0


def sources(context: RequestContext, _: NoFields, __: Mapping[str, str]) -> m.GraphSourcesAnswer:
    """What may have graphs, in all runs."""
    return m.GraphSourcesAnswer(context.reads.library.snapshot.epoch, fill_all(m.GraphSourceRow, context.reads.graphs.listed()))


def graphs(context: RequestContext, request: m.GraphRequest, _: Mapping[str, str]) -> Waiting:
    """Opens a source: which graphs it has, and what is missing."""

    def work(job: Job[OpenedGraphs]) -> OpenedGraphs:
        job.report(0, None, "", "Reading the graph")
        opened = context.reads.graphs.open(request.run, request.source)
        _ = opened.graph("").tree  # made here, so that the first view need not wait for it
        return opened

    job = context.jobs.submit(
        None, f"Open {request.source}", work, owner=context.user.id, lease=_LEASE, listed=False, urgent=True, keep=False
    )

    def answer() -> m.GraphsAnswer:
        return _graphs_answer(context, request.run, job.result()) if job.over else m.GraphsAnswer(job_row(job))

    return Waiting(job, _WAIT, answer)


def _graphs_answer(context: RequestContext, run: str, opened: OpenedGraphs) -> m.GraphsAnswer:
    rows = [_graph_row(graph, opened) for graph in opened.found.graphs]
    record = context.reads.library.snapshot.by_id.get(RunId(run))
    timed = [session for session in record.profiles if session.has_steps] if record is not None and run != UPLOADED else []
    sessions = [m.GraphSession(session.id, session.name) for session in sorted(timed, key=lambda one: -one.time)]
    return m.GraphsAnswer(None, opened.title, rows, fill_all(m.GraphNote, opened.found.notes), sessions)


def _graph_row(graph: Graph, opened: OpenedGraphs) -> m.GraphRow:
    control = int((graph.port == CONTROL).sum())
    scopes = len(opened.graph(graph.name).tree.path) - 1
    missing = int((graph.input < 0).sum())
    return m.GraphRow(graph.name, graph.kind.value, len(graph), len(graph.input) - control, control, scopes, missing)


def view(context: RequestContext, request: m.GraphViewRequest, _: Mapping[str, str]) -> m.GraphViewAnswer:
    """What is seen of a graph when some of its scopes are open."""
    if max(len(each) for each in (request.open, request.series, request.aside, request.main)) > m.MAX_PATHS:
        raise TooMuch(f"At most {m.MAX_PATHS:,} paths can be given; close some scopes.", "too_many_paths")
    opened = context.reads.graphs.open(request.run, request.source).graph(request.graph)
    found = view_of(opened.graph, opened.tree, Opened(*map(frozenset, (request.open, request.series, request.aside, request.main))))
    statistics = node_statistics(context, opened, request.statistics) if request.statistics else None
    reached = _reached(opened, request) if request.trace else None
    rows = [_view_row(opened.graph, row, statistics, reached) for row in found.rows]
    closed = [row for row in rows if not row.open]
    return m.GraphViewAnswer(
        rows=rows,
        edges=fill_all(m.GraphViewEdge, found.edges),
        cut=found.cut,
        reading=bool(request.statistics) and statistics is None,
        most_us=max((row.us for row in closed if row.us is not None), default=None),
        most_bytes=max((row.bytes for row in closed if row.bytes is not None), default=None),
    )


def _reached(opened: OpenedGraph, request: m.GraphViewRequest) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    start = rows_at(opened.tree, opened.rows, request.trace)
    if not len(start):
        raise NotThere("The graph has no node or scope of this name to trace.", "unknown_node")
    return traced(opened.graph, opened.around, start, Direction(request.direction))


def _view_row(
    graph: Graph, row: Row, statistics: NodeStatistics | None, reached: np.ndarray[tuple[int], np.dtype[np.bool_]] | None
) -> m.GraphViewRow:
    us, size, with_time, with_memory = statistics.sums(row.nodes) if statistics is not None else (None, None, None, None)
    is_node = row.node >= 0
    return m.GraphViewRow(
        kind=row.kind.value,
        path=row.path,
        name=row.name,
        parent=None if row.parent < 0 else row.parent,
        open=row.is_open,
        op=graph.text(graph.op, row.node) if is_node else "",
        nodes=len(row.nodes),
        members=row.members or None,
        series=row.series or None,
        structure=row.structure,
        aside=row.aside,
        calls=graph.calls(row.node) if is_node else [],
        shape=graph.text(graph.shapes, row.node) if is_node else "",
        dtype=graph.text(graph.dtypes, row.node) if is_node else "",
        devices=fill_all(m.NodeShare, shares(graph, graph.device, row.nodes)),
        clusters=fill_all(m.NodeShare, shares(graph, graph.cluster, row.nodes)),
        us=us,
        bytes=size,
        with_time=with_time,
        with_memory=with_memory,
        reasons=[] if statistics is None else fill_all(m.NodeShare, statistics.reasons(row.nodes)),
        traced=None if reached is None else int(reached[row.nodes].sum()),
    )


def node(context: RequestContext, request: m.NodeRequest, _: Mapping[str, str]) -> m.NodeAnswer:
    """Everything about one node or scope."""
    source = context.reads.graphs.open(request.run, request.source)
    opened = source.graph(request.graph)
    graph = opened.graph
    row = opened.rows.get(request.path, -1)
    is_scope = row < 0
    nodes = rows_at(opened.tree, opened.rows, request.path) if is_scope else np.array([row], np.int32)
    if not len(nodes):
        raise NotThere("The graph has no node or scope of this name.", "unknown_node")
    statistics = node_statistics(context, opened, request.statistics) if request.statistics else None
    costs = node_costs(context, opened, request.statistics, request.path) if statistics is not None else None
    found = card(graph, opened.around, nodes)
    attributes: tuple[NodeAttribute, ...] = () if is_scope else _attributes(source, graph, row)
    return fill(
        m.NodeAnswer,
        found,
        path=request.path,
        is_scope=is_scope,
        op="" if is_scope else graph.text(graph.op, row),
        device="" if is_scope else graph.text(graph.device, row),
        cluster="" if is_scope else graph.text(graph.cluster, row),
        shape="" if is_scope else graph.text(graph.shapes, row),
        dtype="" if is_scope else graph.text(graph.dtypes, row),
        constant_bytes=int(graph.constant_bytes[nodes].sum()),
        calls=[] if is_scope else graph.calls(row),
        nodes=len(nodes),
        attributes=fill_all(m.NodeAttributeRow, attributes),
        ops=fill_all(m.GraphOpCount, found.ops) if is_scope else [],
        statistics=None if statistics is None or costs is None else _node_time(statistics, nodes, costs),
        missing=None if statistics is None or is_scope else statistics.missing.get(row),
        reading=bool(request.statistics) and (statistics is None or costs is None),
    )


def _attributes(source: OpenedGraphs, graph: Graph, row: int) -> tuple[NodeAttribute, ...]:
    try:
        return source.found.attributes(graph, row)
    except OSError as problem:
        raise NotThere(
            f"The attributes of this node cannot be read: {(problem.strerror or str(problem)).lower()}.", "no_graph"
        ) from None


def _node_time(statistics: NodeStatistics, nodes: np.ndarray[tuple[int], np.dtype[np.int32]], costs: NodeCosts) -> m.NodeSums | None:
    rows = [statistics.rows[row] for row in nodes.tolist() if row in statistics.rows]
    if not rows:
        return None
    us, size, with_time, with_memory = statistics.sums(nodes)
    host, device = sum(row.host_us for row in rows), sum(row.device_us for row in rows)
    return m.NodeSums(
        us=us or 0.0,
        host_us=host,
        device_us=device,
        count=sum(row.count for row in rows),
        bytes=size or 0,
        with_time=with_time,
        with_memory=with_memory,
        steps=costs.steps,
        total_steps=costs.total_steps,
        allocators=costs.allocators,
    )


def matches(context: RequestContext, request: m.GraphSearchRequest, _: Mapping[str, str]) -> m.GraphMatches:
    """Nodes and scopes that contain all words."""
    words = request.words.split()
    if not words:
        raise BadInput("The search is empty; type a word.", "no_words")
    opened = context.reads.graphs.open(request.run, request.source).graph(request.graph)
    found, total = search(opened.graph, opened.tree, words, request.limit)
    return m.GraphMatches(fill_all(m.GraphMatch, found), total)


def graph_findings(context: RequestContext, request: m.GraphFindingsRequest, _: Mapping[str, str]) -> m.GraphFindings:
    """Unused and duplicate operations, constant subgraphs, needless conversions, and work on another device."""
    opened = context.reads.graphs.open(request.run, request.source).graph(request.graph)
    return m.GraphFindings(fill_all(m.GraphFinding, opened.findings))


def compare(context: RequestContext, request: m.GraphCompareRequest, _: Mapping[str, str]) -> m.GraphCompareAnswer:
    """What differs between two graphs."""
    reader = context.reads.graphs
    after = reader.open(request.run, request.source).graph(request.graph)
    before = reader.open(request.against_run, request.against_source).graph(request.against_graph)
    return fill(m.GraphCompareAnswer, compare_graphs(before.graph, after.graph, before.rows, after.rows))


def upload(context: RequestContext, request: m.GraphUploadRequest, _: Mapping[str, str]) -> m.GraphUploadAnswer:
    """Takes a part of a file; with the last one its graphs can be opened as a source of the run `upload`."""
    return m.GraphUploadAnswer(context.reads.graphs.uploads.take(request.upload, request.data, request.last, request.name))


GRAPHS = Dashboard(
    id="graphs",
    label="Graphs",
    kinds=frozenset({Kind.GRAPH}),
    has_own=lambda context: context.reads.graphs.has_any(),
    routes=(
        Route("GET", "/graphs/sources", Role.VIEWER, "Graphs of all runs", sources, NoFields, m.GraphSourcesAnswer),
        Route("GET", "/graphs/graphs", Role.VIEWER, "Graphs of a source", graphs, m.GraphRequest, m.GraphsAnswer),
        Route("POST", "/graphs/view", Role.VIEWER, "What is seen of a graph", view, m.GraphViewRequest, m.GraphViewAnswer),
        Route("GET", "/graphs/node", Role.VIEWER, "A node or scope", node, m.NodeRequest, m.NodeAnswer),
        Route("GET", "/graphs/search", Role.VIEWER, "Search for nodes", matches, m.GraphSearchRequest, m.GraphMatches),
        Route(
            "GET", "/graphs/findings", Role.VIEWER, "What is odd about a graph", graph_findings, m.GraphFindingsRequest, m.GraphFindings
        ),
        Route("GET", "/graphs/compare", Role.VIEWER, "Compare two graphs", compare, m.GraphCompareRequest, m.GraphCompareAnswer),
        Route("POST", "/graphs/upload", Role.VIEWER, "Upload a graph", upload, m.GraphUploadRequest, m.GraphUploadAnswer),
    ),
)
