"""`stepscope profile kinds`, and what a list of one's own changes in the other verbs, also when answers are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.profile_terminal import Terminal
from cli.torch_traces import event
from stepscope.ingest import profile_reading
from stepscope.session import kept_answers

STEPS = 5


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder; everything that is read or answered is kept."""
    monkeypatch.setenv("STEPSCOPE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("STEPSCOPE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(kept_answers, "WORTH_SECONDS", -1.0)
    monkeypatch.setattr(profile_reading, "WORTH_SECONDS", -1.0)
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Steps of a millisecond on a CPU: 300 µs in a loader of one's own, 500 µs of an operation, 100 µs of saving."""
    events = []
    for step in range(STEPS):
        at = 1000 * step
        events += [
            event("user_annotation", f"ProfilerStep#{step}", at, 1000),
            event("user_annotation", "load_batch", at, 300),
            event("cpu_op", "aten::mm", at + 300, 500),
            event("user_annotation", "save_weights", at + 800, 100),
        ]
    path = tmp_path / "host_1.1700000000000.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return path


def waits(terminal: Terminal, recording: Path, *options: str) -> float:
    return terminal.json("report", recording, *options)["breakdown"]["input_wait"]


def test_the_table_names_the_file_and_every_origin(terminal: Terminal, folders: Path) -> None:
    code, out, _ = terminal.run("kinds")
    assert code == 0
    assert out.splitlines()[0].endswith(str(folders / "span_kinds.toml"))
    assert any("PyTorch" in line and line.endswith(": kernels") for line in out.splitlines())
    assert "  input           Iterator::Root" in out.splitlines()
    assert max(len(line) for line in out.splitlines()[1:]) <= 80


def test_rows_of_ones_own_come_first_and_can_be_asked_for_alone(terminal: Terminal, folders: Path) -> None:
    (folders / "span_kinds.toml").write_text('input = ["load_batch"]\nio = ["save_*"]\n')
    got = terminal.json("kinds", "--yours")
    assert [(row["pattern"], row["kind"], row["origin"]) for row in got["kinds"]] == [
        ("load_batch", "input", str(folders / "span_kinds.toml")),
        ("save_*", "io", str(folders / "span_kinds.toml")),
    ]
    assert {row["kind"] for row in terminal.json("kinds", "--kind", "gc")["kinds"]} == {"gc"}


def test_a_list_of_ones_own_is_applied_and_nothing_kept_outlives_a_change(terminal: Terminal, recording: Path, folders: Path) -> None:
    """The recording and the report are in their caches throughout."""
    assert waits(terminal, recording) == 0
    file = folders / "span_kinds.toml"
    file.write_text('input = ["load_batch"]\n')
    assert waits(terminal, recording) == pytest.approx(0.3)
    file.write_text('input = ["load_batch", "save_*"]\n')
    assert waits(terminal, recording) == pytest.approx(0.4)
    file.unlink()
    assert waits(terminal, recording) == 0


def test_a_file_that_is_given_stands_in_for_the_one_in_the_data_folder(
    terminal: Terminal, recording: Path, folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folders / "span_kinds.toml").write_text('input = ["load_batch"]\n')
    other = tmp_path / "other.toml"
    other.write_text('input = ["save_*"]\n')
    assert waits(terminal, recording, "--span-kinds", str(other)) == pytest.approx(0.1)
    monkeypatch.setenv("STEPSCOPE_SPAN_KINDS", str(other))
    assert waits(terminal, recording) == pytest.approx(0.1)


def test_both_lists_hold_and_that_of_communication_is_asked_first(terminal: Terminal, recording: Path, tmp_path: Path) -> None:
    names, kinds = tmp_path / "names.txt", tmp_path / "kinds.toml"
    names.write_text("allreduce save_*\n")
    kinds.write_text('input = ["*_batch", "save_*"]\n')
    groups = terminal.json("report", recording, "--collectives", str(names), "--span-kinds", str(kinds))["breakdown"]
    assert (groups["communication"], groups["input_wait"]) == (pytest.approx(0.1), pytest.approx(0.3))


def test_a_bad_file_is_one_sentence(terminal: Terminal, recording: Path, folders: Path) -> None:
    (folders / "span_kinds.toml").write_text('inptu = ["load_batch"]\n')
    for verb in (("kinds",), ("report", recording)):
        code, out, err = terminal.run(*verb)
        assert (code, out) == (2, "")
        assert '"inptu"' in err
        assert "input, io" in err
        assert len(err.strip().splitlines()) == 1


def test_the_advice_names_what_there_is(terminal: Terminal, recording: Path) -> None:
    finding = next(one for one in terminal.json("report", recording)["findings"] if one["rule"] == "input_bound")
    assert finding["verdict"] == "cannot_tell"
    assert "span_kinds.toml" in json.dumps(finding)
    assert "--span-kinds" in json.dumps(finding)


def test_verbs_of_several_profiles_take_the_list_too(terminal: Terminal, recording: Path, tmp_path: Path) -> None:
    kinds = tmp_path / "kinds.toml"
    kinds.write_text('input = ["load_batch"]\n')
    compared = terminal.json("compare", recording, recording, "--span-kinds", str(kinds))
    drawn = terminal.json("trend", recording, recording, "--label", "1", "--label", "2", "--span-kinds", str(kinds))
    assert [point["breakdown"]["input_wait"] for point in drawn["points"]] == [pytest.approx(0.3)] * 2
    (waits,) = [row for row in compared["groups"] if row["group"] == "input_wait"]
    assert waits["difference"]["before_ms"] == pytest.approx(0.3)
    written = tmp_path / "out.json"
    assert terminal.run("export", recording, "--to", written, "--span-kinds", str(kinds))[0] == 0
    exported = [event for event in json.loads(written.read_text())["traceEvents"] if event.get("name") == "load_batch"]
    assert all(event["args"]["stepscope kind"] == "input" for event in exported)
    assert exported
