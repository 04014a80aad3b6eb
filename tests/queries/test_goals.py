"""The goal of a metric, by its name or its description; the page has the same words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stepscope.queries.goals import HIGHER, goal_in, goal_of

PAGE = Path(__file__).resolve().parents[2] / "web" / "src" / "runs" / "goals.ts"


@pytest.mark.parametrize(
    ("tag", "goal"),
    [
        ("loss", "min"),
        ("val/accuracy", "max"),
        ("evalF1", "max"),
        ("perplexity", "min"),
        ("tokens_per_sec", "max"),
        ("mapping/error", "min"),
    ],
)
def test_names(tag: str, goal: str) -> None:
    assert goal_of(tag) == goal


@pytest.mark.parametrize(
    ("description", "goal"),
    [("Minimise this.", "min"), ("Share of hits; higher is better", "max"), ("maximize recall, minimize loss", None), ("", None)],
)
def test_descriptions(description: str, goal: str | None) -> None:
    assert goal_in(description) == goal


def test_the_page_has_the_same_words() -> None:
    inside = PAGE.read_text().partition("new Set(")[2].partition(").split")[0]
    assert set(" ".join(re.findall(r"'([^']*)'", inside)).split()) == HIGHER
