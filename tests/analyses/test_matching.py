"""The same collective on several ranks (`communication.matching`), and in what the files of ranks differ (`disagreements`)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from analyses.timeline import MS, Timeline
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.communication import matching
from stepscope.analyses.communication.disagreements import Disagreement, disagreements, value_counts
from stepscope.analyses.communication.matching import Own, align, meet, own_collectives
from stepscope.model.profile import NONE, Profile, SpanKind


def own(row: int, start: int, end: int, sequence: int = NONE, group: str = "world", name: str = "allreduce", step: int = NONE) -> Own:
    return Own(row, NONE, start, end, group, name, NONE, sequence, NONE, step, name)


def test_sequence_numbers_tie_collectives_whatever_was_recorded_before() -> None:
    first = [own(0, 10, 20, sequence=4), own(1, 30, 40, sequence=5)]
    second = [own(7, 33, 40, sequence=5)]
    found = meet([first, second], world_size=2)
    assert [(each.ranks, each.rows, each.complete) for each in found] == [((0,), (0,), False), ((0, 1), (1, 7), True)]
    assert found[1].starts == (30, 33)


def test_without_numbers_the_order_ties_and_groups_are_apart() -> None:
    first = [own(0, 0, 1), own(1, 2, 3), own(2, 4, 5, group="half")]
    second = [own(0, 0, 1), own(1, 2, 3)]
    found = meet([first, second], world_size=NONE)
    assert [(each.ranks, each.rows, each.complete) for each in found] == [
        ((0, 1), (0, 0), True),
        ((0, 1), (1, 1), True),
        ((0,), (2,), False),
    ]


def test_a_rank_that_recorded_a_step_more_moves_nothing_where_steps_are_numbered() -> None:
    first = [own(step, 10 * step, 10 * step + 5, step=step) for step in (1, 2, 3)]
    second = [own(step, 10 * step, 10 * step + 5, step=step) for step in (2, 3)]
    found = {each.rows: each.ranks for each in meet([first, second], world_size=2)}
    assert found == {(1,): (0,), (2, 2): (0, 1), (3, 3): (0, 1)}


def test_the_work_grows_with_the_ranks_not_with_their_square(monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0

    class Counted(Counter[object]):
        def __init__(self) -> None:
            nonlocal made
            made += 1
            super().__init__()

    monkeypatch.setattr(matching, "Counter", Counted)
    ranks = 200
    found = meet([[own(step, step, step + 1, step=step) for step in range(3)] for _ in range(ranks)], world_size=ranks)
    assert [(len(each.ranks), each.complete) for each in found] == [(ranks, True)] * 3
    assert made <= 2 * ranks


def test_clocks_are_set_by_the_ends() -> None:
    first = [own(place, 100 * place, 100 * place + 50, sequence=place) for place in range(5)]
    second = [own(place, 100 * place + 1020, 100 * place + 1050, sequence=place) for place in range(5)]
    clocks = align(meet([first, second], 2), 2)
    assert clocks is not None
    assert (clocks.shift(0), clocks.shift(1), clocks.error_ns, clocks.matched) == (0, -1000, 0.0, 5)
    assert align(meet([first], 1), 1) is None
    assert align(meet([first, [own(9, 0, 1, sequence=99)]], 2), 2) is None, "they share none"


def test_the_clocks_error_is_what_ends_still_differ_by() -> None:
    ends = [50, 50, 50, 50, 90]
    first = [own(place, 0, 50, sequence=place) for place in range(5)]
    second = [own(place, 0, end, sequence=place) for place, end in enumerate(ends)]
    clocks = align(meet([first, second], 2), 2)
    assert clocks is not None
    assert (clocks.shift(1), clocks.error_ns) == (0, pytest.approx(float(np.percentile([0] * 9 + [40], 95))))


def rank(place: int, steps: int = 4, collectives: int = 1) -> Profile:
    line = Timeline(rank=place, world_size=2, base_ns=1_000)
    for step in range(steps):
        at = step * 10 * MS
        line.span("main", at, at + 10 * MS, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        line.span("gpu 0/7", at, at + 5 * MS, SpanKind.KERNEL, "k")
        for number in range(collectives):
            begin = at + (6 + number) * MS
            line.span("gpu 0/8", begin, begin + MS, SpanKind.COLLECTIVE, "allreduce", collective=("world", 2, step * 10 + number))
    return line.build()


def test_collectives_of_a_rank_have_the_clock_of_all_ranks() -> None:
    found = own_collectives(rank(0))
    assert [(each.start - 1_000) / MS for each in found] == [6, 16, 26, 36]
    assert {(each.group, each.name, each.size, each.done) for each in found} == {("world", "allreduce", 2, NONE)}
    assert [each.sequence for each in found] == [0, 10, 20, 30]


def differing(*profiles: Profile) -> list[Disagreement]:
    return disagreements(profiles, [break_down(each) for each in profiles], [own_collectives(each) for each in profiles])


def test_ranks_that_agree_have_nothing_to_say() -> None:
    assert differing(rank(0), rank(1)) == []
    assert differing(rank(0)) == []


def test_every_difference_is_told_with_what_each_rank_has() -> None:
    other = replace(rank(1, steps=3, collectives=2), framework="JAX", environment={"with_stack": "1", "pid": "7"})
    found = {each.what.removesuffix(" per step"): each.values for each in differing(rank(0), other)}
    assert found == {
        "framework": ("unknown", "JAX"),
        "steps": ("4", "3"),
        "step numbers": ("0 to 3", "0 to 2"),
        "with_stack": ("none", "1"),
        "allreduce": ("1", "2"),
    }


def test_a_rank_that_runs_fewer_operations_is_told() -> None:
    whole = rank(1)
    kinds = whole.spans.kind.copy()
    kinds[np.flatnonzero(kinds == SpanKind.KERNEL)[0]] = SpanKind.FILL
    fewer = replace(whole, spans=replace(whole.spans, kind=kinds))
    (found,) = differing(rank(0), fewer)
    assert (found.what.split()[0], found.values) == ("operations", ("1", "1")), "4 and 3 in four steps"


def test_values_are_counted_the_most_common_first() -> None:
    assert value_counts(["a", "b", "b"]) == [("b", 2), ("a", 1)]
