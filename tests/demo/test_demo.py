"""`stepscope demo` as a user runs it: runs that learn, a profile with a finding, data for every tab, and a clean end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import stepscope as package
from stepscope.dashboards.all_dashboards import ALL_DASHBOARDS
from stepscope.demo.experiment import RUNS
from stepscope.demo.training import Settings, profiled_steps

# One process of pytest trains for all tests of this file.
pytestmark = [pytest.mark.xdist_group("demo"), pytest.mark.slow]
Run = Callable[..., subprocess.CompletedProcess[str]]
STEPS = 32
PATIENCE = 100.0


@pytest.fixture(scope="module")
def demo(stepscope: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a short demo that has ended."""
    folder = tmp_path_factory.mktemp("demo") / "logs"
    said = stepscope("demo", folder, "--train-only", "--steps", str(STEPS), timeout=280)
    assert said.stdout == f"{folder}\n"
    return folder


def folder_of(demo: Path, settings: Settings) -> Path:
    (found,) = demo.glob(f"*_{settings.name}")
    return found


def scalars(demo: Path, settings: Settings, part: str) -> dict[str, np.ndarray]:
    (run,) = [run for run in package.open(demo).runs if run.name == f"{folder_of(demo, settings).name}/{part}"]
    return {tag: run.scalars(tag).value for tag in run.tags if len(run.scalars(tag).value)}


def report(stepscope: Run, path: Path) -> dict[str, Any]:
    return json.loads(stepscope("profile", "report", path, "--json", "--no-cache").stdout)


def test_every_run_learns(demo: Path) -> None:
    for settings in RUNS:
        loss = scalars(demo, settings, "validation")["loss"]
        assert loss[-1] < loss[0]


def test_a_worker_changes_the_speed_and_nothing_else(demo: Path) -> None:
    slow, fixed = (scalars(demo, settings, "train") for settings in RUNS[:2])
    for tag in ("loss", "accuracy", "learning_rate", "gradient_norm/conv"):
        assert len(slow[tag]) == STEPS
        np.testing.assert_array_equal(slow[tag], fixed[tag])
    assert (slow["step_time/input"] < slow["step_time/total"]).all()


def test_the_first_finding_is_the_input_pipeline(demo: Path, stepscope: Run) -> None:
    found = report(stepscope, folder_of(demo, RUNS[0]))
    first = next(finding for finding in found["findings"] if finding["verdict"] == "fires")
    assert first["rule"] == "input_bound"
    assert first["gain"]["high"] > 0
    newest = report(stepscope, demo)
    assert newest["breakdown"]["input_wait"] > 0.1


def test_the_profile_has_the_steps_of_the_loop(demo: Path, stepscope: Run) -> None:
    told = json.loads(stepscope("profile", "steps", folder_of(demo, RUNS[0]), "--json", "--no-cache").stdout)
    assert [step["step"] for step in told["steps"]] == list(profiled_steps(STEPS))
    logged = scalars(demo, RUNS[0], "train")["step_time/input"]
    for step in told["steps"]:  # two clocks around one wait
        assert step["parts"]["input"] == pytest.approx(1e3 * logged[step["step"]], rel=0.1, abs=1.0)


def test_comparing_the_two_runs_names_the_loader(demo: Path, stepscope: Run) -> None:
    before, after = (folder_of(demo, settings) for settings in RUNS[:2])
    told = json.loads(stepscope("profile", "compare", before, after, "--json", "--no-cache").stdout)
    assert any("DataLoader" in row["name"] for row in told["faster"])


def test_hyperparameters_and_embeddings_are_written(demo: Path) -> None:
    assert {settings.lr for settings in RUNS} > {RUNS[0].lr}
    for settings in RUNS:
        folder = folder_of(demo, settings)
        assert "embedding/tensors.tsv" in (folder / "projector_config.pbtxt").read_text()
        labels = (folder / "embedding" / "metadata.tsv").read_text().splitlines()
        vectors = (folder / "embedding" / "tensors.tsv").read_text().splitlines()
        assert labels[0] == "timbre\tprediction"
        assert len(labels) == len(vectors) + 1
        events = b"".join(path.read_bytes() for path in folder.glob("*tfevents*"))
        assert b"_hparams_/session_start_info" in events
        assert b"_hparams_/experiment" in events


def test_a_folder_in_use_is_refused(stepscope: Run, tmp_path: Path) -> None:
    (tmp_path / "something").write_text("")
    said = stepscope("demo", tmp_path, "--train-only", check=False)
    assert said.returncode == 2
    assert str(tmp_path) in said.stderr
    said = stepscope("demo", tmp_path / "something" / "below", "--train-only", check=False)
    assert said.returncode == 2
    assert str(tmp_path / "something") in said.stderr


@contextmanager
def serving(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A demo with its page, and the page's address."""
    environment = {**os.environ, "PYTHONPATH": str(Path(package.__file__).parent.parent), "BROWSER": "false"}
    command = [sys.executable, "-m", "stepscope", "demo", "--steps", str(STEPS), "--port", "0"]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address = [process.stdout.readline().strip() for _ in range(2)][1]
        assert address.startswith("http://localhost:")
        yield process, address
    finally:
        process.kill()
        process.wait()


def until(found: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not found():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def tabs_with_data(address: str) -> set[str]:
    with urllib.request.urlopen(f"{address}api/v1/folder", timeout=30) as answer:
        return {tab["id"] for tab in json.load(answer)["tabs"] if tab["has_data"]}


def test_every_tab_has_data_while_the_first_run_trains(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, address):
        until(lambda: tabs_with_data(address) == {dashboard.id for dashboard in ALL_DASHBOARDS})


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("ending", ["SIGINT", "SIGKILL"])
def test_nothing_is_left_when_it_ends(tmp_path: Path, ending: str) -> None:
    with serving(tmp_path) as (process, _):
        children: list[psutil.Process] = []

        def with_worker() -> bool:
            children[:] = psutil.Process(process.pid).children(recursive=True)
            return any("stepscope.demo" in " ".join(child.cmdline()) for child in children) and len(children) > 2

        until(with_worker)
        process.send_signal(getattr(signal, ending))
        _, errors = process.communicate(timeout=PATIENCE)
        until(lambda: not any(child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in children))
    assert "Traceback" not in errors
    assert process.returncode in ((0, 130) if ending == "SIGINT" else (-signal.SIGKILL,))
