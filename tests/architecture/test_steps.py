"""A step that failed is tried once more where it says how, and what passes only then is listed as unstable."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import psutil
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import steps

FAILS = [sys.executable, "-c", "raise SystemExit(1)"]
PASSES = [sys.executable, "-c", ""]


@pytest.mark.parametrize(
    ("command", "again", "good", "unstable"),
    [
        (PASSES, FAILS, True, False),
        (FAILS, PASSES, True, True),
        (FAILS, FAILS, False, False),
        (FAILS, [], False, False),
    ],
)
def test_what_fails_twice_has_failed(
    command: list[str], again: list[str], good: bool, unstable: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    assert steps.run(steps.Step("small step", command, again=again)) == good
    assert ("UNSTABLE" in capfd.readouterr().out) == unstable


def runs(pid: int) -> bool:
    """Whether a process still runs; one that nobody asks for has ended all the same."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_what_has_no_time_is_ended_with_all_that_it_started_and_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps.unchanged, "PASSED", tmp_path)
    pid = tmp_path / "pid"
    long = steps.Step("long step", ["sh", "-c", f"sleep 600 & echo $! > '{pid}'; wait"])
    assert steps.run_all([long, steps.Step("short step", PASSES)], until=time.monotonic() + 4) == ([], ["long step"])
    while runs(int(pid.read_text())):
        time.sleep(0.01)
    steps.unchanged.note_seconds("long step", 100)
    steps.unchanged.note_left("long step", False)
    began = time.monotonic()
    assert steps.run(long, until=began + 50) == steps.LEFT
    assert time.monotonic() - began < 40, "it was not even started"


def test_what_was_left_is_waited_for_the_next_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps.unchanged, "PASSED", tmp_path)
    steps.unchanged.note_seconds("small step", 100)
    step = steps.Step("small step", PASSES)
    assert [steps.run(step, until=time.monotonic() + 1) for _ in range(3)] == [steps.LEFT, True, steps.LEFT]
