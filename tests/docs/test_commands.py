"""Every verb's page shows the help that the verb prints, and every page is of a verb."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from command_pages import PAGES, help_of, verbs  # noqa: E402 (found through the line above)


@pytest.mark.parametrize("verb", verbs())
def test_the_page_shows_the_help(verb: str) -> None:
    page = PAGES / f"{verb}.md"
    assert page.exists(), f"docs/commands/{verb}.md is missing: write it, then run `make docs`"
    assert f"```text\n{help_of(verb)}\n```" in page.read_text(), f"docs/commands/{verb}.md is out of date: run `make docs`"


def test_every_page_is_of_a_verb() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == set(verbs())
