"""`stepscope profile scope` and `profile code` as text: a tree within 80 columns with the columns asked for, and its totals."""

from __future__ import annotations

import pytest

from cli.profile_terminal import Terminal
from sample_files import SAMPLES, needs

pytestmark = needs("tf1_run_metadata")
PROFILE = SAMPLES / "tf1_run_metadata" / "profile.tfprof.pb"


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


def test_a_tree_is_indented_and_ends_with_its_totals(terminal: Terminal) -> None:
    lines = terminal.run("scope", PROFILE, "--start", "conv1", "--show", "conv1|conv1/(W|b)", "--order", "parameters")[1].splitlines()
    assert [(len(line) - len(line.lstrip()), line.split()[0]) for line in lines[1:4]] == [(0, "conv1"), (2, "conv1/W"), (2, "conv1/b")]
    assert "31.8k trainable" in lines[-1]
    assert max(map(len, lines[:-1])) <= 80


def test_columns_are_selected_in_their_order(terminal: Terminal) -> None:
    head, first, *_ = terminal.run("scope", PROFILE, "--show", "conv1/W", "--select", "parameters,total")[1].splitlines()
    assert head.split() == ["name", "params", "total", "µs"]
    assert first.split()[:2] == ["conv1/W", "1.2k"]
    assert terminal.run("code", PROFILE, "--select", "count")[1].splitlines()[0].split() == ["name", "count"]
