"""On a live graph, every view equals the one that TensorFlow's own Profiler prints, and files are read by both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepscope.tfprof import ProfileOptionBuilder, Profiler

pytestmark = [pytest.mark.peers, pytest.mark.slow]
SCRIPT = Path(__file__).with_name("views_of_tensorflow.py")


@pytest.fixture(scope="module")
def said(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("tfprof")
    return folder, run_in_peers(SCRIPT, folder)


@pytest.mark.parametrize("view", ["op", "scope", "graph", "code", "params", "flops"])
def test_views_are_equal(said: tuple[Path, Any], view: str) -> None:
    theirs, ours = (sorted(line.rstrip() for line in said[1][view][whose].rstrip().splitlines()) for whose in ("theirs", "ours"))
    assert len(ours) > 2
    assert ours == theirs  # sorted, as rows with equal times have no order


def test_files_are_read_by_both(said: tuple[Path, Any]) -> None:
    folder, found = said
    options = {**ProfileOptionBuilder.time_and_memory(), "output": "none"}
    ours, theirs = (Profiler.load(folder / f"{whose}.tfprof.pb") for whose in ("ours", "theirs"))
    assert ours.steps == theirs.steps == found["parsed"]["steps"] == [3, 5]
    assert found["parsed"]["has_trace"]
    for view in ("profile_operations", "profile_name_scope", "profile_graph", "profile_python"):
        assert getattr(ours, view)(options).total_exec_micros == getattr(theirs, view)(options).total_exec_micros > 0
