"""How often gradients are reduced for one update, on drawn trainings with several passes per update."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, Timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.communication.accumulation import reductions_per_update
from stepscope.model.profile import Profile, SpanKind


def training(passes: int, reduced: int, *, updates: bool = True) -> Profile:
    """Steps of 10 ms per pass; gradients are reduced in the last passes of each."""
    line = Timeline()
    length = 10 * passes * MS
    for step in range(4):
        at = step * length
        line.span("main", at, at + length, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        for place in range(passes):
            begin = at + 10 * place * MS
            line.span("main", begin, begin + 4 * MS, SpanKind.OP, "DistributedDataParallel.forward")
            line.span("main", begin + 4 * MS, begin + 6 * MS, SpanKind.OP, "aten::mm")
            if place >= passes - reduced:
                line.span("network", begin + 6 * MS, begin + 8 * MS, SpanKind.COLLECTIVE, "gloo:all_reduce")
                line.span("network", begin + 8 * MS, begin + 9 * MS, SpanKind.COLLECTIVE, "gloo:all_reduce")
        if updates:
            line.span("main", at + length - MS, at + length, SpanKind.ANNOTATION, "Optimizer.step#SGD.step")
    return line.build()


@pytest.mark.parametrize(("passes", "reduced"), [(1, 1), (4, 4), (4, 1), (3, 2)])
def test_passes_that_communicate_are_counted_once_each(passes: int, reduced: int) -> None:
    profile = training(passes, reduced)
    assert reductions_per_update(profile, break_down(profile)) == reduced


def test_without_updates_nobody_knows() -> None:
    profile = training(4, 4, updates=False)
    assert reductions_per_update(profile, break_down(profile)) is None
