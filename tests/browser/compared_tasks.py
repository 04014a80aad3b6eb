"""The table of tasks in the guide's comparison with TensorBoard: what each takes in either program."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compared-with-tensorboard.md"


class Row(NamedTuple):
    """A line of the table."""

    task: str
    stepscope: str
    tensorboard: str


def compared_tasks() -> dict[str, Row]:
    """The lines by task."""
    lines = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| .*\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    rows = [Row(*line) for line in lines if line[0] != "Task" and not line[0].startswith("---")]
    return {row.task: row for row in rows}
