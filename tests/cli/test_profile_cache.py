"""The verbs of profiles use the cache, and leave it alone with --no-cache."""

from __future__ import annotations

import importlib
import threading
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from stepscope.cli.profile.all_profile_commands import ALL_PROFILE_COMMANDS
from stepscope.ingest import profile_reading
from stepscope.model.errors import BadInput
from stepscope.session import kept_answers

CAPTURE = Path(__file__).resolve().parents[1] / "formats" / "xplane" / "captures" / "tensorflow.xplane.pb"
VERBS = [verb for verb in ALL_PROFILE_COMMANDS if verb not in ("export", "compare", "trend", "kinds")]


def run(verb: str, *options: str) -> str:
    command = importlib.import_module(f"stepscope.cli.profile.{verb}").command
    assert isinstance(command, click.Command)
    result = CliRunner().invoke(command, [str(CAPTURE), *options])
    for thread in threading.enumerate():
        if thread.name == "stepscope-profile-cache":
            thread.join()
    return result.output


@pytest.mark.parametrize("verb", VERBS)
def test_no_cache_is_left_alone(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPSCOPE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(profile_reading, "WORTH_SECONDS", -1.0)
    without = run(verb, "--no-cache")
    assert not (tmp_path / "cache").exists()
    first = run(verb)
    assert len(list((tmp_path / "cache" / "profiles").iterdir())) == 2  # the profile and the lock
    assert without == first == run(verb)


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_report_that_took_long_is_not_worked_out_again(
    options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEPSCOPE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(kept_answers, "WORTH_SECONDS", -1.0)
    first = run("report", *options)
    monkeypatch.setattr(profile_reading, "read_file", _never)
    assert run("report", *options) == first != ""
    assert run("report", "--cores", "3", *options) != first, "another question was not asked"
    assert run("report", "--steps", "1:3", *options) != first, "a range was not looked at"


def _never(*_: object) -> None:
    raise BadInput("It was read again.")
