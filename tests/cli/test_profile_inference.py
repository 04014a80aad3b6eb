"""`stepscope profile inference`: requests by an annotation, keys of --json, lines that fit 80 columns, and names that are not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.profile_terminal import Terminal
from cli.torch_traces import trace

__all__ = ["Terminal"]


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    content = trace()
    answers = [
        {
            "ph": "X",
            "cat": "user_annotation",
            "name": f"answer {place}",
            "pid": 1,
            "tid": 77,
            "ts": 900_000 + 100 * place,
            "dur": 50 + place,
        }
        for place in range(10)
    ]
    content["traceEvents"] += answers
    path = tmp_path / "host_1.1700000000000.pt.trace.json"
    path.write_text(json.dumps(content))
    return path


def test_requests_by_an_annotation(terminal: Terminal, profile: Path) -> None:
    got = terminal.json("inference", profile, "--request", "answer")
    assert (got["request"], got["requests"], got["at_once"], got["tpu"]) == ("answer", 10, 1, None)
    assert got["percentiles_ms"]["p50"]["latency"] == pytest.approx(0.054)
    assert got["percentiles_ms"]["p99"]["latency"] == pytest.approx(0.059)
    mean = got["mean_ms"]
    assert sum(mean[part] for part in ("queue", "host", "transfer", "device")) == pytest.approx(mean["latency"])


def test_steps_are_requests_without_a_name(terminal: Terminal, profile: Path) -> None:
    got = terminal.json("inference", profile, "--request", "*")
    assert got["each_step"]
    assert got["requests"] == len(terminal.json("steps", profile)["steps"])


def test_as_text_and_csv(terminal: Terminal, profile: Path) -> None:
    code, out, _ = terminal.run("inference", profile, "--request", "answer")
    assert code == 0
    assert "10" in out.splitlines()[0].split()
    assert "answer" in out.splitlines()[0]
    assert max(map(len, out.splitlines())) <= 80
    lines = terminal.run("inference", profile, "--request", "answer", "--csv")[1].splitlines()
    assert (lines[0].split(",")[-5:], len(lines)) == (["latency_ms", "queue_ms", "host_ms", "transfer_ms", "device_ms"], 11)


def test_a_name_that_is_not_there(terminal: Terminal, profile: Path) -> None:
    code, out, err = terminal.run("inference", profile, "--request", "nobody", "--json")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "nobody" in err
