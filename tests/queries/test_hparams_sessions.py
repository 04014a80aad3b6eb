"""Sessions find the runs of their metrics in every layout that programs leave behind."""

from __future__ import annotations

from hparam_logs import scalar_run, trial
from log_folder import LogFolder
from stepscope.model.kinds import Kind
from stepscope.queries.folding import SESSION_START
from stepscope.queries.hparams.sessions import find_sessions, started_runs
from stepscope.queries.hyperparameters import session_in
from stepscope.queries.view import Views


def places(folder: LogFolder, folded: bool = True) -> dict[str, list[tuple[str, str]]]:
    """Of each session the places of its metrics: label and run."""
    views = Views(folder.load())
    view = views.view(folded)
    tag = views.library.names.find(SESSION_START)
    started = started_runs(view, lambda events: session_in(events, tag) if events.find(tag, Kind.HPARAMS) >= 0 else None)
    sessions = find_sessions(view, started)
    return {session.run.name: [(place.label, view.runs[place.row].name) for place in session.places] for session in sessions}


def test_a_run_of_its_own(folder: LogFolder) -> None:
    trial(folder.path / "a", {"lr": 0.1}, {"loss": [1]})
    scalar_run(folder.path / "b", {"loss": [1]})
    assert places(folder) == {"a": [("", "a")]}


def test_role_folders_below_train_first(folder: LogFolder) -> None:
    trial(folder.path / "run-0", {"lr": 0.1}, {"loss": [1]})
    scalar_run(folder.path / "run-0" / "validation", {"loss": [1]})
    scalar_run(folder.path / "run-0" / "train", {"loss": [1]})
    assert places(folder) == {"run-0": [("", "run-0"), ("train", "run-0/train"), ("validation", "run-0/validation")]}


def test_a_session_shown_inside_train(folder: LogFolder) -> None:
    trial(folder.path / "run-0", {"lr": 0.1})
    scalar_run(folder.path / "run-0" / "validation", {"loss": [1]})
    scalar_run(folder.path / "run-0" / "train", {"loss": [1]})
    assert places(folder) == {"run-0/train": [("", "run-0/train"), ("train", "run-0/train"), ("validation", "run-0/validation")]}


def test_a_folder_of_its_own_beside_roles(folder: LogFolder) -> None:
    for name in ("a", "b"):
        trial(folder.path / name / "hparams", {"lr": 0.1})
        for role in ("train", "validation"):
            scalar_run(folder.path / name / role, {"loss": [1]})
    assert {name: sorted(found) for name, found in places(folder).items()} == {
        f"{name}/train": [("", f"{name}/train"), ("train", f"{name}/train"), ("validation", f"{name}/validation")]
        for name in ("a", "b")
    }
    apart = places(folder, folded=False)
    assert set(apart["a/hparams"]) == {("", "a/hparams"), ("train", "a/train"), ("validation", "a/validation")}
    assert apart["a/hparams"][0] == ("", "a/hparams")


def test_what_lies_beside_a_folder_for_settings(folder: LogFolder) -> None:
    trial(folder.path / "a" / "config", {"lr": 0.1})
    scalar_run(folder.path / "a" / "logs", {"loss": [1]})
    assert places(folder) == {"a/config": [("", "a/config"), ("logs", "a/logs")]}


def test_other_trials_are_never_taken(folder: LogFolder) -> None:
    trial(folder.path / "run-0", {"lr": 0.1})
    trial(folder.path / "run-1", {"lr": 0.2}, {"loss": [1]})
    scalar_run(folder.path / "baseline", {"loss": [1]})
    assert places(folder) == {"run-0": [("", "run-0")], "run-1": [("", "run-1")]}


def test_roles_that_log_the_same_are_one_session(folder: LogFolder) -> None:
    for role in ("train", "validation"):
        trial(folder.path / "a" / role, {"lr": 0.1}, {"loss": [1]})
    ((name, found),) = places(folder).items()
    assert found[0] == ("", name)
    assert {run for _, run in found} == {"a/train", "a/validation"}
