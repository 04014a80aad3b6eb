"""Trainings that log with tf.summary log the same when only their imports are changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """What TensorBoard reads of each way."""
    return run_in_peers(Path(__file__).with_name("run_patterns.py"), tmp_path_factory.mktemp("ways"))


@pytest.mark.parametrize("way", ["import", "one line"])
@pytest.mark.parametrize("run", ["train", "validation", "epochs", "experiment", "session"])
def test_only_the_imports_change(ways: Any, way: str, run: str) -> None:
    theirs, ours = ways["tensorflow"][run], ways[way][run]
    assert ours.keys() == theirs.keys()
    for tag, series in theirs.items():
        assert ours[tag] == series, tag


def test_the_comparison_sees_content(ways: Any) -> None:
    ours = ways["import"]
    assert [step for step, _ in ours["train"]["loss"]] == list(range(14))
    assert [step for step, _ in ours["train"]["seldom"]] == [8, 12]
    assert len(ours["train"]["weights/model/first/kernel"]) == 14
    assert ours["session"]["metadata"] == [["run_1", True]]
    assert ours["session"]["graph"] == ["a", "b", "total"]
