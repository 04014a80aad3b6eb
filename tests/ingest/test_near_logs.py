"""The logs that belong to a profile: those of its own run and of runs beside it, and none of other trainings."""

from __future__ import annotations

from pathlib import Path

import pytest

from log_folder import LogFolder
from stepscope.ingest.near_logs import load_near
from stepscope.model.identity import run_id
from stepscope.model.session import ProfileSession

SESSION = ProfileSession("0123456789ab", "first", 5.0, ())


@pytest.fixture
def root(tmp_path: Path) -> LogFolder:
    """Two trainings, each with a folder for training and one for validation, and a run above."""
    folder = LogFolder(tmp_path)
    for run in ("a/train", "a/validation", "a/train/inner", "b/train", "."):
        folder.write(run, {"loss": [1.0, 2.0]})
    return folder


def loaded(root: LogFolder, run: str) -> tuple[set[str], str]:
    library, record = load_near(str(root.path), str(root.path / run), SESSION)
    assert record.profiles == (SESSION,)
    assert library.snapshot.by_id[record.id] is record
    return {each.name for each in library.snapshot.runs}, record.name


def test_runs_of_the_same_training_are_loaded(root: LogFolder) -> None:
    assert loaded(root, "a/train") == ({"a/train", "a/validation", "a/train/inner", "."}, "a/train")


def test_a_folder_without_events_is_a_run_of_its_own(root: LogFolder) -> None:
    (root.path / "a").mkdir(exist_ok=True)
    runs, name = loaded(root, "a")
    assert (name, "a" in runs, "b/train" in runs) == ("a", True, False)
    assert {"a/train", "a/validation"} <= runs


def test_the_run_may_be_the_log_folder_itself(root: LogFolder) -> None:
    library, record = load_near(str(root.path / "b" / "train"), str(root.path / "b" / "train"), SESSION)
    assert (record.name, record.id) == (".", run_id("", "."))
    assert [run.name for run in library.snapshot.runs] == ["."]
    (file,) = record.files
    assert file.path.startswith(str(root.path / "b"))
