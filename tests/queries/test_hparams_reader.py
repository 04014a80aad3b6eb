"""The table of hyperparameters and metrics: every run, every experiment, every layout, and the value that is asked for."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from hparam_logs import declare, scalar_run, trial
from log_folder import LogFolder
from stepscope import SummaryWriter
from stepscope import hparams as hp
from stepscope.queries.hparams.metrics import Asked, Reading
from stepscope.queries.hparams.reader import Question
from stepscope.queries.hparams.table import Table
from stepscope.session.reads import Reads


def read(folder: LogFolder, question: Question | None = None, folded: bool = True) -> Table:
    reads = Reads(folder.load())
    return reads.hparams.table(reads.views.view(folded), question or Question())


def metric(table: Table, tag: str, group: str = "") -> dict[str, float]:
    """By the names of the sessions' runs."""
    (found,) = [each for each in table.metrics if (each.info.tag, each.info.group) == (tag, group)]
    return {session.run.experiment or session.run.name: value for session, value in zip(table.sessions, found.values, strict=True)}


def keys(table: Table) -> list[tuple[str, str]]:
    return [(each.info.group, each.info.tag) for each in table.metrics]


def grid_search(path: Path) -> None:
    """As Keras with its TensorBoard callback leaves it: an experiment, and trials with folders of roles below."""
    metrics = [hp.Metric("epoch_accuracy", display_name="Accuracy"), hp.Metric("epoch_loss", display_name="Loss")]
    declare(path, [hp.HParam("lr", hp.RealInterval(1e-5, 1e-1)), hp.HParam("opt", hp.Discrete(["adam", "sgd"]))], metrics)
    for place, (lr, opt) in enumerate([(1e-3, "adam"), (1e-3, "sgd"), (1e-4, "adam")]):
        run = path / f"run-{place}"
        trial(run, {"lr": lr, "opt": opt}, {"epoch_accuracy": [0.5 + place / 10]})
        scalar_run(run / "train", {"epoch_loss": [2, 1 + place], "epoch_accuracy": [0.1, 0.2]})
        scalar_run(run / "validation", {"epoch_loss": [3, 2 + place], "epoch_accuracy": [0.1, 0.3]})


def test_trials_above_their_roles_have_no_empty_column(folder: LogFolder) -> None:
    grid_search(folder.path)
    found = read(folder)
    assert keys(found) == [("", "epoch_accuracy"), ("", "epoch_loss")]
    assert metric(found, "epoch_accuracy") == pytest.approx({"run-0": 0.5, "run-1": 0.6, "run-2": 0.7})
    assert metric(found, "epoch_loss") == {"run-0": 1.0, "run-1": 2.0, "run-2": 3.0}
    assert [each.labels for each in found.metrics] == [("",), ("train",)]
    asked = read(folder, Question(metrics=(("validation", "epoch_loss"),)))
    assert metric(asked, "epoch_loss", "validation") == {"run-0": 2.0, "run-1": 3.0, "run-2": 4.0}
    assert ("validation", "epoch_loss") in found.available
    more = read(folder, Question(more=(("validation", "epoch_loss"), ("", "epoch_loss"))))
    assert keys(more) == [("", "epoch_accuracy"), ("", "epoch_loss"), ("validation", "epoch_loss")]


def test_a_trial_is_one_row_of_the_page(folder: LogFolder) -> None:
    grid_search(folder.path)
    view = Reads(folder.load()).views.view()
    assert {run.experiment for run in view.runs if run.name.startswith("run-")} == {"run-0", "run-1", "run-2"}
    assert {run.role for run in view.runs if run.name == "run-0"} == {"eval"}


@pytest.mark.parametrize("folded", [True, False])
def test_a_folder_of_their_own_leaves_no_row_without_metrics(folder: LogFolder, folded: bool) -> None:
    for place, name in enumerate(["2026-03-28_resnet50_lr0001", "2026-03-28_resnet50_lr001"]):
        trial(folder.path / name / "hparams", {"lr": 10.0**-place})
        scalar_run(folder.path / name / "train", {"loss": [2, 1 + place]})
        scalar_run(folder.path / name / "validation", {"loss": [3, 2 + place]})
    found = read(folder, folded=folded)
    assert len(found.sessions) == 2
    values = {each.info.group or each.labels[0]: each.values.tolist() for each in found.metrics}
    assert sorted(map(sorted, values.values())) == [[1.0, 2.0], [2.0, 3.0]]
    names = {session.run.name for session in found.sessions}
    assert all(("train" in name) is folded for name in names), "shown inside its training run"


def test_every_experiment_counts(folder: LogFolder) -> None:
    """TensorBoard reads one of the records, and hyperparameters and metrics of the other runs are missing."""
    for name, values, metrics in (("a", {"lr": 0.1}, {"hparam/acc": 0.5}), ("b", {"lr": 0.2, "bs": 8}, {"hparam/f1": 0.7})):
        with SummaryWriter(folder.path / name) as writer:
            writer.add_hparams(values, metrics, run_name=".")
    found = read(folder)
    assert [column.info.name for column in found.hparams] == ["lr", "bs"]
    assert keys(found) == [("", "hparam/acc"), ("", "hparam/f1")]
    assert math.isnan(metric(found, "hparam/acc")["b"])
    assert metric(found, "hparam/f1")["b"] == pytest.approx(0.7)


def test_torch_trials_below_one_run(folder: LogFolder) -> None:
    with SummaryWriter(folder.path / "search") as writer:
        for place in range(3):
            writer.add_hparams({"lr": place}, {"acc": place / 10}, run_name=f"trial-{place}")
    found = read(folder)
    assert metric(found, "acc") == pytest.approx({f"search/trial-{place}": place / 10 for place in range(3)})


def test_sessions_without_a_declared_metric_show_what_they_have(folder: LogFolder) -> None:
    declare(folder.path, [hp.HParam("lr")], [hp.Metric("score"), hp.Metric("never")])
    trial(folder.path / "a", {"lr": 1.0}, {"score": [1]})
    trial(folder.path / "b", {"lr": 2.0}, {"reward": [5]})
    found = read(folder)
    assert keys(found) == [("", "score"), ("", "reward")]
    assert metric(found, "reward")["b"] == 5.0


@pytest.mark.parametrize(
    ("asked", "loss", "accuracy"),
    [
        (Asked("last"), 4.0, 0.2),
        (Asked("best"), 1.0, 0.9),
        (Asked("min"), 1.0, 0.1),
        (Asked("max"), 5.0, 0.9),
        (Asked("mean", 2), 3.0, 0.55),
        (Asked("at", at=1.5), 1.0, 0.1),
        (Asked("at", at=9), math.nan, math.nan),
    ],
)
def test_readings(folder: LogFolder, asked: Asked, loss: float, accuracy: float) -> None:
    """TensorBoard shows the last value alone."""
    trial(folder.path / "a", {"lr": 1.0}, {"loss": [5, 1, 2, 4], "accuracy": [0.5, 0.1, 0.9, 0.2]})
    found = read(folder, Question(asked=asked))
    assert metric(found, "loss")["a"] == pytest.approx(loss, nan_ok=True)
    assert metric(found, "accuracy")["a"] == pytest.approx(accuracy, nan_ok=True)


def test_the_goal_is_flipped_when_asked(folder: LogFolder) -> None:
    trial(folder.path / "a", {"lr": 1.0}, {"loss": [5, 1, 2, 4]})
    assert metric(read(folder, Question(asked=Asked("best"), flipped=frozenset({"loss"}))), "loss")["a"] == 5.0


def test_a_description_can_state_the_goal(folder: LogFolder) -> None:
    declare(folder.path, [], [hp.Metric("elo", description="Higher is better.")])
    trial(folder.path / "a", {"lr": 1.0}, {"elo": [5, 1, 7, 4]})
    assert metric(read(folder, Question(asked=Asked("best"))), "elo")["a"] == 7.0


def test_validation_comes_first_for_a_metric_of_validation(folder: LogFolder) -> None:
    declare(folder.path, [], [hp.Metric("loss", dataset_type=hp.Metric.VALIDATION)])
    trial(folder.path / "a", {"lr": 1.0}, {"other": [0]})
    scalar_run(folder.path / "a" / "train", {"loss": [1]})
    scalar_run(folder.path / "a" / "validation", {"loss": [2]})
    found = read(folder, folded=False)
    assert metric(found, "loss")["a"] == 2.0
    assert found.metrics[0].labels == ("validation",)


@pytest.mark.parametrize("reading", ["last", "min", "max"])
def test_restarts_are_read_by_the_restart_rule(folder: LogFolder, reading: Reading) -> None:
    trial(folder.path / "a", {"lr": 1.0})
    folder.write("a", {"loss": [(0, 5.0), (1, 4.0), (2, 9.0)]}, file="events.out.tfevents.1", session_start=0)
    folder.write("a", {"loss": [(1, 3.0), (2, 2.0)]}, file="events.out.tfevents.2", start=1_800_000_000.0, session_start=1)
    expected = {"last": 2.0, "min": 2.0, "max": 5.0}[reading]
    assert metric(read(folder, Question(asked=Asked(reading))), "loss")["a"] == expected


def test_later_records_and_points_are_seen(folder: LogFolder) -> None:
    reads = Reads(folder.library)
    trial(folder.path / "a", {"lr": 1.0}, {"loss": [5]})
    folder.load()
    assert metric(reads.hparams.table(reads.views.view(), Question()), "loss") == {"a": 5.0}
    trial(folder.path / "b", {"lr": 2.0, "bs": 4}, {"loss": [6]})
    scalar_run(folder.path / "a", {"loss": [5, 4]})
    folder.load()
    found = reads.hparams.table(reads.views.view(), Question())
    assert metric(found, "loss")["b"] == 6.0
    assert [column.info.name for column in found.hparams] == ["lr", "bs"]


def test_a_folder_without_hyperparameters(folder: LogFolder) -> None:
    scalar_run(folder.path / "a", {"loss": [5]})
    found = read(folder)
    assert (found.sessions, found.hparams, found.metrics, found.available) == ((), (), (), ())
