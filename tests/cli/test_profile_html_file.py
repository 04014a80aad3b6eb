"""`stepscope profile report --html`: the file, its name, and what cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from browser.sample_profiles import write_trace
from cli.profile_terminal import Terminal
from report_files import embedded, use_small_bundle
from stepscope import SummaryWriter
from stepscope.dashboards.profile import html_report


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return write_trace(tmp_path / "train")


@pytest.fixture(autouse=True)
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_small_bundle(tmp_path, monkeypatch)


def test_one_file_is_written_over_an_older_one(terminal: Terminal, trace: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("older")
    code, out, _ = terminal.run("report", trace, "--html", target)
    assert code == 0
    assert out == f"{target}: {target.stat().st_size:,} bytes.\n"
    assert embedded(target.read_text())["report"] == terminal.json("report", trace)


def test_options_of_the_report_hold(terminal: Terminal, trace: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    options = ("--steps", "6:8", "--step-ms", "8", "--batch-size", "32")
    terminal.run("report", trace, "--html", target, *options)
    found = embedded(target.read_text())
    assert found["report"] == terminal.json("report", trace, *options)
    assert [step["step"] for step in found["steps"]["steps"]] == [6, 7]
    assert found["throughput"]["throughput"]["batch_size"] == 32


def test_epochs_that_the_run_of_the_profile_has_logged(terminal: Terminal, trace: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    terminal.run("report", trace, "--html", target)
    assert embedded(target.read_text())["throughput"]["logged"] is None
    with SummaryWriter(str(trace.parent)) as writer:
        for epoch in range(3):
            writer.add_scalar("epoch_seconds", 10.0 + epoch, epoch)
    terminal.run("report", trace, "--html", target)
    assert embedded(target.read_text())["throughput"]["logged"]["epochs_total"] == 3


def test_without_the_built_page_nothing_is_written(
    terminal: Terminal, trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html_report, "BUNDLE", tmp_path / "none.html")
    target = tmp_path / "report.html"
    code, _, error = terminal.run("report", trace, "--html", target)
    assert (code, "make page" in error, target.exists()) == (2, True, False)


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
