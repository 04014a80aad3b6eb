"""Rows are limited by number and by what their names contain."""

from __future__ import annotations

import msgspec
import pytest

from stepscope.session.limits import BatchSize, Cores, Limit, StepMs, contains, limited


@pytest.mark.parametrize(("limit", "rows"), [(0, [1, 2, 3]), (2, [1, 2]), (9, [1, 2, 3])])
def test_a_limit_of_zero_is_none(limit: int, rows: list[int]) -> None:
    assert limited((1, 2, 3), limit) == rows


def test_any_of_the_names_may_contain_the_text() -> None:
    assert contains("GEMM", "relu", "ampere_sgemm")
    assert contains("", "relu")
    assert not contains("gemm", "relu", "softmax")
    assert not contains("gemm")


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [(Limit, 0, -1), (Cores, 1, 0), (Cores, 65_536, 65_537), (StepMs, 0.001, 0), (BatchSize, 1, 0), (Cores, None, "4")],
)
def test_what_users_say_is_in_bounds(kind: object, good: object, bad: object) -> None:
    assert msgspec.convert(good, kind) == good
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(bad, kind)
