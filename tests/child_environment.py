"""The environment of child processes: which sources they import."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"


def with_sources() -> dict[str, str]:
    """The environment for a child process that imports Stepscope from this clone, or from the twin under test."""
    given = os.environ.get("PYTHONPATH") or str(SOURCES)
    absolute = os.pathsep.join(os.path.abspath(part) for part in given.split(os.pathsep))  # children run in other folders
    return {**os.environ, "PYTHONPATH": absolute}
