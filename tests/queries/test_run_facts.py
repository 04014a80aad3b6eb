"""What is known of one run from its files: sums, writers at once, and restarts."""

from __future__ import annotations

import os

import pytest

from log_folder import START, LogFolder
from stepscope.queries.run_facts import (
    RunFacts,
    restarts,
    run_facts,
    series_count,
    writers_at_once,
)
from stepscope.queries.view import ShownRun, Views


def shown(folder: LogFolder) -> ShownRun:
    (run,) = Views(folder.load()).view().runs
    return run


def written_at(folder: LogFolder, wall: float) -> None:
    for path in (folder.path / "a").iterdir():
        os.utime(path, (wall, wall))


def test_sums_over_files(folder: LogFolder) -> None:
    sizes = [
        folder.write("a", {"loss": [1, 2], "acc": [1]}, file="events.out.tfevents.1").stat().st_size,
        folder.write("a", {"loss": [3]}, start=START + 100, file="events.out.tfevents.2").stat().st_size,
    ]
    written_at(folder, START + 200)
    run = shown(folder)
    assert run_facts(run) == RunFacts(START, START + 100, START + 100, START + 200, 4, sum(sizes), 2, 0, 3, None)
    assert series_count(run) == 2


@pytest.mark.parametrize(("second", "at_once", "again"), [(START + 50, 2, 0), (START + 99, 1, 1), (START + 500, 1, 1)])
def test_files_that_overlap_are_writers_at_once_and_others_are_restarts(
    folder: LogFolder, second: float, at_once: int, again: int
) -> None:
    folder.write("a", {"loss": [1] * 100}, file="events.out.tfevents.1")
    folder.write("a", {"loss": [1] * 100}, start=second, file="events.out.tfevents.2")
    run = shown(folder)
    assert (writers_at_once(run), restarts(run)) == (at_once, again)


def test_session_starts_inside_a_file_are_restarts(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1, 2]}, session_start=0)
    folder.write("a", {"loss": [(1, 5), (2, 6)]}, start=START + 10, session_start=1, version=False)
    assert restarts(shown(folder)) == 1
