"""`stepscope profile communication` on two small traces: keys of --json, lines of 80 columns, CSV, and a list of own names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.collective_traces import STEPS, events
from cli.profile_terminal import Terminal

__all__ = ["Terminal"]


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    for rank, starts_us in enumerate((200, 500)):
        header = {"schemaVersion": 1, "deviceProperties": [], "distributedInfo": {"rank": rank, "world_size": 2, "backend": "nccl"}}
        content = {**header, "baseTimeNanoseconds": 1_700_000_000_000_000_000, "traceEvents": events(rank, starts_us)}
        (tmp_path / f"host_{rank}.1700000000000.pt.trace.json").write_text(json.dumps(content))
    return tmp_path


def test_the_keys_of_json(terminal: Terminal, session: Path) -> None:
    got = terminal.json("communication", session)
    (row,) = got["collectives"]
    assert (row["kind"], row["group"], row["ranks"], row["ranks_here"], row["bytes"]) == ("allreduce", "dp", 2, 2, 1 << 20)
    assert (row["count"], row["dtype"], row["split"]) == (2 * STEPS, "Float", "split by 2 ranks")
    assert (row["waiting_ms"], row["transfer_ms"]) == (pytest.approx(0.15), pytest.approx(0.2))
    assert row["bus_bytes_per_second"] == pytest.approx((1 << 20) / 200e-6)
    assert (got["straggler"], got["ranks"][1]["rank"]) == ("host_1", 1)
    assert [rank["last_in_steps"] for rank in got["ranks"]] == [0, 1]
    assert got["ranks"][0]["waiting_ms_by_step"] == pytest.approx([0.3] * STEPS)
    assert (got["disagreements"], got["clock_error_us"]) == ([], 0)


def test_as_text(terminal: Terminal, session: Path) -> None:
    code, out, _ = terminal.run("communication", session)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "rank 1: 300 µs" in out
    assert "allreduce, dp" in out


def test_one_of_two_ranks(terminal: Terminal, session: Path) -> None:
    code, out, _ = terminal.run("communication", session / "host_0.1700000000000.pt.trace.json")
    assert code == 0
    assert "1 of 2 ranks" in out
    assert "≥" in out, "a time that holds waiting bounds the bandwidth from below"


def test_as_csv(terminal: Terminal, session: Path) -> None:
    code, out, _ = terminal.run("communication", session, "--csv")
    assert code == 0
    assert out.startswith("kind,group,ranks,ranks_here,bytes,dtype,count,count_per_step,ms,")
    assert len(out.splitlines()) == 2


def test_names_of_the_users_own(terminal: Terminal, session: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_text("alltoall my_*\n")
    kinds = {row["kind"] for row in terminal.json("communication", session, "--collectives", str(names))["collectives"]}
    assert kinds == {"allreduce", "alltoall"}
    names.write_text("exchange my_*\n")
    code, _, err = terminal.run("communication", session, "--collectives", str(names))
    assert code != 0
    assert "Line 1 of" in err


def test_no_communication(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "one.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [event for event in events(0, 200) if event["name"] == "gemm"]}))
    code, out, _ = terminal.run("communication", path)
    assert (code, out.startswith("No communication")) == (0, True)
