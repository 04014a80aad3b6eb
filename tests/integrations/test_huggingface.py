"""Our callback beside the Trainer's own in one real training, and our tracker in a real Accelerator beside its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """What was written."""
    return run_in_peers(Path(__file__).parent / "huggingface_train.py", tmp_path_factory.mktemp("huggingface"))


def test_what_the_trainer_writes_is_written_alike(report: Any) -> None:
    ours, theirs = report["train"]["read"]
    assert {"train/loss", "train/learning_rate", "train/epoch", "eval/loss", "train/train_runtime"} <= theirs.keys()
    added = {tag for tag in ours if not tag.startswith(("system/", "_hparams_/"))} - theirs.keys()
    assert added == {"train/steps_per_second"}
    for tag in theirs:
        assert ours[tag] == theirs[tag], tag


def test_arguments_are_hyperparameters(report: Any) -> None:
    assert "_hparams_/session_start_info" in report["train"]["read"][0]


def test_it_is_a_callback_and_logs_the_machine_with_step_and_epoch(report: Any) -> None:
    assert report["train"]["is_callback"]
    ours = report["train"]["read"][0]
    assert {step for step, _ in ours["system/process/rss_mib"][1]} <= set(range(9))
    assert all(0 <= value <= 2 for _, value in ours["system/epoch"][1])


def test_steps_per_second_are_logged_with_each_report(report: Any) -> None:
    points = report["train"]["read"][0]["train/steps_per_second"][1]
    assert [step for step, _ in points] == [2, 4, 6, 8]
    assert all(value > 0 for _, value in points)


def test_a_writer_that_was_given_stays_open(report: Any) -> None:
    assert report["given"] == {"files": [1, 1], "after": True}


def test_trials_have_folders_of_their_own_and_only_the_first_process_writes(report: Any) -> None:
    assert report["hand"].keys() == {"trial-1", "trial-2"}
    found = report["hand"]["trial-1"]
    assert found["train/loss"][1] == [[4, 0.5]]
    assert found["test/loss"][1] == [[4, 0.25]]
    assert found["train/note/text_summary"][1] == [[4, ["words"]]]
    assert "train/odd" not in found


def test_without_a_folder_the_output_folder_has_the_runs(report: Any) -> None:
    assert {"train/loss", "train/epoch"} <= set(report["default"])


def test_accelerates_own_tracker_and_ours_write_alike(report: Any) -> None:
    ours, theirs = report["accelerate"]["by_name"], report["accelerate"]["theirs"]
    assert ours["writer"].startswith("stepscope.")
    assert ours["read"]["loss"] == ["scalars", [[step, float(np.float32(1 / (step + 1)))] for step in range(3)]]
    for tag in ("loss", "note/text_summary", "noise"):
        assert ours["read"][tag] == theirs["read"][tag], tag
    assert ours["pair"] == theirs["pair"]


def test_accelerates_configuration_is_in_the_run_itself(report: Any) -> None:
    assert "_hparams_/session_start_info" in report["accelerate"]["by_name"]["read"]


def test_accelerate_takes_a_tracker_itself(report: Any) -> None:
    assert report["accelerate"]["instance"]["loss"][1] == [[7, 0.25]]


def test_the_environment_asks_for_a_profile(report: Any) -> None:
    assert report["profiled"] == ["ProfilerStep#2", "ProfilerStep#3"]


def test_steps_of_an_accelerated_loop_are_captured_when_the_environment_asks(report: Any) -> None:
    assert report["accelerate"]["profiled"] == ["ProfilerStep#2", "ProfilerStep#3"], "a step is one of the optimizer, optimizer_steps"
