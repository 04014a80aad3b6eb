"""Ranks on one axis: where each begins by its own clock and aligned, which is the straggler, and what is damaged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyses.timeline import MS, Timeline
from counted_calls import calls_of
from session.drawn_sessions import analysed, drawn
from stepscope.model.profile import Note, Profile, SpanKind
from stepscope.session.analysed import AnalysedSession
from stepscope.session.parts.ranks import RANKS, RanksWanted, TraceRanks
from stepscope.session.parts.report import REPORT, ReportWanted

BASE = 1_700_000_000_000_000_000
STEP = 100 * MS


def rank(number: int, compute: int, *, world: int, clock: int = 0, group: str = "world", base: int = BASE) -> Profile:
    """Five steps of 100 ms that compute and then reduce until 90 ms; `clock` is how far the rank's clock is wrong, in ms."""
    line = Timeline(rank=number, world_size=world, base_ns=base + clock * MS if base else 0)
    for step in range(5):
        at = step * STEP
        line.span("main", at, at + STEP, SpanKind.MARKER, f"ProfilerStep#{step}", step=step)
        line.span("gpu 0/7", at, at + compute * MS, SpanKind.KERNEL, "k")
        sent = (group, world, step)
        line.span("gpu 0/8", at + compute * MS, at + 90 * MS, SpanKind.COLLECTIVE, "allreduce", collective=sent)
    return line.build()


def asked(session: AnalysedSession, limit: int = 1_000) -> TraceRanks:
    return RANKS.make(session, RanksWanted(limit=limit))


def test_the_straggler_is_the_one_that_the_report_names() -> None:
    session = analysed(*(rank(number, 80 if number == 2 else 40, world=4) for number in range(4)))
    found, report = asked(session), REPORT.make(session, ReportWanted())
    assert (found.waited_for, found.slowest) == (report.waited_for, report.slowest) == ("worker2", "")
    assert found.clock_error_us == report.data_quality.clock_error_us == 0
    assert (found.clocks_from, found.clock_groups, found.total) == (5, 1, 4)
    assert [row.step_us for row in found.ranks] == [100_000] * 4
    assert [row.own_us for row in found.ranks] == [60_000, 60_000, 100_000, 60_000]
    assert found.ranks[2].breakdown == report.ranks[2].breakdown


def test_clocks_that_differ_are_aligned_by_collectives() -> None:
    """Rank 1 is an hour ahead: as recorded its profile starts an hour later, aligned at the same moment."""
    hour = 3_600_000
    found = asked(analysed(rank(0, 40, world=2), rank(1, 40, world=2, clock=hour)))
    assert [row.recorded_us for row in found.ranks] == [0, 1e3 * hour]
    assert [row.aligned_us for row in found.ranks] == [0, 0]
    assert [row.end_us for row in found.ranks] == [500_000] * 2


def test_ranks_are_aligned_also_while_some_are_missing() -> None:
    found = asked(analysed(rank(0, 40, world=8), rank(3, 40, world=8, clock=7)))
    assert [row.aligned_us for row in found.ranks] == [0, 0]
    assert (found.clocks_from, found.waited_for) == (5, "")
    assert [row.own_us for row in found.ranks] == [100_000] * 2, "what is waiting is not known"


def test_groups_that_share_nothing_keep_their_own_clocks() -> None:
    groups = [rank(number, 40, world=2, clock=10 * number, group=f"pair {number // 2}") for number in range(4)]
    found = asked(analysed(*groups))
    assert found.clock_groups == 2
    assert [row.aligned_us for row in found.ranks] == [0, 0, 20_000, 20_000]


def test_without_communication_or_a_clock_there_is_no_alignment() -> None:
    found = asked(drawn(ranks=2))
    assert [(row.aligned_us, row.recorded_us) for row in found.ranks] == [(None, 0.0)] * 2
    assert (found.clock_error_us, found.clocks_from, found.clock_groups) == (None, 0, 0)
    assert [row.rank for row in found.ranks] == [0, 1]


def test_a_truncated_rank_is_marked_and_outlined_by_nobody() -> None:
    whole = [rank(number, 40, world=3) for number in range(3)]
    found = asked(
        analysed(whole[0], replace(rank(1, 80, world=3), notes=[Note("warning", "truncated", "The file is truncated.")]), whole[2])
    )
    assert [row.damaged for row in found.ranks] == [False, True, False]
    assert found.waited_for == ""


def test_the_work_grows_with_the_ranks_not_with_their_square() -> None:
    """Each further rank costs the same, with a straggler and clocks to align: ten thousand take as long as ten times a thousand."""

    def calls(world: int) -> int:
        profiles = [rank(number, 80 if number == 2 else 40, world=world) for number in range(world)]
        return calls_of(lambda: asked(analysed(*profiles)))

    few, twice, four_times = map(calls, (10, 20, 40))
    assert four_times - twice < 2.2 * (twice - few)


def test_more_ranks_than_are_wanted_are_counted() -> None:
    found = asked(drawn(ranks=5), limit=2)
    assert ([row.worker for row in found.ranks], found.total) == (["worker0", "worker1"], 5)


@pytest.mark.parametrize("picture", ["gpu 0  KKKK", "main   oooo"])
def test_sessions_without_steps(picture: str) -> None:
    found = asked(drawn(picture, ranks=2))
    assert [row.steps for row in found.ranks] == [1, 1]
