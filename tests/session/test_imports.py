"""An answer that is read from the disk needs no analyses: importing what declares and finds it loads none of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from child_environment import with_sources
from stepscope.session.all_parts import ALL_PARTS
from stepscope.session.part import AnyPart

WITH_CHOICES_OF_ANALYSES = {"hlo", "hlo_tree", "memory"}
"""Parts whose columns name enumerations of analyses; what their answers need beyond those is not loaded either."""
LOADED = """
import sys
import stepscope.session.at_path
import {module}
print(*(name for name in sys.modules if name.startswith(("stepscope.analyses.", "stepscope.rules."))))
"""
ONLY_TEXT = {"stepscope.analyses.ranges", "stepscope.analyses.ranges.text"}


def loaded(part: AnyPart) -> set[str]:
    """The analyses and rules that finding a session and declaring a part load, in a process of its own."""
    code = LOADED.format(module=part.answer.__module__)
    done = subprocess.run([sys.executable, "-c", code], env=with_sources(), capture_output=True, check=True, text=True)
    return set(done.stdout.split()) - ONLY_TEXT


KEPT = [part for part in ALL_PARTS if part.kept]


@pytest.mark.parametrize("part", [part for part in KEPT if part.id not in WITH_CHOICES_OF_ANALYSES], ids=lambda part: part.id)
def test_declaring_a_part_that_is_kept_loads_no_analyses(part: AnyPart) -> None:
    assert loaded(part) == set()


@pytest.mark.parametrize("part", [part for part in KEPT if part.id in WITH_CHOICES_OF_ANALYSES], ids=lambda part: part.id)
def test_no_part_loads_the_rules_to_be_declared(part: AnyPart) -> None:
    assert "stepscope.rules.judge" not in loaded(part)
