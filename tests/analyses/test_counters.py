"""Counters: means over time and over steps, and courses that keep the least and the most of every column."""

from __future__ import annotations

import numpy as np
import pytest

from analyses.counter_profiles import counted
from analyses.timeline import MS, Timeline
from opened_profiles import open_profile
from sample_files import SAMPLES, needs
from stepscope.analyses.counters import CounterRow, counter_course, counters
from stepscope.analyses.steps import find_steps
from stepscope.model.profile import Profile


def rows(profile: Profile) -> list[CounterRow]:
    return counters(profile, find_steps(profile))


def test_the_mean_is_over_time() -> None:
    (row,) = rows(counted("main  1111111111", use=[(0, 10), (1, 100), (2, 0)]))
    assert (row.name, row.process, row.count) == ("use", "GPU 0", 3)
    assert (row.least, row.most, row.last) == (0, 100, 0)
    assert row.mean == pytest.approx((10 + 100) / 10)


def test_means_of_steps_begin_with_the_first_sample() -> None:
    profile = counted("main  111122223333", late=[(6, 8), (8, 2), (10, 4)])
    (row,) = rows(profile)
    assert row.step_means == (None, 8.0, 3.0)
    assert row.step_mean == 5.5


def test_samples_at_one_time_and_a_single_sample() -> None:
    one, twice = rows(counted("main  1111", one=[(4, 7)], twice=[(0, 5), (2, 9), (2, 1)]))
    assert (one.mean, one.step_means, one.count) == (7, (None,), 1)
    assert (twice.mean, twice.most, twice.last) == (3, 9, 1)


def test_what_is_no_number_is_left_out() -> None:
    assert rows(counted("main  1111", bad=[(0, float("nan")), (1, float("inf"))])) == []
    (row,) = rows(counted("main  1111", half=[(0, 2), (1, float("nan")), (2, 4)]))
    assert (row.count, row.mean) == (2, 3)


def test_the_largest_numbers_have_a_mean() -> None:
    (row,) = rows(counted("main  1111111111", huge=[(0, 1.7e308), (5, -1.7e308)]))
    assert (row.least, row.most, abs(row.mean) < 1e300) == (-1.7e308, 1.7e308, True)


def test_counters_in_any_order_and_none() -> None:
    (row,) = rows(counted("main  1111", use=[(2, 4), (0, 2)]))
    assert (row.last, row.mean) == (4, 3)
    assert rows(Timeline().draw("main  1111").build()) == []


class TestCourse:
    def test_every_column_has_its_least_and_most(self) -> None:
        profile = counted("main  1111111111", use=[(1, 5), (3.2, 50), (3.4, 1), (3.6, 7), (9, 2)])
        course = counter_course(profile, len(profile.tracks) - 1, (0, 10 * MS), 10)
        assert (course.time / MS).tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9]
        assert course.least.tolist() == [5, 5, 1, 7, 7, 7, 7, 7, 2]
        assert course.most.tolist() == [5, 5, 50, 7, 7, 7, 7, 7, 2]
        assert course.last.tolist() == [5, 5, 7, 7, 7, 7, 7, 7, 2]

    def test_a_window_in_the_middle_knows_what_held_before(self) -> None:
        profile = counted("main  1111111111", use=[(0, 3), (9, 4)])
        course = counter_course(profile, len(profile.tracks) - 1, (4 * MS, 6 * MS), 2)
        assert (course.least.tolist(), course.most.tolist()) == ([3, 3], [3, 3])

    def test_the_last_moment_belongs_to_the_last_column(self) -> None:
        profile = counted("main  1111111111", use=[(0, 3), (10, 8)])
        course = counter_course(profile, len(profile.tracks) - 1, (0, 10 * MS), 5)
        assert (course.most[-1], course.least[-1]) == (8, 3)

    def test_nothing_before_the_first_sample(self) -> None:
        profile = counted("main  1111111111", use=[(8, 3)])
        course = counter_course(profile, len(profile.tracks) - 1, (0, 4 * MS), 4)
        assert len(course.time) == 0

    def test_extremes_survive_any_reduction(self) -> None:
        generator = np.random.default_rng(7)
        times = np.sort(generator.integers(0, 10 * MS, 5000))
        values = generator.normal(size=5000)
        profile = counted("main  1111111111", use=[(time / MS, value) for time, value in zip(times, values, strict=True)])
        track = len(profile.tracks) - 1
        for columns in (1, 7, 600, 20_000):
            course = counter_course(profile, track, (0, 10 * MS), columns)
            assert (course.least.min(), course.most.max()) == (values.min(), values.max())
            assert (course.least <= course.last).all()
            assert (course.last <= course.most).all()
            assert len(course.time) <= columns


@needs("tf1_run_metadata")
def test_a_recording_of_tensorflow_has_counters() -> None:
    path = SAMPLES / "tf1_run_metadata" / "timeline_step019.json"
    (profile,) = open_profile(str(path))
    (row,) = rows(profile)
    assert (row.name, row.count) == ("mklcpu mklcpu", 164)
    assert row.least <= row.mean <= row.most


@needs("kineto/hta/memory_analysis")
def test_a_memory_timeline_of_torch_has_counters() -> None:
    path = SAMPLES / "kineto" / "hta" / "memory_analysis" / "memory_timeline.raw.gz"
    (profile,) = open_profile(str(path))
    found = {row.name: row for row in rows(profile)}
    assert {"Parameter", "Gradient", "Activation"} <= set(found)
    assert sum(row.count for row in found.values()) == 7387
