"""Logged memory with known answers: noise, leaks, teeth, jumps, holes, restarts, and too little to tell."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from stepscope.analyses.memory.growth import GrowthVerdict
from stepscope.analyses.memory.logged import Doubt, MemorySeries, memory_series

MIB = float(1 << 20)
GIB = float(1 << 30)
EVERY_S, STEPS_A_POINT = 5.0, 10
T0 = 1.7e9


def judged_series(step: Any, wall: Any, level: Any, segment: Any, capacity: float | None = None) -> MemorySeries | None:
    """What numpy computes of plain numbers has types too wide to be told."""
    return memory_series(step, wall, level, segment, capacity)


def told(level: np.ndarray, capacity: float | None = 16 * GIB, segment: list[int] | None = None) -> MemorySeries:
    """A point each five seconds and ten steps."""
    places = np.arange(len(level))
    segments = np.zeros(len(level), np.int32) if segment is None else np.array(segment, np.int32)
    found = judged_series(places * STEPS_A_POINT, T0 + places * EVERY_S, np.asarray(level, np.float64), segments, capacity)
    assert found is not None
    return found


def noise(count: int, size: float = 20 * MIB) -> np.ndarray:
    return np.random.default_rng(7).normal(0, size, count)


def test_a_leak_has_the_slope_and_the_end_that_it_was_made_with() -> None:
    found = told(4 * GIB + MIB * np.arange(721))  # an hour
    assert found.verdict is GrowthVerdict.GROWS
    assert found.per_step is not None
    assert found.per_hour is not None
    assert found.per_step.median == pytest.approx(MIB / 10)
    assert found.per_hour.median == pytest.approx(720 * MIB)
    assert found.rising == 1.0
    assert found.hours == pytest.approx(1.0)
    left = 16 * 1024 - (4 * 1024 + 720)  # MiB
    assert found.full is not None
    assert found.full.hours == pytest.approx(left / 720, rel=0.001)
    assert found.full.step == pytest.approx(7200 + 10 * left, rel=0.001)
    assert found.used == pytest.approx((4 * 1024 + 720) / (16 * 1024))


def test_a_leak_under_noise_is_found_and_its_bounds_hold_the_truth() -> None:
    found = told(4 * GIB + MIB * np.arange(721) + noise(721, 100 * MIB))
    assert found.verdict is GrowthVerdict.GROWS
    assert found.per_hour is not None
    assert found.per_hour.low < 720 * MIB < found.per_hour.high
    assert found.per_hour.high - found.per_hour.low < 0.25 * 720 * MIB


@pytest.mark.parametrize(
    "level",
    [
        pytest.param(4 * GIB + noise(721), id="noise"),
        pytest.param(np.full(721, 4 * GIB), id="constant"),
        pytest.param(np.full(721, 0.0), id="nothing"),
        pytest.param(4 * GIB + 50 * MIB * (np.arange(721) % 60), id="teeth"),
        pytest.param(4 * GIB + 2 * GIB * (np.arange(721) > 360) + noise(721), id="one jump"),
        pytest.param(4 * GIB + 2 * GIB * (np.arange(721) // 241) + noise(721), id="two jumps"),
        pytest.param(8 * GIB - MIB * np.arange(721), id="falls"),
        pytest.param(4 * GIB + 2 * GIB * (1 - np.exp(-np.arange(721) / 30)) + noise(721, MIB), id="fills and levels off"),
        pytest.param(4 * GIB + 0.01 * MIB * np.arange(721), id="too slow to be felt"),
    ],
)
def test_what_does_not_grow_is_steady_and_never_full(level: np.ndarray) -> None:
    found = told(level)
    assert (found.verdict, found.doubt, found.full) == (GrowthVerdict.STEADY, None, None)


@pytest.mark.slow
def test_noise_never_grows_and_random_walks_seldom_do() -> None:
    drawn = np.random.default_rng(0)
    shaken = [told(4 * GIB + drawn.normal(0, 50 * MIB, 200)).verdict for _ in range(100)]
    walked = [told(4 * GIB + np.cumsum(drawn.normal(0, 20 * MIB, 200))).verdict for _ in range(100)]
    assert GrowthVerdict.GROWS not in shaken
    assert walked.count(GrowthVerdict.GROWS) <= 10


def test_teeth_with_a_rising_floor_grow() -> None:
    found = told(4 * GIB + 5 * MIB * (np.arange(721) % 20) + MIB * np.arange(721))
    assert found.verdict is GrowthVerdict.GROWS
    assert found.per_hour is not None
    assert found.per_hour.median == pytest.approx(720 * MIB, rel=0.05)


def test_the_first_tooth_alone_cannot_tell() -> None:
    found = told(4 * GIB + 10 * MIB * (np.arange(721) % 690))
    assert (found.verdict, found.doubt, found.full) == (GrowthVerdict.CANNOT_TELL, Doubt.GIVEN_BACK, None)


def test_three_points_cannot_tell_but_have_a_peak() -> None:
    found = told(np.array([1.0, 9.0, 5.0]) * GIB)
    assert (found.verdict, found.doubt) == (GrowthVerdict.CANNOT_TELL, Doubt.TOO_FEW)
    assert (found.peak.bytes, found.peak.step, found.peak.wall) == (9 * GIB, 10, T0 + 5)
    assert (found.last.bytes, found.last.step) == (5 * GIB, 20)


def test_one_point_and_none() -> None:
    assert told(np.array([GIB])).per_hour is None
    nothing = np.zeros(2, np.int64)
    assert memory_series(nothing, nothing.astype(float), np.array([np.nan, np.inf]), nothing.astype(np.int32)) is None


def test_holes_are_left_out() -> None:
    level = 4 * GIB + MIB * np.arange(721)
    level[::3] = np.nan
    level[1] = np.inf
    found = told(level)
    assert (found.points, found.verdict) == (479, GrowthVerdict.GROWS)
    assert found.per_hour is not None
    assert found.per_hour.median == pytest.approx(720 * MIB, rel=0.001)
    assert found.peak.bytes == level[719]


def test_only_what_follows_the_last_restart_is_judged() -> None:
    leaked = 4 * GIB + 4 * MIB * np.arange(600)
    found = told(np.concatenate([leaked, np.full(121, 4 * GIB)]), segment=[0] * 600 + [1] * 121)
    assert (found.verdict, found.restarts, found.judged, found.points) == (GrowthVerdict.STEADY, 1, 121, 721)
    assert (found.peak.step, found.peak.bytes) == (5990, leaked[-1])


@pytest.mark.parametrize(("pause", "resets", "restarts", "judged"), [(600, True, 1, 121), (600, False, 0, 721), (30, True, 0, 721)])
def test_a_pause_after_which_less_is_held_is_a_restart_though_steps_go_on(pause: int, resets: bool, restarts: int, judged: int) -> None:
    places = np.arange(721)
    level = 4 * GIB + 4 * MIB * np.where((places >= 600) & resets, places - 600, places)
    wall = T0 + EVERY_S * places + pause * (places >= 600)
    found = judged_series(places * 10, wall, level, np.zeros(721, np.int32), 16 * GIB)
    assert found is not None
    assert (found.restarts, found.judged) == (restarts, judged)
    assert (found.verdict is GrowthVerdict.GROWS) == (pause == 600)


def test_right_after_a_restart_growth_cannot_be_told() -> None:
    found = told(4 * GIB + 4 * MIB * np.arange(600), segment=[0] * 595 + [1] * 5)
    assert (found.verdict, found.doubt, found.judged) == (GrowthVerdict.CANNOT_TELL, Doubt.RESTARTED, 5)


def test_steps_that_stand_still_leave_only_the_growth_per_hour() -> None:
    places = np.arange(100)
    found = judged_series(np.full(100, 7), T0 + places * EVERY_S, GIB + MIB * places, np.zeros(100, np.int32), 2 * GIB)
    assert found is not None
    assert (found.verdict, found.per_step) == (GrowthVerdict.GROWS, None)
    assert found.full is not None
    assert found.full.step is None
    assert found.full.hours == pytest.approx((1024 - 99) / 720, rel=0.01)


def test_without_time_growth_cannot_be_told() -> None:
    places = np.arange(100)
    found = judged_series(places, np.full(100, T0), GIB + MIB * places, np.zeros(100, np.int32))
    assert found is not None
    assert (found.verdict, found.doubt, found.per_hour) == (GrowthVerdict.CANNOT_TELL, Doubt.NO_TIME, None)


def test_broken_values_and_times_are_left_out() -> None:
    places = np.arange(100)
    wall, level = T0 + places * EVERY_S, GIB + MIB * places
    wall[3], wall[4], level[5], level[6] = 1e300, -1.0, 1e300, -GIB
    found = judged_series(places, wall, level, np.zeros(100, np.int32), 1e18)
    assert found is not None
    assert (found.points, found.peak.step, found.last.step) == (96, 99, 99)


def test_points_may_come_in_any_order() -> None:
    places = np.random.default_rng(3).permutation(200)
    found = judged_series(places * 10, T0 + places * EVERY_S, GIB + MIB * places, np.zeros(200, np.int32))
    assert found is not None
    assert (found.last.step, found.verdict) == (1990, GrowthVerdict.GROWS)


@pytest.mark.parametrize("capacity", [None, 0.0, float("nan")])
def test_a_leak_without_a_known_capacity_is_never_full(capacity: float | None) -> None:
    found = told(4 * GIB + MIB * np.arange(721), capacity)
    assert (found.verdict, found.capacity, found.used, found.full) == (GrowthVerdict.GROWS, None, None, None)


def test_what_is_already_beyond_its_capacity_is_full_now() -> None:
    found = told(4 * GIB + MIB * np.arange(721), 4 * GIB)
    assert found.full is not None
    assert (found.full.step, found.full.hours) == (7200, 0.0)


def test_a_million_points_take_little_more_than_sorting_them() -> None:
    level = 4 * GIB + MIB * np.arange(1_000_000)
    start = time.process_time()
    found = told(level)
    assert time.process_time() - start < 2.0
    assert (found.points, found.verdict) == (1_000_000, GrowthVerdict.GROWS)
