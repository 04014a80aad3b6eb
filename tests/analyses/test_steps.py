"""Steps are found by the first family of markers that is there, touch one another, and own the work that they launched."""

from __future__ import annotations

import numpy as np
import pytest

from analyses.timeline import MS, Timeline, timeline
from stepscope.analyses.steps import find_steps, step_of_spans, step_of_work
from stepscope.model.errors import BadInput
from stepscope.model.profile import NONE, MarkerFamily, Profile, SpanKind, TrackPurpose


def bounds_ms(profile: Profile) -> list[float]:
    return [bound / MS for bound in find_steps(profile).bounds.tolist()]


def test_a_step_ends_where_the_next_begins() -> None:
    profile = timeline("""
        main   11111  222223333
    """)
    assert bounds_ms(profile) == [0, 7, 12, 16]
    assert find_steps(profile).number.tolist() == [1, 2, 3]


def test_a_step_lasts_until_its_device_work_has_ended() -> None:
    profile = timeline("""
        main   111112222233333
        main   l    l    l
        gpu 0    KKKKK KKK KKKKKK
    """)
    assert bounds_ms(profile) == [0, 7, 11, 18]


def test_a_late_kernel_of_an_early_step_moves_later_bounds_too() -> None:
    profile = timeline("""
        main   11223344
        main   l
        gpu 0   KKKKK
    """)
    assert bounds_ms(profile) == [0, 6, 6, 6, 8]
    assert find_steps(profile).length.tolist() == [6 * MS, 0, 0, 2 * MS]


def test_steps_without_duration_are_not_used_and_the_reason_is_kept() -> None:
    profile = timeline("""
        main   112233
        main   l
        gpu 0   KKKKKKKKK
    """)
    steps = find_steps(profile)
    assert (steps.source.family, bounds_ms(profile), bool(steps.problem)) == (MarkerFamily.WINDOW, [0, 10], True)
    assert not find_steps(profile, "ProfilerStep#").problem, "whoever asks for them gets them"


def test_work_launched_before_the_first_marker_or_by_nobody_moves_no_boundary() -> None:
    profile = timeline("""
        main     11112222
        main   l
        gpu 0     KKKKKKKKKK
        gpu 0/9  KKKKKKKKKKKKK
    """)
    assert bounds_ms(profile) == [2, 6, 10]


def test_device_work_belongs_to_the_step_that_launched_it() -> None:
    profile = timeline("""
        main   111112222233333
        main   l    l    l
        gpu 0       KKKKKLLL  MM
        gpu 0                         F
    """)
    steps = find_steps(profile)
    places = step_of_spans(profile, steps)
    device = np.flatnonzero(profile.spans.track == 1)
    found = {(profile.names[int(profile.spans.name[row])], int(places[row])) for row in device}
    assert found == {("K", 0), ("L", 1), ("M", 2), ("F", NONE)}
    some = device[::-1]
    assert step_of_spans(profile, steps, some).tolist() == places[some].tolist()


def test_the_first_span_of_a_profile_launches_as_any_other() -> None:
    profile = timeline("""
        backward   l
        main       1111122222
        gpu 0           KK
    """)
    (kernel,) = np.flatnonzero(profile.spans.kind == SpanKind.KERNEL)
    assert profile.spans.cause[kernel] == 0, "or this tests nothing"
    assert bounds_ms(profile) == [0, 7, 10]
    assert step_of_spans(profile, find_steps(profile))[kernel] == 0


@pytest.mark.parametrize(("work", "usable"), [("K..............K", False), ("K.....K........K", True)])
def test_steps_are_marked_ahead_when_at_most_a_tenth_of_them_has_work(work: str, usable: bool) -> None:
    """Sixteen steps: beside the last, work in one is as good as none, and work in two is too much for that."""
    builder = Timeline(family=MarkerFamily.STEP_NUM)
    for step in range(16):
        builder.span("main", step * MS, (step + 1) * MS, SpanKind.MARKER, "train", step=step)
        if work[step] == "K":
            builder.span("gpu 0", step * MS, step * MS + MS // 2, SpanKind.KERNEL, "gemm")
    assert (find_steps(builder.build()).source.name == "train") is usable


def test_the_next_batch_belongs_to_the_step_that_fetches_it_while_the_device_ends_the_last() -> None:
    profile = timeline("""
        main   111112222233333
        main   l    iiil iiil
        gpu 0    KKKKK  KKKK
    """)
    steps = find_steps(profile)
    assert bounds_ms(profile) == [0, 7, 13, 15]
    first, second = (int(row) for row in np.flatnonzero(profile.spans.kind == SpanKind.INPUT))
    start, end = (int(column[first]) for column in (profile.spans.start, profile.spans.end))
    assert (start / MS, end / MS) == (5, 8), "it begins in the time of step 1"
    assert step_of_work(profile, steps, first, start, end) == 1
    assert step_of_work(profile, steps, second, 0, 0) == 2
    assert step_of_work(profile, steps, NONE, 6 * MS, 9 * MS) == 1, "most of the time"
    assert step_of_work(profile, steps, NONE, 20 * MS, 21 * MS) == NONE


def test_unlinked_work_belongs_to_the_time_it_runs_in() -> None:
    profile = timeline("""
        main   1111122222
        gpu 0    KK   LL
    """)
    places = step_of_spans(profile, find_steps(profile))
    assert places[profile.spans.track == 1].tolist() == [0, 1]


def test_profiler_steps_are_preferred_to_other_numbers_and_the_others_are_listed() -> None:
    builder = Timeline().draw("""
        main   11112222
        main   nnnnnnnn
    """)
    profile = builder.build()
    steps = find_steps(profile)
    assert (steps.source.family, steps.source.text, steps.source.count) == (MarkerFamily.PROFILER_STEP, "ProfilerStep#", 2)
    assert [source.family for source in steps.alternatives] == [MarkerFamily.WINDOW]
    assert len(find_steps(profile, "whole profile")) == 1


def test_an_unknown_source_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadInput, match=r"ProfilerStep#, whole profile\.$"):
        find_steps(timeline("main   1122"), "epoch")


def test_of_nested_markers_the_steps_are_taken_and_not_the_epochs_around_them() -> None:
    builder = Timeline(family=MarkerFamily.STEP_NUM)
    builder.draw("main   123456789", **{str(number): "train" for number in range(1, 10)})
    builder.span("main", 0, 9 * MS, SpanKind.MARKER, "epoch", step=0)
    steps = find_steps(builder.build())
    assert (steps.source.name, len(steps)) == ("train", 9)
    assert [source.name for source in steps.alternatives] == ["epoch", ""]


@pytest.mark.parametrize(("passes", "taken"), [(2, ("train", 4)), (3, ("pass", 12))])
def test_a_marker_around_two_others_is_the_step_and_one_around_more_an_epoch(passes: int, taken: tuple[str, int]) -> None:
    """Half as often is not far less often: two passes of accumulated gradients are one step."""
    builder = Timeline(family=MarkerFamily.STEP_NUM)
    for number in range(4):
        builder.span("main", 5 * number * MS, (5 * number + 5) * MS, SpanKind.MARKER, "train", step=number)
        for place in range(passes):
            at = 5 * number + place
            builder.span("main", at * MS, (at + 1) * MS, SpanKind.MARKER, "pass", step=passes * number + place)
    steps = find_steps(builder.build())
    assert (steps.source.name, len(steps)) == taken


def test_of_two_markers_in_a_step_the_one_that_holds_more_time_is_taken() -> None:
    builder = Timeline(family=MarkerFamily.STEP_NUM)
    for step in range(3):
        builder.span("main", step * 10, step * 10 + 3, SpanKind.MARKER, "load", step=step)
        builder.span("main", step * 10 + 3, step * 10 + 9, SpanKind.MARKER, "train", step=step)
    assert find_steps(builder.build()).source.text == "step number (train)"


def test_overlapping_markers_are_left_out() -> None:
    builder = Timeline()
    for step, (start, end) in enumerate([(0, 10), (5, 12), (10, 20)]):
        builder.span("main", start, end, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
    assert find_steps(builder.build()).marker.tolist() == [0, 10]


def test_a_hundred_calls_of_one_function_are_a_hundred_steps() -> None:
    builder = Timeline()
    builder.span("main", 0, 40, SpanKind.FRAMEWORK, "EagerExecute")
    for call in range(100):
        builder.span("main", 100 + call * 10, 108 + call * 10, SpanKind.FRAMEWORK, "my_function")
    steps = find_steps(builder.build())
    assert (steps.source.family, steps.source.name, len(steps)) == (MarkerFamily.ROOT_CALL, "my_function", 100)
    assert steps.source.text == "repeated call (my_function)"


def test_one_call_of_a_function_is_one_step_whatever_small_calls_are_repeated() -> None:
    builder = Timeline()
    for call in range(40):
        builder.span("main", call * 10, call * 10 + 2, SpanKind.FRAMEWORK, "EagerExecute")
    builder.span("main", 500, 5000, SpanKind.FRAMEWORK, "one_step_on_data")
    steps = find_steps(builder.build())
    assert (steps.source.family, len(steps), steps.bounds.tolist()) == (MarkerFamily.WINDOW, 1, [0, 5000])


def test_a_function_that_a_reader_marks_once_is_no_loop() -> None:
    builder = Timeline(family=MarkerFamily.ROOT_CALL)
    builder.span("main", 0, 5000, SpanKind.MARKER, "one_step_on_data", step=0)
    for call in range(4):
        builder.span("main", 6000 + call * 10, 6005 + call * 10, SpanKind.MARKER, "small", step=call)
    steps = find_steps(builder.build())
    assert (steps.source.text, len(steps)) == ("whole profile", 1)
    assert [source.text for source in steps.alternatives] == ["repeated call (small)"]


def test_of_repeated_calls_that_a_reader_marks_the_longest_is_the_step() -> None:
    builder = Timeline(family=MarkerFamily.ROOT_CALL)
    for step in range(4):
        builder.span("main", step * 100, step * 100 + 60, SpanKind.MARKER, "train", step=step)
        for part in range(3):
            builder.span("main", step * 100 + 60 + part * 10, step * 100 + 69 + part * 10, SpanKind.MARKER, "add", step=part)
    assert find_steps(builder.build()).source.text == "repeated call (train)"


def test_a_repeated_call_is_found_inside_the_function_that_holds_the_loop() -> None:
    profile = timeline(
        """
        main   pppppppppppppppp
        main   ffff ffff ffff
        main   oo   oo   oo
    """,
        p="train.py(3): main",
        f="train_step",
    )
    steps = find_steps(profile)
    assert (steps.source.name, bounds_ms(profile)) == ("train_step", [0, 5, 10, 14])


def test_threads_of_the_input_pipeline_have_no_steps() -> None:
    builder = Timeline().draw("loader   pp pp pp pp pp")
    builder.purposes["loader"] = TrackPurpose.INPUT
    assert find_steps(builder.build()).source.family == MarkerFamily.WINDOW


def repeated_kernels(sequence: str, times: int, linked: bool) -> Profile:
    builder = Timeline()
    at = 0
    for _ in range(times):
        for letter in sequence:
            launch = builder.span("main", at, at + 1, SpanKind.RUNTIME, "launch") if linked else None
            builder.span("gpu 0", at + 50, at + 60, SpanKind.KERNEL, letter, cause=launch)
            at += 10
        at += 100
    return builder.build()


@pytest.mark.parametrize("linked", [True, False])
def test_a_period_in_the_kernels_makes_steps(linked: bool) -> None:
    # Four equal layers inside a step are not four steps: their gaps are uneven where a step begins.
    steps = find_steps(repeated_kernels("eabababab", 5, linked), "e")
    assert (steps.source.family, len(steps)) == (MarkerFamily.KERNEL_PERIOD, 5)
    assert steps.marker.tolist() == [place * 190 + (0 if linked else 50) for place in range(5)]


def test_kernels_without_a_period_are_one_step() -> None:
    rng = np.random.default_rng(1)
    builder = Timeline()
    for place, letter in enumerate(rng.choice(list("abcdefgh"), 60)):
        builder.span("gpu 0", place * 10, place * 10 + 5, SpanKind.KERNEL, str(letter))
    assert find_steps(builder.build()).source.family == MarkerFamily.WINDOW


def test_an_empty_profile_has_one_empty_step() -> None:
    steps = find_steps(Timeline().build())
    assert (len(steps), steps.length.tolist(), steps.source.text) == (1, [0], "whole profile")


def test_tracks_that_own_no_time_do_not_widen_the_whole_window() -> None:
    builder = Timeline().draw("""
        main      ooo
        spans  xxxxxxxxxx
    """)
    builder.derived.add("spans")
    assert bounds_ms(builder.build()) == [3, 6]
