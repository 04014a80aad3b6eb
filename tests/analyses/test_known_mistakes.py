"""Mistakes of other tools that would be easy to repeat: each with the right answer, known from the drawing.

Those that need a real recording are in test_samples.py: input and communication at 0 %, a slow step that decides the verdict,
occurrences and FLOPs counted twice, matrix units of new devices at 0 %.
"""

from __future__ import annotations

import pytest

from analyses.timeline import MS, Timeline, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.session.summary import summarise
from stepscope.analyses.texts import rank_name
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.operations import operations
from stepscope.model.profile import SpanKind


def test_no_step_is_dropped() -> None:
    # XProf drops the first and last of more than five steps, HTA the last, PyTorch's plugin those at the end with little device work.
    profile = timeline("""
        main   111222333444555666
        main   l  l  l  l  l
        gpu 0   K  K  K  K  K
    """)
    found = break_down(profile)
    assert found.steps.number.tolist() == [1, 2, 3, 4, 5, 6]
    assert len(found.typical) + len(found.slow) == 6


def test_a_step_is_more_than_its_device_work() -> None:
    # XProf's step on a GPU reaches from the first to the last event of the device, so that waiting for input vanishes.
    profile = timeline("""
        main   1111111111222222222233333333334444444444
        main   iiil      iiil      iiil      iiil
        gpu 0      KKKK      KKKK      KKKK      KKKK
    """)
    found = break_down(profile)
    assert found.median_ns == 10 * MS
    assert found.typical_parts[TimeClass.INPUT] == 3 * MS
    assert found.typical_parts[TimeClass.LAUNCH] == 1 * MS


@pytest.mark.parametrize(
    ("letter", "time_class"), [("H", TimeClass.H2D), ("D", TimeClass.D2H), ("P", TimeClass.D2D), ("F", TimeClass.D2D)]
)
def test_copies_are_no_compute(letter: str, time_class: TimeClass) -> None:
    # XProf looks for other names than CUPTI writes, and takes every copy for a kernel.
    found = break_down(timeline(f"main   1111111111\ngpu 0  KKK{letter * 4}"))
    assert (found.parts[0, TimeClass.COMPUTE], found.parts[0, time_class]) == (3 * MS, 4 * MS)


def test_times_are_not_rounded() -> None:
    # HTA rounds nanoseconds to microseconds, inward: a kernel of 900 ns can then last nothing.
    builder = Timeline()
    builder.span("main", 0, 10_001, SpanKind.MARKER, "ProfilerStep#0", step=0)
    for place in range(10):
        builder.span("gpu 0", place * 1000 + 50, place * 1000 + 950, SpanKind.KERNEL, "k")
    found = break_down(builder.build())
    assert found.device_parts[0, 0, TimeClass.COMPUTE] == 9_000
    assert found.device_parts[0, 0].sum() == 10_001


def test_files_that_do_not_tell_their_rank_stay_apart() -> None:
    # HTA takes all of them for rank 0, and keeps one.
    found = summarise([timeline("main   1111\ngpu 0  KK"), timeline("main   111111\ngpu 0  KK")])
    assert [each.typical_ns for each in found.breakdowns] == [4 * MS, 6 * MS]
    assert rank_name(found.profiles[0], 0) == "host"


def test_kernels_at_once_are_counted_once() -> None:
    # PyTorch's plugin sums durations over streams, so that device time can exceed the step.
    profile = timeline("""
        main      11111
        gpu 0/7   KKKK
        gpu 0/8   LLLL
    """)
    found = break_down(profile)
    assert found.parts[0, TimeClass.COMPUTE] == 4 * MS
    assert sum(row.exposed_ns for row in operations(profile, found)) == 4 * MS


def test_compilation_is_shown() -> None:
    # XProf has the column, and nothing ever writes into it.
    found = break_down(timeline("main   11111\nmain   ccc\nmain   fffff\ngpu 0      K"))
    assert (found.parts[0, TimeClass.COMPILE], found.parts[0, TimeClass.FRAMEWORK]) == (3 * MS, 1 * MS)


def test_what_is_not_traced_is_not_called_python() -> None:
    # XProf says of it that it could be Python.
    found = summarise([timeline("main   1111111111\ngpu 0  KK")])
    assert all(value in found.sentence for value in ("10 ms", "80%", "not covered"))
