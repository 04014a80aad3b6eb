"""`stepscope profile throughput`: rates of a small trace, a batch that is given, and epochs that a run has logged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.test_profile import Terminal, trace
from stepscope import SummaryWriter

__all__ = ["Terminal"]


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "host_1.1700000000000.pt.trace.json"
    path.write_text(json.dumps(trace()))
    return path


def test_the_keys_of_json(terminal: Terminal, profile: Path) -> None:
    got = terminal.json("throughput", profile, "--batch-size", "16", "--tokens", "10")
    assert got["throughput"]["steps_per_second"] == pytest.approx(1000)
    assert (got["throughput"]["examples_per_second"], got["throughput"]["tokens_per_second"]) == (16_000, 160_000)
    assert (got["throughput"]["batch_size_from"], got["throughput"]["unknown"]) == ("given", None)
    assert (got["epochs"], got["logged_epochs"]) == ([], {})


def test_as_text(terminal: Terminal, profile: Path) -> None:
    code, out, _ = terminal.run("throughput", profile)
    assert code == 0
    assert out.startswith("1,000 steps/s")
    assert "Give --batch-size." in out
    assert "Epochs cannot be told" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80


def test_epochs_that_a_run_has_logged_need_no_profile(terminal: Terminal, tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "train")) as writer:
        for epoch in range(3):
            writer.add_scalar("epoch_seconds", 10.0 + epoch, epoch)
            writer.add_scalar("epoch_examples_per_second", 500.0, epoch)
    code, out, _ = terminal.run("throughput", tmp_path)
    assert code == 0
    assert out.splitlines()[0] == "Epochs that train has logged"
    assert out.splitlines()[-1].split() == ["2", "–", "12", "–", "–", "–", "–", "–", "500"]
    assert max(map(len, out.splitlines())) <= 80


def test_a_folder_with_neither_is_an_error(terminal: Terminal, tmp_path: Path) -> None:
    code, _, err = terminal.run("throughput", tmp_path)
    assert code != 0
    assert "no profile" in err
