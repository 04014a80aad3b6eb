"""Which rank is the slowest: one that is longer than all others by more than noise, or none."""

from __future__ import annotations

import numpy as np
import pytest

from analyses.timeline import MS, Timeline
from stepscope.analyses.breakdown import Breakdown, break_down
from stepscope.analyses.session.rank_lengths import RankLengths, rank_lengths
from stepscope.model.profile import SpanKind


def rank(lengths: list[float]) -> Breakdown:
    builder, at = Timeline(), 0
    for step, length in enumerate(lengths):
        end = at + round(length * MS)
        builder.span("main", at, end, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        builder.span("gpu 0", at, at + MS, SpanKind.KERNEL, "k")
        at = end
    return break_down(builder.build())


def found(*ranks: list[float]) -> RankLengths:
    return rank_lengths([rank(lengths) for lengths in ranks])


def test_a_rank_that_is_longer_than_every_other_is_the_slowest() -> None:
    got = found([10, 10.1, 9.9, 10], [12, 12.1, 11.9, 12], [10, 10, 10.1, 9.9])
    assert (got.slowest, got.longest, got.equal, got.text) == (1, 1, False, "")
    assert got.apart == pytest.approx(0.2, abs=0.01)


def test_ranks_within_a_hundredth_are_equal_however_sure_that_is() -> None:
    got = found([10] * 6, [10.05] * 6)
    assert (got.slowest, got.longest, got.equal, "0.5%" in got.text) == (None, 1, True, True)


def test_what_steps_differ_by_themselves_is_no_difference_of_ranks() -> None:
    got = found([9, 11, 10, 9.5, 10.5], [9.4, 11.4, 10.4, 9.9, 10.9])
    assert (got.slowest, got.equal, "4%" in got.text) == (None, True, True)
    assert found([10.0, 10.01, 9.99, 10.0], [10.4, 10.41, 10.39, 10.4]).slowest == 1, "with steps this steady it is"


def test_two_slow_ranks_are_not_one() -> None:
    got = found([10] * 5, [12] * 5, [12.05] * 5)
    assert (got.slowest, got.equal, "21%" in got.text) == (None, False, True)


def test_few_steps_need_a_clear_difference() -> None:
    assert "3%" in found([10, 10], [10.3, 10.3]).text
    assert found([10], [20]).slowest == 1


def test_one_rank_has_nobody_beside_it() -> None:
    assert found([10, 10]) == RankLengths(0, 0.0, equal=True, slowest=None)


@pytest.mark.slow
def test_the_ends_of_many_equal_ranks_are_no_difference() -> None:
    generator = np.random.default_rng(3)
    drawn = [[list(generator.normal(10, 0.5, 8)) for _ in range(32)] for _ in range(10)]
    assert sum(found(*ranks).slowest is not None for ranks in drawn) <= 1
    assert sum(found(*ranks).equal for ranks in drawn) >= 8
