"""Two trainings timed turn about: the step after by the median ratio of rounds, and an interval by the order of the rounds alone."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from truth.held_out.rounds import SURE, TOO_WIDE, beyond, compared, slower, too_noisy, uncertainty
from truth.held_out.training import ROUNDS


def test_the_step_after_is_that_before_times_the_median_ratio() -> None:
    before = [[10.0, 10.0, 30.0], [20.0, 20.0, 20.0], [10.0, 10.0, 10.0]]
    after = [[5.0, 5.0, 5.0], [12.0, 12.0, 90.0], [7.0, 7.0, 7.0]]
    first, then = compared(before, after)
    assert (first["median_ms"], first["steps"]) == (10.0, 9)
    assert then["median_ms"] == pytest.approx(6.0), "a machine that is half as fast for one round hurts both blocks alike"
    assert (then["low_ms"], then["high_ms"]) == pytest.approx((5.0, 7.0))
    assert uncertainty(then) == pytest.approx(2 / 6)
    assert too_noisy(then)
    assert not slower(first, then)
    assert slower(*compared(after, before))


@pytest.mark.parametrize(("rounds", "left_out"), [(3, 0), (5, 0), (8, 1), (11, 2), (13, 3)])
def test_what_lies_outside_of_the_interval(rounds: int, left_out: int) -> None:
    # Known from the table of the sign test at 10 %: critical values 0, 1, 2 and 3 of 5, 8, 11 and 13.
    assert beyond(rounds) == left_out


def test_the_interval_contains_the_true_ratio_as_often_as_it_says() -> None:
    chance, held = random.Random(7), 0
    for _ in range(2000):
        slow, fast = ([[ms * chance.lognormvariate(0, 0.3)] for _ in range(ROUNDS)] for ms in (10.0, 6.0))
        first, then = compared(slow, fast)
        held += then["low_ms"] <= 0.6 * first["median_ms"] <= then["high_ms"]
    expected = 1 - 2 * (1 + 13 + 78 + 286) / 2**ROUNDS
    assert expected >= SURE
    assert held / 2000 == pytest.approx(expected, abs=0.02)


def test_equal_rounds_are_certain() -> None:
    _, then = compared([[10.0]] * ROUNDS, [[6.0]] * ROUNDS)
    assert (uncertainty(then), too_noisy(then)) == (0.0, False)
    assert 0 < TOO_WIDE < 1
