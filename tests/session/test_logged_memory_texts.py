"""Texts about logged memory carry the numbers of the series: its level, its growth, and when it is full."""

from __future__ import annotations

import re

import numpy as np
import pytest

from stepscope.analyses.memory.growth import GrowthVerdict
from stepscope.analyses.memory.logged import Doubt, MemorySeries, memory_series
from stepscope.queries.memory_tags import CapacityFrom, MemoryTag
from stepscope.session.logged_memory_texts import growth_text, level_text, source_text, summary_text, time_text

GIB = 1 << 30
TAG = MemoryTag("system/gpu/0/memory_used_mib", "GPU 0", float(1 << 20))


def series(levels: list[float], *, capacity: float | None = None, restarts: int = 0, gap: float = 3_600.0) -> MemorySeries:
    """Levels in GiB, one an hour; the first points are before so many restarts."""
    count = len(levels)
    segment = np.clip(np.arange(count), 0, restarts).astype(np.int32)
    found = memory_series(
        np.arange(count),
        np.float64(1.7e9) + gap * np.arange(count, dtype=np.float64),
        np.array(levels) * GIB,
        segment,
        None if capacity is None else capacity * GIB,
    )
    assert found is not None
    return found


RISING = [1.0 + 0.5 * place for place in range(12)]


def has(text: str, *words: str) -> bool:
    """Whether a text has all of these, in that order."""
    return re.search(".*".join(map(re.escape, words)), text) is not None


def test_a_level_has_the_share_of_its_size_and_its_peak() -> None:
    text = level_text(series([1, 3, 2], capacity=8))
    assert has(text, "2 GiB", "8 GiB", "25%", "step 2", "3 GiB", "step 1")
    assert "%" not in level_text(series([1, 3, 2]))


def test_growth_has_its_pace_and_the_time_until_full() -> None:
    found = series(RISING, capacity=20)
    assert found.verdict is GrowthVerdict.GROWS
    # It has 6.5 of 20 GiB and takes half a GiB an hour.
    assert has(growth_text(found), "512 MiB", "100%", "11 h", "27 h")
    assert "full" not in growth_text(series(RISING))
    assert has(growth_text(series(RISING, capacity=6.5)), "is full")


def test_what_is_steady_has_only_its_time() -> None:
    text = growth_text(series([2.0] * 12))
    assert (has(text, "steady", "11 h"), "GiB" in text) == (True, False)


def test_doubts_say_how_many_points_there_are() -> None:
    few, one = series([1, 2]), series([1])
    assert few.doubt is Doubt.TOO_FEW
    assert has(growth_text(few), "2 points")
    assert has(growth_text(one), "1 point,")
    assert series(RISING, gap=0.0).doubt is Doubt.NO_TIME
    texts = {growth_text(each) for each in (few, one, series(RISING, gap=0.0))}
    assert len(texts) == 3


def test_the_source_has_its_unit_its_size_and_its_restarts() -> None:
    assert has(source_text(TAG, series([1, 2, 3])), TAG.tag, "MiB", "3 points")
    assert has(source_text(TAG, series([1])), "1 point.")
    beside = MemoryTag(TAG.tag, TAG.name, TAG.unit, "system/gpu/0/memory_total_mib", CapacityFrom.LIMIT)
    assert has(source_text(beside, series([1, 2], capacity=8)), "system/gpu/0/memory_total_mib")
    assert "memory_total_mib" not in source_text(beside, series([1, 2]))
    assert has(source_text(TAG, series([1, 2, 3, 4], restarts=2)), "last of 2")


def test_a_summary_counts_and_names_what_is_full_first() -> None:
    soon, late, steady = series(RISING, capacity=8), series(RISING, capacity=80), series([2.0] * 12)
    text = summary_text([("late", late), ("soon", soon), ("steady", steady), ("few", series([1]))])
    assert has(text, "4 series", "2 growing", "1 steady", "1 unknown", "soon grows by 512 MiB", "3 h")
    assert "grows" not in summary_text([("steady", steady)])
    assert summary_text([]) == ""


@pytest.mark.parametrize(
    ("hours", "text"),
    [(72, "3 days"), (47, "47 h"), (1, "1 h"), (0.9, "54 min"), (1 / 60, "60 s"), (0.001, "3.6 s"), (24 * 3_000, "3,000 days")],
)
def test_times_have_the_unit_that_fits(hours: float, text: str) -> None:
    assert time_text(hours) == text
