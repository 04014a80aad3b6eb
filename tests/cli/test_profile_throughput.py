"""`stepscope profile throughput`: rates of a small trace, a batch that is given, and epochs that a run has logged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.profile_terminal import Terminal
from cli.torch_traces import trace
from stepscope import SummaryWriter
from stepscope.session import kept_answers

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
    assert (got["throughput"]["batch_size_from"], got["throughput"]["unknown"]) == ("given", "")
    assert (got["epochs"], got["epochs_total"], got["logged"]) == ([], 0, None)


def test_as_text(terminal: Terminal, profile: Path) -> None:
    code, out, _ = terminal.run("throughput", profile)
    assert code == 0
    assert out.startswith("1,000 steps/s")
    assert "Give --batch-size." in out
    assert "epochs" in out.splitlines()[-1]
    assert max(map(len, out.splitlines())) <= 80


def test_the_batch_that_the_run_has_logged(terminal: Terminal, profile: Path) -> None:
    with SummaryWriter(str(profile.parent)) as writer:
        writer.log_config({"data": {"batch_size": 24}, "lr": 0.1})
    got = terminal.json("throughput", profile)["throughput"]
    assert (got["batch_size"], got["batch_size_from"], got["examples_per_second"]) == (24, "the logged data.batch_size 24", 24_000)
    assert got["batch_sizes"] == [{"size": 24, "origin": "the logged data.batch_size 24"}]
    _, out, _ = terminal.run("throughput", profile)
    assert "24, the logged data.batch_size 24)" in " ".join(out.split())
    assert "24,000 examples/s" in out


def test_a_report_that_was_kept_is_made_again_when_another_batch_is_logged(
    terminal: Terminal, profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPSCOPE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(kept_answers, "WORTH_SECONDS", -1.0)
    assert terminal.json("report", profile)["throughput"]["batch_size"] is None
    with SummaryWriter(str(profile.parent)) as writer:
        writer.log_config({"batch_size": 24})
    assert terminal.json("report", profile)["throughput"]["batch_size"] == 24


def test_epochs_that_a_run_has_logged_need_no_profile(terminal: Terminal, tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path / "train")) as writer:
        for epoch in range(3):
            writer.add_scalar("epoch_seconds", 10.0 + epoch, epoch)
            writer.add_scalar("epoch_examples_per_second", 500.0, epoch)
    code, out, _ = terminal.run("throughput", tmp_path)
    assert code == 0
    assert out.splitlines()[0].startswith("Epochs")
    assert "train" in out.splitlines()[0]
    assert out.splitlines()[-1].split() == ["2", "–", "12", "–", "–", "–", "–", "–", "500"]
    assert max(map(len, out.splitlines())) <= 80
    got = terminal.json("throughput", tmp_path)
    assert (got["throughput"], got["epochs"]) == (None, [])
    assert [(one["epoch"], one["seconds"]) for one in got["logged_epochs"]["train"]] == [(0, 10), (1, 11), (2, 12)]


def test_epochs_that_the_run_of_the_profile_has_logged(terminal: Terminal, profile: Path) -> None:
    with SummaryWriter(str(profile.parent)) as writer:
        writer.add_scalar("epoch_seconds", 10.0, 0)
    with SummaryWriter(str(profile.parent / "inside")) as writer:
        writer.add_scalar("epoch_seconds", 20.0, 0)
    got = terminal.json("throughput", profile.parent)["logged"]
    assert (got["run_name"], [one["seconds"] for one in got["epochs"]]) == (".", [10])
    _, out, _ = terminal.run("throughput", profile.parent)
    assert out.splitlines()[-1].split() == ["0", "–", "10", "–", "–", "–", "–", "–", "–"]


def test_a_folder_with_neither_is_an_error(terminal: Terminal, tmp_path: Path) -> None:
    code, _, err = terminal.run("throughput", tmp_path)
    assert code != 0
    assert "no profile" in err


def test_the_report_has_epochs_that_the_recording_marks(terminal: Terminal, tmp_path: Path) -> None:
    spans = [(f"ProfilerStep#{step}", 1000 * step, 900) for step in range(8)]
    spans += [("epoch 5", 0, 3950), ("validation", 3000, 900), ("epoch 6", 4000, 4000)]
    events = [{"ph": "X", "cat": "user_annotation", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur} for name, ts, dur in spans]
    path = tmp_path / "host_1.1700000000000.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    first, second = terminal.json("report", path)["epochs"]
    assert (first["epoch"], first["steps"], first["seconds"]) == (5, 4, pytest.approx(0.004))
    assert (first["first_step_seconds"], first["train_seconds"]) == (pytest.approx(0.0009), pytest.approx(0.0018))
    assert (first["validation_seconds"], first["between_seconds"]) == (pytest.approx(0.0009), pytest.approx(0.0004))
    assert (second["epoch"], second["train_seconds"]) == (6, pytest.approx(0.0027))
    code, out, _ = terminal.run("report", path)
    assert code == 0
    assert "Epochs" in out.splitlines()
    assert max(map(len, out.splitlines())) <= 80
