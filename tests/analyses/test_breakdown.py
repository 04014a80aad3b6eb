"""Every nanosecond of a step belongs to one class, in the stated order, whatever the spans look like."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyses.timeline import MS, ON_STREAMS, ON_THREADS, Timeline, timeline
from stepscope.analyses.breakdown import Breakdown, break_down, counts_per_step, group_sums, typical_steps
from stepscope.analyses.steps import find_steps
from stepscope.analyses.time_classes import GROUP_OF, Group, TimeClass, control_threads
from stepscope.model.profile import Profile, SpanKind


def parts_ms(profile: Profile, step: int = 0) -> dict[str, float]:
    """The parts of one step that are not empty, by name."""
    return _named(break_down(profile).parts[step])


def overlapped_ms(profile: Profile, step: int = 0) -> dict[str, float]:
    return _named(break_down(profile).overlapped[step])


def _named(parts: np.ndarray) -> dict[str, float]:
    return {time_class.key: float(parts[time_class]) / MS for time_class in TimeClass if parts[time_class]}


def test_the_device_comes_first_and_the_host_gets_what_is_left() -> None:
    profile = timeline("""
        main   1111111111111111
        main   iiiioolo  s
        gpu 0        KKKHHDPC
    """)
    assert parts_ms(profile) == {
        "compute": 3, "comm": 1, "h2d": 2, "d2h": 1, "d2d": 1, "input": 4, "op": 2, "untraced": 2,
    }  # fmt: skip
    assert overlapped_ms(profile) == {"launch": 1, "op": 1, "sync": 1}


def test_host_classes_in_their_order() -> None:
    profile = timeline("""
        main   11111111111111111111111
        main   ppppppppppppppppppppppp
        main   fffffffffffffffffffff
        main   ooooooooooooooooooo
        main   lllllllllllllllll
        main   aaaaaaaaaaaaaaa
        main   sssssssssssss
        main   iiiiiiiiiii
        main   wwwwwwwww
        main   ggggggg
        main   ccccc
        gpu 0  K
    """)
    assert list(parts_ms(profile).items()) == [
        ("compute", 1), ("compile", 4), ("gc", 2), ("io", 2), ("input", 2), ("sync", 2), ("alloc", 2), ("launch", 2), ("op", 2),
        ("framework", 2), ("python", 2),
    ]  # fmt: skip


def test_classes_take_time_in_the_documented_order() -> None:
    order = "compute comm h2d d2h d2d compile gc io input sync alloc launch op framework python untraced"
    assert " ".join(time_class.key for time_class in TimeClass) == order
    assert [group.key for group in Group] == ["compute", "communication", "copy", "input_wait", "host", "untraced"]
    assert set(GROUP_OF) == set(TimeClass)


def test_communication_and_copies_count_only_when_nothing_computes() -> None:
    profile = timeline("""
        main      1111111111
        gpu 0/7   KKKKK
        gpu 0/8     CCCCCC
        gpu 0/9          HHHH
    """)
    assert parts_ms(profile) == {"compute": 5, "comm": 3, "h2d": 2}
    assert overlapped_ms(profile) == {"comm": 3, "h2d": 1}


def test_fills_are_copies_on_the_device() -> None:
    assert parts_ms(timeline("main   11111\ngpu 0  KFF")) == {"compute": 1, "d2d": 2, "untraced": 2}


def test_annotations_own_no_time() -> None:
    profile = timeline("""
        main   11111
        main   nnnnn
        main    x
        gpu 0    K
    """)
    assert parts_ms(profile) == {"compute": 1, "untraced": 4}


def test_projections_on_other_tracks_are_never_summed() -> None:
    builder = Timeline().draw("""
        main     1111111111
        gpu 0      KK
        gpu 0/9  LLLLLLLLLL
    """)
    builder.derived.add("gpu 0/9")
    assert parts_ms(builder.build()) == {"compute": 2, "untraced": 8}


def test_the_mean_over_devices() -> None:
    profile = timeline("""
        main   1111111111
        gpu 0  KKKKKKKK
        gpu 1  KK  CC
    """)
    assert parts_ms(profile) == {"compute": 5, "comm": 1, "untraced": 4}
    assert break_down(profile).device_parts[:, 0, TimeClass.COMPUTE].tolist() == [8 * MS, 2 * MS]


def test_a_device_that_only_got_a_copy_does_not_dilute_the_mean() -> None:
    profile = timeline("""
        main   1111111111
        gpu 0  KKKKKKKK
        gpu 1  H
    """)
    assert parts_ms(profile)["compute"] == 8


def test_a_host_collective_is_communication_of_every_device() -> None:
    profile = timeline("""
        main     1111111111
        network    CCCC
        gpu 0    KKK
        gpu 1    KKKK
    """)
    assert parts_ms(profile) == {"compute": 3.5, "comm": 2.5, "untraced": 4}


class TestControlThreads:
    def named(self, profile: Profile) -> list[str]:
        return [profile.tracks[place].name for place in control_threads(profile, find_steps(profile))]

    def test_the_markers_thread_and_backward(self) -> None:
        profile = timeline("""
            main        111111
            backward       ooo
            loader      oooooo
            logger      oooooo
            gpu 0        K
        """)
        assert self.named(profile) == ["main", "backward"]
        assert parts_ms(profile) == {"compute": 1, "op": 3, "untraced": 2}

    def test_threads_that_launch_more_than_ten_kernels(self) -> None:
        builder = Timeline().draw("main   1111111111111111")
        for thread, count in (("worker 1", 11), ("worker 2", 10)):
            for place in range(count):
                launch = builder.span(thread, place * MS, place * MS + 10, SpanKind.RUNTIME)
                builder.span("gpu 0", place * MS + 20, place * MS + 30, SpanKind.KERNEL, cause=launch)
        assert self.named(builder.build()) == ["main", "worker 1"]

    def test_without_any_of_these_the_thread_with_most_work(self) -> None:
        drawn = timeline("worker 1   oo\nworker 2   ooooo\nloader     ooooooooo")
        assert self.named(drawn) == ["worker 2"]

    def test_waiting_for_input_counts_on_whatever_thread_it_runs(self) -> None:
        profile = timeline("""
            main    1111111111
            pool      iiii
            gpu 0   KK
        """)
        assert parts_ms(profile) == {"compute": 2, "input": 4, "untraced": 4}


class TestCpuOnly:
    def test_operations_are_compute_but_for_what_runs_inside_them(self) -> None:
        profile = timeline("""
            main   1111111111111111
            main   iiioooooooo
            main      aass
            pool              oo
            loader           oooo
        """)
        assert break_down(profile).classified.cpu_only
        assert parts_ms(profile) == {"compute": 6, "input": 3, "sync": 2, "alloc": 2, "untraced": 3}

    def test_short_operations_are_overhead(self) -> None:
        profile = timeline("main   111111111111111\nmain   oooooooooo\nmain              o", unit=1_000)
        assert parts_ms(profile) == {"compute": 0.010, "op": 0.001, "untraced": 0.004}

    def test_pools_hide_what_they_do_beside_operations(self) -> None:
        profile = timeline("""
            main   1111111111
            pool   oooooo
            pool     llll
        """)
        assert parts_ms(profile) == {"compute": 2, "untraced": 8}

    def test_a_rank_that_only_copies_is_cpu_only(self) -> None:
        profile = timeline("main   11111\nmain   ooo\ngpu 0  HHHHH")
        assert parts_ms(profile) == {"compute": 3, "untraced": 2}


def test_the_typical_steps() -> None:
    for first_of_all in (False, True):
        assert typical_steps(np.array([100, 104, 96, 100, 300]), first_of_all=first_of_all) == (0, 1, 2, 3)
        assert typical_steps(np.array([100, 100, 100, 106, 105]), first_of_all=first_of_all) == (0, 1, 2, 4)
        assert typical_steps(np.array([10, 90]), first_of_all=first_of_all) == (0, 1)
        assert typical_steps(np.array([10]), first_of_all=first_of_all) == (0,)


def test_of_three_steps_a_first_that_is_unlike_the_others_is_not_typical() -> None:
    assert typical_steps(np.array([491, 190, 186]), first_of_all=True) == (1, 2)
    assert typical_steps(np.array([491, 190, 186]), first_of_all=False) == (0, 1, 2), "before a range there was another first"
    assert typical_steps(np.array([100, 98, 101]), first_of_all=True) == (0, 1, 2)
    assert typical_steps(np.array([100, 101, 300]), first_of_all=True) == (0, 1, 2), "the others may differ as they like"
    found = break_down(
        timeline("""
            main   111111112222233333
            main   ppppl   l....l....
            gpu 0       KKK KKKK KKKK
        """)
    )
    assert (found.typical, found.median_ns, found.p95_ns, found.typical_ns) == ((1, 2), 5 * MS, pytest.approx(7.7 * MS), 5 * MS)
    assert (found.first_left_out, found.warm_up) == (True, 1)
    assert [(step.place, step.difference_ns, step.part) for step in found.slow] == [(0, 3 * MS, TimeClass.PYTHON)]


def test_slow_steps_name_the_part_that_grew() -> None:
    profile = timeline("""
        main   1111122222333333333344444
        main   i    i    iiiiii    i
        gpu 0   KKKK KKKK      KKKK KKKK
    """)
    found = break_down(profile)
    assert (found.typical, [step.place for step in found.slow]) == ((0, 1, 3), [2])
    assert (found.slow[0].part, found.slow[0].difference_ns, found.slow[0].part_difference_ns) == (TimeClass.INPUT, 5 * MS, 5 * MS)
    assert (found.median_ns, found.typical_ns) == (5 * MS, 5 * MS)
    assert _named(found.typical_parts) == {"compute": 4, "input": 1}


def test_exposed_time_sums_to_the_typical_steps() -> None:
    profile = timeline("""
        main   1111111111
        main   iiiooolo o
        main      oo
        gpu 0     KK CC
        gpu 0/9   LLL
    """)
    found = break_down(profile)
    untraced = found.parts[:, TimeClass.UNTRACED].sum()
    assert found.exposed.sum() + untraced == found.steps.length.sum()
    by_name: dict[str, float] = {}
    for name, time in zip(profile.spans.name.tolist(), found.exposed.tolist(), strict=True):
        by_name[profile.names[name]] = by_name.get(profile.names[name], 0) + time / MS
    # The first stream owns what both compute; the operation under it is hidden, and no collective column is seen twice.
    assert by_name == {"ProfilerStep#1": 0, "i": 3, "o": 1, "l": 0, "K": 2, "L": 1, "C": 2}


letters = st.sampled_from([*"   ", *ON_THREADS])
device_letters = st.sampled_from([*"   ", *ON_STREAMS])
LINES = ("main", "main", "main", "pool", "gpu 0/1", "gpu 1/2")
steps = st.lists(st.sampled_from("12"), min_size=12, max_size=12).map(sorted)
thread = st.lists(letters, min_size=12, max_size=12)
stream = st.lists(device_letters, min_size=12, max_size=12)
pictures = st.tuples(steps, thread, thread, thread, stream, stream).map(
    lambda drawn: "\n".join(f"{name:9}{''.join(line)}" for name, line in zip(LINES, drawn, strict=True))
)


@given(pictures)
def test_parts_sum_to_the_step_exactly(picture: str) -> None:
    found: Breakdown = break_down(timeline(picture))
    assert (found.device_parts >= 0).all()
    assert (found.device_parts.sum(axis=2) == found.steps.length).all()
    assert found.overlapped.min() >= 0
    assert group_sums(found.parts).sum(axis=1) == pytest.approx(found.steps.length.astype(float))
    untraced = found.parts[list(found.typical), TimeClass.UNTRACED].sum()
    assert found.exposed.sum() + untraced == pytest.approx(found.steps.length[list(found.typical)].sum())


def test_a_typical_step_is_the_mean_of_steps_by_class() -> None:
    profile = timeline("""
        main   1111222233334444
        main   o   oo  o   oo
        gpu 0  KKK KKK KKK KKK
    """)
    found = break_down(profile)
    assert (len(found.typical), found.typical_ns) == (4, 4 * MS)
    assert _named(found.typical_parts) == {"compute": 3, "untraced": 1}
    assert _named(found.typical_overlapped) == {"op": 1.5}


def test_spans_are_counted_per_typical_step_and_group() -> None:
    profile = timeline("""
        main   1111222233334444
        gpu 0  K K K K K K K K
    """)
    rows = profile.kernels.row.astype(np.int64)
    group = (np.arange(len(rows)) % 2).astype(np.int32)
    assert counts_per_step(profile, break_down(profile), rows, group, 3).tolist() == [1, 1, 0]
