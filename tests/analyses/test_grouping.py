"""Groups of rows: their members, however many groups there are."""

from __future__ import annotations

import numpy as np
import pytest

from stepscope.analyses.grouping import dense_codes


@pytest.mark.parametrize("groups", [1, 5, 70_000])
def test_members_are_in_the_order_of_the_rows(groups: int) -> None:
    codes = np.random.default_rng(2).permutation(np.repeat(np.arange(groups), 3)).astype(np.int64)
    found = dense_codes(codes, groups)
    values = np.arange(len(codes)) * 10
    members = found.members(values)
    assert [len(one) for one in members] == found.counts().tolist() == [3] * groups
    for group in {0, groups - 1}:
        assert members[group].tolist() == values[codes == group].tolist()


def test_a_huge_space_of_codes_is_numbered_without_a_table() -> None:
    codes = np.array([1 << 40, 3, 1 << 40, 7], np.int64)
    found = dense_codes(codes, 1 << 41)
    assert (found.code.tolist(), found.groups, found.firsts().tolist()) == ([2, 0, 2, 1], 3, [1, 3, 0])
