"""How verbs ask and print: one session for a command, JSON as the HTTP API has it, CSV with cells a spreadsheet may open."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Annotated

import click
import pytest
from msgspec import Struct

from cli.torch_traces import recording
from stepscope.cli.profile.asking import ask, echo_answer, echo_rows, opened, say_range
from stepscope.model import declared as d
from stepscope.session.parts.steps import STEPS


class Row(Struct, frozen=True):
    """A row of a table."""

    name: Annotated[str, d.text("Name.")]
    count: Annotated[int | None, d.count("Number.")]
    shapes: Annotated[list[str], d.nested("Shapes.")]


@pytest.fixture
def context() -> click.Context:
    """The context of a verb without options of its own."""
    return click.Context(click.Command("verb"))


def test_unknown_cells_are_empty_and_lists_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    echo_rows([Row("a,b", 3, ["x", "y"]), Row("=1+1", None, [])])
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert rows == [["name", "count", "shapes"], ["a,b", "3", '["x", "y"]'], ["'=1+1", "", "[]"]]
    echo_rows([])
    assert capsys.readouterr().out == ""


def test_names_are_escaped_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    echo_rows([Row("a\x1b[2J", 1, [])])
    assert "\x1b" not in capsys.readouterr().out


def test_json_has_what_only_the_terminal_knows(capsys: pytest.CaptureFixture[str]) -> None:
    echo_answer(Row("a", None, []), fails=True)
    assert json.loads(capsys.readouterr().out) == {"name": "a", "count": None, "shapes": [], "fails": True}


def test_a_session_is_opened_once_a_command(context: click.Context, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path, "host_1")
    with context:
        assert opened(str(path)) is opened(str(path))
    assert capsys.readouterr().err == ""


def test_other_sessions_are_named_once_and_only_some(
    context: click.Context, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = recording(tmp_path, "host_1")
    for place in range(1, 8):
        (tmp_path / f"host_1.17000{place}0000000.pt.trace.json").write_bytes(source.read_bytes())
    with context:
        opened(str(tmp_path))
        opened(str(tmp_path))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.count("host_1.") == 6, "the newest, and five others"
    assert "2 more" in line


def test_a_part_is_asked_with_the_range_of_the_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path, "host_1")
    with click.Context(click.Command("verb")) as context:
        assert [row.step for row in ask(STEPS, str(path)).steps] == list(range(8))
        context.meta["stepscope.range"] = "2:4"
        assert [row.step for row in ask(STEPS, str(path)).steps] == [2, 3]
    assert len(capsys.readouterr().err.splitlines()) == 1
    say_range(None)
    assert capsys.readouterr().err == ""
