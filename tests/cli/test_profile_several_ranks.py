"""Several ranks in the terminal: rows say whose they are, and what the time is spent in is the mean, as on the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli.profile_terminal import Terminal
from cli.torch_traces import trace
from figures import figures
from stepscope.cli.terminal import COLUMNS

GEMM = "ampere_bf16_s16816gemm_128x64"


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def two_ranks(tmp_path: Path) -> Path:
    """The kernel takes 0.4 of every step on rank 0 and 0.2 on rank 1."""
    for rank in range(2):
        drawn: dict[str, Any] = trace(4, rank, 2)
        for event in drawn["traceEvents"]:
            if event["name"] == GEMM:
                event["dur"] = 400 - 200 * rank
        (tmp_path / f"host_{rank}.1700000000{rank}00.pt.trace.json").write_text(json.dumps(drawn))
    return tmp_path


def test_where_the_time_is_says_the_mean_over_ranks(terminal: Terminal, two_ranks: Path) -> None:
    got = terminal.json("report", two_ranks)
    shares = {each["rank"]: each["breakdown"]["compute"] for each in got["ranks"]}
    assert shares == {0: pytest.approx(0.4), 1: pytest.approx(0.2)}
    kernel = next(row for row in got["most_exposed"] if row["kind"] == "kernel")
    assert kernel["exposed_share"] == pytest.approx(0.4), "the mean of 0.4 and 0.2, and the copy that it launched"
    assert "over 2 ranks" in next(line for line in terminal.run("report", two_ranks)[1].splitlines() if line.startswith("Most exposed"))


def test_one_rank_is_no_mean(terminal: Terminal, two_ranks: Path) -> None:
    _, out, _ = terminal.run("report", next(two_ranks.glob("host_0.*")))
    assert "\nMost exposed operations\n" in out


def many_ranks(folder: Path, ranks: int) -> Path:
    """Of which the last takes twice as long and waits for input most of the time."""
    for rank in range(ranks):
        drawn: dict[str, Any] = trace(4, rank, ranks)
        if rank == ranks - 1:
            for event in drawn["traceEvents"]:
                event["ts"] *= 2
                event["dur"] *= 2 if event["cat"] == "user_annotation" else 1
        (folder / f"host_{rank}.17000000000{rank:02}.pt.trace.json").write_text(json.dumps(drawn))
    return folder


def test_two_ranks_each_say_why_they_are_idle(terminal: Terminal, two_ranks: Path) -> None:
    _, out, _ = terminal.run("report", two_ranks)
    assert "\nIdle time of rank 0\n" in out
    assert "\nIdle time of rank 1\n" in out
    assert all(len(line) <= COLUMNS for line in out.splitlines())


def test_of_many_ranks_each_has_a_line(terminal: Terminal, tmp_path: Path) -> None:
    _, out, _ = terminal.run("report", many_ranks(tmp_path, 20))
    lines = out.split("\nIdle time of ranks\n")[1].split("\n\n")[0].splitlines()
    assert re.fullmatch(r"  rank 0 +0\.50 +50\.0% +input wait 30%, host op 10%, .*", lines[1])
    assert len(lines) == 1 + 16 + 1
    assert lines[-1].startswith("  and 4 more; see --json. ")
    assert all(len(line) <= COLUMNS for line in lines)


def test_one_rank_can_be_asked_for(terminal: Terminal, tmp_path: Path) -> None:
    folder = many_ranks(tmp_path, 3)
    _, out, _ = terminal.run("report", folder, "--rank", "2")
    why = out.split("\nIdle time of rank 2\n")[1].splitlines()
    assert why[1].startswith("  input wait: enumerate")
    assert why[1].split()[-2:] == ["0.60", "30.0%"]
    worker = terminal.json("report", folder)["ranks"][2]["worker"]
    assert terminal.run("report", folder, "--rank", worker)[1] == out
    code, _, error = terminal.run("report", folder, "--rank", "7")
    assert (code, figures(error)) == (2, [7, 0, 1, 2])


def test_json_has_the_causes_of_every_rank(terminal: Terminal, tmp_path: Path) -> None:
    got = terminal.json("report", many_ranks(tmp_path, 3))
    inputs = [next(one["ms"] for one in rank["idle"]["causes"] if one["cause"] == "input_wait") for rank in got["ranks"]]
    assert inputs == [pytest.approx(0.3), pytest.approx(0.3), pytest.approx(0.6)]
    assert got["slowest"] == got["longest"] == got["ranks"][2]["worker"]


def test_in_what_ranks_differ_comes_before_any_mean(terminal: Terminal, tmp_path: Path) -> None:
    for rank, steps in enumerate((4, 5)):
        drawn = trace(steps, rank, 2) | {"record_shapes": rank}
        (tmp_path / f"host_{rank}.1700000000{rank}00.pt.trace.json").write_text(json.dumps(drawn))
    _, out, _ = terminal.run("report", tmp_path)
    first = out.split("\n\n")[0].splitlines()
    assert [figures(line) for line in first if line.startswith("  steps: ")] == [[4, 1, 5, 1]]
    assert "Step time is" not in "".join(first)
    differing = terminal.json("report", tmp_path)["disagreements"]
    assert {"what": "steps", "values": ["4", "5"]} in differing
    assert {"what": "record_shapes", "values": ["0", "1"]} in differing


@pytest.mark.parametrize("verb", ["ops", "kernels"])
def test_a_row_says_whose_it_is(terminal: Terminal, two_ranks: Path, verb: str) -> None:
    _, out, _ = terminal.run(verb, two_ranks)
    head, *rows = out.splitlines()[:5]
    assert head.split()[1] == "rank"
    assert {row.split()[1] for row in rows if row.startswith(("aten::mm", "ampere"))} == {"0", "1"}
    assert all(len(line) <= COLUMNS for line in out.splitlines())
    _, out, _ = terminal.run(verb, next(two_ranks.glob("host_0.*")))
    assert "rank" not in out.splitlines()[0]
