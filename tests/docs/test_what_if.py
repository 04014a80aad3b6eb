"""The page about what-if lists the changes, and has the limits that the program uses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stepscope.analyses.what_if.levers import LEVERS, Lever
from stepscope.analyses.what_if.prediction import KEPT_WITHIN, MUCH_INFLATION, PREDICTS_WITHIN, WEAK_WITHIN

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "profiles" / "what-if.md").read_text()


def answers(name: str, serial: bool) -> str:
    return "range" if Lever(name).proven(serial=serial) else "bound"


def test_the_changes() -> None:
    listed = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \| (\w+) \| .+ \|$", PAGE, re.MULTILINE)
    assert listed == [(name, facts.kind.value, answers(name, True), answers(name, False)) for name, facts in LEVERS.items()]


def test_the_limits() -> None:
    text = PAGE.split("## Accuracy")[1]
    shown = re.findall(r"([\d.]+)%", text)
    assert [float(each) for each in shown] == pytest.approx(
        [100 * each for each in (KEPT_WITHIN, PREDICTS_WITHIN, WEAK_WITHIN, MUCH_INFLATION)]
    )
