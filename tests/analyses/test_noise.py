"""Differences beyond noise, with numbers that can be worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from stepscope.analyses.noise import Difference, Estimate, difference, estimate
from stepscope.queries.student import t_within


def test_an_estimate_of_one_rank_is_its_mean_and_the_variance_of_that() -> None:
    found = estimate([np.array([1.0, 2.0, 3.0, 4.0])])
    assert (found.mean, found.steps) == (2.5, 4)
    assert found.variance == pytest.approx((5 / 3) / 4)
    assert found.freedom == pytest.approx(3)


def test_every_rank_counts_the_same_however_many_steps_it_has() -> None:
    found = estimate([np.array([1.0, 3.0]), np.array([10.0, 10.0, 10.0, 10.0])])
    assert (found.mean, found.steps) == (6.0, 2)
    assert found.variance == pytest.approx(1 / 4), "the second does not vary, the first has 2 / 2 by itself"
    assert found.freedom == pytest.approx(1), "all that is known of the variance comes from two steps"


def test_no_steps_are_no_time() -> None:
    assert estimate([np.zeros(0)]) == Estimate(0.0, 0.0, 1.0, 0)


def test_the_noise_is_welchs_interval() -> None:
    before, after = Estimate(100.0, 4.0, 9.0, 10), Estimate(110.0, 12.0, 9.0, 10)
    found = difference(before, after, least_ns=0.0)
    freedom = int(16**2 / (4**2 / 9 + 12**2 / 9))
    assert freedom == 14
    assert found.noise_ns == pytest.approx(t_within(0.95, 14) * math.sqrt(16))
    assert found.noise_ns == pytest.approx(2.145 * 4, abs=0.01), "the table of Student's distribution"
    assert (found.change_ns, found.change, found.beyond_noise) == (10.0, 0.1, True)


def test_the_noise_is_at_least_what_recordings_differ_by() -> None:
    before, after = Estimate(100.0, 0.0, 9.0, 10), Estimate(100.5, 0.0, 9.0, 10)
    assert difference(before, after, least_ns=1.0) == Difference(100.0, 100.5, 1.0)
    assert difference(before, after, least_ns=1.0).beyond_noise is False
    assert difference(before, after, least_ns=0.0).beyond_noise is True


@pytest.mark.parametrize(("before", "after"), [(2, 10), (10, 2)])
def test_of_two_steps_nothing_can_be_said(before: int, after: int) -> None:
    found = difference(Estimate(100.0, 1.0, 1.0, before), Estimate(200.0, 1.0, 1.0, after), least_ns=1.0)
    assert (found.noise_ns, found.beyond_noise, found.change) == (None, None, 1.0)


def test_what_was_not_there_before_has_no_change_in_percent() -> None:
    assert Difference(0.0, 5.0, 1.0).change is None
