"""Rules ask for spans by kind and by name, and get those of threads and streams alone."""

from __future__ import annotations

import numpy as np

from analyses.timeline import MS, Timeline
from stepscope.analyses.session.summary import summarise
from stepscope.model.profile import Profile, SpanKind
from stepscope.model.span_names import NameRole
from stepscope.rules.facts import Facts


def recorded() -> Profile:
    line = Timeline()
    line.draw("main   11112222\nmain   o.l.o.l.\ngpu 0  ..KK..KK", o="conv2d", K="gemm")
    line.span("worker", 0, MS, SpanKind.OP, "conv2d_fused_adam")
    line.span("worker", 2 * MS, 3 * MS, SpanKind.PYTHON, "conv2d.py")
    return line.build()


def names(profile: Profile, rows: list[int]) -> list[str]:
    return [profile.names[int(profile.spans.name[row])] for row in rows]


def test_rows_of_kinds_come_kind_after_kind_in_the_order_of_the_table() -> None:
    profile = recorded()
    facts = Facts(summarise([profile]))
    rows = facts.of_kind(SpanKind.KERNEL, SpanKind.OP).tolist()
    kernels, operations = rows[:2], rows[2:]
    assert names(profile, kernels) == ["gemm", "gemm"]
    assert sorted(names(profile, operations)) == ["conv2d", "conv2d", "conv2d_fused_adam"]
    assert (kernels, operations) == (sorted(kernels), sorted(operations))
    assert facts.of_kind(SpanKind.GC).tolist() == []


def test_names_are_found_in_the_kinds_that_are_asked_for() -> None:
    profile = recorded()
    facts = Facts(summarise([profile]))
    assert sorted(names(profile, facts.find(NameRole.CONVOLUTION, SpanKind.OP).tolist())) == ["conv2d", "conv2d", "conv2d_fused_adam"]
    assert names(profile, facts.find(NameRole.CONVOLUTION, SpanKind.PYTHON).tolist()) == ["conv2d.py"]
    assert facts.find(NameRole.TRANSPOSE, SpanKind.OP).tolist() == []
    operations = facts.of_kind(SpanKind.OP)
    assert names(profile, facts.rank_spans.named(operations, NameRole.MANY_TENSORS).tolist()) == ["conv2d_fused_adam"]
    assert facts.rank_spans.named(operations[:0], NameRole.MANY_TENSORS).tolist() == []


def test_why_a_device_is_idle_is_asked_for_once() -> None:
    summary = summarise([recorded()])
    assert Facts(summary).idle is Facts(summary).idle


def test_a_pattern_of_few_steps_is_none_of_every_step() -> None:
    line = Timeline()
    for step in range(10):
        line.span("main", step * 100 * MS, (step + 1) * 100 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        line.span("main", step * 100 * MS, step * 100 * MS + 50 * MS, SpanKind.OP, "mm")
    facts = Facts(summarise([line.build()]))
    length = facts.breakdown.steps.length.astype(np.float64)
    assert facts.holds(length * 0.05) == 1.0
    few = length * 0.02
    few[:3] = length[:3] * 0.6
    assert facts.holds(few) == 0.3, "three steps in which a thread was kept waiting have most of it"
    assert facts.holds(length * 0.005) == 0.0
