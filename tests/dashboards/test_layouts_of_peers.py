"""Layouts that the real torch and TensorBoard wrote are read as TensorBoard's own messages have them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from log_folder import LogFolder
from stepscope.queries.layouts import Category, logged_layout
from stepscope.session.reads import Reads

pytestmark = pytest.mark.peers
SCRIPT = Path(__file__).with_name("layouts_of_peers.py")


@pytest.fixture(scope="module")
def read(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Category], dict[str, Any]]:
    """Our categories by title, and TensorBoard's layouts by run."""
    folder = LogFolder(tmp_path_factory.mktemp("layouts"))
    theirs = run_in_peers(SCRIPT, folder.path)
    reads = Reads(folder.load())
    layout = logged_layout(reads.blobs, reads.views.view())
    assert layout.problems == []
    return {category.title: category for category in layout.categories}, theirs


def charts(layout: Any, category: str) -> list[tuple[str, list[str], list[tuple[str, str, str]]]]:
    """Titles, patterns and bands of a category of theirs."""
    found = next(each for each in layout["category"] if each["title"] == category)
    return [
        (
            chart["title"],
            chart.get("multiline", {}).get("tag", []),
            [(each["value"], each["lower"], each["upper"]) for each in chart.get("margin", {}).get("series", [])],
        )
        for chart in found.get("chart", [])
    ]


def ours(category: Category) -> list[tuple[str, list[str], list[tuple[str, str, str]]]]:
    return [(chart.title, chart.patterns, [(band.value, band.lower, band.upper) for band in chart.bands]) for chart in category.charts]


def test_charts_of_torch_are_joined_by_category(read: tuple[dict[str, Category], dict[str, Any]]) -> None:
    found, theirs = read
    expected = charts(theirs["torch"], "Loss") + charts(theirs["torch_one"], "Loss")
    assert len(expected) == 3
    assert ours(found["Loss"]) == expected
    assert ours(found["Empty"]) == []


def test_closed_categories_and_several_bands(read: tuple[dict[str, Category], dict[str, Any]]) -> None:
    found, theirs = read
    assert found["Closed"].closed
    assert not found["Loss"].closed
    assert ours(found["Closed"]) == charts(theirs["messages"], "Closed")
    assert len(found["Closed"].charts[0].bands) == 2
