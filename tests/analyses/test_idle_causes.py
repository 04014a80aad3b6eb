"""Every nanosecond of a device's gaps has its cause, as the breakdown divides time; drawings with known answers, and the ranking."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyses.timeline import MS, Timeline, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.host.stack import stack_of
from stepscope.analyses.idle_causes import Cause, CauseTable, idle_causes, mean_causes
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Profile, SpanKind


def table(profile: Profile) -> CauseTable:
    return mean_causes(profile, break_down(profile))


def causes(profile: Profile) -> list[tuple[str, str, float]]:
    """Cause, name and milliseconds of a typical step, most first."""
    return [(one.cause.key, one.name, one.per_step_ns / MS) for one in table(profile).causes]


def check_against_the_breakdown(profile: Profile) -> None:
    """By class, causes are what the breakdown has of it; in sum they are what is not the device's own work."""
    breakdown = break_down(profile)
    found = mean_causes(profile, breakdown)
    for part in TimeClass:
        mine = sum(one.per_step_ns for one in found.causes if one.part == part)
        assert mine == pytest.approx(breakdown.typical_parts[part] if part > TimeClass.D2D else 0.0)
    assert found.idle_ns == pytest.approx(breakdown.typical_parts[TimeClass.COMPILE :].sum())
    assert sum(one.per_step_ns for one in found.causes) == pytest.approx(found.idle_ns)


def test_a_gap_is_divided_by_what_covers_it() -> None:
    profile = timeline(
        """
        main    11111111111111
        main    iiiioo.ppl
        gpu 0             KKKK
        """,
        i="next",
        o="aten::index",
        p="shuffle",
    )
    assert causes(profile) == [
        ("input_wait", "next", 4.0),
        ("host_op", "aten::index", 2.0),
        ("python", "shuffle", 2.0),
        ("host_op", "l", 1.0),
        ("untraced", "", 1.0),
    ]
    check_against_the_breakdown(profile)


def test_untraced_time_is_blamed_on_nothing() -> None:
    profile = timeline("""
        main    11111111111
        main    .......ol
        gpu 0            KK
    """)
    assert table(profile).per_step_ns(Cause.UNTRACED) == 7 * MS
    check_against_the_breakdown(profile)


def test_what_runs_inside_another_call_has_its_own_time_only() -> None:
    profile = timeline(
        """
        main    1111111111
        main    ffffffffl
        main     cc  ooo
        gpu 0            K
        """,
        f="fit",
        c="jit",
        o="aten::mm",
    )
    assert causes(profile) == [
        ("host_op", "aten::mm", 3.0),
        ("host_op", "fit", 3.0),
        ("compile", "jit", 2.0),
        ("host_op", "l", 1.0),
    ]
    check_against_the_breakdown(profile)


def test_launch_after_launch() -> None:
    profile = timeline("""
        main    1111111111111111
        main    .olll.olll.olll.
        gpu 0      K    K    K
        gpu 0       L    L    L
    """)
    assert table(profile).per_step_ns(Cause.LAUNCH_BOUND) > 0
    check_against_the_breakdown(profile)


def test_what_comes_after_a_wait_has_its_own_time_and_says_so() -> None:
    profile = timeline(
        """
        main    1111111111111111
        main    l.ssss..oool....
        gpu 0    KKKKK      KKKK
        """,
        s="cudaStreamSynchronize",
        o="aten::add",
    )
    found = {one.name: one for one in table(profile).causes}
    assert (found["aten::add"].cause, found["aten::add"].per_step_ns, found["aten::add"].after_wait_ns) == (
        Cause.HOST_OP,
        3 * MS,
        3 * MS,
    )
    assert (found["l"].per_step_ns, found["l"].after_wait_ns) == (2 * MS, 1 * MS)
    assert table(profile).per_step_ns(Cause.SYNC) == 0
    gaps = idle_causes(profile, break_down(profile)).gaps
    assert [profile.names[profile.spans.name[row]] for row in gaps.waited if row != NONE] == ["cudaStreamSynchronize"]
    check_against_the_breakdown(profile)


def test_a_launch_that_returns_late_is_a_launch_and_no_wait() -> None:
    drawn = Timeline()
    for step in range(6):
        at = step * 40 * MS
        drawn.span("main", at, at + 40 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        for place, length in enumerate((1, 1, 15, 1)):
            start = at + (2 * place + (14 if place == 3 else 0)) * MS
            call = drawn.span("main", start, start + length * MS, SpanKind.RUNTIME, "hipExtModuleLaunchKernel")
            drawn.span("gpu 0", start + MS // 2, start + MS, SpanKind.KERNEL, "K", cause=call)
    profile = drawn.build()
    found = table(profile)
    assert found.per_step_ns(Cause.SYNC) == 0
    assert [(one.cause, one.name) for one in found.causes if one.per_step_ns > 10 * MS] == [
        (Cause.UNTRACED, ""),
        (Cause.SLOW_LAUNCH, "hipExtModuleLaunchKernel"),
    ]
    assert (idle_causes(profile, break_down(profile)).gaps.waited == NONE).all()


def test_work_that_is_launched_and_held_waits_for_a_stream() -> None:
    profile = timeline(
        """
        main    111111111111
        main    lloo
        main     l
        gpu 0    K
        gpu 0           LLLL
        """,
        L="all_reduce",
        o="aten::add",
    )
    first = table(profile).causes[0]
    assert (first.cause, first.name, first.part, first.per_step_ns) == (Cause.STREAM_WAIT, "all_reduce", TimeClass.UNTRACED, 4 * MS)
    check_against_the_breakdown(profile)


def test_a_launch_call_that_lasts_holds_nothing() -> None:
    profile = timeline("""
        main    111111111111
        main    .llllllll
        gpu 0           KKKK
    """)
    assert table(profile).per_step_ns(Cause.STREAM_WAIT) == 0


def test_allocation_compilation_collection_files_python_and_nothing() -> None:
    for letter, cause in (("a", "allocator"), ("c", "compile"), ("g", "gc"), ("w", "io"), ("p", "python")):
        profile = timeline(f"""
            main    1111111111
            main    {letter * 4}l
            gpu 0        KKKKK
        """)
        assert causes(profile) == [(cause, letter, 4.0), ("host_op", "l", 1.0)]
    profile = timeline("""
        main    1111111111
        main    ....l
        gpu 0        KKKKK
    """)
    assert causes(profile) == [("untraced", "", 4.0), ("host_op", "l", 1.0)]


def test_a_gap_does_not_cross_into_the_next_step() -> None:
    profile = timeline("""
        main    1111122222
        main    l....il...
        gpu 0    KK    KKK
    """)
    gaps = idle_causes(profile, break_down(profile)).gaps
    assert list(zip((gaps.start // MS).tolist(), (gaps.end // MS).tolist(), gaps.step.tolist(), strict=True)) == [
        (0, 1, 0),
        (3, 5, 0),
        (5, 7, 1),
    ]
    assert gaps.parts.sum(axis=1).tolist() == (gaps.end - gaps.start).tolist()


def test_gaps_are_counted_per_step() -> None:
    profile = timeline(
        """
        main    111111111122222222223333333333
        main    pplpplpplpplpplpplppppplpplppl
        gpu 0     K  K  K  K  K  K     K  K  K
        """,
        p="shuffle",
    )
    found = table(profile)
    assert [(one.name, one.gaps_per_step) for one in found.causes if one.name == "shuffle"] == [("shuffle", 11 / 3)]
    assert {one.cause.key: one.gaps_per_step for one in found.sums}["python"] == 11 / 3


def test_on_a_machine_without_a_device_gaps_are_between_operations() -> None:
    profile = timeline(
        """
        main    1111111111
        main    oooppppooo
        """,
        p="shuffle",
    )
    assert causes(profile) == [("python", "shuffle", 4.0)]
    check_against_the_breakdown(profile)


def test_of_several_devices_causes_are_the_mean_as_the_breakdown_is() -> None:
    profile = timeline("""
        main    1111111111
        main    ppll
        gpu 0       KKKKKK
        gpu 1       KK....
    """)
    check_against_the_breakdown(profile)
    assert table(profile).per_step_ns(Cause.UNTRACED) == 2 * MS
    assert idle_causes(profile, break_down(profile), 1).table.per_step_ns(Cause.UNTRACED) == 4 * MS


def test_the_stack_is_what_is_around_a_call_or_what_the_file_says() -> None:
    profile = timeline(
        """
        main    1111111111
        main    ppppppppp
        main     ooooooo
        main      aaa
        main           l
        gpu 0           KK
        """,
        p="train.py(7): step",
        o="aten::empty",
        a="cudaMalloc",
    )
    malloc = next(one for one in table(profile).causes if one.name == "cudaMalloc")
    assert stack_of(profile, malloc.row) == ("aten::empty", "train.py(7): step")
    bare = timeline(
        """
        main    1111111111
        main    ooool
        gpu 0        KKKKK
        """,
        o="aten::index",
    )
    row = table(bare).causes[0].row
    assert stack_of(bare, row) == ()
    written = {"Call stack": "/x/site-packages/torch/nn/conv.py(4): forward;train.py(9): main"}
    assert stack_of(bare, row, lambda _profile, _row: written) == ("torch/nn/conv.py(4): forward", "train.py(9): main")
    assert stack_of(bare, NONE) == ()


def test_a_recording_without_spans_is_untraced() -> None:
    empty = replace(Timeline().build(), window=(0, 5 * MS))
    assert causes(empty) == [("untraced", "", 5.0)]
