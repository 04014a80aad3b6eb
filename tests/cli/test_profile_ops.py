"""`stepscope profile ops`: rows by the key that is asked for, in the order that is asked for, as text within 80 columns."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cli.profile_terminal import Terminal
from cli.torch_traces import HOST, LOADER, THREAD, recording, trace


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    return recording(tmp_path, "host_1", steps=5)


def test_a_row_has_its_times_and_its_exposed_share(terminal: Terminal, profile: Path) -> None:
    _, out, _ = terminal.run("ops", profile)
    head, *rows = out.splitlines()
    assert head.split()[0] == "operation"
    cells = [re.split(r" {2,}", row.strip()) for row in rows]
    assert cells[0] == ["aten::mm", "GPU 0", "5", "2.50", "2.50", "50.0%"]
    assert ["aten::mm", "host", "5", "0.50", "0.30", "6.0%"] in cells
    assert max(map(len, out.splitlines())) <= 80


def test_as_many_rows_as_asked_for(terminal: Terminal, profile: Path) -> None:
    everything = terminal.json("ops", profile)
    limited = terminal.json("ops", profile, "--limit", "1")
    assert (limited["ops"], limited["total"]) == (everything["ops"][:1], everything["total"])
    head, row, more = terminal.run("ops", profile, "--limit", "1")[1].splitlines()
    assert (head.split()[0], row.split()[0]) == ("operation", "aten::mm")
    assert re.findall(r"\d+", more) == [str(everything["total"] - 1)]
    assert len(terminal.run("ops", profile, "--limit", "0")[1].splitlines()) == everything["total"] + 1


def test_calls_are_listed_only_when_asked_for(terminal: Terminal, profile: Path) -> None:
    without, with_calls = (terminal.json("ops", profile, *more) for more in ((), ("--calls",)))
    assert {row["name"] for row in with_calls["ops"]} - {row["name"] for row in without["ops"]} == {
        "cudaLaunchKernel",
        "cudaMemcpyAsync",
    }
    share = sum(row["exposed_share"] for row in with_calls["ops"])
    assert share == pytest.approx(0.9), "all but the tenth that is not covered by the trace"


@pytest.mark.parametrize(
    ("order", "first"), [("exposed", "aten::mm"), ("self", "aten::mm"), ("name", "aten::mm"), ("total", "aten::mm")]
)
def test_rows_are_sorted(terminal: Terminal, profile: Path, order: str, first: str) -> None:
    rows = terminal.json("ops", profile, "--order", order)["ops"]
    assert rows[0]["name"] == first
    key = {"exposed": "exposed_us", "self": "self_us", "total": "total_us"}.get(order)
    values = [row["name"] if key is None else -row[key] for row in rows]
    assert values == sorted(values)


def test_rows_by_type_and_by_shape(terminal: Terminal, profile: Path) -> None:
    shapes = {row["name"] for row in terminal.json("ops", profile, "--by", "shape")["ops"]}
    assert any("[[8, 8], [8, 8]]" in name for name in shapes)
    assert LOADER not in {row["name"] for row in terminal.json("ops", profile, "--by", "shape", "--contains", "8, 8")["ops"]}


def test_nothing_that_matches_is_one_line(terminal: Terminal, profile: Path) -> None:
    code, out, _ = terminal.run("ops", profile, "--contains", "nothing has this name")
    assert (code, len(out.splitlines())) == (0, 1)


def test_of_many_rows_the_text_counts_what_it_leaves_out(terminal: Terminal, tmp_path: Path) -> None:
    found = trace(1)
    for number in range(60):
        found["traceEvents"].append(
            {"ph": "X", "cat": "cpu_op", "name": f"op_{number:02}", "ts": 500 + 5 * number, "dur": 4, "pid": HOST, "tid": THREAD}
        )
    path = tmp_path / "host_1.1700000000000.pt.trace.json"
    path.write_text(json.dumps(found))
    total = len(terminal.json("ops", path)["ops"])
    _, out, _ = terminal.run("ops", path)
    lines = out.splitlines()
    assert total > 60
    assert (len(lines), re.findall(r"\d+", lines[-1])) == (42, [str(total - 40)])
