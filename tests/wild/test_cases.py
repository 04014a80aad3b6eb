"""Drawn files of benchmarks/wild: what is said of each is what it was drawn with."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from stepscope.analyses.breakdown import break_down
from stepscope.analyses.communication.matching import gather
from stepscope.analyses.startup import startup_of
from stepscope.analyses.work.transfers import transfers
from stepscope.rules.headline import waited_for
from stepscope.rules.rule import Verdict
from wild import cause_files, device_files, rank_files, timeline_files, tpu_files
from wild.cases import CASES, Case
from wild.judging import judged_case, judged_path, profiles_at
from wild.page import PAGE, page


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_is_said_is_what_was_drawn(case: Case, tmp_path: Path) -> None:
    found = judged_case(case, tmp_path)
    assert (found.family, found.steps) == (case.family, case.steps)
    if case.step_ms is not None:
        assert found.step_ms == pytest.approx(case.step_ms, rel=0.02)
    assert (found.device, found.cause, found.first) == (case.device, case.cause, case.first)
    assert set(case.unknown) <= set(found.unknown)
    assert not set(case.never) & set(found.fired)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_figure_is_impossible(case: Case, tmp_path: Path) -> None:
    found = judged_case(case, tmp_path)
    assert found.step_ms > 0
    assert found.judged.replay_error is None or abs(found.judged.replay_error) < 0.5
    for each in found.judged.findings:
        assert each.step_ms is None or 0 <= each.step_ms[0] <= each.step_ms[1]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_nothing_is_said_twice(case: Case, tmp_path: Path) -> None:
    judged = judged_case(case, tmp_path).judged
    texts = [*judged.doubts, *(each.summary for each in judged.findings if each.verdict is Verdict.FIRES)]
    sentences = [sentence for text in texts for sentence in re.split(r"(?<=\.) ", text)]
    assert sorted(set(sentences)) == sorted(sentences)


@pytest.mark.parametrize(("draw", "damaged"), [(rank_files.truncated_rank, 2), (rank_files.empty_rank, 3)])
def test_a_file_that_is_not_whole_is_said_first_and_compared_with_nothing(
    draw: Callable[[Path], Path], damaged: int, tmp_path: Path
) -> None:
    found = judged_path(draw(tmp_path))
    assert found.summary.quality.damaged == (damaged,)
    assert found.judged.doubts[0] == found.summary.quality.cut_short
    assert f"rank {damaged}" in found.summary.quality.cut_short
    assert waited_for(found.summary) is None
    assert found.summary.lengths.longest != damaged


FOUR_STAGES, TWO_STAGES = (0, 0, 1, 1, 2, 2, 3, 3), (0, 0, 0, 0, 1, 1, 1, 1)


@pytest.mark.parametrize(
    ("draw", "stages", "named", "others"),
    [
        (rank_files.slow_rank_of_a_stage, FOUR_STAGES, ("rank 1",), ("rank 0", "rank 3")),
        (rank_files.slow_last_stage, FOUR_STAGES, ("rank 6", "rank 7"), ("rank 5",)),
        (rank_files.all_ranks_in_one_file, FOUR_STAGES, ("rank 1",), ("rank 0", "rank 3")),
        (rank_files.sends_in_one_group, (0, 1, 2, 3), ("rank 2",), ("rank 0", "rank 1", "rank 3")),
        (rank_files.slow_expert_rank, (0, 0, 0, 0), ("rank 1",), ("rank 0", "rank 2", "rank 3")),
        (timeline_files.timeline_slow_rank, TWO_STAGES, ("rank 0",), ("rank 1", "rank 4")),
        (timeline_files.timeline_slow_stage, TWO_STAGES, ("rank 4", "rank 7"), ("rank 0", "rank 3")),
    ],
)
def test_ranks_are_compared_with_their_stage(
    draw: Callable[[Path], Path], stages: tuple[int, ...], named: tuple[str, ...], others: tuple[str, ...], tmp_path: Path
) -> None:
    found = judged_path(draw(tmp_path))
    assert found.summary.collected.stages == stages
    (said,) = [each for each in found.judged.findings if each.rule == "straggler"]
    assert all(rank in said.summary for rank in named)
    assert not any(rank in said.summary for rank in others)


def test_what_is_sent_is_what_is_received(tmp_path: Path) -> None:
    profiles = profiles_at(rank_files.slow_last_stage(tmp_path))
    gathered = gather(profiles, [break_down(profile).steps for profile in profiles])
    pairs = [meeting for meeting in gathered.meetings if meeting.paired]
    assert len(pairs) == 6 * rank_files.STEPS, "six links between stages"
    for meeting in pairs:
        first, second = meeting.ranks
        assert second - first == 2
        names = [profiles[rank].names[profiles[rank].spans.name[row]] for rank, row in zip(meeting.ranks, meeting.rows, strict=True)]
        assert names == ["ncclDevKernel_send", "ncclDevKernel_recv"]
        assert meeting.complete


def test_messages_in_a_group_of_many_go_from_the_rank_that_sends_to_the_one_that_receives(tmp_path: Path) -> None:
    profiles = profiles_at(rank_files.sends_in_one_group(tmp_path))
    gathered = gather(profiles, [break_down(profile).steps for profile in profiles])
    pairs = [meeting.ranks for meeting in gathered.meetings if meeting.paired]
    assert sorted(pairs) == sorted([(0, 1), (1, 2), (2, 3)] * rank_files.STEPS)
    assert all(meeting.complete for meeting in gathered.meetings)


@pytest.mark.parametrize(
    ("draw", "ms"), [(cause_files.one_off_start, 1663), (cause_files.start_of_many_steps, 1663), (cause_files.slow_first_launches, 450)]
)
def test_start_up_has_a_line_of_its_own(draw: Callable[[Path], Path], ms: int, tmp_path: Path) -> None:
    summary = judged_path(draw(tmp_path)).summary
    (found,) = [
        startup_of(profile, each.classified.startup) for profile, each in zip(summary.profiles, summary.breakdowns, strict=True)
    ]
    assert found.ns / 1e6 == pytest.approx(ms, rel=0.001)
    assert found.longest[0][0] in summary.startup_note


def test_waits_on_a_stream_lack_no_launch(tmp_path: Path) -> None:
    found = judged_path(device_files.ascend(tmp_path))
    assert (found.summary.quality.unlinked, found.judged.doubts) == (0, ())


def test_copies_of_a_tpu_to_host_memory_count_once_and_are_exposed(tmp_path: Path) -> None:
    summary = judged_path(tpu_files.tpu_server(tmp_path)).summary
    rows = transfers(summary.profiles[0], summary.breakdowns[0])
    assert {row.direction: row.count for row in rows} == {"device to host": tpu_files.STEPS, "host to device": tpu_files.STEPS}
    exposed, overlapped = sum(row.exposed_ns for row in rows), sum(row.overlapped_ns for row in rows)
    assert exposed / (exposed + overlapped) == pytest.approx(0.97)


def test_the_guide_has_the_table() -> None:
    assert PAGE.read_text() == page(), "write it anew: PYTHONPATH=src:tests:benchmarks python benchmarks/wild/page.py"
