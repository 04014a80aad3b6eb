"""`stepscope profile report --html`: the file, its name, and what cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser.sample_profiles import write_trace
from cli.profile_terminal import Terminal
from stepscope import SummaryWriter


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return write_trace(tmp_path / "train")


def test_one_file_is_written_over_an_older_one(terminal: Terminal, trace: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("older")
    code, out, _ = terminal.run("report", trace, "--html", target)
    page = target.read_text()
    assert code == 0
    assert out == f"{target}: {target.stat().st_size:,} bytes.\n"
    assert page.startswith("<!doctype html>")
    assert "Step time is 10 ms" in page
    assert "aten::mm" in page
    assert "6 steps by ProfilerStep#" in page


def test_options_of_the_report_hold(terminal: Terminal, trace: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    terminal.run("report", trace, "--html", target, "--steps", "6:8")
    assert "2 steps by ProfilerStep#" in target.read_text()
    terminal.run("report", trace, "--html", target, "--step-ms", "8")
    assert "25% slower" in target.read_text()
    terminal.run("report", trace, "--html", target, "--batch-size", "32")
    assert "3,200 examples/s" in target.read_text()


def test_epochs_that_the_run_of_the_profile_has_logged(terminal: Terminal, trace: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    terminal.run("report", trace, "--html", target)
    assert "Epochs" not in target.read_text()
    with SummaryWriter(str(trace.parent)) as writer:
        for epoch in range(3):
            writer.add_scalar("epoch_seconds", 10.0 + epoch, epoch)
    terminal.run("report", trace, "--html", target)
    assert "3 epochs, as the run has logged epoch_seconds." in target.read_text()


@pytest.mark.parametrize("name", ["report.json", "trace", "gone/report.html"])
def test_what_cannot_be_written(terminal: Terminal, trace: Path, tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    code, _, error = terminal.run("report", trace, "--html", target)
    assert code == 2
    assert error.rstrip().endswith(".")
    assert not target.exists()


def test_a_profile_is_never_written_over(terminal: Terminal, trace: Path) -> None:
    before = trace.read_bytes()
    assert terminal.run("report", trace, "--html", trace)[0] == 2
    assert trace.read_bytes() == before
