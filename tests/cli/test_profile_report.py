"""`stepscope profile report` as text: groups that sum to the step, outliers, ranks, and the line about the data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli.profile_terminal import Terminal
from cli.torch_traces import STEP_US, recording, trace
from stepscope.analyses.time_classes import Group


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


def written(folder: Path, name: str, found: dict[str, Any]) -> Path:
    path = folder / f"{name}.1700000000000.pt.trace.json"
    path.write_text(json.dumps(found))
    return path


def text(terminal: Terminal, *arguments: str | Path) -> list[str]:
    code, out, _ = terminal.run("report", *arguments)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    return out.splitlines()


def groups(lines: list[str]) -> dict[str, tuple[float, float, int]]:
    """Milliseconds, percent and length of the bar of every group."""
    found: dict[str, tuple[float, float, int]] = {}
    for group in Group:
        name = group.key.replace("_", " ")
        (line,) = [line for line in lines if re.match(rf"{name} +[\d.]+ ms", line)]
        ms, share = re.findall(r"[\d.]+", line.removeprefix(name))[:2]
        found[group.key] = (float(ms), float(share), line.count("█"))
    return found


def section(lines: list[str], title: str) -> list[str]:
    """The lines below a heading."""
    start = next(place for place, line in enumerate(lines) if line.startswith(title))
    return [line for line in lines[start + 1 : lines.index("", start)] if line]


def test_groups_sum_to_the_step_and_have_bars_of_their_share(terminal: Terminal, tmp_path: Path) -> None:
    found = groups(text(terminal, recording(tmp_path, "host_1")))
    assert found == {
        "compute": (0.4, 40.0, 16),
        "communication": (0.0, 0.0, 0),
        "copy": (0.1, 10.0, 4),
        "input_wait": (0.3, 30.0, 12),
        "host": (0.1, 10.0, 4),
        "untraced": (0.1, 10.0, 4),
    }


def test_the_step_has_its_median_and_what_it_is_without_the_profiler(terminal: Terminal, tmp_path: Path) -> None:
    path = recording(tmp_path, "host_1")
    known = ("--step-ms", "0.8")
    for options, times in (((), ["1.00", "1.00", "1.00"]), (known, ["1.00", "0.80", "1.00", "1.00"])):
        lines = text(terminal, path, *options)
        start = next(place for place, line in enumerate(lines) if line.startswith("typical step"))
        assert re.findall(r"[\d.]+(?= ms)", " ".join(lines[start : start + 2])) == times


def test_an_outlier_says_which_part_grew(terminal: Terminal, tmp_path: Path) -> None:
    found = trace(8)
    for event in found["traceEvents"]:
        if event["ts"] >= 5 * STEP_US:
            if event["name"] == "ProfilerStep#5" or (event["cat"] == "kernel" and event["ts"] < 6 * STEP_US):
                event["dur"] += 700
            elif event["ts"] >= 6 * STEP_US or event["cat"] == "gpu_memcpy":
                event["ts"] += 700
    (line,) = section(text(terminal, written(tmp_path, "host_1", found)), "Outlier steps")
    assert re.findall(r"[+-]?[\d.]+", line) == ["5", "1.70", "+0.70"]


def test_ranks_have_a_line_each_and_the_slowest_is_marked(terminal: Terminal, tmp_path: Path) -> None:
    for rank, slow in enumerate((1.0, 2.0)):
        path = recording(tmp_path, f"host_{rank}", slow=slow)
        found = json.loads(path.read_text())
        path.write_text(json.dumps({**found, "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2}}))
    rows = section(text(terminal, tmp_path), "Ranks")[1:3]
    assert ["rank 0" in rows[0], "rank 1" in rows[1]] == [True, True]
    assert ["(slowest)" in row for row in rows] == [False, True]
    assert [re.findall(r"\d+\.\d+", row) for row in rows] == [["1.00"], ["1.40"]]


def test_the_last_lines_say_what_the_data_is(terminal: Terminal, tmp_path: Path) -> None:
    lines = text(terminal, recording(tmp_path, "host_1", steps=8))
    quality = " ".join(lines[next(place for place, line in enumerate(lines) if line.startswith("Data quality")) :])
    assert re.findall(r"\d+(?:\.\d+)?", quality)[:5] == ["8", "8", "0", "16", "0.0"]


def test_json_is_one_object_with_the_same_numbers(terminal: Terminal, tmp_path: Path) -> None:
    path = recording(tmp_path, "host_1")
    found = terminal.json("report", path)
    assert {group: 100 * share for group, share in found["breakdown"].items()} == pytest.approx(
        {group: share for group, (_, share, _) in groups(text(terminal, path)).items()}, abs=0.05
    )


def test_html_is_written_where_it_was_asked_for_or_not_at_all(terminal: Terminal, tmp_path: Path) -> None:
    code, _, said = terminal.run("report", recording(tmp_path, "host_1"), "--html", tmp_path / "report.txt")
    assert (code, ".html" in said, (tmp_path / "report.txt").exists()) == (2, True, False)
