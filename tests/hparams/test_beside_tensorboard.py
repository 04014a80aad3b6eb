"""The hparams API beside TensorBoard's own: the same arguments, the same messages in the files, the same answers of its server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.peers
SCRIPT = Path(__file__).parent / "hparams_of_tensorboard.py"


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """What TensorBoard and what we have written and said."""
    return run_in_peers(SCRIPT, tmp_path_factory.mktemp("both"))


def test_the_arguments_are_the_same(both: Any) -> None:
    theirs, ours = both["theirs"]["signatures"], both["ours"]["signatures"]
    assert len(theirs) == 8
    for name, arguments in theirs.items():
        assert ours[name] == arguments, name


@pytest.mark.parametrize("run", [".", "first", "second", "third"])
def test_the_messages_are_the_same(both: Any, run: str) -> None:
    theirs, ours = both["theirs"]["written"][run], both["ours"]["written"][run]
    assert theirs
    assert ours == theirs


def test_domains_and_metrics_are_all_there(both: Any) -> None:
    ((_, tag, _, content),) = both["ours"]["written"]["."]
    assert tag == "_hparams_/experiment"
    assert len(content["experiment"]["hparamInfos"]) == 7
    assert content["experiment"]["metricInfos"][0]["datasetType"] == "DATASET_VALIDATION"


def test_tensorboard_shows_the_same_sessions(both: Any) -> None:
    theirs, ours = both["theirs"]["served"], both["ours"]["served"]
    assert [group["name"] for group in ours][-2:] == ["again", "fit"]
    assert ours == theirs


def test_domains_look_and_sample_the_same(both: Any) -> None:
    assert both["ours"]["shown"] == both["theirs"]["shown"]


def test_the_same_is_refused_in_the_same_way(both: Any) -> None:
    assert "" not in both["theirs"]["refusals"]
    assert both["ours"]["refusals"] == both["theirs"]["refusals"]


def test_a_callback_serves_one_training(both: Any) -> None:
    assert both["ours"]["ended"] == both["theirs"]["ended"] == ["RuntimeError"]


@pytest.mark.parametrize("kind", ["writer", "summary"])
def test_the_callback_takes_writers_of_both_kinds(both: Any, kind: str) -> None:
    assert both[kind] == {".": both["theirs"]["written"]["third"]}
