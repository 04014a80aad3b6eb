"""Rules ask for spans by kind and by name, and get those of threads and streams alone."""

from __future__ import annotations

import re

from analyses.timeline import MS, Timeline
from stepscope.analyses.summary import summarise
from stepscope.model.profile import Profile, SpanKind
from stepscope.rules.facts import Facts


def recorded() -> Profile:
    line = Timeline()
    line.draw("main   11112222\nmain   o.l.o.l.\ngpu 0  ..KK..KK", o="matmul", K="gemm")
    line.span("worker", 0, MS, SpanKind.OP, "matmul_of_worker")
    line.span("worker", 2 * MS, 3 * MS, SpanKind.PYTHON, "matmul.py")
    return line.build()


def names(profile: Profile, rows: list[int]) -> list[str]:
    return [profile.names[int(profile.spans.name[row])] for row in rows]


def test_rows_of_kinds_come_kind_after_kind_in_the_order_of_the_table() -> None:
    profile = recorded()
    facts = Facts(summarise([profile]))
    rows = facts.of_kind(SpanKind.KERNEL, SpanKind.OP).tolist()
    kernels, operations = rows[:2], rows[2:]
    assert names(profile, kernels) == ["gemm", "gemm"]
    assert sorted(names(profile, operations)) == ["matmul", "matmul", "matmul_of_worker"]
    assert (kernels, operations) == (sorted(kernels), sorted(operations))
    assert facts.of_kind(SpanKind.GC).tolist() == []


def test_names_are_found_in_the_kinds_that_are_asked_for() -> None:
    profile = recorded()
    facts = Facts(summarise([profile]))
    assert sorted(names(profile, facts.find(re.compile("matmul"), SpanKind.OP).tolist())) == ["matmul", "matmul", "matmul_of_worker"]
    assert names(profile, facts.find(re.compile("matmul"), SpanKind.PYTHON).tolist()) == ["matmul.py"]
    assert facts.find(re.compile("gemm"), SpanKind.OP).tolist() == []
    operations = facts.of_kind(SpanKind.OP)
    assert names(profile, facts.named(operations, re.compile("worker")).tolist()) == ["matmul_of_worker"]
    assert facts.named(operations[:0], re.compile("worker")).tolist() == []


def test_why_a_device_is_idle_is_asked_for_once() -> None:
    summary = summarise([recorded()])
    assert Facts(summary).idle is Facts(summary).idle
