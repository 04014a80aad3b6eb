"""When a step waits for input (`input.waiting`), which stage feeds which (`input.upstream`), and when buffers fill (`filling`)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from analyses.timeline import MS, Timeline, timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.input.filling import shuffle_filling
from stepscope.analyses.input.stages import Settings, Stage
from stepscope.analyses.input.upstream import depth_of, once, without_waiting
from stepscope.analyses.input.waiting import innermost, input_time, sums_by
from stepscope.model.profile import Profile, SpanKind

WAITS = timeline("""
    main    1111111111222222222233333333334444444444
    main    iiiil.....iiiil.....iiiil.....iiiil.....
    gpu 0   ..KK.KKKKK..KK.KKKKK..KK.KKKKK..KK.KKKKK
""")


def of_names(profile: Profile, *names: str) -> np.ndarray:
    return np.flatnonzero([profile.names[name] in names for name in profile.spans.name])


def test_a_step_waits_only_while_nothing_computes() -> None:
    found = input_time(WAITS, break_down(WAITS))
    typical = break_down(WAITS).typical
    assert found.steps == len(typical)
    assert [(start / MS, end / MS) for start, end in zip(*found.waited, strict=True)] == [
        (10 * step, 10 * step + 2) for step in typical
    ]
    first = np.array([10 * typical[0] * MS])
    assert found.exposed(first, first + 10 * MS).tolist() == [2 * MS]
    assert found.beside(first, first + 10 * MS).tolist() == [8 * MS]


def test_the_innermost_row_owns_each_instant() -> None:
    profile = timeline("main    ffffff\nmain    .ooo..\npool 1  oooo..")
    start, end, place = innermost(profile, np.arange(len(profile.spans)))
    owned = [(int(row), int(begin) // MS, int(to) // MS) for row, begin, to in zip(place, start, end, strict=True)]
    assert owned == [(0, 0, 1), (1, 1, 4), (0, 4, 6), (2, 0, 4)]
    assert sums_by(place, 3, end - start).tolist() == [3 * MS, 3 * MS, 4 * MS]


def test_a_stage_that_is_fed_by_another_thread_waits_while_that_works() -> None:
    line = Timeline()
    line.span("main", 0, 10 * MS, SpanKind.INPUT, "Iterator::Root::Prefetch")
    line.span("loader 1", 4 * MS, 7 * MS, SpanKind.INPUT, "Iterator::Root::Prefetch::Map")
    profile = line.build()
    rows = np.arange(len(profile.spans))
    start, end, place = without_waiting(profile, rows, innermost(profile, rows))
    found = sorted((int(row), int(begin) // MS, int(to) // MS) for row, begin, to in zip(place, start, end, strict=True))
    assert found == [(0, 0, 4), (0, 7, 10), (1, 4, 7)]
    prefetch, map_ = (depth_of(profile, name) for name in range(2))
    assert map_ == prefetch + 1
    assert depth_of(timeline("main   o"), 0) == 0, "no stage at all"


def test_a_stage_called_on_the_same_thread_is_not_waited_for() -> None:
    line = Timeline()
    line.span("main", 0, 10 * MS, SpanKind.INPUT, "Iterator::Root::Batch")
    line.span("main", 4 * MS, 7 * MS, SpanKind.INPUT, "Iterator::Root::Batch::Map")
    profile = line.build()
    rows = np.arange(len(profile.spans))
    before = innermost(profile, rows)
    after = without_waiting(profile, rows, before)
    assert sorted(zip(*(column.tolist() for column in after), strict=True)) == sorted(
        zip(*(column.tolist() for column in before), strict=True)
    )


def test_every_instant_has_one_owner_the_lowest_rank_first() -> None:
    start, end, place = (np.array(values, np.int64) for values in ([0, 2], [6, 9], [0, 1]))
    since, until, owner = once((start, end, place), np.array([1, 0], np.int8))
    assert list(zip(since.tolist(), until.tolist(), owner.tolist(), strict=True)) == [(0, 2, 0), (2, 9, 1)]
    since, until, owner = once((start, end, place), np.array([0, 1], np.int8))
    assert list(zip(since.tolist(), until.tolist(), owner.tolist(), strict=True)) == [(0, 6, 0), (6, 9, 1)]


def shuffle(profile: Profile, name: str = "Shuffle", count: int = 30) -> Stage:
    rows = of_names(profile, "Iterator::Root::Shuffle")
    lengths = profile.spans.end[rows] - profile.spans.start[rows]
    row = int(rows[int(np.argmax(lengths))])
    total = int(lengths.max()) + (count - 1) * MS // 10
    empty = Settings()
    return Stage("Root::Shuffle", name, count, total, total, 0.0, 0.0, 1, 1.0, row, empty, None, None)


def test_a_buffer_that_fills_in_a_later_step_is_found_with_what_waited_for_it() -> None:
    line = Timeline().draw(
        """
        main      1111111111222222222233333333334444444444
        main      .l........iiiiiiii.l.l..................
        loader 1  .........fffffffffff....................
        """,
        f="Iterator::Root::Shuffle",
    )
    profile = line.build()
    breakdown = break_down(profile)
    waits = np.flatnonzero(profile.spans.kind == SpanKind.INPUT)
    found = shuffle_filling(profile, breakdown, [shuffle(profile)], waits, 1)
    assert found is not None
    assert (found.longest_ns, found.waited_ns, found.share) == (11 * MS, 8 * MS, pytest.approx(8 / 30))
    assert shuffle_filling(profile, breakdown, [shuffle(profile)], waits, 2) is None, "it was full by then"
    assert shuffle_filling(profile, breakdown, [shuffle(profile, "Map")], waits, 1) is None
    even = replace(shuffle(profile), total_ns=30 * 11 * MS)
    assert shuffle_filling(profile, breakdown, [even], waits, 1) is None, "every call takes as long"
