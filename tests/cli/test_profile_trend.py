"""`stepscope profile trend`: ordered by labels, by what the runs logged, or along the run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.profile_terminal import Terminal
from cli.torch_traces import recording
from stepscope import SummaryWriter
from stepscope.queries.hyperparameters import hyperparameters


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


def answer(terminal: Terminal, *words: str | Path) -> dict[str, Any]:
    code, printed, said = terminal.run("trend", *words, "--json", "--no-cache")
    assert code == 0, said
    return json.loads(printed)


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two runs that logged their configuration, the slower one with the larger batch."""
    for name, batch, slow in (("large", 64, 2.0), ("small", 8, 1.0)):
        folder = tmp_path / name
        folder.mkdir()
        with SummaryWriter(str(folder)) as writer:
            writer.log_config({"batch_size": batch, "optimizer": "adam", "lr": 0.1, "amp": True})
        recording(folder, "host", slow=slow)
    return [tmp_path / "large", tmp_path / "small"]


def test_runs_are_ordered_by_the_hyperparameter_that_differs(terminal: Terminal, runs: list[Path]) -> None:
    found = answer(terminal, *runs)
    assert found["by"] == "batch_size"
    assert [point["label"] for point in found["points"]] == ["8", "64"]
    assert [point["step_ms"] for point in found["points"]] == [pytest.approx(1.0, abs=0.01), pytest.approx(1.4, abs=0.01)]
    assert [round(point["examples_per_second"]) for point in found["points"]] == [8_000, pytest.approx(45_714, rel=0.01)]


def test_what_event_files_tell_is_read_as_text(runs: list[Path], tmp_path: Path) -> None:
    (event_file,) = runs[0].glob("*tfevents*")
    assert hyperparameters([str(event_file)]) == {"batch_size": "64", "optimizer": "adam", "lr": "0.1", "amp": "True"}
    assert hyperparameters([str(tmp_path / "nowhere")]) == {}
    whole = event_file.read_bytes()
    for length in range(0, len(whole), 7):  # any beginning of a file, and any file with a byte changed
        event_file.write_bytes(whole[:length] + bytes([255 - whole[length]]) + whole[length + 1 :])
        hyperparameters([str(event_file)])
        event_file.write_bytes(whole[:length])
        hyperparameters([str(event_file)])


def test_labels_come_before_what_is_logged(terminal: Terminal, runs: list[Path]) -> None:
    found = answer(terminal, *runs, "--label", "2", "--label", "1", "--by", "workers", "--examples", "10")
    assert found["by"] == "workers"
    assert [(point["label"], round(point["examples_per_second"], -2)) for point in found["points"]] == [("1", 10_000), ("2", 7_100)]
    assert answer(terminal, *runs, "--by", "lr")["by"] == "lr"


def test_the_picture_fits_in_80_columns(terminal: Terminal, runs: list[Path]) -> None:
    code, printed, _ = terminal.run("trend", *runs, "--no-cache")
    assert code == 0
    assert all(value in printed for value in ("batch_size 8 to 64", "1 ms to 1.4 ms", "5.71 times"))
    assert "64 │██████████████████████████████ 1.40 ms" in printed
    assert max(map(len, printed.splitlines())) <= 80


def test_profiles_of_one_run_are_ordered_by_their_steps(terminal: Terminal, tmp_path: Path) -> None:
    path = recording(tmp_path, "host")
    later = tmp_path / "later.1700000000001.pt.trace.json"
    text = path.read_text()
    for step in reversed(range(8)):
        text = text.replace(f"ProfilerStep#{step}", f"ProfilerStep#{100 + step}")
    later.write_text(text)
    found = answer(terminal, later, path)
    assert (found["by"], [point["label"] for point in found["points"]]) == ("step", ["0", "100"])
    same = answer(terminal, path, path, "--steps", "2:6")
    assert same["by"] == "profile"
    assert same["range"] == "steps 2 to 5, 4 of 8"
    assert {point["steps"] for point in same["points"]} == {4}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "2 to 200 profiles"),
        (["{same}", "--label", "1"], "2, not 1"),
        (["{same}", "--by", "width"], "width"),
        (["{same}", "--examples", "1", "--examples", "2", "--examples", "3"], "examples per step once"),
    ],
)
def test_what_makes_no_trend_gets_one_sentence(terminal: Terminal, tmp_path: Path, words: list[str], said: str) -> None:
    path = recording(tmp_path, "host")
    code, printed, told = terminal.run("trend", path, *[word.replace("{same}", str(path)) for word in words], "--no-cache")
    assert (code, printed) == (2, "")
    assert said in told


def test_a_folder_stands_for_its_recordings(terminal: Terminal, runs: list[Path]) -> None:
    together = answer(terminal, runs[0].parent, "--by", "batch_size")
    apart = answer(terminal, *runs, "--by", "batch_size")
    assert [point["label"] for point in together["points"]] == ["8", "64"]
    assert together == apart
