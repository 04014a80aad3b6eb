"""A step that failed is tried once more where it says how, and what passes only then is listed as unstable."""

from __future__ import annotations

import sys
from pathlib import Path

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
