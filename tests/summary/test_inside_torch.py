"""torch.compile calls what logs as it is: one break of the graph for each call, no warning, and the right points."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """What was read back."""
    return run_in_peers(Path(__file__).with_name("inside_torch.py"), tmp_path_factory.mktemp("inside"))


@pytest.mark.parametrize("way", ["writer", "summary"])
def test_every_run_logs_what_it_computed(logged: Any, way: str) -> None:
    assert logged[way]["loss"] == [[0, 1, 2, 3], logged["values"]]


def test_histograms_are_logged_at_every_run(logged: Any) -> None:
    assert logged["writer"]["weights"][0] == [0, 1, 2, 3]


def test_every_n_steps(logged: Any) -> None:
    assert logged["writer"]["every second"] == [[0, 2], logged["values"][::2]]


def test_torch_translates_nothing_of_ours(logged: Any) -> None:
    assert set(logged["breaks"]) == {"Skip inlining `torch.compiler.disable()`d function"}
    assert logged["warned"] == []
