"""Times and memory of nodes in a real profile, and compiled programs as graphs."""

from __future__ import annotations

import json

from sample_files import JAX_CAPTURE, SAMPLES, needs
from stepscope.analyses.graphs.node_times import node_times
from stepscope.analyses.graphs.scopes import scope_tree
from stepscope.analyses.programs.program_graph import program_graphs
from stepscope.formats.open_profile import read_file
from stepscope.formats.programs import read_programs
from stepscope.graphs.opened import OpenedGraph
from stepscope.model.graph import GraphKind
from stepscope.model.graph_builder import GraphBuilder

SAMPLE = SAMPLES / "tf1_run_metadata"


@needs("tf1_run_metadata")
def test_nodes_of_a_traced_step_have_their_times() -> None:
    found = {one.name: one for one in node_times([read_file(str(SAMPLE / "run_metadata_step019.pb"))])}
    listed = json.loads((SAMPLE / "coverage.json").read_text())
    assert set(listed["nodes_with_stats"]) <= found.keys()
    assert not {name for name, _ in listed["nodes_without_stats"]} & found.keys()
    assert sum(one.has_memory for one in found.values()) == 24
    relu = found["conv1/Relu"]
    assert (relu.type, relu.count, relu.device_ns, relu.ns == relu.host_ns > 0) == ("_MklNativeFusedConv2D", 1, 0, True)


def test_a_compiled_program_is_a_graph_by_the_names_of_the_framework() -> None:
    programs, _ = read_programs(read_file(str(JAX_CAPTURE)))
    program = max(programs, key=len)
    found = program_graphs(program)
    main = found.graphs[0]
    assert (main.kind, len(main)) == (GraphKind.PROGRAM, len(program.rows_of(program.entry)))
    assert len(main.input) == sum(len(program.operands(row)) for row in program.rows_of(program.entry))
    assert not (main.input < 0).any()
    assert all(found.find(name) is not None for graph in found.graphs for row in range(len(graph)) for name in graph.calls(row))
    assert len(scope_tree(main).path) > 1
    attributes = {one.key for one in found.attributes(main, 0)}
    assert "text" in attributes


def test_a_builder_gives_every_node_a_name_of_its_own() -> None:
    nodes = GraphBuilder().graph("g", GraphKind.OPS)
    names = [nodes.add("a", "Op"), nodes.add("a", "Op", [("a", 0)]), nodes.add("a_1", "Op", [("gone", 3)])]
    graph = nodes.finish()
    assert names == ["a", "a_1", "a_1_1"]
    assert (graph.names(), graph.input.tolist(), graph.port.tolist()) == (names, [0, -1], [0, 3])
    assert OpenedGraph(graph).rows == {"a": 0, "a_1": 1, "a_1_1": 2}
