"""Every verb of profiles takes a range, says what it took, and answers a wrong one with a sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.profile_terminal import Terminal
from cli.torch_traces import STEP_US, trace
from stepscope.cli.profile.all_profile_commands import ALL_PROFILE_COMMANDS
from stepscope.formats.open_profile import read_file

OWN_RANGES = {"compare", "trend", "kinds"}  # of several profiles, and of none
NOTHING_THERE = {"memory"}
"""The profile records no memory: said after the range was taken."""


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Ten steps, of which the first takes three times as long."""
    found = trace(10)
    for event in found["traceEvents"]:
        if event["ts"] >= STEP_US:
            event["ts"] += 2 * STEP_US
    found["traceEvents"][0]["dur"] = 3 * STEP_US
    path = tmp_path / "host_1.1700000000000.pt.trace.json"
    path.write_text(json.dumps(found))
    return path


def answer(terminal: Terminal, *words: str | Path) -> dict[str, Any]:
    code, printed, said = terminal.run(*words, "--json", "--no-cache")
    assert code == 0, said
    return json.loads(printed)


@pytest.mark.parametrize("verb", [verb for verb in ALL_PROFILE_COMMANDS if verb not in OWN_RANGES])
def test_every_verb_takes_a_range(terminal: Terminal, recording: Path, verb: str, tmp_path: Path) -> None:
    words = ["--to", str(tmp_path / "out.json")] if verb == "export" else []
    code, _, said = terminal.run(verb, recording, *words, "--steps", "7:9", "--no-cache")
    assert "steps 7 to 8, 2 of 10." in said
    assert code == (2 if verb in NOTHING_THERE else 0), said


def test_only_the_chosen_steps_are_listed(terminal: Terminal, recording: Path) -> None:
    found = answer(terminal, "steps", recording, "--steps", "7:9")
    assert [row["step"] for row in found["steps"]] == [7, 8]
    assert found["range"] == "steps 7 to 8, 2 of 10"
    assert not any(row["may_hold_profiler_start"] for row in found["steps"])
    whole = answer(terminal, "steps", recording)
    assert whole["range"] is None
    assert [row["parts"] for row in found["steps"]] == [row["parts"] for row in whole["steps"] if row["step"] in (7, 8)]


def test_warm_up_is_marked_and_can_be_left_out(terminal: Terminal, recording: Path) -> None:
    assert [row["warm_up"] for row in answer(terminal, "steps", recording)["steps"]] == [True] + [False] * 9
    assert "--skip-warmup" in terminal.run("steps", recording, "--no-cache")[1]
    left = answer(terminal, "steps", recording, "--skip-warmup")
    assert [row["step"] for row in left["steps"]] == list(range(1, 10))
    assert not any(row["warm_up"] for row in left["steps"])


def test_counts_of_ranges_that_touch_add_up(terminal: Terminal, recording: Path) -> None:
    def counts(*words: str) -> dict[str, int]:
        return {row["name"]: row["count"] for row in answer(terminal, "ops", recording, "--calls", *words)["ops"]}

    first, second, whole = counts("--steps", ":4"), counts("--steps", "4:"), counts()
    assert first["aten::mm"] == 4
    assert {name: first.get(name, 0) + second.get(name, 0) for name in whole} == whole


def test_a_time_is_a_range_too(terminal: Terminal, recording: Path) -> None:
    found = answer(terminal, "steps", recording, "--time", "4ms:7ms")
    assert [row["step"] for row in found["steps"]] == [2, 3, 4]


def test_evidence_names_rows_of_the_whole_file(terminal: Terminal, recording: Path) -> None:
    found = answer(terminal, "report", recording, "--steps", "5:")["findings"]
    rows = [line["spans"]["rows"][0] for each in found for line in each["evidence"] if line["spans"] and line["spans"]["rows"]]
    assert rows
    whole = read_file(str(recording))
    assert all(int(whole.spans.start[row]) - whole.window[0] >= 7 * STEP_US * 1000 for row in rows)


def test_an_exported_range_holds_only_its_spans(terminal: Terminal, recording: Path, tmp_path: Path) -> None:
    target = tmp_path / "part.json"
    assert terminal.run("export", recording, "--to", target, "--steps", "3", "--no-cache")[0] == 0
    names = [event["name"] for event in json.loads(target.read_text())["traceEvents"] if event.get("ph") == "X"]
    assert names.count("aten::mm") == 1
    assert "ProfilerStep#3" in names


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--steps", "90:99"], ["'90:99'", "0 to 9"]),
        (["--steps", "1s:2s"], ["--steps", "'1s:2s'", "use --time"]),
        (["--time", "3:5"], ["--time", "'3:5'", "use --steps"]),
        (["--steps", "3", "--skip-warmup"], ["one of", "--steps", "--time", "--epochs", "--skip-warmup"]),
        (["--epochs", "1"], ["epoch"]),
        (["--steps", "x"], ["'x'", "3:10"]),
        (["--time", "9s:"], [" ms "]),
    ],
)
def test_a_wrong_range_gets_one_sentence(terminal: Terminal, recording: Path, words: list[str], said: list[str]) -> None:
    code, printed, told = terminal.run("report", recording, *words, "--no-cache")
    assert (code, printed) == (2, "")
    assert [word for word in said if word not in told] == []
    assert told.count("\n") == 1
