"""The lines that the page advises to take a profile with work in the real frameworks, and what they write is found and read."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opened_profiles import open_profile
from stepscope.analyses.steps import find_steps

HERE = Path(__file__).resolve().parent
RECIPES = HERE.parents[1] / "src" / "stepscope" / "dashboards" / "profile" / "ui" / "recipes.ts"


def recipes() -> dict[str, str]:
    """The advised lines by framework."""
    return dict(re.findall(r"name: '([^']+)',\s+code: `([^`]+)`", RECIPES.read_text()))


@pytest.mark.peers
@pytest.mark.parametrize(
    ("recipe", "framework", "family", "steps"),
    [
        ("Any framework", "PyTorch", "ProfilerStep#", 6),
        ("PyTorch", "PyTorch", "ProfilerStep#", 6),
        ("JAX", "JAX", "train", 10),
        ("TensorFlow and Keras", "TensorFlow", "train", 10),
    ],
)
def test_the_advised_lines_take_a_profile(
    recipe: str, framework: str, family: str, steps: int, run_in_peers: Callable[..., Any], tmp_path: Path
) -> None:
    lines = tmp_path / "lines.py"
    lines.write_text(recipes()[recipe].replace("FOLDER", str(tmp_path / "logs")))
    assert run_in_peers(HERE / "recipe_runs.py", framework, lines) == "done"
    (profile,) = open_profile(str(tmp_path / "logs"))
    found = find_steps(profile)
    assert family in found.source.text
    assert len(found) == steps
    assert profile.framework == framework
