"""Several ranks in the terminal: rows say whose they are, and what the time is spent in is the mean, as on the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli.test_profile import Terminal, trace
from stepscope.cli.terminal import COLUMNS
from stepscope.dashboards.profile.html_words import words

SAMPLES = Path(__file__).resolve().parents[3] / "shared" / "samples"
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
    assert kernel["exposed"] == pytest.approx(0.4), "the mean of 0.4 and 0.2, and the copy that it launched"
    assert "\nWhere the time is, mean over 2 ranks\n" in terminal.run("report", two_ranks)[1]


def test_one_rank_is_no_mean(terminal: Terminal, two_ranks: Path) -> None:
    _, out, _ = terminal.run("report", next(two_ranks.glob("host_0.*")))
    assert "\nWhere the time is\n" in out


@pytest.mark.parametrize("verb", ["ops", "kernels"])
def test_a_row_says_whose_it_is(terminal: Terminal, two_ranks: Path, verb: str) -> None:
    _, out, _ = terminal.run(verb, two_ranks)
    head, *rows = out.splitlines()[:5]
    assert head.split()[1] == "rank"
    assert {row.split()[1] for row in rows if row.startswith(("aten::mm", "ampere"))} == {"0", "1"}
    assert all(len(line) <= COLUMNS for line in out.splitlines())
    _, out, _ = terminal.run(verb, next(two_ranks.glob("host_0.*")))
    assert "rank" not in out.splitlines()[0]


@pytest.mark.skipif(not SAMPLES.is_dir(), reason=f"the sample recordings are not at {SAMPLES}")
def test_the_terminal_and_the_html_file_name_the_same_time(terminal: Terminal, tmp_path: Path) -> None:
    sample, page = SAMPLES / "kineto/torch213_ddp_gloo", tmp_path / "report.html"
    rows = terminal.json("report", sample)["most_exposed"]
    terminal.run("report", sample, "--html", page)
    shown = page.read_text().split("<h2>Where the time is</h2>")[1]
    named = re.findall(r'<td class="code wide">(.*?)</td>', shown)
    assert named == [words(row["name"]) for row in rows]
    assert re.findall(r"([\d.]+)\u202f%</td></tr>", shown)[:2] == [f"{100 * row['exposed']:.0f}" for row in rows[:2]]
