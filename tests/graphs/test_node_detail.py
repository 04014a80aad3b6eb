"""Time of a node in each step, and its memory by allocator: as drawn, and as TensorFlow recorded it."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, Timeline
from sample_files import SAMPLES, needs
from stepscope.analyses.graphs.node_detail import NodeDetail, StepTime, node_detail
from stepscope.analyses.graphs.node_times import node_times
from stepscope.analyses.steps import find_steps
from stepscope.formats.open_profile import read_file
from stepscope.model.profile import Profile, SpanKind
from stepscope.session.at_path import profile_at
from stepscope.session.parts.node import NODE, NodeWanted


def detail(profile: Profile, name: str, program: str = "") -> NodeDetail:
    return node_detail([(profile, find_steps(profile))], name, program)


def drawn() -> Profile:
    """Two steps: a launch of 1 ms whose kernel takes 3 and then 5 ms, an operation of the host of 2 ms, and an eager one."""
    line = Timeline()
    launch, host, eager = line.op("net/mul"), line.op("net/add"), line.op("net/mul", eager=True)
    inside = line.op("net/mul", program="jit_f")
    for step in range(2):
        at = step * 20 * MS
        line.span("main", at, at + 20 * MS, SpanKind.MARKER, f"ProfilerStep#{step + 4}", step=step + 4)
        call = line.span("main", at, at + MS, SpanKind.OP, "net/mul", op=launch)
        line.span("gpu 0", at + MS, at + (4 + 2 * step) * MS, SpanKind.KERNEL, "k", cause=call, op=launch)
        line.span("main", at + 7 * MS, at + 9 * MS, SpanKind.OP, "net/add", op=host)
        line.span("main", at + 10 * MS, at + 11 * MS, SpanKind.OP, "net/mul", op=eager)
        line.span("main", at + 12 * MS, at + 13 * MS, SpanKind.OP, "net/mul", op=inside)
    return line.build()


def test_time_by_step_is_that_of_the_device_where_there_is_some() -> None:
    profile = drawn()
    assert detail(profile, "net/mul").steps == [StepTime(4, 3 * MS), StepTime(5, 5 * MS)]
    assert detail(profile, "net/").steps == [StepTime(4, 5 * MS), StepTime(5, 7 * MS)]
    assert detail(profile, "").steps == detail(profile, "net/").steps
    assert detail(profile, "net/mul", "jit_f").steps == [StepTime(4, MS), StepTime(5, MS)]
    assert detail(profile, "ne") == detail(profile, "net") == NodeDetail([], [])


@needs("tf1_run_metadata")
def test_memory_by_allocator_sums_to_that_of_the_node() -> None:
    profile = read_file(str(SAMPLES / "tf1_run_metadata" / "run_metadata_step019.pb"))
    times = {one.name: one for one in node_times([profile])}
    for name, one in times.items():
        found = detail(profile, name)
        assert sum(each.bytes for each in found.allocators) == one.bytes, name
        assert sum(each.ns for each in found.steps) == one.ns, name
    (relu,) = detail(profile, "conv1/Relu").allocators
    assert (relu.bytes, relu.allocations) == (times["conv1/Relu"].bytes, 2)
    assert "cpu" in relu.allocator


@needs("tf1_run_metadata")
def test_the_part_answers_in_microseconds() -> None:
    session = profile_at(str(SAMPLES / "tf1_run_metadata" / "run_metadata_step019.pb"))
    scope, node = (session.answer(NODE, NodeWanted(name=name)) for name in ("conv1/", "conv1/Relu"))
    assert [one.bytes for one in node.allocators] == [5_120_048]
    assert (sum(one.us for one in node.steps), node.total_steps) == (pytest.approx(4_790.3, abs=0.1), 1)
    assert sum(one.bytes for one in scope.allocators) > 5_120_048
