"""The page about what-if lists the levers, and has the limits that the program uses."""

from __future__ import annotations

import re
from pathlib import Path

from stepscope.analyses.what_if.levers import LEVERS, Lever
from stepscope.analyses.what_if.prediction import KEPT_WITHIN, MUCH_INFLATION, PREDICTS_WITHIN, SERIAL, WEAK_WITHIN

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "profiles" / "what-if.md").read_text()
WORDS = " ".join(PAGE.split())


def answers(name: str, serial: bool) -> str:
    return "range" if Lever(name).proven(serial=serial) else "at best"


def test_the_levers() -> None:
    listed = re.findall(r"^\| `(\w+)` \| (\w+) \| ([\w ]+) \| ([\w ]+) \| (.*) \|$", PAGE, re.MULTILINE)
    assert listed == [(name, facts.kind.value, answers(name, True), answers(name, False), facts.text) for name, facts in LEVERS.items()]


def test_the_limits() -> None:
    assert f"the recording within {100 * KEPT_WITHIN:.1f} %" in WORDS
    assert (
        f"up to {100 * PREDICTS_WITHIN:.0f} % the replay predicts, up to {100 * WEAK_WITHIN:.0f} % it predicts and is marked weak"
        in WORDS
    )
    assert f"more than {100 * MUCH_INFLATION:.0f} % longer" in WORDS
    assert f'"{SERIAL}"' in WORDS
