"""Reasons that graphs and programs alone show: eager code, tracer level, asynchronous pairs, libraries, CUDA graphs, communication."""

from __future__ import annotations

from dataclasses import replace

import hlo_bytes as hb
from analyses.timeline import MS, Timeline, timeline
from graph_bytes import graph_of
from stepscope._native import read_hlo
from stepscope.analyses.coverage.coverage import trace_coverage
from stepscope.analyses.coverage.programs import called_functions, program_coverage
from stepscope.analyses.coverage.reasons import Reason
from stepscope.analyses.coverage.unattributed import unattributed
from stepscope.analyses.coverage.unmatched import eager_coverage, unrecorded_coverage
from stepscope.analyses.graphs.node_times import NodeTime, node_times
from stepscope.analyses.session.data_quality import missing_ranks
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Profile, SpanKind

ROW = hb.shape(hb.F32, 8)


def timed(name: str, program: str = "") -> NodeTime:
    return NodeTime(name, name, program, 1, 100, 0, 0, False)


def program() -> HloProgram:
    """A collective in two halves, a library call, and a multiplication that runs in a CUDA graph."""
    buffer = hb.computation(
        2, 22, hb.parameter(21, 0, ROW), hb.instruction(22, "multiply", ROW, operands=(21, 21)), name="command_buffer"
    )
    entry = hb.computation(
        1,
        8,
        hb.parameter(1, 0, ROW),
        hb.instruction(3, "all-reduce-start", ROW, operands=(1,)),
        hb.instruction(4, "all-reduce-done", ROW, operands=(3,)),
        hb.instruction(5, "custom-call", ROW, operands=(4,), name="library"),
        hb.instruction(6, "call", ROW, operands=(5,), calls=(2,), name="graph"),
        hb.instruction(8, "add", ROW, operands=(6, 6)),
        name="main",
    )
    return HloProgram(**read_hlo(hb.program(buffer, entry, entry=1)))


def reasons(times: list[NodeTime], *, ran: bool = False) -> dict[str, tuple[Reason | None, str]]:
    found = program_coverage(program(), times, ran=ran)
    return {one.name.rpartition("/")[2]: (one.reason, one.into) for one in found}


def test_halves_libraries_and_cuda_graphs_of_a_program() -> None:
    name = program().name
    found = reasons([timed("all-reduce-done.4", name), timed("graph", name), timed("add.8", name)])
    assert found["all-reduce-start.3"] == (Reason.ASYNCHRONOUS, "all-reduce-done.4")
    assert found["library"][0] is Reason.EXTERNAL
    assert found["multiply.22"] == (Reason.CUDA_GRAPH, "graph")
    assert found["parameter.1"][0] is Reason.NO_WORK
    assert found["add.8"] == (None, "")
    other = reasons([timed("all-reduce-start.3", name)])
    assert other["all-reduce-done.4"] == (Reason.ASYNCHRONOUS, "all-reduce-start.3")
    assert other["add.8"][0] is Reason.COMPILED_PROGRAM


def test_a_program_that_was_called_without_events_says_that_the_tracer_was_set_too_low() -> None:
    assert {reason for reason, _ in reasons([]).values()} == {Reason.OUTSIDE_WINDOW}
    assert {reason for reason, _ in reasons([], ran=True).values()} == {Reason.TRACER_LEVEL}
    called = timeline("main  ffff", f="PjitFunction(step)")
    assert called_functions([called]) == {"step"}


def test_memory_of_a_library_is_its_own() -> None:
    name = program().name
    (one,) = [one for one in program_coverage(program(), [timed("library", name)]) if one.name.endswith("/library")]
    assert (one.reason, one.memory_reason) == (None, Reason.EXTERNAL)


def test_kernels_without_an_operation_are_of_a_cuda_graph_or_a_library_and_collectives_are_communication() -> None:
    profile = timeline("main   1111111111\ngpu 0  KK LL CCC", K="first", L="second", C="ncclDevKernel_AllReduce")
    profile.kernels.graph_node[0] = 7
    found = {one.name: one for one in unattributed([profile, profile])}
    assert {name: one.memory_reason for name, one in found.items()} == {
        "first": Reason.CUDA_GRAPH,
        "second": Reason.EXTERNAL,
        "ncclDevKernel_AllReduce": Reason.COMMUNICATION,
    }
    time = found["first"].time
    assert time is not None
    assert (time.count, time.device_ns, time.host_ns) == (2, 4 * MS, 0)
    assert all(one.has_time and not one.in_graph and one.evidence for one in found.values())


def eager_trace(*, eager: bool) -> Profile:
    drawn = Timeline()
    for place, name in enumerate(("MatMul", "Relu")):
        drawn.span("main", 2 * place * MS, (2 * place + 1) * MS, SpanKind.OP, name, op=drawn.op(name, name, eager=eager))
    return drawn.build()


GRAPH = ["x: Placeholder", "w: Const", "dense/MatMul: MatMul x w", "dense/Relu: Relu dense/MatMul", "rare: Tan dense/Relu"]


def test_nodes_of_code_that_ran_eagerly() -> None:
    profile = eager_trace(eager=True)
    graph = graph_of(GRAPH)
    found = eager_coverage(graph, node_times([profile]))
    assert found is not None
    assert {one.name: one.reason for one in found} == {
        "x": Reason.NO_WORK,
        "w": Reason.NO_WORK,
        "dense/MatMul": Reason.EAGER,
        "dense/Relu": Reason.EAGER,
        "rare": Reason.OUTSIDE_WINDOW,
    }
    compiled = eager_trace(eager=False)
    assert eager_coverage(graph, node_times([compiled])) is None
    assert eager_coverage(graph_of(["a: Cos", "b: Sin a", "c: Tan b"]), node_times([profile])) is None


def test_a_trace_without_operations_says_that_the_tracer_was_set_too_low() -> None:
    graph, bare = graph_of(GRAPH), timeline("main  nnnn")
    found = unrecorded_coverage(graph, [bare])
    assert found is not None
    assert {one.reason for one in found} == {Reason.TRACER_LEVEL}
    assert unrecorded_coverage(graph, [timeline("main  oo")]) is None
    assert unrecorded_coverage(graph, [timeline("main  nn"), timeline("main  ff")]) is None


def test_operations_that_communicate_have_buffers_of_the_library() -> None:
    found = trace_coverage([timed("c10d::allreduce_"), timed("aten::add")])
    assert [one.memory_reason for one in found] == [Reason.COMMUNICATION, Reason.MEMORY_NOT_RECORDED]


def test_ranks_without_a_file_are_named() -> None:
    profile = replace(timeline("main  oo"), rank=1, world_size=3)
    assert missing_ranks([profile]) == (0, 2)
    assert missing_ranks([replace(profile, rank=-1)]) == ()
