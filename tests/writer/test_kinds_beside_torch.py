"""Every kind of summary beside torch's own writer: for the same calls, the same runs, tags and content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.peers
HERE = Path(__file__).parent

RUNS = [
    "histograms",
    "images",
    "sounds_and_texts",
    "curves_and_layouts",
    "meshes_and_tensors",
    "runs_below",
    "runs_below/run_14h_sin",
    "runs_below/run_14h_cos",
    "runs_below/run_14h_deep/er",
    "runs_below/trial",
    "ready_messages",
]


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that both writers write into."""
    return tmp_path_factory.mktemp("both")


@pytest.fixture(scope="module")
def both(top: Path, run_in_peers: Callable[..., Any]) -> Any:
    """What torch and what we have written."""
    return run_in_peers(HERE / "kinds_of_torch.py", top, tensorflow=False)


def test_the_runs_are_the_same(both: Any) -> None:
    theirs, ours = both["torch"]["summaries"], both["ours"]["summaries"]
    assert sorted(ours) == sorted(theirs) == sorted([*RUNS, "embeddings"])


@pytest.mark.parametrize("run", RUNS)
def test_the_content_is_the_same(both: Any, run: str) -> None:
    theirs, ours = both["torch"]["summaries"][run], both["ours"]["summaries"][run]
    assert theirs
    assert sorted(ours) == sorted(theirs)
    for tag, values in theirs.items():
        assert ours[tag] == values, tag


def test_the_projectors_files_are_the_same(both: Any) -> None:
    theirs, ours = both["torch"]["files"], both["ours"]["files"]
    assert len(theirs) == 8
    assert ours == theirs


def test_tensorboard_loads_the_same(both: Any) -> None:
    theirs, ours = both["torch"]["loaded"], both["ours"]["loaded"]
    assert ours == theirs
    assert "boxes" in ours["images"][0]["images"]


@pytest.mark.usefixtures("both")
def test_tensorboard_serves_the_same(top: Path, run_in_peers: Callable[..., Any]) -> None:
    theirs, ours = run_in_peers(HERE / "tensorboard_serves.py", top / "torch", top / "ours", tensorflow=False)
    for plugin, answers in theirs.items():
        assert ours[plugin] == answers, plugin
    assert ours["images"]["images/alpha/file"][0] == "image/png"
    assert ours["mesh"]["meshes_and_tensors"].keys() == {"full", "cloud"}
    assert len(ours["hparams"][0]) == 7
