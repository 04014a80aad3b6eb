"""TensorBoard's HParams shows a grid search written with our API, and the runs of new_run with their metrics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """The server's answers."""
    return run_in_peers(Path(__file__).parent / "grid_search.py", tmp_path_factory.mktemp("served"))


def test_a_grid_search(served: Any) -> None:
    groups = served["search"]["groups"]
    tried = {(group["hparams"]["learning_rate"], group["hparams"]["optimizer"]) for group in groups}
    assert tried == {(lr, optimizer) for lr in (1e-3, 1e-4) for optimizer in ("adam", "sgd")}
    assert all(group["metricValues"][0]["name"]["tag"] == "epoch_accuracy" for group in groups)
    assert [info["displayName"] for info in served["search"]["experiment"]["metricInfos"]] == ["Accuracy", "Loss"]


def test_runs_of_new_run(served: Any) -> None:
    groups = served["folders"]["groups"]
    for group in groups:
        assert group["hparams"]["optimizer.name"] == "adam"
        assert group["hparams"]["amp"] is True
        found = {(each["name"]["group"], each["name"]["tag"]): each["value"] for each in group["metricValues"]}
        lr = group["hparams"]["lr"]
        assert found == {("train", "loss"): lr, ("validation", "loss"): 2 * lr}
        assert [session["status"] for session in group["sessions"]] == ["STATUS_SUCCESS"]
    assert {group["hparams"]["lr"] for group in groups} == {0.5, 0.25}
