"""`stepscope demo` as a user runs it: two runs that learn, in a fresh folder, with a page until Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import stepscope as package
from stepscope._native import EventFile, NamePool
from stepscope.model.kinds import Kind

Run = Callable[..., subprocess.CompletedProcess[str]]
TRAIN_TAGS = {
    "loss",
    "accuracy",
    "learning_rate",
    "step_time_ms",
    "gradient_norm/all_layers",
    "gradient_norm/layer_1",
    "gradient_norm/layer_2",
    "gradient_norm/layer_3",
}


def series(run: Path) -> dict[str, NDArray[np.float64]]:
    (path,) = run.iterdir()
    names = NamePool()
    events = EventFile(str(path), names)
    events.scan()
    assert (events.skipped, events.pending, events.session_status) == (0, 0, 2)
    scalars = [index for index, kind in enumerate(events.kinds()) if kind == 0]
    return {names.name(int(events.tag_ids()[index])).decode(): events.scalars(index)[2] for index in scalars}


def steps_of(run: Path, tag: str, kind: Kind) -> list[int]:
    """The steps at which something that is no number was logged."""
    (path,) = run.iterdir()
    names = NamePool()
    events = EventFile(str(path), names)
    events.scan()
    return events.blobs(events.find(names.find(tag.encode()), kind))[0].tolist()


def test_it_trains_two_runs_that_learn(stepscope: Run, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    said = stepscope("demo", folder, "--train-only", "--seconds", "6")
    assert said.stdout == f"{folder}\n"
    assert sorted(path.name for path in folder.iterdir()) == ["lr-0.01", "lr-0.1"]
    losses: dict[str, float] = {}
    for run in folder.iterdir():
        train, validation = series(run / "train"), series(run / "validation")
        assert set(train) == TRAIN_TAGS
        assert set(validation) == {"loss", "accuracy"}
        seldom = [*range(0, 150, 20), 149]
        assert steps_of(run / "validation", "decision", Kind.IMAGE) == seldom
        assert steps_of(run / "validation", "confusion/text_summary", Kind.TEXT) == seldom
        assert steps_of(run / "validation", "loss_as_tone", Kind.AUDIO) == seldom
        assert steps_of(run / "validation", "shares_VERTEX", Kind.MESH) == seldom
        assert len(steps_of(run / "train", "custom_scalars__config__", Kind.LAYOUT)) == 1
        for number in (1, 2, 3):
            assert steps_of(run / "validation", f"precision_recall/arm_{number}", Kind.PR_CURVE) == seldom
            assert steps_of(run / "train", f"weights/layer_{number}", Kind.HISTOGRAM) == seldom
            assert steps_of(run / "train", f"gradients/layer_{number}", Kind.HISTOGRAM) == seldom
        assert {len(values) for values in train.values()} == {150}
        assert all(np.isfinite(values).all() for values in (*train.values(), *validation.values()))
        norms = np.stack([train[f"gradient_norm/layer_{number}"] for number in (1, 2, 3)])
        np.testing.assert_allclose(train["gradient_norm/all_layers"], np.sqrt((norms**2).sum(axis=0)), rtol=1e-5)
        assert (train["step_time_ms"] > 0).all()
        losses[run.name] = float(validation["loss"][-1] / validation["loss"][0])
    assert losses["lr-0.1"] < losses["lr-0.01"] < 1.0


def test_a_folder_in_use_is_refused(stepscope: Run, tmp_path: Path) -> None:
    (tmp_path / "something").write_text("")
    said = stepscope("demo", tmp_path, "--train-only", check=False)
    assert said.returncode == 2
    assert said.stderr == f"stepscope: {tmp_path} is not empty; give the demo a new folder.\n"
    said = stepscope("demo", tmp_path / "something" / "below", "--train-only", check=False)
    assert said.returncode == 2
    assert "Cannot make" in said.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT")
def test_it_serves_the_page_while_it_trains_until_ctrl_c(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(package.__file__).parent.parent), "BROWSER": "false"}
    command = [sys.executable, "-m", "stepscope", "demo", "--seconds", "60", "--port", "0"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        lines = [process.stdout.readline().strip() for _ in range(2)]
        assert lines[0].startswith("Training two runs")
        assert lines[1].startswith("http://localhost:")
        with urllib.request.urlopen(lines[1] + "api/v1/runs", timeout=30) as answer:
            assert answer.status == 200
        (folder,) = (tmp_path / "stepscope-demo").iterdir()
        deadline = time.monotonic() + 30
        while len(list(folder.glob("*/*/*tfevents*"))) < 4 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert len(list(folder.glob("*/*/*tfevents*"))) == 4
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert "Traceback" not in errors
    assert process.returncode in (0, 130)
