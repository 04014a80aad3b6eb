"""Kernels that behave like communication without being known as such: named, with the reason, and nothing else is."""

from __future__ import annotations

from analyses.timeline import MS, Timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.communication.suspects import BESIDE_COLLECTIVES, END_TOGETHER
from stepscope.analyses.communication.tables import communication
from stepscope.model.profile import Profile, SpanKind

STEPS = 4


def rank(number: int, begins: int) -> Profile:
    """Steps of 100 ms: compute on stream 7; a known collective, and from `begins` to 90 ms the user's own, on stream 8."""
    builder = Timeline(rank=number, world_size=2, base_ns=1_000_000_000_000)
    for step in range(STEPS):
        at = step * 100 * MS
        builder.span("main", at, at + 100 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("gpu 0/7", at, at + begins * MS, SpanKind.KERNEL, "gemm")
        builder.span("gpu 0/8", at, at + 20 * MS, SpanKind.COLLECTIVE, "allreduce", collective=("world", 2, step))
        builder.span("gpu 0/9", at + begins * MS, at + 90 * MS, SpanKind.KERNEL, "my_exchange")
    return builder.build()


def named(*profiles: Profile) -> dict[str, str]:
    found = communication(profiles, [break_down(profile) for profile in profiles])
    return {one.name: one.why for one in found.suspects}


def test_a_kernel_that_ends_on_all_ranks_at_once() -> None:
    assert named(rank(0, 30), rank(1, 60)) == {"my_exchange": END_TOGETHER}


def test_kernels_that_also_begin_at_once_are_only_alike() -> None:
    assert named(rank(0, 30), rank(1, 30)) == {}


def test_one_rank_tells_nothing_of_ends() -> None:
    assert named(rank(0, 30)) == {}


def on_one_stream(own: int) -> Profile:
    builder = Timeline()
    for step in range(STEPS):
        at = step * 100 * MS
        builder.span("main", at, at + 100 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("gpu 0/7", at, at + 50 * MS, SpanKind.KERNEL, "gemm")
        builder.span("gpu 0/8", at, at + 40 * MS, SpanKind.COLLECTIVE, "allreduce")
        builder.span("gpu 0/8", at + 40 * MS, at + (40 + own) * MS, SpanKind.KERNEL, "copy_to_buffer")
    return builder.build()


def test_a_kernel_on_a_stream_that_communicates() -> None:
    assert named(on_one_stream(5)) == {"copy_to_buffer": BESIDE_COLLECTIVES}


def test_a_stream_that_mostly_computes_makes_nothing_suspect() -> None:
    assert named(on_one_stream(30)) == {}


def test_what_is_suspect_is_counted_as_compute_all_the_same() -> None:
    profiles = (rank(0, 30), rank(1, 60))
    found = communication(profiles, [break_down(profile) for profile in profiles])
    assert [row.kind for row in found.rows] == ["allreduce"]
    assert (found.suspects[0].count, found.suspects[0].total_ns) == (2 * STEPS, STEPS * (60 + 30) * MS)
