"""Trials of the real Keras: its TensorBoard callback does not undo `tf.summary = stepscope.summary`, and no trial is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.peers, pytest.mark.slow]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    return run_in_peers(Path(__file__).with_name("keras_trials.py"), tmp_path_factory.mktemp("trials"))


def test_the_replacement_stays(both: Any) -> None:
    assert both["kept"]


@pytest.mark.parametrize("units", [4, 8])
def test_every_trial_has_its_hyperparameters(both: Any, units: int) -> None:
    assert both["ours"][f"units{units}"]["hparams"] == {"units": units}


def test_everything_else_is_what_tensorflow_writes(both: Any) -> None:
    assert both["ours"].keys() == both["theirs"].keys()
    for run, tags in both["theirs"].items():
        assert tags, run
        assert both["ours"][run] == tags, run
