"""The coverage of a session: by the graph that its run has, by its compiled programs, or by its trace alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from stepscope.analyses.coverage.coverage import Covered, executed_graph, graph_coverage, trace_coverage
from stepscope.analyses.coverage.programs import called_functions, program_coverage
from stepscope.analyses.coverage.unattributed import unattributed
from stepscope.analyses.coverage.unmatched import are_unrecorded, eager_coverage, unrecorded_coverage
from stepscope.analyses.graphs.node_times import NodeTime, node_times, node_windows
from stepscope.model.graph import Graph
from stepscope.session.analysed import AnalysedSession

Source = Literal["graph", "programs", "trace"]
Known = Literal["partitions", "labels", "none"]
LEAST_SHARED = 0.2
"""Of the nodes of a graph, or of the operations of a trace, that the other has to have for the graph to be that of the trace."""


def covered(session: AnalysedSession, worker: str) -> tuple[Source, Known, list[Covered]]:
    """What operations are counted, what is known of the executed graph, and all operations."""
    places = session.places(worker)
    profiles = [session.profiles[place] for place in places]
    times, loose = node_times(profiles), unattributed(profiles)
    graph = session.client_graph()
    step = session.executed_step(places[0]) if graph is not None else None
    if graph is not None and _is_of(graph, times, {} if step is None else step.origins):
        executed = None if step is None else executed_graph(step)
        known: Known = "none" if executed is None else "partitions" if executed.complete else "labels"
        return "graph", known, [*graph_coverage(graph, times, executed, node_windows(profiles[0])), *loose]
    unmatched = None if graph is None else unrecorded_coverage(graph, profiles) or eager_coverage(graph, times)
    if unmatched is not None:
        return "graph", "none", [*unmatched, *trace_coverage(times), *loose]
    programs = {program.name: program for place in places for program in session.programs(place)[0]}
    if programs:
        called, untold = called_functions(profiles), are_unrecorded(profiles)
        found = [
            one
            for program in programs.values()
            for one in program_coverage(program, times, ran=untold or _is_called(program.name, called))
        ]
        outside = [time for time in times if time.program not in programs]
        return "programs", "none", [*found, *trace_coverage(outside), *loose]
    return "trace", "none", [*trace_coverage(times), *loose]


def _is_called(program: str, functions: frozenset[str]) -> bool:
    """Whether a program such as `jit_step(20)` is one of a function that was called."""
    return program.partition("(")[0].removeprefix("jit_") in functions


def _is_of(graph: Graph, times: list[NodeTime], origins: Mapping[str, str]) -> bool:
    """Whether the trace is one of this graph: torch's traced graphs, for example, share no name with a profile."""
    names = set(graph.names())
    shared = sum(one.name in names or origins.get(one.name) in names for one in times if not one.program and not one.eager)
    return shared >= LEAST_SHARED * min(len(names), max(1, len(times)))
