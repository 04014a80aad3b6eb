"""What a run has logged beside its profile: its own series, and those of the folder for training inside it."""

from __future__ import annotations

import pytest

from log_folder import LogFolder
from stepscope.queries.run_logs import RunLogs


def logs_of(folder: LogFolder, name: str) -> RunLogs:
    library = folder.load()
    return RunLogs(library, next(run for run in library.snapshot.runs if run.name == name), "")


def seconds_of(folder: LogFolder, name: str) -> float | None:
    times = logs_of(folder, name).step_times()
    return None if times is None else float(times.seconds[0])


@pytest.mark.parametrize("home", [".", "a", "deep/a"])
def test_step_times_of_the_folder_for_training_belong_to_the_run_around_it(folder: LogFolder, home: str) -> None:
    inside = "" if home == "." else f"{home}/"
    folder.write(home, {"loss": [1.0]})
    folder.write(f"{inside}validation", {"step_time": [0.2] * 5})
    assert seconds_of(folder, home) is None, "steps of validation are no training steps"
    folder.write(f"{inside}train", {"step_time": [0.1] * 5})
    assert seconds_of(folder, home) == pytest.approx(0.1)
    folder.write(home, {"step_time": [0.3] * 5}, file="events.out.tfevents.2")
    assert seconds_of(folder, home) == pytest.approx(0.3), "the run's own come first"


def test_step_times_of_other_runs_do_not_count(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0]})
    for other in ("train", "b/train", "a/deep/train", "a/trained"):
        folder.write(other, {"step_time": [0.1] * 5})
    assert seconds_of(folder, "a") is None


def test_the_stamp_changes_with_what_is_logged_there(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0]})
    folder.write("a/train", {"step_time": [0.1] * 5})
    before = logs_of(folder, "a").stamp
    assert logs_of(folder, "a").stamp == before
    folder.write("a/train", {"step_time": [(5, 0.1)]})
    assert logs_of(folder, "a").stamp != before
