"""The same calls of tf.summary and of stepscope.summary show the same in TensorBoard, and take the same arguments."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepscope import summary

pytestmark = pytest.mark.peers
PLUGINS = ("scalars", "histograms", "images", "audio", "text", "own", "own_blobs", "graphs", "graph_run_metadata_graph")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """What TensorBoard gives for both, and their signatures."""
    return run_in_peers(Path(__file__).with_name("beside_tensorflow.py"), tmp_path_factory.mktemp("both"))


@pytest.mark.parametrize("loader", ["python", "data_server"])
@pytest.mark.parametrize("plugin", PLUGINS)
def test_tensorboard_gives_the_same(both: Any, loader: str, plugin: str) -> None:
    theirs, ours = both["tensorflow"][loader][plugin], both["ours"][loader][plugin]
    assert theirs
    assert ours.keys() == theirs.keys()
    for tag, series in theirs.items():
        assert ours[tag] == series, tag


def test_the_comparison_sees_content(both: Any) -> None:
    ours = both["ours"]["python"]
    assert ours["scalars"]["loss"][1] == [[1, repr(0.10000000149011612)], [2, "inf"], [3, "nan"]]
    assert ours["scalars"]["outer/inner/scoped"]
    assert len(ours["images"]["picture/beyond"][1][0][1]) == 2 + 3
    assert ours["graph_run_metadata_graph"]["trace"][1][0][1] == [[["AddV2", "Const", "Identity", "Mul", "_Arg", "_Retval"]]]


def test_every_function_takes_what_tensorflow_takes(both: Any) -> None:
    assert both["ours"]["signatures"] == both["tensorflow"]["signatures"]


def test_the_file_writer_takes_what_tensorflow_1_takes(both: Any) -> None:
    assert both["ours"]["v1"] == both["tensorflow"]["v1"]


def test_no_name_of_tf_summary_is_missing(both: Any) -> None:
    assert set(both["names"]) <= set(summary.__all__)
