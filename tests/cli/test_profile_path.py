"""`stepscope profile path` on a small trace: the keys of --json, lines that fit 80 columns, one step, and one-sentence errors."""

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
    path = tmp_path / "host_1.1700000000000.pt.trace.json"
    path.write_text(json.dumps(trace()))
    return path


def test_the_keys_of_json(terminal: Terminal, profile: Path) -> None:
    got = terminal.json("path", profile)
    assert (got["model"], got["note"], got["step_ms"]) == ("dependencies", "", 1)
    assert sum(part["ms"] for part in got["parts"]) == pytest.approx(1)
    assert sum(part["share"] for part in got["parts"]) == pytest.approx(1)
    assert {row["name"] for row in got["operations"]} >= {"untraced"}
    assert got["segments"] is None
    savings = {one["change"]: one for one in got["savings"]}
    assert (savings["input=0"]["parts"], savings["input=0"]["path"]) == (["input"], pytest.approx(0.3))
    assert all(0 <= one["saves"] <= one["path"] + 0.02 for one in savings.values())


def test_one_step(terminal: Terminal, profile: Path) -> None:
    number = terminal.json("steps", profile)["steps"][0]["step"]
    got = terminal.json("path", profile, "--step", str(number))
    assert sum(each["us"] for each in got["segments"]) == pytest.approx(1000)
    code, out, _ = terminal.run("path", profile, "--step", str(number))
    assert code == 0
    assert out.splitlines()[0].split() == ["operation", "part", "at", "µs", "µs"]


def test_as_text_and_csv(terminal: Terminal, profile: Path) -> None:
    code, out, _ = terminal.run("path", profile)
    assert code == 0
    assert "1.00 ms" in out.splitlines()[0]
    assert "  input=0 (input)" in out
    assert max(map(len, out.splitlines())) <= 80
    assert terminal.run("path", profile, "--csv")[1].startswith("name,part,worker,steps,count,path_ms,share,off_path_ms,slack_ms")


@pytest.mark.parametrize(("option", "value"), [("--step", "99999"), ("--rank", "77")])
def test_what_is_not_there_is_said(terminal: Terminal, profile: Path, option: str, value: str) -> None:
    code, _, err = terminal.run("path", profile, option, value)
    assert code != 0
    assert f"There is no {option.removeprefix('--')} {value}" in err
