"""Runs of short calls on drawn profiles: what is a run, what is in it, and what merging the calls would save."""

from __future__ import annotations

import pytest

from analyses.timeline import Timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.host.dispatch import FLOOR_NS, LEAST_CALLS, REPEATED, dispatch_runs
from stepscope.analyses.what_if.levers import Lever
from stepscope.analyses.what_if.prediction import plain_range, replay_context
from stepscope.model.profile import Profile, SpanKind

US = 1_000
STEP = 1_000 * US


def loop(calls: int, call_us: int, apart_us: int, kind: SpanKind = SpanKind.FRAMEWORK, inner: bool = False, names: int = 1) -> Profile:
    """Four steps of a millisecond: 200 µs of compute, then so many calls of functions with so many names in turn."""
    builder = Timeline()
    for step in range(4):
        at = step * STEP
        builder.span("main", at, at + STEP, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("main", at, at + 200 * US, SpanKind.OP, "matmul")
        for number in range(calls):
            start = at + 300 * US + number * (call_us + apart_us) * US
            builder.span("main", start, start + call_us * US, kind, f"call {number % names}")
            if inner:
                builder.span("main", start + US, start + 2 * US, SpanKind.OP, "inside")
    return builder.build()


def test_calls_close_together_are_a_run() -> None:
    profile = loop(calls=30, call_us=10, apart_us=5)
    found = dispatch_runs(profile, break_down(profile))
    assert found.per_step.tolist() == [30] * 4
    start, end = found.runs
    assert start.tolist() == [300 * US + step * STEP for step in range(4)]
    assert (end - start).tolist() == [(30 * 10 + 29 * 5) * US] * 4


def test_what_is_inside_a_call_is_no_call() -> None:
    profile = loop(calls=30, call_us=10, apart_us=5, inner=True)
    assert dispatch_runs(profile, break_down(profile)).per_step.tolist() == [30] * 4


def test_few_calls_are_no_run() -> None:
    profile = loop(calls=LEAST_CALLS - 1, call_us=10, apart_us=5)
    assert dispatch_runs(profile, break_down(profile)).per_step.tolist() == [0] * 4


def test_long_calls_are_no_run() -> None:
    profile = loop(calls=LEAST_CALLS, call_us=110, apart_us=5)
    assert len(dispatch_runs(profile, break_down(profile)).calls) == 0


@pytest.mark.parametrize(("inner_us", "found"), [(0, 0), (5, 25), (150, 0)], ids=["holds nothing", "holds a call", "computes"])
def test_longer_calls_that_hold_others_and_hardly_compute_are_handed_out_too(inner_us: int, found: int) -> None:
    builder = Timeline()
    for step in range(4):
        at = 10 * step * STEP
        builder.span("main", at, at + 10 * STEP, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        for number in range(25):
            start = at + number * 210 * US
            builder.span("main", start, start + 200 * US, SpanKind.FRAMEWORK, "PjitFunction(matmul)")
            if inner_us:
                builder.span("main", start + 10 * US, start + (10 + inner_us) * US, SpanKind.OP, "dot")
    profile = builder.build()
    assert dispatch_runs(profile, break_down(profile)).per_step.tolist() == [found] * 4


def test_merging_saves_the_calls_and_perhaps_what_lies_between_them() -> None:
    context = replay_context([loop(calls=30, call_us=10, apart_us=5)])
    low, high = plain_range(context, [Lever("launches")])
    assert FLOOR_NS == 0.5 * US
    calls, pauses = 30 * (10 - 0.5), 30 * 0.5 + 29 * 5
    assert high * 1000 == pytest.approx(1000 - calls - pauses / 2), (
        "each call leaves its floor, and half of what lies between them stays"
    )
    assert low * 1000 == pytest.approx(1000 - 30 * 10 - 29 * 5), "a loop that becomes one operation leaves nothing"


def test_a_framework_call_outside_runs_may_be_waiting_and_stays() -> None:
    builder = Timeline()
    for step in range(4):
        at = step * STEP
        builder.span("main", at, at + STEP, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("main", at, at + 900 * US, SpanKind.FRAMEWORK, "run")
        builder.span("pool", at + 100 * US, at + 300 * US, SpanKind.OP, "matmul")
    assert plain_range(replay_context([builder.build()]), [Lever("launches")]) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("names", "low_us"),
    [(32 // (REPEATED - 1) + 1, 1000 - 2 * 32 * 2), (32 // REPEATED, 1000 - 32 * 2 - 31 * 10), (1, 1000 - 32 * 2 - 31 * 10)],
    ids=["layers", "samples one by one", "one name"],
)
def test_all_pauses_between_calls_of_a_loop_may_go(names: int, low_us: int) -> None:
    """Of other runs no more than the calls themselves take: what lies between them may be work of its own."""
    profile = loop(calls=32, call_us=2, apart_us=10, names=names)
    low, _ = plain_range(replay_context([profile]), [Lever("launches")])
    assert low == pytest.approx(low_us / 1000)
