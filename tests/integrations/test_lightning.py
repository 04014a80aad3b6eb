"""Our logger beside Lightning's TensorBoardLogger in one real Trainer: same folders, same tags, same values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepscope._native import EventFile, NamePool

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """What both loggers wrote."""
    return run_in_peers(Path(__file__).parent / "lightning_fit.py", tmp_path_factory.mktemp("lightning"))


def test_arguments_are_those_of_lightning(report: Any) -> None:
    theirs, ours = report["signatures"]
    assert len(theirs) == 8
    positional = [each for each in ours if each[2] == "POSITIONAL_OR_KEYWORD"]
    assert positional == [each for each in theirs if each[2] == "POSITIONAL_OR_KEYWORD"]


def test_what_lightning_writes_is_written_alike(report: Any) -> None:
    ours, theirs = report["fit"]["read"]
    assert {"train/loss_step", "train/loss_epoch", "val/loss", "epoch", "hp_metric"} <= theirs.keys()
    assert {tag for tag in ours if not tag.startswith("system/")} == theirs.keys() | {"note/text_summary"}
    for tag in theirs:
        assert ours[tag] == theirs[tag], tag
    assert ours[""] == ["graph_def"], "log_graph was asked for"


def test_hyperparameters_are_in_the_same_run_and_in_the_same_file(report: Any) -> None:
    ours, theirs = report["fit"]["read"]
    assert "_hparams_/session_start_info" in ours
    assert ours["_hparams_/session_start_info"] == theirs["_hparams_/session_start_info"]
    assert report["fit"]["yaml"][0] == report["fit"]["yaml"][1]
    assert "momentum" in report["fit"]["yaml"][0]


def test_folders_follow_lightnings_rules(report: Any) -> None:
    assert report["fit"]["folders"] == ["ours/lightning_logs/version_0", "theirs/lightning_logs/version_0"]
    ours, theirs = report["versions"]
    assert ours == theirs
    assert ours[0][0] == "lightning_logs/version_5"


def test_it_is_a_logger_and_logs_the_machine(report: Any) -> None:
    assert report["fit"]["is_logger"]
    assert {step for step, _ in report["fit"]["read"][0]["system/process/rss_mib"][1]} <= set(range(9))


def test_a_training_that_fails_is_not_marked_as_finished(report: Any) -> None:
    assert report["failing"]["message"] == "as training fails"
    events = EventFile(report["failing"]["file"], NamePool())
    events.scan()
    assert events.session_status == 0


def test_only_the_first_process_writes(report: Any) -> None:
    assert report["second"] is False


def test_metrics_may_be_tensors_and_dictionaries(report: Any) -> None:
    read = report["hand"]["read"]
    assert read["version_0"]["run-loss"][1] == [[3, 0.5]]
    assert read["run-pair_a"]["run-pair"][1] == [[3, 1.0]]
    assert read["run-pair_b"]["run-pair"][1] == [[3, 2.0]]


def test_further_arguments_are_the_writers_and_copies_open_no_files(report: Any) -> None:
    assert report["hand"]["names"] == [".mine"]


def test_chosen_steps_are_captured_and_those_that_the_environment_asks_for(report: Any) -> None:
    chosen, asked = report["profiled"]["steps"]
    assert chosen == ["ProfilerStep#1", "ProfilerStep#2"]
    assert asked == ["ProfilerStep#2", "ProfilerStep#3"]
    assert report["profiled"]["unasked"] == []
