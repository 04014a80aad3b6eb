"""Marks of runs: epochs, checkpoints, images, texts and profiles are at the steps where they happened."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from log_folder import START, LogFolder
from stepscope.queries.run_marks import MOST_IMAGES, MOST_OF_KIND, RunMark, run_marks
from stepscope.queries.view import Views
from stepscope.writer import SummaryWriter

TRACE = b'{"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]}'


def marks(logs: LogFolder, name: str = "run") -> list[RunMark]:
    """Those of one run."""
    library = logs.load()
    view = Views(library).view(True)
    return run_marks(library, view, [run for run in view.runs if run.name == name])


def steps(found: list[RunMark], kind: str) -> list[tuple[int, str]]:
    """Steps and labels of one kind."""
    return [(mark.step, mark.label) for mark in found if mark.kind == kind]


def trace(path: Path, wall: float) -> None:
    """A profile that was written at a time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(TRACE)
    os.utime(path, (wall, wall))


def test_epochs_begin_where_the_number_goes_up(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    logs.write("run", {"epoch": [(0, 0.0), (5, 0.5), (10, 1.0), (15, 1.5), (20, 2.0), (25, 2.0), (40, 4.0)]})
    assert steps(marks(logs), "epoch") == [(10, "1"), (20, "2"), (40, "4")]


def test_an_epoch_that_is_repeated_after_a_restart_is_marked_once(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    logs.write("run", {"train/epoch": [(0, 0.0), (10, 1.0), (20, 2.0)]})
    logs.write("run", {"train/epoch": [(10, 1.0), (20, 2.0)]}, start=START + 100, file="events.out.tfevents.2", session_start=10)
    assert steps(marks(logs), "epoch") == [(10, "1"), (20, "2")]


def test_checkpoints_texts_and_images(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    with SummaryWriter(str(tmp_path / "run")) as writer:
        for step in (100, 200):
            writer.add_scalar("step_time/checkpoint", 0.5, step)
        for step in (0, 120):
            writer.add_text("notes", "lr lowered", step)
        for step in range(60):
            writer.add_text("chatter", "x", step)
        for step in (0, 40):
            writer.add_image("samples", np.zeros((3, 2, 2), np.uint8), step)
        for step in range(MOST_IMAGES + 1):
            writer.add_image("film", np.zeros((3, 2, 2), np.uint8), step)
    found = marks(logs)
    assert steps(found, "checkpoint") == [(100, ""), (200, "")]
    assert steps(found, "text") == [(120, "notes")]
    assert steps(found, "image") == [(0, "samples"), (40, "samples")]


def test_a_profile_is_at_the_last_step_before_it(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    logs.write("run", {"loss": [(10 * place, 1.0) for place in range(100)]})
    trace(tmp_path / "run" / "host.pt.trace.json", START + 42.5)
    (found,) = [mark for mark in marks(logs) if mark.kind == "profile"]
    (session,) = logs.library.snapshot.runs[0].profiles
    assert (found.step, found.exact, found.session) == (420, False, session.id)


def test_a_profile_before_or_long_after_the_run_has_no_step(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    logs.write("run", {"loss": [1.0] * 100})
    trace(tmp_path / "run" / "host_1.pt.trace.json", START - 5)
    trace(tmp_path / "run" / "host_2.pt.trace.json", START + 5000)
    assert steps(marks(logs), "profile") == []


def test_profiles_in_a_folder_of_their_own_belong_to_the_run_around_them(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    logs.write("run", {"loss": [1.0] * 100})
    logs.write("other", {"loss": [1.0] * 100})
    trace(tmp_path / "run" / "traces" / "host.pt.trace.json", START + 7.2)
    assert [step for step, _ in steps(marks(logs), "profile")] == [7]
    assert steps(marks(logs, "other"), "profile") == []


def test_very_many_marks_are_spread(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    logs.write("run", {"epoch": [float(place) for place in range(5000)]})
    found = steps(marks(logs), "epoch")
    assert len(found) == MOST_OF_KIND
    assert (found[0], found[-1]) == ((1, "1"), (4999, "4999"))
