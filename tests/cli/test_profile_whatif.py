"""`stepscope profile whatif` on a small trace: the keys of --json, lines that fit 80 columns, and one-sentence errors."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli.profile_terminal import Terminal
from cli.torch_traces import trace

__all__ = ["Terminal"]


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Steps of a millisecond: 300 µs of input, then a kernel and a copy that the step does not wait for."""
    path = tmp_path / "host_1.1700000000000.pt.trace.json"
    path.write_text(json.dumps(trace()))
    return path


def test_one_lever(terminal: Terminal, profile: Path) -> None:
    got = terminal.json("whatif", profile, "--change", "input=0")
    assert (got["baseline_ms"], got["replay_ms"], got["replay_error"], got["model"]) == (1, 1, 0, "replay")
    (found,) = got["each"]
    assert found == got["together"]
    keys = ("change", "kind", "band", "more", "pairs", "refused", "weak")
    assert [found[key] for key in keys] == ["input=0", "removes", 0.15, 0, 1, None, False]
    assert got["predicted_ms"] == pytest.approx({"low": 0.7, "mid": 0.7, "high": 1 - 0.3 * 0.85})
    assert "input" in [row["name"] for row in got["changes"]]


def test_levers_one_after_another(terminal: Terminal, profile: Path) -> None:
    got = terminal.json("whatif", profile, "--change", "input=0", "--change", "kernels=2x")
    assert (got["together"]["change"], got["together"]["kind"], got["baseline_ms"]) == ("input=0, kernels=2x", "at_best", 1)
    assert [row["baseline_ms"] for row in got["each"]] == pytest.approx([1, 0.7])
    assert got["each"][1]["predicted_ms"] == got["predicted_ms"]


def test_moving_needs_cores(terminal: Terminal, profile: Path) -> None:
    got = terminal.json("whatif", profile, "--change", "workers=4", "--cores", "2")
    assert got["predicted_ms"] == {"low": None, "mid": None, "high": None}
    assert "exceed the 2 available" in got["together"]["refused"]
    assert terminal.json("whatif", profile, "--change", "workers=4", "--cores", "8")["together"]["kind"] == "moves"
    code, out, _ = terminal.run("whatif", profile, "--change", "workers=4", "--cores", "2")
    assert code == 0
    assert "no estimate" in out
    assert "1 worker would fit." in " ".join(out.split())


def test_the_run_without_the_profiler(terminal: Terminal, profile: Path) -> None:
    got: dict[str, Any] = terminal.json("whatif", profile, "--change", "input=0", "--step-ms", "0.5")
    assert (got["baseline_ms"], got["predicted_ms"]["mid"]) == (0.5, pytest.approx(0.35))


def test_as_text(terminal: Terminal, profile: Path) -> None:
    code, out, err = terminal.run("whatif", profile)
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert "1 ms" in lines[0]
    shown = [line.split() for line in lines[3:] if line.startswith(("input=0 ", "kernels=0 ", "python=0 "))]
    assert shown[0] == ["input=0", "0.7–0.745", "ms", "1.34x–1.43x", "estimate"]
    assert len(shown) == 1  # no step has Python, and kernels are hidden behind the host
    said = " ".join(out.split())
    idle = re.search(r"alone saves less than 0\.5%: ([^.]*)\.", said)
    assert idle is not None
    assert "kernels" in idle[1].split(", ")
    assert "15%" in said
    assert said.count("never measured") == 1
    assert re.findall(r"[^ ]+(?=: Upper bound)", said) == ["prefetch"], "a note names its changes"
    assert max(map(len, lines)) <= 80


def test_what_was_not_recorded(terminal: Terminal, profile: Path) -> None:
    code, out, _ = terminal.run("whatif", profile, "--change", "python=0")
    said = " ".join(out.split())
    assert code == 0
    assert "python=0 not recorded" in said
    assert "Not recorded" in said
    assert "estimate" not in said.replace("estimated", "")
    assert "No typical step" not in said


def test_at_best_because_cores_are_unknown(terminal: Terminal, profile: Path) -> None:
    said = " ".join(terminal.run("whatif", profile, "--change", "workers=4")[1].split())
    assert "--cores" in said
    assert "never measured" not in said


def test_several_levers_as_text(terminal: Terminal, profile: Path) -> None:
    _, out, _ = terminal.run("whatif", profile, "--change", "input=0", "--change", "kernel:ampere_bf16_s16816gemm_128x64=2x")
    assert "all together" in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--change", "nothing=0"), "not a change"),
        (("--change", "kernel:zzz=2x"), "No kernel name contains"),
        (("--cores", "0"), "--cores"),
    ],
)
def test_what_cannot_be_asked(terminal: Terminal, profile: Path, options: tuple[str, ...], message: str) -> None:
    code, out, err = terminal.run("whatif", profile, *options)
    assert (code, out) == (2, "")
    assert message in err
