"""The scripts of the page about watching training run as they stand, with the real torch, and log what the page says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import stepscope
from child_environment import with_sources

pytestmark = pytest.mark.peers
HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "watching-training.md"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory, peers_python: str) -> Path:
    """The folder that the scripts log to; `said` in it is what they print."""
    folder = tmp_path_factory.mktemp("watching")
    command = [peers_python, str(HERE / "run_scripts.py"), str(PAGE)]
    environment = {**with_sources(), "CUDA_VISIBLE_DEVICES": "-1"}
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=200)
    assert result.returncode == 0, result.stderr[-3000:]
    (folder / "logs" / "said").write_text(result.stdout)
    return folder / "logs"


def test_norms_are_logged_under_the_names_of_the_page(logs: Path) -> None:
    run = stepscope.open(logs).runs["norms"]
    assert run.scalars("gradient_norm").step.tolist() == [0, 10]
    assert {"gradient_norm/0.weight", "weight_norm/2.bias", "weight_norm"} <= set(run.tags)


def test_the_first_bad_number_is_said(logs: Path) -> None:
    assert re.fullmatch(r"(NaN|Inf) in the gradients of 2, at step 3\n", (logs / "said").read_text())
    run = stepscope.open(logs).runs["numerics"]
    named = re.findall(r"`(numerics/\w+)`", PAGE.read_text())
    assert named == ["numerics/layers_with_bad_activations", "numerics/first", "numerics/layers"]
    assert run.scalars(named[0]).value.tolist() == [0, 0, 0, 0, 3]
    written = b"".join(path.read_bytes() for path in (logs / "numerics").glob("*tfevents*"))
    assert all(name.encode() in written for name in named)


def test_pictures_are_logged(logs: Path) -> None:
    written = b"".join(path.read_bytes() for path in (logs / "pictures").glob("*tfevents*"))
    assert written.count(b"\x89PNG") == 2
