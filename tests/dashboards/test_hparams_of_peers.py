"""Hyperparameters that TensorFlow and torch wrote: equal to TensorBoard's backend where that is right, and right where it is not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from log_folder import LogFolder
from stepscope.queries.hparams.metrics import Asked
from stepscope.queries.hparams.reader import Question
from stepscope.queries.hparams.table import Table
from stepscope.session.reads import Reads

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> tuple[Path, Any]:
    """The folder, and what TensorBoard says of it."""
    folder = tmp_path_factory.mktemp("hparams")
    return folder, run_in_peers(Path(__file__).parent / "hparams_of_peers.py", folder)


def ours(folder: Path, question: Question | None = None) -> Table:
    reads = Reads(LogFolder(folder).load())
    return reads.hparams.table(reads.views.view(), question or Question())


def column(table: Table, tag: str, group: str = "") -> dict[str, float]:
    """A metric by the names of the runs."""
    (found,) = [each for each in table.metrics if (each.info.tag, each.info.group) == (tag, group)]
    return {
        session.run.experiment or session.run.name: float(value) for session, value in zip(table.sessions, found.values, strict=True)
    }


def theirs(groups: Any, tag: str, group: str = "") -> dict[str, float]:
    """The same of TensorBoard, by the names of its sessions."""
    return {
        session["name"]: each["value"]
        for one in groups
        for session in one["sessions"]
        for each in session.get("metricValues", [])
        if (each["name"].get("tag", ""), each["name"].get("group", "")) == (tag, group)
    }


def test_values_where_tensorboard_is_right(logged: tuple[Path, Any]) -> None:
    folder, said = logged
    groups = said["keras"]["groups"]
    found = ours(folder / "keras")
    assert column(found, "epoch_accuracy") == pytest.approx(theirs(groups, "epoch_accuracy"))
    assert column(found, "epoch_loss", "validation") == pytest.approx(theirs(groups, "epoch_loss", "validation"))
    values = {session.run.experiment: dict(session.values) for session in found.sessions}
    assert values == {session["name"]: group["hparams"] for group in groups for session in group["sessions"]}


def test_groups_where_tensorboard_is_right(logged: tuple[Path, Any]) -> None:
    folder, said = logged
    found = ours(folder / "keras")
    of_theirs = {frozenset(session["name"] for session in group["sessions"]) for group in said["keras"]["groups"]}
    members: dict[int, set[str]] = {}
    for session, group in zip(found.sessions, found.groups.of.tolist(), strict=True):
        members.setdefault(group, set()).add(session.run.experiment or "")
    assert {frozenset(each) for each in members.values()} == of_theirs
    place = next(place for place, each in enumerate(found.metrics) if each.info.tag == "epoch_accuracy")
    mean = {frozenset(each): found.groups.spreads[place].mean[group] for group, each in members.items()}
    for group in said["keras"]["groups"]:
        (value,) = [each["value"] for each in group["metricValues"] if each["name"]["tag"] == "epoch_accuracy"]
        assert mean[frozenset(session["name"] for session in group["sessions"])] == pytest.approx(value)


def test_no_empty_column_where_curves_are_below_the_trials(logged: tuple[Path, Any]) -> None:
    folder, said = logged
    assert theirs(said["keras"]["groups"], "epoch_loss") == {}, "TensorBoard's column is empty"
    assert column(ours(folder / "keras"), "epoch_loss") == {f"run-{place}": 1.0 + place for place in range(4)}


def test_hyperparameters_of_all_runs(logged: tuple[Path, Any]) -> None:
    folder, said = logged
    declared = {info["name"] for info in said["torch"]["experiment"]["hparamInfos"]}
    assert declared < {"lr", "bs", "name"}, "TensorBoard reads the record of one run"
    found = ours(folder / "torch")
    assert {each.info.name for each in found.hparams} == {"lr", "bs", "name"}
    assert column(found, "best") == pytest.approx(theirs(said["torch"]["groups"], "best"))
    assert column(found, "f1")["trial-2"] == 0.75


def test_the_best_value_and_not_only_the_last(logged: tuple[Path, Any]) -> None:
    folder, said = logged
    assert set(theirs(said["keras"]["groups"], "epoch_accuracy").values()) == {0.5 + place / 16 for place in range(4)}
    best = column(ours(folder / "keras", Question(asked=Asked("best"))), "epoch_accuracy")
    assert best == {f"run-{place}": 0.875 for place in range(4)}
