"""Checkpoints on disk: names of every framework, a number that is no step, and files that are none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from log_folder import START, LogFolder
from stepscope.queries.checkpoint_files import CheckpointFile, checkpoint_files
from stepscope.queries.run_marks import run_marks
from stepscope.queries.view import Views

STEPS = {
    "model.ckpt-1000.index": 1000,
    "epoch=9-step=1000.ckpt": 1000,
    "step_500.pt": 500,
    "model-step00000500.safetensors": 500,
    "pytorch_model_iter_70.pth": 70,
    "checkpoint_40": 40,
}
BY_TIME = ["ckpt-3.index", "checkpoint3.pt", "epoch_3.pt", "best.ckpt", "weights.03.weights.h5"]
NO_CHECKPOINT = ["notes.txt", "embeddings.pt", "ckpt-3.data-00000-of-00001", "step_5.png", "checkpoint", "timestep5.txt", "a.index"]
FOLDERS = {"checkpoint-500": 500, "global_step20": 20, "iter_0000070": 70, "step_8": 8}


def make(path: Path, written: float = START) -> None:
    """An empty file of that time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (written, written))


def found(logs: LogFolder, name: str = "run") -> set[CheckpointFile]:
    """Checkpoints of one run."""
    return {one for run in Views(logs.load()).view().runs if run.name == name for one in checkpoint_files(run)}


def test_names_of_files_tell_steps_or_nothing(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    logs.write("run", {"loss": [1.0] * 10})
    for name in (*STEPS, *BY_TIME, *NO_CHECKPOINT):
        make(tmp_path / "run" / name, START + 4)
    assert found(logs) == {
        *(CheckpointFile(name, step, None) for name, step in STEPS.items()),
        *(CheckpointFile(name, None, START + 4) for name in BY_TIME),
    }


@pytest.mark.parametrize("place", ["run", "run/checkpoints"])
def test_folders_that_are_checkpoints(tmp_path: Path, place: str) -> None:
    logs = LogFolder(tmp_path)
    logs.write("run", {"loss": [1.0]})
    for name in FOLDERS:
        make(tmp_path / place / name / "model.safetensors")
    make(tmp_path / place / "1234" / "manifest.ocdbt")
    orbax = {CheckpointFile("1234", 1234, None)} if place != "run" else set[CheckpointFile]()
    assert found(logs) == {CheckpointFile(name, step, None) for name, step in FOLDERS.items()} | orbax


def test_train_and_validation_share_the_checkpoints_of_their_folder(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    for role in ("train", "validation"):
        logs.write(f"exp/{role}", {"loss": [1.0]})
    logs.write("other", {"loss": [1.0]})
    make(tmp_path / "exp" / "model.ckpt-7.index")
    assert found(logs, "exp/train") == found(logs, "exp/validation") == {CheckpointFile("model.ckpt-7.index", 7, None)}
    assert found(logs, "other") == set()


def test_a_checkpoint_without_a_step_is_marked_where_the_run_was_then(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    logs.write("run", {"loss": [(10 * place, 1.0) for place in range(100)]})
    make(tmp_path / "run" / "ckpt-3.index", START + 42.5)
    make(tmp_path / "run" / "copied_model.pt", START + 1e6)
    make(tmp_path / "run" / "checkpoint-500" / "model.safetensors")
    library = logs.load()
    view = Views(library).view(True)
    marks = [mark for mark in run_marks(library, view, view.runs) if mark.kind == "checkpoint"]
    assert [(mark.step, mark.exact, mark.label) for mark in marks] == [(420, False, "ckpt-3.index"), (500, True, "checkpoint-500")]


def test_a_folder_that_is_gone_has_none(tmp_path: Path) -> None:
    logs = LogFolder(tmp_path)
    event = logs.write("run", {"loss": [1.0]})
    (run,) = Views(logs.load()).view().runs
    event.unlink()
    (tmp_path / "run").rmdir()
    assert list(checkpoint_files(run)) == []
