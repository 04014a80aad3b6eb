"""An analysed session makes what its parts share once, and finds workers by name, rank and number."""

from __future__ import annotations

from dataclasses import replace

import pytest

from analyses.timeline import MS, timeline
from log_folder import LogFolder
from session.drawn_sessions import INPUT_BOUND, analysed, drawn, opened
from stepscope.model.errors import BadInput
from stepscope.queries.run_logs import RunLogs
from stepscope.session.analysed import AnalysedSession, LoggedStep

START = 1_700_000_000


def test_what_is_shared_is_made_once() -> None:
    session = drawn(ranks=2)
    assert session.breakdown(1) is session.breakdown(1)
    assert session.summary is session.summary
    assert session.summary.breakdowns == (session.breakdown(0), session.breakdown(1))
    made: list[int] = []
    assert [session.once("a", lambda: made.append(1) or "made") for _ in range(3)] == ["made"] * 3
    assert made == [1]


def test_the_typical_step_is_that_of_the_picture() -> None:
    session = drawn()
    assert (session.summary.typical_ns / MS, len(session.breakdown().steps)) == (10, 4)
    assert (session.id, session.name, session.time, session.workers) == ("session", "first", 5.0, ("worker0",))


def test_a_range_is_a_session_of_its_own() -> None:
    session = analysed(timeline(INPUT_BOUND), chosen="2:4")
    assert session.breakdown().steps.number.tolist() == [2, 3]
    assert session.range_text is not None
    assert drawn().range_text is None


def test_a_worker_is_found_by_its_name_and_by_its_rank() -> None:
    profile = timeline(INPUT_BOUND)
    session = analysed(replace(profile, rank=4), replace(profile, rank=7))
    assert [session.place(name) for name in ("worker1", "7", "rank 7", "rank 4")] == [1, 1, 1, 0]
    assert (list(session.places()), list(session.places("worker1")), list(session.places("nobody"))) == ([0, 1], [1], [])
    with pytest.raises(BadInput) as error:
        session.place("1")
    assert error.value.code == "no_such_rank"


def test_rows_say_whose_they_are() -> None:
    profile = timeline(INPUT_BOUND)
    assert analysed(replace(profile, rank=3, host="gpu-1")).whose(0) == {"worker": "worker0", "host": "gpu-1", "rank": 3}
    assert drawn().whose(0)["rank"] is None


def test_programs_are_read_only_where_there_are_any() -> None:
    read: list[str] = []
    source = replace(opened(timeline(INPUT_BOUND)), read_programs=lambda file: read.append(file.path) or ([], []))
    assert AnalysedSession(source).programs() == ([], [])
    assert read == []
    assert len(AnalysedSession(source).costs().flops) == 0


def logs_with(folder: LogFolder, **series: list[tuple[int, float]]) -> RunLogs:
    folder.write("run", series, start=START, gap=0.1)
    library = folder.load()
    (run,) = library.snapshot.runs
    return RunLogs(library, run, "session")


def test_steps_that_the_run_has_logged_outside_of_the_profile(folder: LogFolder) -> None:
    logs = logs_with(folder, step_time=[(step, 0.008) for step in range(100)])
    profile = replace(timeline(INPUT_BOUND), base_ns=(START + 5) * 1_000_000_000)
    session = analysed(profile, logs=logs)
    found = session.logged_step
    assert isinstance(found, LoggedStep)
    assert (found.ms, found.tag) == (pytest.approx(8.0), "step_time")
    # 40 ms in the middle are profiled; a second before and after them is not counted either.
    assert found.steps == 79
    assert session.unprofiled_ms() == pytest.approx(8.0)
    assert session.unprofiled_ms(9.0) == pytest.approx(9.0), "what the user says goes first"


def test_steps_between_the_first_and_the_last_rank_s_profile_do_not_count(folder: LogFolder) -> None:
    logs = logs_with(folder, step_time=[(step, 0.008) for step in range(100)])
    ranks = [replace(timeline(INPUT_BOUND), base_ns=(START + after) * 1_000_000_000) for after in (7, 3)]
    found = analysed(*ranks, logs=logs).logged_step
    assert found is not None
    # From a second before the first to a second after the last: 2.0 to 8.04 s, with a point every 0.1 s.
    assert found.steps == 100 - 61


def test_without_the_time_of_the_profile_logged_steps_mean_nothing(folder: LogFolder) -> None:
    logs = logs_with(folder, step_time=[(step, 0.008) for step in range(100)])
    session = analysed(replace(timeline(INPUT_BOUND), base_ns=0), logs=logs)
    assert (session.logged_step, session.unprofiled_ms()) == (None, None)


def test_a_step_of_another_order_is_not_believed() -> None:
    assert drawn().unprofiled_ms(1e6) is None


def test_rules_are_judged_once_for_each_set_of_facts() -> None:
    session = drawn()
    assert session.judged() is session.judged()
    assert session.judged(cores=4) is not session.judged()
    assert "input_bound" in {finding.rule for finding in session.judged().findings}
