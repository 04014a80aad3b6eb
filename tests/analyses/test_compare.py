"""Comparisons say what was changed and nothing else: exact on drawn recordings, quiet on noise, honest about few steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyses.timeline import MS, Timeline
from figures import figures
from opened_profiles import open_profile
from sample_files import SAMPLES, needs
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.compare.comparison import Change, Comparison, compare
from stepscope.analyses.compare.rows import CompareBy, RowKey, lasting_name, measured_rows
from stepscope.analyses.ranges.chosen import choose
from stepscope.analyses.session.summary import Summary, summarise
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import Group
from stepscope.model.profile import Profile, SpanKind

STEPS = 12


def training(
    *,
    seed: int | None = None,
    noise: float = 0.01,
    slow: float = 1.0,
    calls: int = 2,
    fetch: int = 1,
    steps: int = STEPS,
    extra: str = "",
    outlier: int | None = None,
) -> Profile:
    """Steps of a fetch and two operations with a kernel each: `attention`, called `calls` times and `slow` times as long, and `mlp`."""
    random = np.random.default_rng(seed)
    line = Timeline()
    at = 0
    for number in range(steps):
        begin = at

        def lasts(milliseconds: float) -> int:
            factor = 1.0 if seed is None else float(random.normal(1.0, noise))
            return round(milliseconds * MS * max(0.1, factor))

        length = lasts(fetch * (20 if number == outlier else 1))
        line.span("main", at, at + length, SpanKind.INPUT, "next")
        at += length
        for name, times, ms in (("attention", calls, 3 * slow), ("mlp", 1, 4), *(((extra, 1, 2),) if extra else ())):
            for _ in range(times):
                launch = line.span("main", at, at + MS // 100, SpanKind.RUNTIME, "launch")
                end = at + MS // 100 + lasts(ms)
                line.span("gpu 0", at + MS // 100, end, SpanKind.KERNEL, name, cause=launch)
                at = end
        line.span("main", begin, at, SpanKind.MARKER, f"ProfilerStep#{number}", step=number)
    return replace(line.build(), framework="PyTorch")


def summary(*profiles: Profile, range: str = "") -> Summary:
    return summarise(choose(profiles, range))


def compared(before: Profile, after: Profile, by: CompareBy = CompareBy.OP) -> Comparison:
    return compare(summary(before), summary(after), by)


def changed(found: Comparison) -> dict[str, Change]:
    return {row.name: row.change for row in found.rows if row.change is not Change.NONE}


def test_a_recording_compared_with_itself_has_no_differences() -> None:
    profile = training(seed=1)
    found = compared(profile, profile)
    assert (found.step.change_ns, found.step.beyond_noise, found.slower) == (0.0, False, False)
    assert changed(found) == {}
    assert not any(each.beyond_noise for each in found.groups)
    assert found.settings == ()
    assert found.sentence != compared(profile, training(slow=2.0)).sentence
    assert not found.fails(0.0)


def test_an_operation_made_twice_as_slow_is_named_with_its_time() -> None:
    found = compared(training(), training(slow=2.0))
    assert changed(found) == {"attention": Change.TIME}
    row = found.rows[0]
    assert (row.name, row.on_device, row.kind) == ("attention", True, "kernel")
    assert row.exposed.change_ns == pytest.approx(6 * MS)
    assert row.per_call_ns == (pytest.approx(3 * MS), pytest.approx(6 * MS))
    assert (row.count_before, row.count_after) == (2, 2)
    assert found.step.change_ns == pytest.approx(6 * MS)
    assert found.groups[Group.COMPUTE].change_ns == pytest.approx(6 * MS)
    assert found.slower is True
    assert 6 in figures(found.sentence)
    assert found.fails(0.03)
    assert not found.fails(0.9)


@pytest.mark.parametrize("by", list(CompareBy))
def test_what_is_faster_is_no_failure(by: CompareBy) -> None:
    found = compared(training(slow=2.0), training(), by)
    assert found.slower is False
    assert not found.fails(0.0)
    assert "faster" in found.sentence
    if by is not CompareBy.MODULE:
        assert changed(found) == {"attention": Change.TIME}


def test_an_operation_that_runs_more_often_is_told_from_a_slower_one() -> None:
    found = compared(training(calls=2), training(calls=4))
    assert changed(found) == {"attention": Change.COUNT}
    assert (found.rows[0].count_before, found.rows[0].count_after) == (2, 4)
    both = compared(training(calls=2), training(calls=4, slow=2.0))
    assert changed(both) == {"attention": Change.BOTH}


def test_new_operations_and_operations_that_are_gone() -> None:
    assert changed(compared(training(), training(extra="dropout"))) == {"dropout": Change.NEW}
    assert changed(compared(training(extra="dropout"), training())) == {"dropout": Change.GONE}


def test_names_are_the_same_without_addresses_and_lines() -> None:
    names = {
        "<built-in method mul_ of Tensor object at 0x7fef85c345a0>": "<built-in method mul_ of Tensor object>",
        "/home/me/train.py(12): fit": "/home/me/train.py: fit",
        "aten::mm(12): x": "aten::mm(12): x",
        "gemm_at_0x12": "gemm_at_0x12",
    }
    assert {name: lasting_name(name) for name in names} == names
    before, after = (training(extra=f"call of object at 0x7f{digit}") for digit in "12")
    assert changed(compared(before, after)) == {}


def test_waiting_for_input_is_a_group_of_its_own() -> None:
    found = compared(training(fetch=1), training(fetch=6))
    assert found.groups[Group.INPUT_WAIT].change_ns == pytest.approx(5 * MS)
    assert 5 in figures(found.sentence)


def test_what_a_step_waits_for_counts_for_the_step_that_asked_though_the_device_lags() -> None:
    """Each fetch begins while the device still works for the step before; a frame around the loop is in all steps alike."""
    line = Timeline()
    line.span("main", 0, 80 * MS, SpanKind.PYTHON, "loop")
    for number in range(8):
        at = 10 * number * MS
        line.span("main", at, at + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{number}", step=number)
        line.span("main", at, at + 6 * MS, SpanKind.INPUT, "next")
        launch = line.span("main", at + 6 * MS, at + 7 * MS, SpanKind.RUNTIME, "launch")
        line.span("gpu 0", at + 8 * MS, at + 12 * MS, SpanKind.KERNEL, "gemm", cause=launch)
    profile = line.build()
    found = measured_rows(profile, break_down(profile), CompareBy.OP)
    assert (found[RowKey("next", on_device=False)].exposed / MS).tolist() == [4.0] * 7  # the first step is longer
    assert (found[RowKey("loop", on_device=False)].exposed / MS).tolist() == [1.0] * 7


@pytest.mark.parametrize("seed", range(20))
def test_noise_stays_quiet(seed: int) -> None:
    found = compared(training(seed=2 * seed, noise=0.05), training(seed=2 * seed + 1, noise=0.05))
    assert not found.fails(0.03)
    assert changed(found) == {}


def test_noise_hides_no_real_slowdown() -> None:
    for seed in range(10):
        found = compared(training(seed=2 * seed, noise=0.03), training(seed=2 * seed + 1, noise=0.03, slow=1.3))
        assert found.fails(0.03)
        assert found.rows[0].name == "attention"


def test_steps_that_are_not_typical_are_never_compared() -> None:
    """One step waits twenty times as long for input: the mean over all steps would be slower, a typical step is not."""
    found = compared(training(steps=10), training(steps=10, outlier=6))
    assert found.step.change_ns == 0
    assert found.slower is False


def test_too_few_steps_tell_nothing() -> None:
    found = compared(training(steps=2), training(steps=2, slow=3.0))
    assert found.slower is None
    assert found.step.noise_ns is None
    assert not found.fails(0.0)
    assert figures(found.sentence)[-3:] == [2, 2, 3]


def test_two_ranges_of_one_recording_are_compared() -> None:
    profile = training(seed=3)
    found = compare(summary(profile, range=":6"), summary(profile, range="6:"))
    assert found.steps[0] <= 6
    assert found.slower is False


def test_different_frameworks_and_devices_compare_in_the_six_groups_only() -> None:
    torch, other = training(), replace(training(slow=2.0), framework="JAX")
    found = compared(torch, other)
    assert found.rows == ()
    assert "PyTorch" in found.rows_refused
    assert "JAX" in found.rows_refused
    assert found.groups[Group.COMPUTE].change_ns == pytest.approx(6 * MS)
    newer = replace(torch, devices=[replace(torch.devices[0], name="H100")])
    assert "H100" in compared(torch, newer).rows_refused


def test_times_in_sentences_never_read_as_a_thousand_of_a_unit() -> None:
    assert [milliseconds(ns) for ns in (999.4, 999.6, 999_400, 999_950, 1e6, 999_960_000)] == [
        "999 ns", "1 µs", "999 µs", "1 ms", "1 ms", "1 s",
    ]  # fmt: skip


def test_ranks_count_the_same() -> None:
    before = summary(training(), training())
    after = summary(training(), training(slow=2.0))
    found = compare(before, after)
    assert found.step.change_ns == pytest.approx(3 * MS)
    assert changed(found) == {"attention": Change.TIME}


@needs("kineto/resnet50_workers0", "kineto/resnet50_workers4")
def test_loading_with_workers_is_seen_in_the_real_recordings() -> None:
    """resnet50 on a V100 with no workers and with four: the same compute, and the wait for input is gone."""
    before, after = (summary(*open_profile(str(next((SAMPLES / "kineto" / f"resnet50_workers{n}").iterdir())))) for n in (0, 4))
    found = compare(before, after)
    assert found.slower is False
    assert found.step.beyond_noise
    assert found.step.before_ns / MS == pytest.approx(177.6, abs=1)
    assert found.step.after_ns / MS == pytest.approx(125.2, abs=1)
    assert found.groups[Group.INPUT_WAIT].change_ns / MS == pytest.approx(-58, abs=3)
    assert found.groups[Group.INPUT_WAIT].beyond_noise
    assert not found.groups[Group.COMPUTE].beyond_noise
    assert "DataLoader" in found.rows[0].name
    assert compare(after, before).fails(0.03)
    assert compare(after, after).slower is False
