"""`stepscope profile counters` on a small trace with known numbers."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from browser.sample_parts import write_parts
from cli.profile_terminal import Terminal

NAME = "SM active percent"


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return write_parts(tmp_path / "train")


def test_the_table_fits_a_terminal(terminal: Terminal, trace: Path) -> None:
    head, row = terminal.run("counters", trace)[1].splitlines()
    assert head.split() == ["counter", "samples", "min", "mean", "max", "last", "per", "step"]
    # 2 ms of 0, 4 of 80, 3 of 50 and 1 of 0 in every step of 10.
    assert row.split() == [*NAME.split(), "12", "0", "47", "80", "0", "47"]
    assert max(map(len, (head, row))) <= 80


def test_json_has_the_mean_of_every_step(terminal: Terminal, trace: Path) -> None:
    (row,) = terminal.json("counters", trace)["counters"]
    assert (row["name"], row["samples"], row["least"], row["most"]) == (NAME, 12, 0, 80)
    assert [(step["step"], step["mean"]) for step in row["steps"]] == [(0, 47.0), (1, 47.0), (2, 47.0)]
    assert row["course"] is None
    (row,) = terminal.json("counters", trace, "--columns", "10")["counters"]
    assert len(row["course"]["ms"]) == 10


def test_csv(terminal: Terminal, trace: Path) -> None:
    (row,) = csv.DictReader(io.StringIO(terminal.run("counters", trace, "--csv")[1]))
    assert (row["name"], row["samples"], row["step_mean"]) == (NAME, "12", "47.0")


def test_a_trace_of_counters_alone(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "power.json"
    path.write_text(json.dumps({"traceEvents": [{"ph": "C", "name": "W", "pid": 0, "ts": at, "args": {"W": at}} for at in (0, 5, 10)]}))
    (row,) = terminal.json("counters", path)["counters"]
    assert (row["name"], row["samples"], row["least"], row["most"]) == ("W W", 3, 0, 10)
    assert terminal.run("ops", path)[0] == 2


def test_as_many_rows_as_asked_for(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "power.json"
    events = [{"ph": "C", "name": name, "pid": 0, "ts": at, "args": {name: at}} for name in ("W", "C", "V") for at in (0, 5)]
    path.write_text(json.dumps({"traceEvents": events}))
    limited = terminal.json("counters", path, "--limit", "2")
    assert (len(limited["counters"]), limited["total"]) == (2, 3)
    assert [len(terminal.run("counters", path, "--limit", limit)[1].splitlines()) for limit in ("0", "1")] == [4, 3]


def test_without_counters_it_says_so(terminal: Terminal, trace: Path) -> None:
    trace.write_text(trace.read_text().replace('"ph": "C"', '"ph": "i"'))
    assert "docs/profiles/tables.md" in terminal.run("counters", trace)[1]
    assert terminal.json("counters", trace)["counters"] == []
