"""The row of a rank: shares of columns can be counted in the picture, and over a step they are what the breakdown says."""

from __future__ import annotations

import numpy as np
import pytest

from analyses.timeline import MS, timeline
from stepscope.analyses.breakdown import break_down, group_sums
from stepscope.analyses.time_classes import Group
from stepscope.analyses.timeline.time_rows import OWNERS, WHOLE, column_shares, time_row

INPUT_BOUND = """
    main     1111111111222222222233333333334444444444
    main     iiilssssssiiilssssssiiilssssssiiilssssss
    gpu 0        KKKKKK    KKKKKK    KKKKKK    KKKKKK
"""
TWO_DEVICES = """
    main     1111111111
    main     ll........
    gpu 0    ..KKKKCC..
    gpu 1    ..KK..CCCC
"""
AROUND_STEPS = """
    main     ....1111....
    gpu 0    HH..KKKK..CC
"""


def shares(picture: str, window: tuple[int, int], columns: int) -> dict[Group, list[int]]:
    profile = timeline(picture)
    found = column_shares(time_row(profile, break_down(profile)), (window[0] * MS, window[1] * MS), columns)
    return {group: share.tolist() for group, share in zip(OWNERS, found, strict=True) if share.any()}


def test_a_column_of_a_millisecond_has_one_owner() -> None:
    found = shares(INPUT_BOUND, (0, 10), 10)
    assert found == {
        Group.COMPUTE: [0] * 4 + [WHOLE] * 6,
        Group.INPUT_WAIT: [WHOLE] * 3 + [0] * 7,
        Group.HOST: [0, 0, 0, WHOLE] + [0] * 6,
    }


def test_a_wider_column_has_the_shares_of_its_owners() -> None:
    assert shares(INPUT_BOUND, (0, 40), 4) == {Group.COMPUTE: [153] * 4, Group.INPUT_WAIT: [76] * 4, Group.HOST: [26] * 4}


def test_devices_are_averaged() -> None:
    found = shares(TWO_DEVICES, (0, 10), 5)
    assert found == {
        Group.HOST: [WHOLE, 0, 0, 0, 0],
        Group.COMPUTE: [0, WHOLE, 128, 0, 0],
        Group.COMMUNICATION: [0, 0, 0, WHOLE, 128],
    }


def test_time_outside_of_steps_and_of_the_profile() -> None:
    found = shares(AROUND_STEPS, (-4, 16), 10)
    assert found[Group.COPY] == [0, 0, WHOLE, *[0] * 7]
    assert found[Group.COMPUTE] == [0, 0, 0, 0, WHOLE, WHOLE, 0, 0, 0, 0]
    assert found[Group.COMMUNICATION] == [0, 0, 0, 0, 0, 0, 0, WHOLE, 0, 0]


@pytest.mark.parametrize("picture", [INPUT_BOUND, TWO_DEVICES, AROUND_STEPS])
def test_the_row_agrees_with_the_breakdown(picture: str) -> None:
    profile = timeline(picture)
    breakdown = break_down(profile)
    row, sums = time_row(profile, breakdown), group_sums(breakdown.parts)
    for step, (start, end) in enumerate(zip(breakdown.steps.bounds[:-1].tolist(), breakdown.steps.bounds[1:].tolist(), strict=True)):
        found = np.array([share[0] for share in column_shares(row, (start, end), 1)]) / WHOLE
        assert found == pytest.approx(sums[step][[*OWNERS]] / (end - start), abs=0.5 / WHOLE)


def test_columns_narrower_than_a_nanosecond_and_empty_windows() -> None:
    profile = timeline(INPUT_BOUND)
    row = time_row(profile, break_down(profile))
    compute = column_shares(row, (5 * MS, 5 * MS + 4), 8)[Group.COMPUTE]
    assert set(compute.tolist()) <= {0, WHOLE}
    assert not any(share.any() for share in column_shares(row, (5 * MS, 5 * MS), 3))
