"""One model of causes: the headline, the table of idle causes, the breakdown and the rules say the same of any profile."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyses.timeline import MS, Timeline, timeline
from rules.any_profile import DEVICE, HOST, NAMES, drawn
from stepscope.analyses.breakdown import break_down, group_sums
from stepscope.analyses.idle_causes import Cause, mean_causes
from stepscope.analyses.session.main_loss import COMPUTE, NOTHING, STREAM_WAIT, losses
from stepscope.analyses.session.summary import summarise
from stepscope.analyses.time_classes import Group, TimeClass
from stepscope.model.profile import SpanKind
from stepscope.rules.judge import judge
from stepscope.rules.rule import Verdict

_HOST_CAUSES = [cause for cause in Cause if cause not in (Cause.INPUT_WAIT, Cause.STREAM_WAIT, Cause.UNTRACED, Cause.STARTUP)]


@given(st.integers(1, 8), HOST, HOST, DEVICE, DEVICE, NAMES)
def test_headline_table_and_breakdown_agree(steps: int, host: str, pool: str, first: str, second: str, names: dict[str, str]) -> None:
    profile = drawn(steps, host, pool, first, second, names)
    summary = summarise([profile])
    breakdown, table = summary.breakdowns[0], mean_causes(profile, summary.breakdowns[0])
    found, step = losses([profile], [breakdown]), breakdown.typical_ns
    assert sum(found.values()) == pytest.approx(1.0 if step else 0.0)
    groups = group_sums(breakdown.typical_parts)
    for group in (Group.COMPUTE, Group.COMMUNICATION, Group.COPY):
        assert found.get(group.key, 0.0) * step == pytest.approx(float(groups[group]), abs=1)
    assert found.get("host", 0.0) * step == pytest.approx(sum(table.per_step_ns(cause) for cause in _HOST_CAUSES), abs=1)
    assert found.get(STREAM_WAIT, 0.0) * step == pytest.approx(table.per_step_ns(Cause.STREAM_WAIT), abs=1)
    loss = summary.main_loss
    if loss.cause not in (COMPUTE, NOTHING):
        assert loss.share == pytest.approx(max(share for key, share in found.items() if key != COMPUTE))
    fired = [each.rule for each in judge(summary).of(Verdict.FIRES)]
    assert loss.cause != STREAM_WAIT or "host_bound" not in fired or found["host"] > 0


def test_work_that_is_held_is_not_the_hosts_fault() -> None:
    line = Timeline()
    for step in range(6):
        at = 20 * MS * step
        line.span("main", at, at + 20 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        soon = line.span("main", at, at + MS // 100, SpanKind.RUNTIME, "cudaLaunchKernel")
        call = line.span("main", at + MS // 100, at + MS // 10, SpanKind.RUNTIME, "cudaLaunchKernel")
        line.span("main", at + MS, at + 19 * MS, SpanKind.OP, "aten::add")
        line.span("gpu 0", at + MS // 100, at + MS // 10, SpanKind.KERNEL, "k", cause=soon)
        line.span("gpu 0", at + 14 * MS, at + 20 * MS, SpanKind.KERNEL, "k", cause=call)
    summary = summarise([line.build()])
    assert summary.main_loss.cause == STREAM_WAIT
    assert summary.main_loss.share == pytest.approx(0.7, abs=0.01)
    assert "host_bound" not in [each.rule for each in judge(summary).of(Verdict.FIRES)]


@pytest.mark.parametrize(("kind", "waiting"), [(SpanKind.SYNC, True), (SpanKind.OP, False)])
def test_a_host_that_waits_for_the_device_does_not_keep_it_waiting(kind: SpanKind, waiting: bool) -> None:
    line = Timeline()
    for step in range(6):
        at = 20 * MS * step
        line.span("main", at, at + 20 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        call = line.span("main", at, at + MS // 100, SpanKind.RUNTIME, "cudaLaunchKernel")
        line.span("main", at + MS, at + 20 * MS, kind, "block_until_ready")
        line.span("gpu 0", at + MS // 100, at + 4 * MS, SpanKind.KERNEL, "k", cause=call)
    loss = summarise([line.build()]).main_loss
    assert (loss.cause, loss.waiting) == ("host", waiting)


def test_one_off_start_up_is_compilation_in_the_breakdown_and_a_cause_of_its_own() -> None:
    line = Timeline()
    line.span("main", 0, 900 * MS, SpanKind.ALLOC, "cudaFree")
    for place in range(12):
        at = (901 + 10 * place) * MS
        call = line.span("main", at, at + MS // 100, SpanKind.RUNTIME, "cudaLaunchKernel")
        line.span("gpu 0", at + MS, at + 10 * MS, SpanKind.KERNEL, "k", cause=call)
    profile = line.build()
    breakdown = break_down(profile)
    table = mean_causes(profile, breakdown)
    assert table.per_step_ns(Cause.STARTUP) == 900 * MS == breakdown.typical_parts[TimeClass.COMPILE]
    assert (table.per_step_ns(Cause.ALLOCATOR), float(breakdown.typical_parts[TimeClass.ALLOC])) == (0, 0)


@pytest.mark.parametrize("length", [1, 5])
def test_calls_that_come_again_and_again_are_no_start_up(length: int) -> None:
    picture = "main      " + "".join(str(step) * 20 for step in range(1, 7))
    calls = "main      " + ("a" * length + "l").ljust(20, ".") * 6
    device = "gpu 0     " + ("." * (length + 1) + "K" * 8).ljust(20, ".") * 6
    profile = timeline("\n".join([picture, calls, device]), unit=20 * MS, a="cudaMalloc")
    assert not len(break_down(profile).classified.startup)
    assert np.isclose(mean_causes(profile, break_down(profile)).per_step_ns(Cause.STARTUP), 0)
