"""`span_builder`, `span_bounds`, `time_bounds`: spans added in any order become sorted rows, nested and linked to their launches."""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import Path

import numpy as np
import pytest

from stepscope._native import ProfileBuilder
from stepscope.formats.profile_columns import profile_from_columns
from stepscope.model import profile as model
from stepscope.model.profile import NONE, MarkerFamily, Profile, SpanKind, TrackRole

NATIVE = Path(__file__).parents[2] / "native"
ENUMS: tuple[type[IntEnum], ...] = (
    model.TrackRole,
    model.TrackPurpose,
    model.SpanKind,
    model.MarkerFamily,
    model.CopyDirection,
    model.MemoryKind,
    model.FlowKind,
)


def finished(builder: ProfileBuilder) -> Profile:
    return profile_from_columns(builder.finish(), format="test", path="here", host="me")


def built(*spans: tuple[int, int]) -> Profile:
    builder = ProfileBuilder()
    track = builder.add_track("main", TrackRole.THREAD)
    for number, (start, end) in enumerate(spans):
        builder.add_span(track, start, end, str(number))
    return finished(builder)


@pytest.mark.parametrize("kind", ENUMS, ids=lambda kind: kind.__name__)
def test_the_numbers_are_those_of_the_core(kind: type[IntEnum]) -> None:
    text = (NATIVE / "profile" / "tables.hpp").read_text()
    declared = re.search(rf"enum class {kind.__name__} : int8_t \{{(.*?)\}}", text, re.DOTALL)
    assert declared
    assert {name: int(number) for name, number in re.findall(r"(\w+) = (\d+)", declared.group(1))} == {
        member.name.lower(): member.value for member in kind
    }


def test_rows_are_sorted_longest_first_and_nested() -> None:
    profile = built((5, 6), (0, 10), (0, 4), (20, 30), (20, 20), (1, 2))
    spans = profile.spans
    assert [profile.names[name] for name in spans.name] == ["1", "2", "5", "0", "3", "4"]
    assert spans.parent.tolist() == [NONE, 0, 1, 0, NONE, 4]
    assert spans.depth.tolist() == [0, 1, 2, 1, 0, 1]
    assert profile.window == (0, 30)
    assert (profile.tracks[0].first_row, profile.tracks[0].last_row) == (0, 6)


def test_touching_spans_are_neighbours_and_a_point_at_the_end_is_outside() -> None:
    spans = built((0, 10), (10, 20), (20, 20)).spans
    assert spans.parent.tolist() == [NONE, NONE, NONE]
    assert spans.depth.tolist() == [0, 0, 0]


def test_overlapping_spans_are_drawn_below_each_other_and_none_is_a_parent() -> None:
    spans = built((0, 10), (5, 15), (12, 20), (6, 8), (13, 14)).spans
    assert spans.start.tolist() == [0, 5, 6, 12, 13]
    assert spans.parent.tolist()[:4] == [NONE, NONE, 1, NONE]
    assert spans.depth.tolist()[:4] == [0, 1, 2, 0]  # the third begins when the first has ended, and takes its line
    assert spans.parent[4] in (1, 3)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_overlaps_parents_hold_children_and_lines_are_free(seed: int) -> None:
    random = np.random.default_rng(seed)
    starts = random.integers(0, 60, 80)
    spans = built(*((int(start), int(start + random.integers(0, 25))) for start in starts)).spans
    order = list(zip(spans.start, -spans.end, strict=True))
    assert order == sorted(order)
    for row in range(len(spans)):
        parent = spans.parent[row]
        if parent != NONE:
            assert parent < row
            assert spans.start[parent] <= spans.start[row]
            assert spans.end[row] <= spans.end[parent]
            assert spans.depth[parent] < spans.depth[row]
        same_line = (spans.depth[:row] == spans.depth[row]) & (spans.end[:row] > spans.start[row])
        assert not same_line.any()


def test_deep_recursion_keeps_its_parents() -> None:
    spans = built(*((i, 100_000 - i) for i in range(40_000))).spans
    assert (spans.parent[1:20_000] == np.arange(19_999)).all()
    assert spans.depth.max() < 32_000
    assert spans.depth.min() == 0


def test_many_overlapping_spans_take_linear_time() -> None:
    spans = built(*((i, i + 1_000_000) for i in range(60_000))).spans
    assert (spans.parent == NONE).all()


def test_tracks_are_sorted_by_several_threads_when_there_is_much_to_do() -> None:
    random = np.random.default_rng(3)
    builder = ProfileBuilder()
    tracks = [builder.add_track(f"thread {number}", TrackRole.THREAD) for number in range(5)]
    starts = random.integers(0, 10**6, 210_000)
    for place, start in enumerate(starts.tolist()):
        builder.add_span(tracks[place % 5], start, start + 40, "x", source=place)
    spans = finished(builder).spans
    assert (np.diff(spans.track) >= 0).all()
    assert (np.diff(spans.start)[np.diff(spans.track) == 0] >= 0).all()
    assert (spans.start == starts[spans.source]).all()
    assert (spans.track == spans.source % 5).all()


def test_a_launch_causes_all_device_spans_of_its_number() -> None:
    builder = ProfileBuilder()
    device = builder.add_track("stream 7", TrackRole.STREAM, process="GPU 0", device=0)
    thread = builder.add_track("main", TrackRole.THREAD)
    builder.add_span(device, 30, 40, "kernel b", SpanKind.KERNEL, correlation=5)
    builder.add_span(device, 20, 30, "kernel a", SpanKind.KERNEL, correlation=5)
    builder.add_span(device, 90, 95, "unlinked", SpanKind.KERNEL)
    builder.add_span(device, 96, 97, "nobody launched it", SpanKind.KERNEL, correlation=77)
    builder.add_span(thread, 50, 52, "launch 6", SpanKind.RUNTIME, correlation=6)
    builder.add_span(thread, 10, 12, "launch 5", SpanKind.RUNTIME, correlation=5)
    profile = finished(builder)
    causes = [NONE if cause == NONE else profile.names[profile.spans.name[cause]] for cause in profile.spans.cause]
    assert causes == ["launch 5", "launch 5", NONE, NONE, NONE, NONE]


def test_a_number_used_again_means_the_latest_launch_and_the_outermost_call() -> None:
    builder = ProfileBuilder()
    thread = builder.add_track("main", TrackRole.THREAD)
    device = builder.add_track("stream", TrackRole.STREAM)
    builder.add_span(thread, 10, 12, "first", correlation=1)
    builder.add_span(thread, 50, 60, "outer", correlation=1)
    builder.add_span(thread, 51, 55, "inner", correlation=1)
    builder.add_span(thread, 205, 206, "by another clock", correlation=2)
    for start, number in ((20, 1), (70, 1), (200, 2)):
        builder.add_span(device, start, start + 1, "kernel", correlation=number)
    profile = finished(builder)
    rows = profile.spans.cause[profile.tracks[device].first_row :]
    assert [profile.names[profile.spans.name[row]] for row in rows] == ["first", "outer", "by another clock"]


def test_what_hangs_on_spans_moves_with_them() -> None:
    builder = ProfileBuilder()
    thread = builder.add_track("main", TrackRole.THREAD)
    late = builder.add_span(thread, 50, 60, "late")
    early = builder.add_span(thread, 10, 20, "early", shape="[2,3]", step=4, source=99)
    inner = builder.add_span(thread, 12, 14, "inner")
    builder.add_marker(late, 8, MarkerFamily.STEP_NUM)
    builder.add_marker(early, 7, MarkerFamily.STEP_NUM)
    builder.add_flow(early, late)
    builder.pair_flow(3, inner, True)
    builder.pair_flow(3, late, False)
    builder.pair_flow(4, late, False)  # nobody sends it
    for time in (13, 55, 18, 30):
        builder.add_allocation(thread, time, 100, "gpu")
    profile = finished(builder)
    assert profile.spans.step.tolist() == [4, NONE, NONE]
    assert profile.spans.source.tolist() == [99, NONE, NONE]
    assert profile.names[profile.spans.shape[0]] == "[2,3]"
    assert profile.markers.row.tolist() == [0, 2]
    assert profile.markers.number.tolist() == [7, 8]
    assert list(zip(profile.flows.source.tolist(), profile.flows.target.tolist(), strict=True)) == [(0, 2), (1, 2)]
    assert profile.allocations.time.tolist() == [13, 18, 30, 55]
    assert profile.allocations.row.tolist() == [1, 0, NONE, 2]


def test_flows_of_any_keys_pair_with_the_latest_source_before_and_come_by_key() -> None:
    random = np.random.default_rng(11)
    keys = [3, 7, 2**11, 2**11 + 3, 2**40 + 7, 2**63 + 1, 2**64 - 1]
    places, sends, kinds = (random.integers(0, most, 400).tolist() for most in (len(keys), 2, 2))
    ends = [(keys[places[time]], time, bool(sends[time]), kinds[time]) for time in range(400)]
    builder = ProfileBuilder()
    track = builder.add_track("main", TrackRole.THREAD)
    for place in random.permutation(len(ends)).tolist():
        key, time, is_source, kind = ends[place]
        builder.pair_flow(key, builder.add_span(track, 10 * time, 10 * time + 1, str(time)), is_source, kind)
    flows = finished(builder).flows
    want: list[tuple[int, int, int]] = []
    for key, time, is_source, kind in sorted(ends, key=lambda end: (end[0], end[3], end[1])):
        before = [at for other, at, source, of in ends if (other, of) == (key, kind) and source and at < time]
        if not is_source and before:
            want.append((max(before), time, kind))
    assert list(zip(flows.source.tolist(), flows.target.tolist(), flows.kind.tolist(), strict=True)) == want
    assert len(want) > 100


def test_operations_and_names_are_kept_once() -> None:
    builder = ProfileBuilder()
    assert builder.add_operation("dense/MatMul", "MatMul") == builder.add_operation("dense/MatMul", "MatMul")
    assert builder.add_operation("dense/MatMul", "FusedMatMul") == 1
    assert builder.intern("x" * 20_000) == builder.intern("x" * 30_000)  # both are cut
    profile = finished(builder)
    assert [operation.type for operation in profile.ops] == ["MatMul", "FusedMatMul"]
    assert len(profile.names) == len(set(profile.names))


def test_ids_of_another_builder_are_refused() -> None:
    builder = ProfileBuilder()
    track = builder.add_track("main", TrackRole.THREAD)
    with pytest.raises(ValueError, match="no such span"):
        builder.add_marker((track, 0), 1, MarkerFamily.STEP_NUM)
    with pytest.raises(ValueError, match="no such track"):
        builder.add_span(3, 0, 1, "x")


def test_an_empty_profile_has_empty_tables() -> None:
    profile = finished(ProfileBuilder())
    assert len(profile.spans) == 0
    assert profile.window == (0, 0)
    assert profile.kernels.grid.shape == (0, 3)
    assert profile.host == "me"


def test_columns_share_memory_that_outlives_the_tables() -> None:
    builder = ProfileBuilder()
    track = builder.add_track("main", TrackRole.THREAD)
    builder.add_span(track, 1, 2, "x")
    tables = builder.finish()
    first, second = tables.spans["start"], tables.spans["start"]
    assert np.shares_memory(first, second)
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 7
    del tables, second
    assert first.tolist() == [1]


def test_what_lies_far_from_the_rest_is_left_out_with_what_refers_to_it() -> None:
    builder = ProfileBuilder()
    main = builder.add_track("main", TrackRole.THREAD)
    stream = builder.add_track("stream", TrackRole.STREAM)
    counter = builder.add_track("watts", TrackRole.COUNTER)
    near = [builder.add_span(main, at * 100, at * 100 + 50, f"call {at}", correlation=at) for at in range(4)]
    far = builder.add_span(main, 1 << 60, (1 << 60) + 5, "far", correlation=9)
    too_long = builder.add_span(main, 120, 1 << 59, "too long")
    after = builder.add_span(main, 500, 510, "after", correlation=10)
    for at, number in enumerate((0, 9, 1, 10)):
        builder.add_span(stream, 1000 + at * 10, 1005 + at * 10, f"kernel {number}", SpanKind.KERNEL, correlation=number)
    builder.add_marker(far, 7, MarkerFamily.STEP_NUM)
    builder.add_marker(near[2], 8, MarkerFamily.STEP_NUM)
    builder.add_flow(near[0], far)
    builder.add_flow(too_long, near[1])
    builder.add_flow(near[0], after)
    for time in (10, -(1 << 61), 20):
        builder.add_counter(counter, time, 1.0)
    for time in (130, 1 << 61):
        builder.add_allocation(main, time, 64)
    profile = finished(builder)
    names = [profile.names[name] for name in profile.spans.name]
    assert names == ["call 0", "call 1", "call 2", "call 3", "after", "kernel 0", "kernel 9", "kernel 1", "kernel 10"]
    causes = [names[row] if row != NONE else "" for row in profile.spans.cause[5:]]
    assert causes == ["call 0", "", "call 1", "after"]
    assert [names[row] for row in profile.markers.row] == ["call 2"]
    assert [(names[a], names[b]) for a, b in zip(profile.flows.source, profile.flows.target, strict=True)] == [("call 0", "after")]
    assert profile.counters.time.tolist() == [10, 20]
    assert [names[row] for row in profile.allocations.row] == ["call 1"]
    assert [note.code for note in profile.notes] == ["far_times"]
    assert profile.notes[0].text.startswith("4 events ")
    assert profile.window == (0, 1035)


def test_times_far_from_zero_are_counted_from_their_start() -> None:
    profile = built((1_700_000_000_000_000_000, 1_700_000_000_000_000_050), (1_700_000_000_000_000_020, 1_700_000_000_000_000_030))
    assert (profile.spans.start.tolist(), profile.window, profile.base_ns) == ([0, 20], (0, 50), 1_700_000_000_000_000_000)
    profile = built((-(1 << 61), -(1 << 61) + 7))
    assert (profile.spans.start.tolist(), profile.window, profile.base_ns) == ([0], (0, 7), 0)


def test_a_hundred_days_are_one_recording() -> None:
    profile = built((0, 10), (1 << 52, (1 << 52) + 10), ((1 << 53) - 10, 1 << 53))
    assert len(profile.spans) == 3
    assert profile.notes == []


def test_sizes_of_memory_stay_numbers_that_can_be_summed() -> None:
    builder = ProfileBuilder()
    track = builder.add_track("main", TrackRole.THREAD)
    for size in (2**63 - 1, -(2**63), 64):
        builder.add_allocation(track, 0, size)
    assert finished(builder).allocations.bytes.tolist() == [1 << 50, -(1 << 50), 64]
