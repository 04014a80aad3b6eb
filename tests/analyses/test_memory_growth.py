"""Levels at step ends, their slope, and who allocated what stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyses.timeline import MS, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.memory.growth import GrowthVerdict, MemoryGrowth, memory_growth
from stepscope.analyses.memory.slope import slope_of
from stepscope.model.profile import NONE, Allocations, Device, Profile

FIVE = """
    main    11112222333344445555
    main    oooooooooooooooooooo
"""


def with_allocations(rows: list[tuple[int, int, int]], device: int = NONE, known: bool = True) -> Profile:
    """Rows of (millisecond, address, bytes), of a device with a gibibyte."""
    profile = timeline(FIVE)
    size = np.array([row[2] for row in rows], np.int64)
    none = np.full(len(rows), NONE, np.int32)
    table = Allocations(
        time=np.array([row[0] * MS for row in rows], np.int64),
        row=np.zeros(len(rows), np.int32),
        device=np.full(len(rows), device, np.int32),
        allocator=none,
        address=np.array([row[1] for row in rows], np.int64),
        bytes=size,
        allocated=np.cumsum(size) if known else np.full(len(rows), NONE, np.int64),
        reserved=np.full(len(rows), NONE, np.int64),
        op=none,
        shape=none,
        dtype=none,
    )
    return replace(profile, allocations=table, devices=[Device("", "GPU", 0, memory_bytes=1 << 30)])


def leak() -> list[tuple[int, int, int]]:
    """Every step keeps 100 bytes, and takes and releases 50 more."""
    rows = [[(4 * step, step, 100), (4 * step + 1, 1000 + step, 50), (4 * step + 2, 1000 + step, -50)] for step in range(5)]
    return [row for step in rows for row in step]


@pytest.mark.parametrize("known", [True, False])
def test_a_leak_rises_in_every_pair_of_steps(known: bool) -> None:
    profile = with_allocations(leak(), 0, known)
    (found,) = memory_growth(profile, break_down(profile))
    assert found.level.tolist() == [100, 200, 300, 400, 500]
    assert (found.slope, found.rising, found.capacity) == (100.0, 1.0, 1 << 30)
    assert found.grows == (("o", 500),)


def test_memory_that_comes_back_does_not_rise() -> None:
    rows = [row for step in range(5) for row in ((4 * step, 1, 100), (4 * step + 2, 1, -100))]
    profile = with_allocations(rows)
    (found,) = memory_growth(profile, break_down(profile))
    assert (found.slope, found.rising, found.capacity, found.grows) == (0.0, 0.0, 0, ())


def test_nothing_recorded_is_nothing_known() -> None:
    profile = timeline(FIVE)
    assert memory_growth(profile, break_down(profile)) == ()


def test_one_wild_value_does_not_move_the_slope() -> None:
    x = np.arange(9, dtype=np.float64)
    y = 3 * x
    y[4] = 1e9
    found = slope_of(x, y)
    assert found is not None
    assert (found.median, found.low) == (pytest.approx(3.0), pytest.approx(3.0))
    assert slope_of(x[:1], y[:1]) is None


def test_noise_widens_the_bounds() -> None:
    x = np.arange(30, dtype=np.float64)
    found = slope_of(x, 3 * x + np.random.default_rng(1).normal(0, 10, len(x)))
    assert found is not None
    assert found.low < 3.0 < found.high
    assert 0.1 < found.high - found.low < 2.0


def grown(level: list[int], slope: float, rising: float, capacity: int = 0) -> GrowthVerdict:
    return MemoryGrowth("host", NONE, np.array(level, np.int64), slope, rising, capacity, ()).verdict


def test_verdicts() -> None:
    steps = [1000] * 5
    assert grown(steps, 2.0, 1.0) is GrowthVerdict.GROWS
    assert grown(steps[:4], 2.0, 1.0) is GrowthVerdict.CANNOT_TELL
    # A thousand steps would not double it, or not take a tenth of the device.
    assert grown(steps, 0.5, 1.0) is GrowthVerdict.STEADY
    assert grown(steps, 2.0, 1.0, capacity=30_000) is GrowthVerdict.STEADY
    assert grown(steps, 2.0, 1.0, capacity=10_000) is GrowthVerdict.GROWS
    assert grown(steps, 2.0, 0.8) is GrowthVerdict.STEADY
    assert grown(steps, -2.0, 1.0) is GrowthVerdict.STEADY
