"""Groups of runs by seed, folder and hyperparameter: names, members, and roles of an experiment apart."""

from __future__ import annotations

import pytest

from hparam_logs import trial
from log_folder import LogFolder
from stepscope.model.errors import BadInput
from stepscope.queries.run_groups import group_runs
from stepscope.queries.runs import list_runs
from stepscope.session.reads import Reads


@pytest.fixture
def grouped(folder: LogFolder) -> LogFolder:
    for lr in (0.1, 0.01):
        for seed in (1, 2):
            name = f"sweep/lr{lr}-s{seed}"
            folder.write(name, {"loss": [lr, seed]})
            trial(folder.path / name, {"lr": lr, "seed": float(seed), "model": "mlp"})
    folder.write("other/plain", {"loss": [1.0]})
    return folder


def names(folder: LogFolder, by: str) -> list[tuple[str, str | None, list[str]]]:
    reads = Reads(folder.load())
    view = reads.views.view()
    rows = list_runs(view, {}, 0.0)
    by_id = {row.id: row.name for row in rows}
    groups = group_runs(rows, reads.settings.all_runs(view), by)
    return [(group.name, group.role, sorted(by_id[run] for run in group.runs)) for group in groups]


def test_repeats_have_equal_hyperparameters_but_for_the_seed(grouped: LogFolder) -> None:
    assert names(grouped, "seed") == [
        ("lr=0.01", None, ["sweep/lr0.01-s1", "sweep/lr0.01-s2"]),
        ("lr=0.1", None, ["sweep/lr0.1-s1", "sweep/lr0.1-s2"]),
        ("other/plain", None, ["other/plain"]),
    ]


def test_groups_by_folder_and_by_hyperparameter(grouped: LogFolder) -> None:
    assert [(name, len(runs)) for name, _, runs in names(grouped, "folder")] == [("other", 1), ("sweep", 4)]
    assert [(name, len(runs)) for name, _, runs in names(grouped, "model")] == [("mlp", 4)]
    assert [(name, len(runs)) for name, _, runs in names(grouped, "seed") if name == "lr=0.1"] == [("lr=0.1", 2)]


def test_an_unknown_hyperparameter_is_refused_with_those_there_are(grouped: LogFolder) -> None:
    with pytest.raises(BadInput) as refused:
        names(grouped, "depth")
    assert refused.value.code == "unknown_setting"
    assert "lr, model, seed" in refused.value.message


def test_training_and_validation_of_an_experiment_are_apart(folder: LogFolder) -> None:
    for seed in (1, 2):
        for role in ("train", "validation"):
            folder.write(f"run{seed}/{role}", {"loss": [1.0]})
        trial(folder.path / f"run{seed}" / "train", {"lr": 0.1, "seed": float(seed)})
    assert [(name, role, len(runs)) for name, role, runs in names(folder, "lr")] == [("0.1", "train", 2), ("0.1", "validation", 2)]
