"""What the routes of graphs take and answer."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from stepscope.dashboards.job_routes import JobRow
from stepscope.dashboards.questions import RunText, most
from stepscope.model import declared as d
from stepscope.model.shared_columns import Epoch, RunKey
from stepscope.session.parts.coverage import MissingRow
from stepscope.session.parts.node import NodeAllocator, NodeStep

MAX_PATHS = 5_000
"""Scopes, series or nodes that a request may name."""
_LONGEST = 16_384

SourceText = Annotated[str, Meta(max_length=_LONGEST, description="Source of graphs in the run, as listed.")]
GraphText = Annotated[str, Meta(max_length=_LONGEST, description="Name of a graph of the source; empty: the first one.")]
PathText = Annotated[str, Meta(max_length=_LONGEST, description="Path of a node or scope.")]
Paths = Annotated[list[PathText], most(MAX_PATHS)]
Statistics = Annotated[str, Meta(max_length=64, description="Id of the profile session whose times and memory to show; empty: none.")]
Path = Annotated[str, d.text("Path of the node, scope or series, unique in its graph; that of a scope ends in a slash.")]
Nodes = Annotated[int, d.count("Number of nodes.")]
Us = Annotated[float | None, d.us("Total duration of all executions; null when none was recorded.")]
Bytes = Annotated[int | None, d.size("Memory allocated; null when none was recorded.")]


class GraphSourceRow(Struct, frozen=True):
    """Something of a run that has graphs."""

    run: RunKey
    source: Annotated[str, d.text("Names it in its run; requests take it.")]
    name: Annotated[str, d.text("Tag, file name, or name of the profile session.")]
    kind: Annotated[
        Literal["graph", "run_metadata", "file", "programs"],
        d.text("`graph`: logged graph; `run_metadata`: graphs of a traced step; `file`: file; `programs`: programs of a profile."),
    ]
    step: Annotated[int | None, d.step("Step at which it was logged; null when it has none.")]
    time: Annotated[float, d.wall_time("When it was logged or written.")]
    bytes: Annotated[int, d.size("Size of its content.")]


class GraphSourcesAnswer(Struct, frozen=True):
    """The graphs of all runs."""

    epoch: Epoch
    sources: Annotated[list[GraphSourceRow], d.nested("What may have graphs, by run; nothing is opened for it. At most 10,000.")]


class GraphRequest(Struct, frozen=True):
    """A source."""

    run: RunText
    source: SourceText


class GraphNote(Struct, frozen=True):
    """What is missing or special."""

    level: Annotated[str, d.text("`info`, `warning` or `error`.")]
    code: Annotated[str, d.text("Stable word for it.")]
    text: Annotated[str, d.text("One sentence.")]


class GraphRow(Struct, frozen=True):
    """One graph of a source."""

    name: Annotated[str, d.text("Its name; empty for the one that needs none.")]
    kind: Annotated[
        Literal["ops", "function", "partition", "layers", "program"],
        d.text("What its nodes are: operations, those of a called function or of one device, layers, or compiled instructions."),
    ]
    nodes: Nodes
    edges: Annotated[int, d.count("Number of inputs that carry a tensor.")]
    control_edges: Annotated[int, d.count("Number of control inputs.")]
    scopes: Annotated[int, d.count("Number of name scopes.")]
    missing_inputs: Annotated[int, d.count("Number of inputs that name a node which the graph does not contain.")]


class GraphSession(Struct, frozen=True):
    """A profile session of the same run, whose times can be shown on the graph."""

    id: Annotated[str, d.text("Id of the session.")]
    name: Annotated[str, d.text("Name of the session.")]


class GraphsAnswer(Struct, frozen=True):
    """The graphs of a source, or how far reading is."""

    job: Annotated[JobRow | None, d.nested("The reading, while it goes on: ask again. Null when there is an answer.")] = None
    format: Annotated[str, d.text("Format of the source.")] = ""
    graphs: Annotated[list[GraphRow], d.nested("Its graphs, the main one first.")] = []
    notes: Annotated[list[GraphNote], d.nested("What is missing, and why.")] = []
    sessions: Annotated[list[GraphSession], d.nested("Profile sessions of the run, newest first.")] = []


class GraphViewRequest(GraphRequest, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which graph, and what of it is open."""

    graph: GraphText = ""
    open: Annotated[Paths, d.nested("Paths of open scopes; the top is always open, and one inside a closed scope has no effect.")] = []
    series: Annotated[Paths, d.nested("Paths of series that are shown member by member.")] = []
    aside: Annotated[Paths, d.nested("Paths of rows to take out of the main graph.")] = []
    main: Annotated[Paths, d.nested("Paths of rows to keep in the main graph, whatever they are connected to.")] = []
    statistics: Statistics = ""
    trace: Annotated[PathText, d.text("Node or scope whose inputs or outputs are followed; empty: none.")] = ""
    direction: Annotated[Literal["inputs", "outputs"], d.text("Which way edges are followed.")] = "inputs"


class NodeShare(Struct, frozen=True):
    """How many nodes of a row have a value."""

    name: Annotated[str, d.text("The value, such as a device.")]
    nodes: Nodes


class GraphViewRow(Struct, frozen=True, kw_only=True):
    """One row of a view: a node, a scope, a series of similar ones, or what is too much for its scope."""

    kind: Annotated[Literal["node", "scope", "series", "rest"], d.text("What it is.")]
    path: Path
    name: Annotated[str, d.text("Its name in its scope.")]
    parent: Annotated[int | None, d.number("Place of the row of the scope that it is in; null at the top.", "index")]
    open: Annotated[bool, d.flag("Whether rows of what is in it follow; no edge ends at an open scope.")]
    op: Annotated[str, d.text("Operation of a node; empty otherwise.")]
    nodes: Nodes
    members: Annotated[int | None, d.count("Number of members of a series, or of what is too much; null otherwise.")]
    series: Annotated[str | None, d.text("Path of the open series that it is a member of; null otherwise.")]
    structure: Annotated[str, d.text("Equal for scopes that have the same operations, as often; empty for a node.")]
    aside: Annotated[bool, d.flag("Whether it is best drawn aside: it is connected to a large part of its scope.")]
    calls: Annotated[list[str], d.nested("Names of graphs of the source that a node calls.")]
    shape: Annotated[str, d.text("Shapes of the outputs of a node, separated by `; `; empty when unknown.")]
    dtype: Annotated[str, d.text("Element types of the outputs of a node, separated by `; `; empty when unknown.")]
    devices: Annotated[list[NodeShare], d.nested("Most frequent devices.")]
    clusters: Annotated[list[NodeShare], d.nested("Most frequent XLA clusters.")]
    us: Us
    bytes: Bytes
    with_time: Annotated[int | None, d.count("Nodes that have a time in the session; null without `statistics`.")]
    with_memory: Annotated[int | None, d.count("Nodes that have memory in the session; null without `statistics`.")]
    reasons: Annotated[list[NodeShare], d.nested("Why nodes have no time in the session, and how many; empty without `statistics`.")]
    traced: Annotated[int | None, d.count("Nodes that the trace reaches; null without `trace`.")]


class GraphViewEdge(Struct, frozen=True):
    """All edges from nodes of one row to nodes of another."""

    source: Annotated[int, d.number("Place of the row that they come from.", "index")]
    target: Annotated[int, d.number("Place of the row that they go to.", "index")]
    tensors: Annotated[int, d.count("Number of different tensors.")]
    control: Annotated[int, d.count("Number of control edges.")]
    shapes: Annotated[list[str], d.nested("Types and shapes of tensors, such as `float32 [?,28,28]`, at most three.")]
    more_shapes: Annotated[int, d.count("Number of further shapes.")]


class GraphViewAnswer(Struct, frozen=True, kw_only=True):
    """What is seen of a graph."""

    rows: Annotated[list[GraphViewRow], d.nested("Rows; an open scope comes before what is in it.")]
    edges: Annotated[list[GraphViewEdge], d.nested("Edges between rows that are not open.")]
    cut: Annotated[bool, d.flag("Whether scopes were left closed, because there would be too many rows.")]
    reading: Annotated[bool, d.flag("Whether the session of `statistics` is still being read: ask again.")]
    most_us: Us
    most_bytes: Annotated[int | None, d.size("Largest memory of a closed row; null when none was recorded.")]


class NodeRequest(GraphRequest, frozen=True):
    """A node or scope."""

    path: PathText
    graph: GraphText = ""
    statistics: Statistics = ""


class NodeAttributeRow(Struct, frozen=True):
    """An attribute of a node."""

    key: Annotated[str, d.text("Its name.")]
    value: Annotated[str, d.text("Its value as text, cut to 2,000 letters; type and shape of a large constant.")]
    bytes: Annotated[int, d.size("Size of a value that is too large to be shown; 0 otherwise.")]


class ConnectionRow(Struct, frozen=True):
    """An edge, as seen from the node or scope."""

    node: Annotated[str, d.text("Path of the node at the other end.")]
    op: Annotated[str, d.text("Its operation; empty when it is missing.")]
    port: Annotated[int, d.number("Which output of the source, counted from 0.", "index")]
    control: Annotated[bool, d.flag("Whether it is a control edge, which carries no tensor.")]
    shape: Annotated[str, d.text("Shape of the tensor; empty when unknown.")]
    dtype: Annotated[str, d.text("Element type of the tensor; empty when unknown.")]
    missing: Annotated[bool, d.flag("Whether the graph does not contain the node.")]


class GraphOpCount(Struct, frozen=True):
    """How often an operation occurs."""

    op: Annotated[str, d.text("The operation.")]
    nodes: Nodes


class NodeSums(Struct, frozen=True, kw_only=True):
    """Time and memory in a session."""

    us: Annotated[float, d.us("Total duration on devices, or on the host where nothing ran on a device.")]
    host_us: Annotated[float, d.us("Total duration on the host.")]
    device_us: Annotated[float, d.us("Total duration on devices.")]
    count: Annotated[int, d.count("Number of executions.")]
    bytes: Annotated[int, d.size("Memory allocated; 0 when none was recorded.")]
    with_time: Annotated[int, d.count("Nodes that have a time.")]
    with_memory: Annotated[int, d.count("Nodes that have memory.")]
    steps: Annotated[list[NodeStep], d.nested("Time by step, at most the first 1,000 steps.")]
    total_steps: Annotated[int, d.count("Number of steps in which it ran.")]
    allocators: Annotated[list[NodeAllocator], d.nested("Memory by allocator, most first.")]


class NodeAnswer(Struct, frozen=True, kw_only=True):
    """Everything about a node or a scope."""

    path: Path
    is_scope: Annotated[bool, d.flag("Whether it is a scope.")]
    op: Annotated[str, d.text("Operation of a node; empty for a scope.")]
    device: Annotated[str, d.text("Device of a node; empty when unknown.")]
    cluster: Annotated[str, d.text("XLA cluster of a node; empty for none.")]
    shape: Annotated[str, d.text("Shapes of the outputs, separated by `; `; empty when unknown.")]
    dtype: Annotated[str, d.text("Element types of the outputs, separated by `; `; empty when unknown.")]
    constant_bytes: Annotated[int, d.size("Size of the value of a constant, which is not read; 0 for other nodes.")]
    calls: Annotated[list[str], d.nested("Names of graphs of the source that it calls.")]
    nodes: Nodes
    attributes: Annotated[list[NodeAttributeRow], d.nested("Attributes of a node by name.")]
    inputs: Annotated[list[ConnectionRow], d.nested("Edges that come in, at most 200; those inside a scope are left out.")]
    outputs: Annotated[list[ConnectionRow], d.nested("Edges that go out, at most 200; those inside a scope are left out.")]
    total_inputs: Annotated[int, d.count("Number of edges that come in.")]
    total_outputs: Annotated[int, d.count("Number of edges that go out.")]
    ops: Annotated[list[GraphOpCount], d.nested("Operations in a scope, most frequent first.")]
    statistics: Annotated[NodeSums | None, d.nested("Time and memory in the session; null when it has none, or while it is read.")]
    missing: Annotated[
        MissingRow | None, d.nested("Why a node has no time or memory; null when it has both, and without `statistics`.")
    ]
    reading: Annotated[bool, d.flag("Whether the session of `statistics` is still being read: ask again.")]


class GraphSearchRequest(GraphRequest, frozen=True):
    """What to search for."""

    words: Annotated[
        str,
        Meta(max_length=1_000),
        d.text("Words that name or operation must all contain (case-insensitive); `op:word` looks at operations alone."),
    ]
    graph: GraphText = ""
    limit: Annotated[int, Meta(ge=1, le=10_000), d.count("Most matches to answer.")] = 200


class GraphMatch(Struct, frozen=True):
    """A node or scope that was found."""

    path: Path
    op: Annotated[str, d.text("Operation of a node; empty for a scope.")]
    is_scope: Annotated[bool, d.flag("Whether it is a scope.")]


class GraphMatches(Struct, frozen=True):
    """What was found, scopes first, shortest first."""

    matches: Annotated[list[GraphMatch], d.nested("Matches.")]
    total: Annotated[int, d.count("Number of all matches.")]


class GraphUploadRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a file."""

    data: Annotated[bytes, Meta(max_length=6 << 20, description="The part, in base64.")]
    name: Annotated[str, Meta(max_length=1_000, description="Name of the file.")] = ""
    upload: Annotated[str, Meta(max_length=64, description="Id of the upload that was answered to the first part; empty for that.")] = (
        ""
    )
    last: Annotated[bool, d.flag("Whether the file is complete with this part.")] = True


class GraphUploadAnswer(Struct, frozen=True):
    """Where the file is."""

    upload: Annotated[str, d.text("Id of the upload: with the last part, the source of the run `upload`.")]


class GraphFindingsRequest(GraphRequest, frozen=True):
    """Which graph."""

    graph: GraphText = ""


class GraphFinding(Struct, frozen=True):
    """One rule about the graph."""

    rule: Annotated[str, d.text("Id of the rule.")]
    title: Annotated[str, d.text("What it looks for.")]
    verdict: Annotated[Literal["fires", "quiet", "cannot_tell"], d.text("Whether it found any, none, or cannot tell.")]
    text: Annotated[str, d.text("What that means, or why it cannot tell; empty when there is none.")]
    count: Annotated[int, d.count("Number of nodes found.")]
    nodes: Annotated[list[str], d.nested("Paths of nodes found, at most 200.")]


class GraphFindings(Struct, frozen=True):
    """What is odd about a graph."""

    findings: Annotated[list[GraphFinding], d.nested("All rules, in the order of their importance.")]


class GraphCompareRequest(GraphRequest, frozen=True):
    """Two graphs; `against` is the one before."""

    against_run: RunText
    against_source: SourceText
    graph: GraphText = ""
    against_graph: GraphText = ""


class GraphDifference(Struct, frozen=True):
    """A node that differs."""

    node: Annotated[str, d.text("Path of the node.")]
    change: Annotated[Literal["added", "removed", "changed"], d.text("How it differs.")]
    what: Annotated[list[str], d.nested("What changed: `op`, `inputs`, `device`, `shape`, `dtype`, `attributes`.")]
    before: Annotated[str, d.text("What changed, as it was before; empty for an added node.")]
    after: Annotated[str, d.text("What changed, as it is now; empty for a removed node.")]


class GraphCompareAnswer(Struct, frozen=True):
    """What differs between two graphs; nodes are matched by name."""

    same: Annotated[int, d.count("Nodes that are the same.")]
    added: Annotated[int, d.count("Nodes that only the graph after has.")]
    removed: Annotated[int, d.count("Nodes that only the graph before has.")]
    changed: Annotated[int, d.count("Nodes of both that are not the same.")]
    differences: Annotated[list[GraphDifference], d.nested("The nodes that differ, at most 10,000.")]
