"""The page about what-if lists the levers, and has the limits and calibrations that the program uses."""

from __future__ import annotations

import re
from pathlib import Path

from stepscope.analyses.levers import LEVERS, LeverFacts
from stepscope.analyses.what_if import (
    CPU_CALIBRATION,
    GPU_CALIBRATION,
    KEPT_WITHIN,
    MUCH_INFLATION,
    PREDICTS_WITHIN,
    SERIAL,
    WEAK_WITHIN,
)

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "profiles" / "what-if.md").read_text()
WORDS = " ".join(PAGE.split())


def kind(facts: LeverFacts) -> str:
    return facts.kind.value.replace("_", " ") if facts.proven else "at best"


def test_the_levers() -> None:
    listed = re.findall(r"^\| `(\w+)` \| ([\w ]+) \| (.*) \|$", PAGE, re.MULTILINE)
    assert listed == [(name, kind(facts), facts.text) for name, facts in LEVERS.items()]


def test_the_calibration() -> None:
    gpu, cpu = GPU_CALIBRATION, CPU_CALIBRATION
    said = f"{gpu.band:.0%} with a GPU, from {gpu.pairs} pairs, and {cpu.band:.0%} without, from {cpu.pairs} pairs"
    assert said.replace("%", " %") in WORDS


def test_the_limits() -> None:
    assert f"the recording within {100 * KEPT_WITHIN:.1f} %" in WORDS
    assert (
        f"up to {100 * PREDICTS_WITHIN:.0f} % the replay predicts, up to {100 * WEAK_WITHIN:.0f} % it predicts and is marked weak"
        in WORDS
    )
    assert f"more than {100 * MUCH_INFLATION:.0f} % longer" in WORDS
    assert f'"{SERIAL}"' in WORDS
