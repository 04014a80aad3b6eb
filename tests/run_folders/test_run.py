"""New runs: how their folders are named, what is recorded in them, and that nothing about them can end a training."""

from __future__ import annotations

import re
import subprocess
import sys
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stepscope
from child_environment import with_sources
from stepscope._native import EventFile, NamePool
from stepscope.run_folders import Run, naming, new_run, provenance

TODAY = r"\d{4}-\d\d-\d\d"


def text_of(folder: Path) -> str:
    return "".join(path.read_bytes().decode("utf-8", "replace") for path in folder.glob("*tfevents*"))


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"model": "resnet50", "lr": 1e-3}, "2026-03-28_resnet50_lr0.001"),
        ({"model": "vit/b 16", "lr": 1e-05, "seed": 7}, "2026-03-28_vit-b-16_lr1e-05_seed7"),
        ({"amp": True, "ema": False, "note": None, "sizes": [1, 2]}, "2026-03-28_amp_no-ema"),
        ({"lr": np.float32(0.5), "many": np.zeros(3)}, "2026-03-28_lr0.5"),
        ({"path": "../../etc/passwd"}, "2026-03-28_etc-passwd"),
        ({"odd": "ä\n\x00|<>", "dots": "..."}, "2026-03-28_ä"),
        ({}, "2026-03-28"),
    ],
)
def test_names(parameters: dict[str, Any], name: str) -> None:
    assert naming.run_name(date(2026, 3, 28), parameters) == name


def test_a_long_name_is_cut() -> None:
    assert len(naming.run_name(date(2026, 3, 28), {"model": "x" * 500})) == naming.LONGEST_NAME


def test_a_run_has_its_writers_and_folders(tmp_path: Path) -> None:
    with new_run(tmp_path / "logs", model="resnet50", lr=1e-3) as run:
        run.train.add_scalar("loss", 0.5, 1)
        run.validation.add_scalar("loss", 0.75, 1)
        assert re.fullmatch(rf"{TODAY}_resnet50_lr0\.001", run.name)
        assert run.train is run.train
    logs = stepscope.open(tmp_path / "logs")
    assert logs.runs[f"{run.name}/train"].scalars("loss").value.tolist() == [0.5]
    assert logs.runs[f"{run.name}/validation"].scalars("loss").value.tolist() == [0.75]


def test_a_writer_that_is_not_used_leaves_no_folder(tmp_path: Path) -> None:
    with new_run(tmp_path, model="a") as run:
        run.train.add_scalar("loss", 1.0, 1)
    assert sorted(path.name for path in Path(run.log_dir).iterdir() if path.is_dir()) == ["train"]


def test_runs_of_one_day_get_folders_of_their_own(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda _: new_run(tmp_path, model="a"), range(8)))
    names = sorted(run.name for run in runs)
    assert len(set(names)) == 8
    assert [name[len(names[0]) :] for name in names] == ["", *(f"-{number}" for number in range(2, 9))]
    for run in runs:
        run.close()


def test_the_configuration_is_logged_and_can_grow(tmp_path: Path) -> None:
    with new_run(tmp_path, {"optimizer": {"betas": [0.9, 0.99]}}, lr=0.5) as run:
        run.log_config({"later": 3})
    text = text_of(Path(run.log_dir))
    assert "| optimizer.betas | \\[0.9, 0.99\\] |" in text
    assert "| lr | 0.5 |" in text
    assert text.count("_hparams_/session_start_info") == 2
    assert "| later | 3 |" in text
    assert "_hparams_/session_end_info" in text


def test_what_ran_is_recorded_once(tmp_path: Path) -> None:
    with new_run(tmp_path, lr=0.5) as run:
        run.train.add_scalar("loss", 1.0, 1)
    text = text_of(Path(run.log_dir))
    assert text.count("run/text_summary") == 1
    for word in ("| Command |", "| Host |", "| Python |", "| numpy |", "| Git commit |"):
        assert word in text
    assert "run/text_summary" not in text_of(Path(run.log_dir) / "train")


def fail(run: Run) -> None:
    with run:
        run.train.add_scalar("loss", 1.0, 1)
        raise RuntimeError("no")


def test_a_failed_run_is_not_marked_as_finished(tmp_path: Path) -> None:
    run = new_run(tmp_path, lr=0.5)
    with pytest.raises(RuntimeError):
        fail(run)
    (own,) = Path(run.log_dir).glob("*tfevents*")
    events = EventFile(str(own), NamePool())
    events.scan()
    assert (events.hparams_status, events.session_status) == (2, 0)
    run.close()
    assert len(list(Path(run.log_dir).glob("*tfevents*"))) == 1


def test_without_git_a_run_starts_all_the_same(tmp_path: Path) -> None:
    code = (
        "import stepscope; run = stepscope.new_run('logs', lr=0.5); run.train.add_scalar('a', 1.0, 1); run.close(); print(run.log_dir)"
    )
    environment = {**with_sources(), "PATH": str(tmp_path)}
    result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    text = text_of(tmp_path / result.stdout.strip())
    assert "| Host |" in text
    assert "Git commit" not in text
    assert result.stderr == ""


def test_secrets_and_the_environment_are_not_recorded(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import stepscope\nrun = stepscope.new_run('logs', lr=0.5, api_key='abcdef')\nrun.close()\nprint(run.log_dir)\n")
    environment = {**with_sources(), "MY_SETTING": "quite-unique-value"}
    command = [sys.executable, str(script), "--token=hunter2", "--password", "hunter3", "--lr", "0.5"]
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    folder = tmp_path / result.stdout.strip()
    text = text_of(folder)
    assert "train.py" in text
    assert "--lr 0.5" in text
    for secret in ("hunter2", "hunter3", "quite-unique-value", "abcdef"):
        assert secret not in text
        assert secret not in folder.name


def test_git_says_commit_and_changes(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    assert provenance.git_facts(str(tmp_path)) == {}
    git("init", "-b", "main")
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "-m", "first")
    facts = provenance.git_facts(str(tmp_path))
    assert re.fullmatch("[0-9a-f]{40}", str(facts["Git commit"]))
    assert (facts["Git branch"], facts["Uncommitted changes"]) == ("main", "no")
    (tmp_path / "file").write_text("two")
    assert provenance.git_facts(str(tmp_path))["Uncommitted changes"] == "yes"


def test_only_loaded_packages_are_listed_and_none_is_loaded() -> None:
    code = (
        "import sys, numpy; from stepscope.run_folders.provenance import loaded_packages; before = set(sys.modules);"
        "found = dict(loaded_packages()); assert found['numpy'] == numpy.__version__; assert not {'starlette', 'os'} & found.keys();"
        "assert {name.split('.')[0] for name in set(sys.modules) - before} <= sys.stdlib_module_names"
    )
    subprocess.run([sys.executable, "-c", code], env=with_sources(), check=True)


def test_a_file_in_the_folders_place_does_not_raise(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "logs").write_text("in the way")
    run = new_run(tmp_path / "logs", lr=0.5)
    run.train.add_scalar("loss", 1.0, 1)
    run.close()
    assert "Cannot write" in caplog.text


@dataclass(slots=True)
class Settings:
    """As many programs have them."""

    epochs: int = 3


def test_a_configuration_may_be_a_namespace_or_a_dataclass(tmp_path: Path) -> None:
    with new_run(tmp_path, Namespace(batch=16), lr=0.5) as run:
        run.log_config(Settings())
    text = text_of(Path(run.log_dir))
    assert all(line in text for line in ("| batch | 16 |", "| lr | 0.5 |", "| epochs | 3 |"))


def test_a_configuration_that_is_none_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="dictionary, not as int"):
        new_run(tmp_path, 3)
    assert list(tmp_path.iterdir()) == []


def test_a_machine_that_cannot_be_described_does_not_raise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        raise OSError("no such machine")

    monkeypatch.setattr("stepscope.run_folders.provenance.platform.platform", fail)
    with new_run(tmp_path, lr=0.5) as run:
        pass
    assert "Started" in text_of(Path(run.log_dir))
