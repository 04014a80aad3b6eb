"""Profiles along a quantity: sorted by it, with times, throughput, use and memory of each, and what grew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyses.timeline import MS, Timeline
from stepscope.analyses.compare.trend import Trend, batch_of, position_of, trend
from stepscope.analyses.session.summary import summarise
from stepscope.model.profile import NONE, Allocations, Profile, SpanKind


def recording(milliseconds: int, held: int = 0) -> Profile:
    """Five steps with a kernel of half of each, and an operation that holds so many bytes on GPU 0."""
    line = Timeline()
    for number in range(5):
        at = number * milliseconds * MS
        line.span("main", at, at + milliseconds * MS, SpanKind.MARKER, f"ProfilerStep#{number}", step=number)
        line.span("main", at, at + MS, SpanKind.OP, "attention")
        line.span("gpu 0", at, at + milliseconds * MS // 2, SpanKind.KERNEL, "gemm")
    profile = line.build()
    if not held:
        return profile
    row = next(row for row in range(len(profile.spans)) if profile.names[int(profile.spans.name[row])] == "attention")
    number, place = np.array([10], np.int64), np.array([row], np.int32)
    none = np.array([NONE], np.int32)
    table = Allocations(
        time=number, row=place, device=np.zeros(1, np.int32), allocator=none, address=number, bytes=np.array([held]),
        allocated=np.array([held]), reserved=none.astype(np.int64), op=none, shape=none, dtype=none,
    )  # fmt: skip
    return replace(profile, allocations=table)


def along(*pairs: tuple[str, Profile], examples: list[float | None] | None = None) -> Trend:
    return trend([summarise([profile]) for _, profile in pairs], [label for label, _ in pairs], "batch_size", examples)


def test_points_are_sorted_by_their_numbers() -> None:
    found = along(("64", recording(16)), ("8", recording(4)), ("1e1", recording(6)))
    assert [point.label for point in found.points] == ["8", "1e1", "64"]
    assert [point.step_ns / MS for point in found.points] == [4, 6, 16]
    assert [point.steps_per_second for point in found.points] == [pytest.approx(250), pytest.approx(1000 / 6), pytest.approx(62.5)]
    assert all(point.computing == 0.5 for point in found.points)


def test_labels_that_are_no_numbers_stay_as_given() -> None:
    found = along(("wide", recording(16)), ("8", recording(4)))
    assert [point.label for point in found.points] == ["wide", "8"]
    assert [position_of(text) for text in ("8", "1e3", "nan", "inf", "x", "")] == [8.0, 1000.0, None, None, None, None]


def test_throughput_needs_to_know_the_examples() -> None:
    found = along(("8", recording(4)), ("64", recording(16)), examples=[8, 64])
    assert [point.examples_per_second for point in found.points] == [pytest.approx(2000), pytest.approx(4000)]
    assert all(value in found.sentence for value in ("batch_size 8 to 64", "4 ms to 16 ms", "2.00 times"))
    assert along(("8", recording(4)), ("64", recording(16))).points[0].examples_per_second is None


def test_ranks_work_on_examples_of_their_own() -> None:
    one = trend([summarise([recording(4), recording(4)]), summarise([recording(4)])], ["1", "2"], "ranks", [8, 8])
    assert [point.examples_per_second for point in one.points] == [pytest.approx(4000), pytest.approx(2000)]


def test_memory_that_grows_is_named() -> None:
    found = along(("1", recording(4, 1_000)), ("10", recording(4, 1_005)), ("100", recording(4, 3_000)))
    assert [point.peak.bytes for point in found.points if point.peak] == [1_000, 1_005, 3_000]
    assert [(each.op, each.before, each.after) for each in found.growing] == [("attention", 1_000, 3_000)]
    assert found.sentence.endswith("with 3.00 times the memory.")
    assert along(("1", recording(4, 1_000)), ("10", recording(4, 1_005))).growing == ()


def test_examples_by_what_is_logged_are_of_one_rank() -> None:
    two = summarise([replace(recording(4), rank=rank, world_size=2) for rank in range(2)])
    assert batch_of(two, {"global_batch_size": "64"}) == 32
    assert batch_of(two, {"per_device_train_batch_size": "8"}) == 8
    assert batch_of(two, {"batch_size": "64"}) is None, "of one rank or of both"
    assert batch_of(summarise([recording(4)]), {"batch_size": "64"}) == 64
