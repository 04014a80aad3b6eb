"""Gaps of a device that follow a pattern, on drawn steps whose gaps can be counted."""

from __future__ import annotations

import numpy as np
import pytest

from analyses.timeline import MS, Timeline, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.gap_patterns import gap_time, gaps_after_waits, gaps_under, host_detours, queued_pauses
from stepscope.analyses.idle_causes import Gaps, IdleCauses, idle_causes
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Profile, SpanKind


def causes(profile: Profile) -> IdleCauses:
    return idle_causes(profile, break_down(profile), 0)


def times(gaps: Gaps, places: np.ndarray) -> list[tuple[float, float]]:
    return list(zip((gaps.start[places] / MS).tolist(), (gaps.end[places] / MS).tolist(), strict=True))


READS_THE_LOSS = timeline("""
    main   111111111122222222223333333333
    main   l.ss...l..l.ss...l..l.ss...l..
    gpu 0   KKK....KK.KKK....KK.KKK....KK.
""")


def test_the_gap_after_a_call_that_waits_is_found() -> None:
    breakdown, gaps = break_down(READS_THE_LOSS), causes(READS_THE_LOSS).gaps
    places = gaps_after_waits(READS_THE_LOSS, breakdown, gaps)
    assert times(gaps, places) == [(4, 8), (14, 18), (24, 28)]
    cost = gap_time(breakdown, gaps, places)
    assert cost.lost_ns == pytest.approx(4 * MS)
    assert cost.per_step_ns.tolist() == [4 * MS] * 3
    assert cost.typical.tolist() == [place for place in places if gaps.step[place] in breakdown.typical]


def test_a_wait_that_ends_the_step_is_meant_to_be_there() -> None:
    profile = timeline("""
        main   111111111122222222223333333333
        main   l......sssl......sssl......sss
        gpu 0   KKKKKK.... KKKKKK.... KKKKKK...
    """)
    assert len(gaps_after_waits(profile, break_down(profile), causes(profile).gaps)) == 0


def test_gaps_that_are_mostly_under_some_spans() -> None:
    gaps, spans = causes(READS_THE_LOSS).gaps, READS_THE_LOSS.spans
    everything = np.flatnonzero(spans.kind == SpanKind.MARKER)
    assert gaps_under(READS_THE_LOSS, gaps, everything).tolist() == list(range(len(gaps)))
    first = everything[:1]
    assert times(gaps, gaps_under(READS_THE_LOSS, gaps, first)) == [
        (start, end) for start, end in times(gaps, np.arange(len(gaps))) if min(end, 10) - start >= (end - start) / 2
    ]
    assert len(gaps_under(READS_THE_LOSS, gaps, everything[:0])) == 0


def pauses(launched: int, gap_ns: int) -> list[tuple[float, float]]:
    """Steps of two kernels with a gap between them; the launch of the second begins `launched` ns before the gap does."""
    line = Timeline()
    for step in range(3):
        at = step * MS
        line.span("main", at, at + MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        first = line.span("main", at, at + 1000, SpanKind.RUNTIME, "launch")
        second = line.span("main", at + 300_000 - launched, at + 300_000 - launched + 500, SpanKind.RUNTIME, "launch")
        line.span("gpu 0/7", at + 5_000, at + 300_000, SpanKind.KERNEL, "k", cause=first)
        line.span("gpu 0/7", at + 300_000 + gap_ns, at + 900_000, SpanKind.KERNEL, "k", cause=second)
    profile = line.build()
    idle = causes(profile)
    return [((end - start) * MS, start % 1) for start, end in times(idle.gaps, queued_pauses(profile, idle, 5_000))]


@pytest.mark.parametrize(
    ("launched", "gap_ns", "found"),
    [(50_000, 4_000, True), (1_000, 4_000, False), (50_000, 40_000, False)],
    ids=["queued", "late", "long"],
)
def test_a_pause_between_queued_kernels_is_short_and_not_the_hosts(launched: int, gap_ns: int, found: bool) -> None:
    assert pauses(launched, gap_ns) == ([(pytest.approx(4_000), pytest.approx(0.3))] * 3 if found else [])


def test_work_that_leaves_the_device_and_comes_back() -> None:
    profile = timeline("""
        main   1111111111112222222222223333333333333
        main   llooooo.l...llooooo.l...llooooo.l....
        gpu 0   DD.....HKKK DD.....HKKK DD.....HKKK.
    """)
    breakdown, gaps = break_down(profile), causes(profile).gaps
    operations = np.flatnonzero(profile.spans.kind == SpanKind.OP)
    found = host_detours(profile, breakdown, gaps, operations)
    assert times(gaps, found.places) == [(3, 8), (15, 20), (27, 32)]
    assert found.between_copies.tolist() == found.places.tolist()
    assert found.operations.tolist() == operations.tolist()
    label = breakdown.classified.label[found.copies]
    assert sorted(label.tolist()) == sorted([TimeClass.D2H] * 3 + [TimeClass.H2D] * 3)
    without = host_detours(profile, breakdown, gaps, operations[:0])
    assert (len(without.between_copies), len(without.places)) == (3, 0)
