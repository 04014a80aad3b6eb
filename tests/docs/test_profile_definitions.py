"""The page of definitions lists the classes, groups and sources of steps that the program knows, in their order."""

from __future__ import annotations

import re
from pathlib import Path

from stepscope.analyses.steps import StepSource
from stepscope.analyses.time_classes import DEFINITIONS, GROUP_OF, TimeClass
from stepscope.model.profile import NONE, MarkerFamily

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "profiles" / "step-breakdown.md").read_text()


def test_the_classes_and_their_groups() -> None:
    listed = re.findall(r"^\| `(\w+)` \| (\w+) \| ", PAGE.split("## Classes")[1], re.MULTILINE)
    assert listed == [(time_class.key, GROUP_OF[time_class].key) for time_class in TimeClass]


def test_the_sources_of_steps() -> None:
    listed = re.findall(r"^\| `([^`]+)` \| ", PAGE.split("## Steps")[1].split("## Classes")[0], re.MULTILINE)
    assert listed == [StepSource(family, "", NONE, 1).text for family in MarkerFamily]


def test_the_version() -> None:
    assert re.findall(r"version is \*\*(\d+)\*\*", PAGE) == [str(DEFINITIONS)]
