"""The run list: experiments, status, restarts, order and the user's notes."""

from __future__ import annotations

import os
import time

import pytest

from log_folder import START, LogFolder
from stepscope.queries.runs import RunRow, list_runs
from stepscope.queries.view import Views
from stepscope.store.user_state import RunState


def rows(folder: LogFolder, now: float | None = None) -> dict[str, RunRow]:
    """The listed runs by name."""
    view = Views(folder.load()).view()
    return {row.name: row for row in list_runs(view, {}, time.time() if now is None else now)}


def set_age(folder: LogFolder, run: str, seconds: float) -> None:
    """Makes a run's files as old as that."""
    for path in (folder.path / run).iterdir():
        os.utime(path, (time.time() - seconds, time.time() - seconds))


def test_train_and_validation_are_one_experiment(folder: LogFolder) -> None:
    for name in ("x/train", "x/validation", "y/train", "z/val", "z/eval", "z/other"):
        folder.write(name, {"loss": [1]})
    found = {name: (row.experiment, row.role) for name, row in rows(folder).items()}
    assert found == {
        "x/train": ("x", "train"),
        "x/validation": ("x", "validation"),
        "y/train": (None, None),
        "z/val": ("z", "validation"),
        "z/eval": ("z", "eval"),
        "z/other": (None, None),
    }


def test_relative_time_starts_with_the_experiment(folder: LogFolder) -> None:
    folder.write("x/train", {"loss": [1]}, start=START)
    folder.write("x/validation", {"loss": [1]}, start=START + 50)
    folder.write("alone", {"loss": [1]}, start=START + 70)
    view = Views(folder.load()).view()
    origins = {run.name: view.origin(run.record.id) for run in view.runs}
    assert origins == {"x/train": START, "x/validation": START, "alone": START + 70}


@pytest.mark.parametrize(
    ("gap", "count", "age", "status"),
    [
        (1.0, 10, 30, "live"),
        (1.0, 10, 90, "stale"),
        (100.0, 10, 400, "live"),
        (100.0, 10, 600, "stale"),
        (100.0, 2, 400, "stale"),
    ],
)
def test_a_run_is_live_for_five_of_its_usual_gaps(folder: LogFolder, gap: float, count: int, age: float, status: str) -> None:
    folder.write("a", {"loss": [1.0] * count}, start=time.time() - age - gap * (count - 1), gap=gap)
    set_age(folder, "a", age)
    row = rows(folder)["a"]
    assert row.status == status
    assert row.status_reason.startswith("last write ")


def test_a_copied_log_is_not_live(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1.0] * 10}, start=time.time() - 3 * 86_400)
    row = rows(folder)["a"]
    assert row.status == "stale"
    assert row.status_reason.startswith("last event 3 d ago; ")


def test_sums_of_a_run(folder: LogFolder) -> None:
    path = folder.write("a", {"loss": [1, 2, 3], "acc": [1]})
    row = rows(folder)["a"]
    assert (row.points, row.series, row.files, row.bytes) == (4, 2, 1, path.stat().st_size)
    assert (row.started, row.last_event, row.last_point) == (START, START + 2, START + 2)
    assert (row.writers_at_once, row.restarts, row.skipped_records) == (1, 0, 0)


def test_the_newest_point_is_no_record_that_ends_or_describes_the_run(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1, 2, 3]})
    folder.write("a", {}, start=START + 3600, session_start=0, others={"_hparams_/session_end_info": "hparams"})
    folder.write("empty", {}, start=START + 3600, session_start=0)
    found = rows(folder)
    assert (found["a"].last_event, found["a"].last_point) == (START + 3600, START + 2)
    assert (found["empty"].last_event, found["empty"].last_point) == (START + 3600, None)


def test_a_later_file_is_a_restart(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1, 2, 3]}, file="events.out.tfevents.1")
    folder.write("a", {"loss": [1, 2, 3]}, file="events.out.tfevents.2", start=START + 100)
    row = rows(folder)["a"]
    assert (row.restarts, row.writers_at_once, row.series, row.notices) == (1, 1, 1, [])


def test_files_of_one_time_are_writers_at_once(folder: LogFolder) -> None:
    for place in range(3):
        folder.write("a", {"loss": [1, 2, 3]}, file=f"events.out.tfevents.{place}", start=START + place / 2)
    row = rows(folder)["a"]
    assert (row.restarts, row.writers_at_once, row.notices) == (0, 3, ["concurrent_writers"])


def test_newest_first_and_a_run_without_events(folder: LogFolder) -> None:
    folder.write("old", {"loss": [1]}, start=START)
    folder.write("new", {"loss": [1]}, start=START + 10)
    (folder.path / "empty").mkdir()
    (folder.path / "empty" / "events.out.tfevents.1").touch()
    found = rows(folder)
    assert list(found) == ["empty", "new", "old"]
    assert (found["empty"].started, found["empty"].points) == (None, 0)


def test_notes_are_merged_in(folder: LogFolder) -> None:
    folder.write("a", {"loss": [1]})
    view = Views(folder.load()).view()
    state = RunState("best", "kept", "#112233", hidden=True, pinned=True)
    row = list_runs(view, {view.runs[0].record.id: state}, START)[0]
    assert (row.display_name, row.note, row.colour, row.hidden, row.pinned) == ("best", "kept", "#112233", True, True)
