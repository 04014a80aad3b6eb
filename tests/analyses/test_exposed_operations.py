"""Where the time is: one list for the terminal and the page, the mean over ranks."""

from __future__ import annotations

import pytest

from analyses.timeline import MS, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.work.exposed_operations import exposed_operations
from stepscope.analyses.work.operations import OperationRow, operations


def rows_of(picture: str) -> list[OperationRow]:
    profile = timeline(picture)
    return operations(profile, break_down(profile), calls=True)


FAST = rows_of("""
    main   1111111111
    main   oo
    gpu 0    KKKK
""")
SLOW = rows_of("""
    main   1111111111
    main   oo
    main         oo
    gpu 1    KK
""")


def test_of_one_rank_it_is_its_own_time() -> None:
    found = [(row.name, row.device, row.exposed_ns / MS, row.count_per_step) for row in exposed_operations([FAST], 8, [10 * MS])]
    assert found == [("K", "GPU 0", 4, 1), ("o", "host", 2, 1)]


def test_of_several_ranks_it_is_the_mean() -> None:
    found = exposed_operations([FAST, SLOW], 8, [10 * MS, 20 * MS])
    assert [(row.name, row.device, row.exposed_ns / MS) for row in found] == [("K", "devices", 3), ("o", "host", 3)]
    assert [row.exposed_share for row in found] == pytest.approx([0.2, 0.2]), "of the mean step"
    assert len(exposed_operations([FAST, SLOW], 1, [10 * MS, 20 * MS])) == 1


def test_a_rank_without_an_operation_spends_nothing_in_it() -> None:
    found = {row.name: row for row in exposed_operations([FAST, rows_of("main   1111111111\nmain   oo")], 8, [10 * MS, 10 * MS])}
    assert found["K"].exposed_ns == 2 * MS
    assert found["o"].exposed_ns == 2 * MS
