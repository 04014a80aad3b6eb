"""Tables of the guide are tables: every row has as many cells as its head."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_SEPARATOR = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
_CELL_END = re.compile(r"(?<!\\)\|")


def cells(line: str) -> int:
    return len(_CELL_END.findall(re.sub(r"`[^`]*`", "", line)))


def ragged_rows(text: str) -> list[str]:
    lines = text.splitlines()
    found: list[str] = []
    for place, line in enumerate(lines):
        if not _SEPARATOR.fullmatch(line.strip()):
            continue
        rows = [lines[place - 1]]
        for row in lines[place + 1 :]:
            if not row.startswith("|"):
                break
            rows.append(row)
        found += [row for row in rows if cells(row) != cells(line)]
    return found


def test_a_ragged_row_is_found() -> None:
    assert ragged_rows("| a | b | c |\n| --- | --- |\n| 1 | 2 |\n") == ["| a | b | c |"]
    assert ragged_rows("| a | b |\n| --- | --- |\n| `x | y` | 2 |\n") == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_rows_have_the_cells_of_their_head(page: Path) -> None:
    assert ragged_rows(page.read_text()) == []
