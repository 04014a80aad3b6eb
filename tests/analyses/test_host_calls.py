"""Operations of a host without a device (`short_operations`), and calls that run one operation each (`single_calls`)."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, Timeline, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.host.short_operations import ShortOperations, short_operations
from stepscope.analyses.host.single_calls import single_calls
from stepscope.analyses.rank_spans import RankSpans
from stepscope.analyses.time_classes import SHORT_OP_NS
from stepscope.model.profile import SpanKind


def test_operations_are_counted_and_measured() -> None:
    line = Timeline()
    eager, compiled = line.op("mul", "Mul", eager=True), line.op("dot", "MatMul", eager=False)
    for step in range(4):
        at = step * MS
        line.span("main", at, at + MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        for place in range(3):
            begin = at + place * 100_000
            line.span("main", begin, begin + SHORT_OP_NS // 2, SpanKind.OP, "mul", op=eager)
        line.span("main", at + 500_000, at + 500_000 + 2 * SHORT_OP_NS, SpanKind.OP, "dot", op=compiled)
    profile = line.build()
    found = short_operations(profile, break_down(profile))
    assert found == ShortOperations(per_step=4.0, median_ns=SHORT_OP_NS / 2, short=0.75, eager=0.75)


def test_no_operation_is_no_answer() -> None:
    profile = timeline("main   1111222233334444\nmain   pp..pp..pp..pp..")
    assert short_operations(profile, break_down(profile)) is None


@pytest.mark.parametrize("around", [True, False])
def test_calls_of_single_operations_are_counted_once_with_what_is_around_them(around: bool) -> None:
    line = Timeline()
    for step in range(4):
        at = step * 10 * MS
        line.span("main", at, at + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        for place in range(3):
            begin = at + place * 3 * MS
            if around:
                line.span("main", begin, begin + 3 * MS - 1, SpanKind.FRAMEWORK, "prepare")
            line.span("main", begin + MS, begin + 2 * MS, SpanKind.FRAMEWORK, "EagerKernelExecute")
            line.span("main", begin + MS, begin + 2 * MS - 1, SpanKind.FRAMEWORK, "EagerKernelExecute")
    profile = line.build()
    breakdown = break_down(profile)
    found = single_calls(profile, breakdown, RankSpans(profile, breakdown))
    assert found.per_step.tolist() == [3] * len(breakdown.typical)
    assert len(found.calls) == 12
    outer = {profile.names[profile.spans.name[row]] for row in found.outermost}
    assert (outer, len(found.outermost)) == ({"prepare" if around else "EagerKernelExecute"}, 12)
