"""Options of `profile ops` and `profile graph`: patterns of names, least values, order, depth and columns, on a real run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.profile_terminal import Terminal
from sample_files import SAMPLES, needs

pytestmark = needs("tf1_run_metadata")
SAMPLE = SAMPLES / "tf1_run_metadata"


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log folder alone: its run has both the graph and the traced steps."""
    folder = tmp_path_factory.mktemp("run")
    for path in SAMPLE.glob("events.out.tfevents.*"):
        (folder / path.name).symlink_to(path)
    return folder


def rows(terminal: Terminal, profile: Path, verb: str, *options: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = terminal.json(verb, profile, *options)["nodes" if verb == "graph" else "ops"]
    return found


def test_parameters_are_those_that_tf_profiler_counts(terminal: Terminal, profile: Path) -> None:
    found = rows(terminal, profile, "graph", "--min-params", "1", "--hide", ".*Adam.*", "--order", "parameters")
    known = {row["name"]: row["parameters"] for row in found if row["name"].startswith(("conv1/", "fc/"))}
    assert known == {"fc/W": 31_360, "conv1/W": 400, "conv1/b": 16, "fc/b": 10}
    assert [row["parameters"] for row in found] == sorted((row["parameters"] for row in found), reverse=True)


@pytest.mark.parametrize("verb", ["graph", "ops"])
def test_names_are_chosen_by_patterns_of_the_whole_name(terminal: Terminal, profile: Path, verb: str) -> None:
    everything = {row["name"] for row in rows(terminal, profile, verb)}
    scope = {name for name in everything if name.split("/")[0] == "conv1"}
    assert scope
    assert {row["name"] for row in rows(terminal, profile, verb, "--start", "CONV1")} == scope
    assert {row["name"] for row in rows(terminal, profile, verb, "--show", "conv1/.*", "--hide", ".*/Relu")} == scope - {"conv1/Relu"}
    assert {row["name"] for row in rows(terminal, profile, verb, "--depth", "1")} == {name for name in everything if "/" not in name}
    adam = rows(terminal, profile, verb, "--types", "ApplyAdam")
    assert ({row["type"] for row in adam}, len(adam)) == ({"ApplyAdam"}, 4)


@pytest.mark.parametrize(("verb", "time"), [("graph", "us"), ("ops", "total_us")])
def test_rows_with_little_are_hidden_and_the_others_sorted(terminal: Terminal, profile: Path, verb: str, time: str) -> None:
    everything = rows(terminal, profile, verb)
    long = rows(terminal, profile, verb, "--min-time", "500")
    assert [row["name"] for row in long] == [row["name"] for row in everything if row[time] >= 500]
    by_name = [row["name"] for row in rows(terminal, profile, verb, "--order", "name")]
    assert by_name == sorted(by_name)
    key = "bytes" if verb == "graph" else "memory_bytes"
    sizes = [row[key] or 0 for row in rows(terminal, profile, verb, "--order", "bytes", "--min-bytes", "100000")]
    assert sizes == sorted((row[key] for row in everything if (row[key] or 0) >= 100_000), reverse=True)
    assert rows(terminal, profile, verb, "--min-flops", "1e18") == []


def test_columns_of_the_text(terminal: Terminal, profile: Path) -> None:
    head = terminal.run("graph", profile, "--select", "memory,type", "--limit", "1")[1].splitlines()[0]
    assert head.split() == ["node", "memory", "type"]
    assert terminal.run("ops", profile, "--select", "count", "--limit", "1")[1].splitlines()[0].split() == ["operation", "count"]
    assert terminal.run("scope", profile, "--select", "parameters", "--limit", "1")[1].splitlines()[0].split() == ["name", "params"]
    code, _, said = terminal.run("graph", profile, "--select", "colour")
    assert (code, "colour" in said) == (2, True)


def test_a_pattern_that_cannot_be_used_is_refused(terminal: Terminal, profile: Path) -> None:
    for verb in ("graph", "ops"):
        code, _, said = terminal.run(verb, profile, "--hide", "(?<=a)b")
        assert (code, "(?<=a)b" in said) == (2, True)
