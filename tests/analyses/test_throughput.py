"""Throughput and epochs: rates that are certain, and parts of an epoch that sum to it, from recordings and from logged series."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyses.timeline import MS, Timeline, timeline
from figures import figures
from opened_profiles import open_profile
from sample_files import SAMPLES, needs_samples
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.throughput.batch_size import GIVEN, OF_TF_DATA, BatchSource, agreed
from stepscope.analyses.throughput.epochs import Epoch, LoggedSteps, epochs_of_profile, epochs_of_series
from stepscope.analyses.throughput.run_epochs import run_epochs
from stepscope.analyses.throughput.throughput import rate_text, throughput
from stepscope.formats.span_attributes import span_attributes
from stepscope.model.profile import CopyDirection, Profile, SpanKind
from stepscope.queries.epoch_series import EpochSeries, LoggedPoints

MIB = 1 << 20


def four_steps(rank: int = 0) -> Profile:
    """Steps of 20 ms, each of which copies a mebibyte to the device."""
    builder = Timeline(rank=rank)
    for step in range(4):
        at = step * 20 * MS
        builder.span("main", at, at + 20 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("gpu 0", at, at + 5 * MS, SpanKind.COPY, "copy", direction=CopyDirection.HOST_TO_DEVICE, bytes=MIB)
        builder.span("gpu 0", at + 5 * MS, at + 9 * MS, SpanKind.KERNEL, "k")
    return builder.build()


def test_a_batch_that_is_given() -> None:
    profile = four_steps()
    found = throughput([profile], [break_down(profile)], batch=32, tokens=128)
    assert (found.steps_per_second, found.ranks) == (50, 1)
    assert (found.examples_per_second, found.tokens_per_second, found.batch_source) == (1600, 204_800, GIVEN)
    assert found.copied_bytes_per_second == pytest.approx(50 * MIB)
    assert found.facts == ["50 steps/s", "1,600 examples/s", "204,800 tokens/s", "52.4 MB/s to the device"]
    assert found.unknown == ""


def test_what_is_not_certain_is_not_told() -> None:
    profile = four_steps()
    found = throughput([profile], [break_down(profile)], tokens=128)
    assert (found.examples_per_second, found.tokens_per_second, found.batch) == (None, None, None)
    assert "batch size" in found.unknown


def test_sources_that_disagree_are_all_named() -> None:
    assert agreed([BatchSource(32, "a"), BatchSource(32, "b")]) == (32, "a", "")
    size, origin, why = agreed([BatchSource(32, "tf.data's batch stage"), BatchSource(8, "the hyperparameter batch_size")])
    assert (size, origin) == (None, "")
    assert figures(why) == [32, 8]


def test_a_slow_rank_sets_the_pace_and_the_line_says_so() -> None:
    slow = timeline("main  " + "1" * 30 + "2" * 30 + "3" * 30 + "4" * 30)
    profiles = [four_steps(), slow]
    found = throughput(profiles, [break_down(profile) for profile in profiles])
    assert figures(found.facts[0]) == [33.3]
    assert figures(throughput(profiles[:1] * 2, [break_down(profiles[0])] * 2).facts[0]) == [50]


def test_ranks_count_together_also_those_without_a_file() -> None:
    profiles = [replace(four_steps(rank), world_size=8) for rank in range(2)]
    found = throughput(profiles, [break_down(profile) for profile in profiles], batch=4)
    assert (found.ranks, found.examples_per_second) == (8, 1600)


@needs_samples
def test_the_batch_that_tf_data_was_told_to_make() -> None:
    (profile,) = open_profile(str(SAMPLES / "xplane" / "tf_keras_fit"))
    breakdown = break_down(profile)
    found = throughput([profile], [breakdown], span_attributes)
    assert (found.batch, found.batch_source) == (64, OF_TF_DATA)
    assert found.examples_per_second == pytest.approx(64e9 / breakdown.typical_ns)
    assert found.input_bytes_per_second is not None


@pytest.mark.parametrize(("rate", "text"), [(0.1234, "0.123"), (76.54, "76.5"), (999.4, "999"), (1234567.0, "1,234,567")])
def test_rates_have_three_digits(rate: float, text: str) -> None:
    assert rate_text(rate) == text


def test_an_epoch_in_a_recording() -> None:
    """Two epochs of 100 ms: steps from 10 to 50, validation to 75, of which 5 write a checkpoint, and 10 before and after."""
    builder = Timeline()
    for epoch in range(2):
        at = epoch * 100 * MS
        builder.span("main", at, at + 100 * MS, SpanKind.MARKER, f"epoch {epoch}", step=epoch)
        for step in range(4):
            start = at + (10 + 10 * step) * MS
            builder.span("main", start, start + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{4 * epoch + step}", step=4 * epoch + step)
            builder.span("main", start, start + 8 * MS, SpanKind.OP, "matmul")
        builder.span("main", at + 55 * MS, at + 75 * MS, SpanKind.ANNOTATION, "run_validation")
        builder.span("main", at + 70 * MS, at + 80 * MS, SpanKind.IO, "save")
    profile = builder.build()
    found = epochs_of_profile(profile, break_down(profile))
    assert [(epoch.number, epoch.steps, epoch.seconds) for epoch in found] == [(0, 4, 0.1), (1, 4, 0.1)]
    first = found[0]
    assert (first.first_step, first.train) == (pytest.approx(0.010), pytest.approx(0.030))
    assert (first.validation, first.checkpoint, first.between) == (pytest.approx(0.015), pytest.approx(0.010), pytest.approx(0.035))


def test_a_recording_without_epochs() -> None:
    profile = four_steps()
    assert epochs_of_profile(profile, break_down(profile)) == []


def series(*points: tuple[int, float, float]) -> LoggedSteps:
    step, wall, value = zip(*points, strict=True)
    return LoggedSteps(np.array(step, np.int64), np.array(wall), np.array(value))


def test_epochs_that_were_logged_with_their_seconds() -> None:
    """As Keras' callback logs them: no parts are known, but seconds and examples a second."""
    found = epochs_of_series(series((0, 10, 12.0), (1, 20, 9.0)), series((0, 10, 800.0), (1, 20, 1000.0)), None, None, {})
    assert found[0] == Epoch(0, 0, 12.0, None, None, None, None, None, 800.0)
    assert [epoch.examples_per_second for epoch in found] == [800, 1000]


def test_epochs_by_step_times_and_the_steps_at_which_they_ended() -> None:
    ends = series((4, 100.0, 0.0), (8, 110.0, 1.0), (12, 121.0, 2.0))
    steps = series(*((step, 90.0 + step, 5.0 if step == 5 else 1.0) for step in range(13)))
    found = epochs_of_series(None, None, ends, steps, {"validation": series((8, 109.0, 1.5), (12, 120.0, 2.0))})
    assert [epoch.number for epoch in found] == [1, 2], "when the first one began is not known"
    one = found[0]
    assert (one.seconds, one.steps, one.first_step, one.train) == (10.0, 4, 5.0, 3.0)
    assert (one.validation, one.checkpoint, one.between) == (1.5, None, pytest.approx(0.5))


def test_steps_of_an_epoch_are_counted_by_its_end() -> None:
    """Also of the first one, whether steps count from 0 or from 1; not where a run went on from a later step."""

    def counted(*ends: int) -> list[int]:
        lengths = series(*((number, 0.0, 3.0) for number in range(len(ends))))
        found = epochs_of_series(lengths, None, series(*((end, 10.0, float(number)) for number, end in enumerate(ends))), None, {})
        return [epoch.steps for epoch in found]

    assert counted(99, 199, 299) == [100, 100, 100]
    assert counted(100, 200, 300) == [100, 100, 100]
    assert counted(5100, 5200) == [0, 100]


def test_a_number_that_is_logged_at_every_step_ends_its_epoch_at_the_last() -> None:
    ends = series(*((step, 100.0 + step, float(step // 10)) for step in range(30)))
    found = epochs_of_series(None, None, ends, None, {})
    assert [(epoch.number, epoch.seconds, epoch.steps) for epoch in found] == [(1, 10.0, 10), (2, 10.0, 10)]


def test_fractions_of_epochs_end_none() -> None:
    assert epochs_of_series(None, None, series((1, 10.0, 0.25), (2, 20.0, 0.5), (3, 30.0, 0.75)), None, {}) == []


def test_steps_of_which_only_some_were_logged_tell_no_parts() -> None:
    ends = series((99, 100.0, 0.0), (199, 200.0, 1.0))
    (one,) = epochs_of_series(None, None, ends, series(*((step, 1.0, 0.5) for step in range(0, 200, 10))), {})
    assert (one.steps, one.seconds, one.train, one.between) == (100, 100.0, None, None)


def test_lengths_that_cannot_be_are_left_out() -> None:
    found = epochs_of_series(series((0, 1.0, -3.0), (1, 2.0, 1e300), (2, 3.0, 4.0)), None, None, None, {})
    assert [epoch.number for epoch in found] == [2]


def test_nothing_logged() -> None:
    assert epochs_of_series(None, None, None, None, {}) == []


def logged(tag: str, *points: tuple[int, float, float]) -> LoggedPoints:
    found = series(*points)
    return LoggedPoints(tag, found.step, found.wall, found.value)


def test_what_a_run_has_logged() -> None:
    ends = logged("epoch", (9, 100.0, 0.0), (19, 110.0, 1.0))
    steps = logged("step_time", *((step, 1.0, 0.5) for step in range(19)), (19, 1.0, -1.0))
    parts = {part: logged(f"step_time/{part}", (19, 110.0, 2.0)) for part in ("validation", "checkpoint")}
    found = run_epochs(EpochSeries(None, None, ends, steps, parts), {"batch_size": "24"})
    assert found.series == ("epoch", "step_time", "step_time/validation", "step_time/checkpoint")
    assert (found.step_seconds, found.steps_logged) == (0.5, 19), "a step of less than no time was none"
    assert [(epoch.number, epoch.seconds) for epoch in found.epochs] == [(1, 10.0)]
    assert (found.batch_size, found.note) == (24, "")
    assert "batch_size" in found.batch_size_from


def test_a_run_that_logs_only_the_ends_of_epochs() -> None:
    ends = logged("epoch", (9, 100.0, 0.0), (19, 110.0, 1.0))
    found = run_epochs(EpochSeries(None, None, ends, None, {}), {})
    assert (found.step_seconds, found.steps_logged, found.batch_size) == (None, 0, None)
    assert found.batch_size_from
    assert "step_time/total" in found.note
