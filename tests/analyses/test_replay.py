"""Replays of drawn profiles: each rule of what waits for what, on pictures whose answer is known by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from analyses.timeline import Timeline
from stepscope._native import ReplayPlan
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.replay import Replay, Scales, has_launches, make_replay, replay_errors
from stepscope.model.profile import FlowKind, Flows, Profile, SpanKind

US = 1_000
LETTER = 100 * US
"""What a letter of the pictures lasts."""
NO_STRETCHES = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


def drawn(picture: str, **names: str) -> Profile:
    return Timeline(LETTER).draw(picture, **names).build()


def replay_of(*profiles: Profile) -> Replay:
    return make_replay(profiles, [break_down(profile) for profile in profiles])


def lengths(
    profiles: Profile | Sequence[Profile],
    factors: dict[TimeClass, float] | None = None,
    *,
    keep: bool = False,
    only_rank: int | None = None,
) -> list[list[int]]:
    """Letters of each step of each rank, with the time of classes scaled."""
    replay = replay_of(*([profiles] if isinstance(profiles, Profile) else profiles))
    scales = replay.unscaled()
    for place, (rank, scale) in enumerate(zip(replay.ranks, scales, strict=True)):
        labels = rank.breakdown.classified.label
        for time_class, factor in (factors or {}).items():
            if only_rank in (None, place):
                scale.scale_host(np.where(rank.host.label == time_class, factor, 1.0))
                scale.calls[labels[rank.calls] == time_class] = factor
                scale.ops[labels[rank.ops] == time_class] = factor
    return [(each / LETTER).round(3).tolist() for each in replay.step_lengths(scales, keep=keep)]


def both(profile: Profile, factors: dict[TimeClass, float]) -> list[int]:
    """The steps of one rank, when both kinds of replay agree."""
    dropped, kept = lengths(profile, factors), lengths(profile, factors, keep=True)
    assert dropped == kept
    return dropped[0]


HOST_BOUND = """
main   1111111122222222
main   iiil....iiil....
gpu 0      KK......KK
"""


def test_the_host_goes_on_as_recorded_between_calls() -> None:
    profile = drawn(HOST_BOUND)
    assert both(profile, {}) == [8, 8]
    assert both(profile, {TimeClass.INPUT: 0}) == [5, 5]
    assert both(profile, {TimeClass.INPUT: 1 / 3}) == [6, 6]


def test_faster_kernels_do_not_help_a_step_that_waits_for_the_host() -> None:
    assert both(drawn(HOST_BOUND), {TimeClass.COMPUTE: 0.5}) == [8, 8]


def test_the_threads_that_control_a_rank_are_one_timeline() -> None:
    profile = drawn("""
        main      1111111122222222
        main      ppppppppppppppp
        backward   oool....oool
        gpu 0         KK......KK
    """)
    # Python around the backward thread's operations owns what they leave over; the kernel then ends last.
    assert both(profile, {TimeClass.OP: 0}) == [5, 5]
    assert both(profile, {TimeClass.PYTHON: 0})[0] == 5


def test_input_on_another_thread_is_not_taken_from_under_an_operation() -> None:
    profile = drawn("""
        main      1111111122222222
        main      ...oool....oool.
        loader    iiiiii..iiiiii
        gpu 0           KK......KK
    """)
    assert both(profile, {TimeClass.INPUT: 0}) == [5, 5]


def test_operations_of_one_stream_follow_one_another() -> None:
    profile = drawn("""
        main   11112222
        main   l.l.l...
        gpu 0   KKKK
        gpu 0       LLLL
        gpu 0           KKKK
    """)
    # The last kernel is of step 2.
    assert both(profile, {}) == [9, 4]
    assert both(profile, {TimeClass.COMPUTE: 0.5}) == [5, 3]


def test_a_delay_that_nothing_explains_is_dropped_or_kept() -> None:
    profile = drawn("""
        main   1111
        main   l.l
        gpu 0   K
        gpu 0        K
    """)
    assert lengths(profile, keep=True) == [[7]]
    assert lengths(profile, keep=False) == [[4]]
    assert replay_errors(replay_of(profile), keep=True) == [0]
    assert replay_errors(replay_of(profile), keep=False) == pytest.approx([4 / 7 - 1])


def two_streams(delay: int) -> Profile:
    """A kernel of stream 7 for a millisecond, and one of stream 8, launched at once, that starts so much after it."""
    builder = Timeline()
    builder.span("main", 0, 500 * US, SpanKind.MARKER, "ProfilerStep#1", step=1)
    first = builder.span("main", 0, 5 * US, SpanKind.RUNTIME, "launch")
    second = builder.span("main", 10 * US, 15 * US, SpanKind.RUNTIME, "launch")
    builder.span("gpu 0/7", 10 * US, 1010 * US, SpanKind.KERNEL, "a", cause=first)
    builder.span("gpu 0/8", 1010 * US + delay, 1110 * US + delay, SpanKind.KERNEL, "b", cause=second)
    return builder.build()


def step_of_two_streams(profile: Profile) -> float:
    """Microseconds of the step when the first kernel takes half the time."""
    replay = replay_of(profile)
    (scale,) = replay.unscaled()
    scale.ops[0] = 0.5
    return float(replay.step_lengths([scale], keep=False)[0][0]) / US


def test_an_end_on_another_stream_just_before_a_late_start_is_its_reason() -> None:
    assert step_of_two_streams(two_streams(25 * US)) == 610
    # Too long after it: the kernel could have started with its launch.
    assert step_of_two_streams(two_streams(26 * US)) == 510


def test_a_kernel_does_not_wait_for_what_was_launched_later() -> None:
    builder = Timeline()
    builder.span("main", 0, 500 * US, SpanKind.MARKER, "ProfilerStep#1", step=1)
    second = builder.span("main", 0, 5 * US, SpanKind.RUNTIME, "launch")
    first = builder.span("main", 10 * US, 15 * US, SpanKind.RUNTIME, "launch")
    builder.span("gpu 0/7", 20 * US, 1010 * US, SpanKind.KERNEL, "a", cause=first)
    builder.span("gpu 0/8", 1010 * US, 1110 * US, SpanKind.KERNEL, "b", cause=second)
    links = replay_of(builder.build()).plan.links(0)
    assert links["op_cross"].tolist() == [-1, -1]


def test_recorded_waits_of_streams_replace_the_guess() -> None:
    profile = two_streams(200 * US)
    rows = [int(row) for row in np.flatnonzero(profile.spans.kind == SpanKind.KERNEL)]
    flows = Flows(np.array(rows[:1], np.int32), np.array(rows[1:], np.int32), np.array([FlowKind.STREAM_WAIT], np.int8))
    assert step_of_two_streams(profile) == 510
    assert step_of_two_streams(replace(profile, flows=flows)) == 610


SYNC = """
main   1111111122222222
main   l.ssssn.l.ssssn.
gpu 0   KKKKK...KKKKK
"""


def test_a_call_that_waits_returns_when_the_device_is_done() -> None:
    profile = drawn(SYNC)
    assert both(profile, {}) == [8, 8]
    assert both(profile, {TimeClass.COMPUTE: 0.4}) == [5, 5]
    assert both(profile, {TimeClass.COMPUTE: 2}) == [13, 13]


def test_a_call_taken_away_does_not_wait() -> None:
    assert both(drawn(SYNC), {TimeClass.SYNC: 0})[0] == 6


def with_calls(length: int) -> Profile:
    """Calls of ten microseconds, and one that lasts longer and returns with the kernel before it."""
    builder = Timeline()
    builder.span("main", 0, 2000 * US, SpanKind.MARKER, "ProfilerStep#1", step=1)
    for place in range(4):
        builder.span("main", place * 20 * US, (place * 20 + 10) * US, SpanKind.RUNTIME, "copy")
    launch = builder.span("main", 100 * US, 110 * US, SpanKind.RUNTIME, "launch")
    builder.span("gpu 0", 110 * US, 1000 * US, SpanKind.KERNEL, "k", cause=launch)
    builder.span("main", 1005 * US - length, 1005 * US, SpanKind.RUNTIME, "copy")
    return builder.build()


def test_a_call_that_lasts_far_longer_than_its_name_usually_does_has_waited() -> None:
    waiting = replay_of(with_calls(31 * US)).plan.links(0)["call_waits_for"]
    assert waiting.tolist() == [-1] * 5 + [0]
    assert replay_of(with_calls(30 * US)).plan.links(0)["call_waits_for"].tolist() == [-1] * 6


def test_a_wait_is_no_wait_when_nothing_ended_before_its_return() -> None:
    profile = drawn("""
        main   11111111
        main   l.ssssss
        gpu 0   KK
    """)
    assert replay_of(profile).plan.links(0)["call_waits_for"].tolist() == [-1, -1]
    assert both(profile, {TimeClass.COMPUTE: 0.5}) == [8]


def test_one_launch_starts_many_operations() -> None:
    builder = Timeline(LETTER).draw("main   11111111\nmain   l")
    launch = next(span for span in builder.spans if span.kind == SpanKind.RUNTIME)
    for start, end in ((1, 4), (4, 7), (7, 12)):
        builder.span("gpu 0", start * LETTER, end * LETTER, SpanKind.KERNEL, "k", cause=launch)
    assert both(builder.build(), {TimeClass.COMPUTE: 0.5}) == [8]
    assert both(builder.build(), {TimeClass.COMPUTE: 1}) == [12]
    assert both(builder.build(), {TimeClass.COMPUTE: 2}) == [23]


def test_work_without_a_launch_follows_its_stream_at_its_distance() -> None:
    profile = drawn("""
        main   11112222
        main   l......s
        gpu 0   KK.L
    """)
    replay = replay_of(profile)
    (scale,) = replay.unscaled()
    scale.ops[0] = 0.5
    start, end, _ = replay.plan.run([(NO_STRETCHES, scale.calls, scale.ops)], False)[0]
    assert (start / LETTER).tolist() == [1, 3]
    assert (end / LETTER).tolist() == [2, 4]


def rank(number: int, input_letters: int, world: int = 2, clock: int = 0) -> Profile:
    """Steps of ten letters: input, a launch, and a collective that ends with the ninth letter."""
    builder = Timeline(rank=number, world_size=world, base_ns=1_000_000 + clock)
    for step in range(3):
        at = step * 10 * LETTER
        builder.span("main", at, at + 10 * LETTER, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("main", at, at + input_letters * LETTER, SpanKind.INPUT, "next")
        launched = at + input_letters * LETTER
        launch = builder.span("main", launched, launched + 10 * US, SpanKind.RUNTIME, "launch")
        builder.span("gpu 0", launched + 10 * US, launched + 20 * US, SpanKind.KERNEL, "k", cause=launch)
        launch = builder.span("main", launched + 10 * US, launched + 20 * US, SpanKind.RUNTIME, "launch")
        collective = ("world", world, step)
        end = at + 9 * LETTER
        builder.span("gpu 0", launched + 20 * US, end, SpanKind.COLLECTIVE, "reduce", cause=launch, collective=collective)
        builder.span("main", launched + 30 * US, end, SpanKind.SYNC, "wait")
    return builder.build()


@pytest.mark.parametrize("clock", [0, 3 * LETTER])
def test_a_collective_ends_when_the_last_rank_has_come(clock: int) -> None:
    ranks = [rank(0, 1), rank(1, 8, clock=clock)]
    assert lengths(ranks) == [[10, 10, 10], [10, 10, 10]]
    # Seven letters less on the slow rank: nobody waits any more. On the quick one it changes nothing.
    assert lengths(ranks, {TimeClass.INPUT: 1 / 8}, only_rank=1) == [[3, 3, 3], [3, 3, 3]]
    assert lengths(ranks, {TimeClass.INPUT: 0}, only_rank=0) == [[10, 10, 10], [10, 10, 10]]


def test_with_a_rank_missing_waiting_stays_as_it_was() -> None:
    assert lengths([rank(1, 8, world=3), rank(0, 1, world=3)], {TimeClass.INPUT: 1 / 8}, only_rank=0)[1] == [10, 10, 10]


def test_kept_delays_give_back_the_recording_whatever_it_looks_like() -> None:
    random = np.random.default_rng(5)
    for _ in range(20):
        builder = Timeline()
        ends = {"gpu 0/7": 0, "gpu 0/8": 0}
        at = 0
        for step in range(4):
            first = at
            for _ in range(30):
                at += int(random.integers(1, 60)) * US
                name = str(random.choice(["launch", "copy", "wait"]))
                kind = SpanKind.SYNC if name == "wait" else SpanKind.RUNTIME
                length = int(random.integers(1, 100)) * US
                call = builder.span(str(random.choice(["main", "backward"])), at, at + length, kind, name)
                if name != "wait":
                    stream = str(random.choice(list(ends)))
                    start = max(at, ends[stream]) + int(random.integers(0, 50)) * US
                    ends[stream] = start + int(random.integers(1, 200)) * US
                    cause = call if random.random() > 0.1 else None
                    builder.span(stream, start, ends[stream], SpanKind.KERNEL, "k", cause=cause)
                at += length
            builder.span("main", first, at, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        assert replay_errors(replay_of(builder.build()), keep=True) == pytest.approx([0], abs=1e-12)


def test_a_profile_without_launches_has_nothing_to_replay() -> None:
    cpu, linked = drawn("main   1111\nmain   oooo"), drawn(HOST_BOUND)
    loose = drawn("main   1111\ngpu 0  KKKK")
    assert [has_launches(each, break_down(each)) for each in (cpu, loose, linked)] == [False, False, True]


def test_columns_that_do_not_fit_are_refused() -> None:
    times, numbers, none = np.array([5, 1], np.int64), np.zeros(2, np.int32), np.zeros(0, np.int64)
    no_calls = (none, none, numbers[:0], np.zeros(0, np.uint8))
    no_ops = (none, none, numbers[:0], numbers[:0], numbers[:0], numbers[:0])
    later, alone = numbers - 1, numbers[:1]
    for ops in (
        (times, times, numbers, later, later, later),
        (times[1:], times[1:], alone, alone, alone - 1, alone - 1),
        (times[1:], times[1:], alone, alone - 1, alone + 1, alone - 1),
        (times[1:] << 62, times[1:] << 62, alone, alone - 1, alone - 1, alone - 1),
    ):
        with pytest.raises(ValueError, match=r"starts|calls|operation|70 years"):
            ReplayPlan([(no_calls, ops, none, 0)])
    plan = ReplayPlan([(no_calls, no_ops, none, 0)])
    with pytest.raises(ValueError, match="apart and in order"):
        plan.run([((times, times, np.ones(2)), np.ones(0), np.ones(0))], True)
    with pytest.raises(ValueError, match="as many as"):
        plan.run([(NO_STRETCHES, np.ones(1), np.ones(0))], True)


def test_scales_are_of_one_rank() -> None:
    scales = replay_of(drawn(HOST_BOUND)).unscaled()
    assert [type(each) for each in scales] == [Scales]
    assert (len(scales[0].ops), len(scales[0].calls)) == (2, 2)
