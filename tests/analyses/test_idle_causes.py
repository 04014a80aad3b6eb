"""Each gap of a device has one cause; drawings with one cause each, and the ranking."""

from __future__ import annotations

from analyses.timeline import MS, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.idle_causes import Cause, IdleCauses, idle_causes
from stepscope.model.profile import Profile


def causes(profile: Profile) -> list[tuple[str, str, float]]:
    """Cause, name and milliseconds of a typical step, most first."""
    found: IdleCauses = idle_causes(profile, break_down(profile))
    return [(one.cause.key, one.name, one.per_step_ns / MS) for one in found.causes]


def test_waiting_for_input() -> None:
    profile = timeline(
        """
        main    1111111111
        main    iiiil
        gpu 0        KKKKK
        """,
        i="next",
    )
    assert causes(profile) == [("input_wait", "next", 5.0)]


def test_an_operation_on_the_host() -> None:
    profile = timeline(
        """
        main    111111111111111111111
        main    ll.ll.ll.oooooooooll.
        gpu 0     K  K  K          K
        """,
        o="aten::index",
    )
    assert causes(profile)[0] == ("host_op", "aten::index", 10.0)


def test_launch_after_launch() -> None:
    profile = timeline("""
        main    1111111111111111
        main    .olll.olll.olll.
        gpu 0      K    K    K
        gpu 0       L    L    L
    """)
    found = idle_causes(profile, break_down(profile))
    assert found.per_step_ns(Cause.LAUNCH_BOUND) > 0


def test_a_call_that_waited_explains_the_gap_after_it() -> None:
    profile = timeline(
        """
        main    1111111111111111
        main    l.ssss..oool....
        gpu 0    KKKKK      KKKK
        """,
        s="cudaStreamSynchronize",
    )
    assert causes(profile)[0] == ("sync", "cudaStreamSynchronize", 6.0)


def test_work_that_is_launched_and_held_waits_for_a_stream() -> None:
    profile = timeline("""
        main    111111111111
        main    l
        main     l
        gpu 0    K
        gpu 0           KKKK
    """)
    assert causes(profile)[0][0] == "stream_wait"


def test_allocation_compilation_collection_files_python_and_nothing() -> None:
    for letter, cause in (("a", "allocator"), ("c", "compile"), ("g", "gc"), ("w", "io"), ("p", "python")):
        profile = timeline(f"""
            main    1111111111
            main    {letter * 4}l
            gpu 0        KKKKK
        """)
        assert causes(profile) == [(cause, letter, 5.0)]
    profile = timeline("""
        main    1111111111
        main    ....l
        gpu 0        KKKKK
    """)
    assert causes(profile) == [("untraced", "", 5.0)]


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


def test_what_the_host_did_in_a_gap_sums_to_it() -> None:
    profile = timeline("""
        main    111111111111
        main    iioopp.l
        gpu 0           KKKK
    """)
    gaps = idle_causes(profile, break_down(profile)).gaps
    assert gaps.parts.sum(axis=1).tolist() == (gaps.end - gaps.start).tolist()


def test_on_a_machine_without_a_device_gaps_are_between_operations() -> None:
    profile = timeline(
        """
        main    1111111111
        main    oooppppooo
        """,
        p="shuffle",
    )
    assert causes(profile) == [("python", "shuffle", 4.0)]


def test_the_largest_cause_comes_first() -> None:
    profile = timeline("""
        main    11111111111111111111
        main    ppl...iiiiiiiil
        gpu 0      KKK         KKKKK
    """)
    found = causes(profile)
    assert [cause for cause, _, _ in found] == ["input_wait", "python"]
