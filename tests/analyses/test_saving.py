"""A checkpoint of TensorFlow: the reads of its variables belong to it, and are no eager loop that could be compiled."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyses.timeline import MS, Timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.host.dispatch import dispatch_runs
from stepscope.analyses.host.saving import between_work, saving_stretches
from stepscope.analyses.host.single_calls import single_calls
from stepscope.analyses.rank_spans import RankSpans
from stepscope.analyses.what_if.levers import Lever
from stepscope.analyses.what_if.prediction import plain_range, replay_context
from stepscope.model.profile import Profile, SpanKind

US = 1_000
STEP = 20 * MS
VARIABLES = 40
EACH = 200 * US


def training(*, saves: bool) -> Profile:
    """Steps of 20 ms: a compiled step of 8 ms, then the reads of 40 variables, 0.2 ms each, and the file from 17 to 18 ms."""
    builder = Timeline()
    for step in range(5):
        at = step * STEP
        builder.span("main", at, at + STEP, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("main", at, at + 8 * MS, SpanKind.FRAMEWORK, "EagerLocalExecute: __inference_step_1")
        builder.span("main", at, at + 8 * MS, SpanKind.FRAMEWORK, "EagerKernelExecute")
        builder.span("pool", at, at + 8 * MS, SpanKind.OP, "MatMul:MatMul")
        for number in range(VARIABLES):
            start = at + 9 * MS + number * EACH
            first = "DisableCopyOnRead" if saves else "Mul"
            builder.span("main", start, start + 20 * US, SpanKind.IO if saves else SpanKind.FRAMEWORK, f"EagerLocalExecute: {first}")
            builder.span("main", start + 60 * US, start + 100 * US, SpanKind.FRAMEWORK, "EagerLocalExecute: ReadVariableOp")
            builder.span("main", start + 60 * US, start + 100 * US, SpanKind.FRAMEWORK, "EagerKernelExecute")
            builder.span("main", start + 70 * US, start + 90 * US, SpanKind.OP, "KernelAndDeviceFunc::Run")
        if saves:
            builder.span("main", at + 17 * MS, at + 18 * MS, SpanKind.IO, "EagerLocalExecute: SaveV2")
    return replace(builder.build(), framework="TensorFlow")


def test_a_checkpoint_is_everything_from_its_first_span_to_its_last() -> None:
    profile = training(saves=True)
    start, end = saving_stretches(profile, break_down(profile))
    assert (start % STEP).tolist() == [9 * MS] * 5
    assert (end % STEP).tolist() == [18 * MS] * 5
    without = training(saves=False)
    assert len(saving_stretches(without, break_down(without))[0]) == 0


def test_work_is_what_the_compiled_step_computes() -> None:
    profile = training(saves=True)
    start, end = between_work(profile, break_down(profile))
    assert ((end - start) / MS).tolist() == pytest.approx([12] * 5)


def test_its_calls_are_no_loop() -> None:
    for saves, calls in ((True, 0), (False, VARIABLES)):
        profile = training(saves=saves)
        breakdown = break_down(profile)
        assert single_calls(profile, breakdown, RankSpans(profile, breakdown)).per_step.tolist() == [calls] * 5
        assert int(dispatch_runs(profile, breakdown).per_step[0] > 0) == int(calls > 0)


def test_all_of_it_goes_when_it_is_not_written() -> None:
    context = replay_context([training(saves=True)], cores=2)
    low, high = plain_range(context, [Lever("io")])
    assert low <= 20 - 9 + 0.01, "the nine milliseconds from the first read to the end of the file"
    assert low < high < 20
