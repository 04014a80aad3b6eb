"""Keras models under watch: on each backend, eager or compiled, the first bad number is found where and when it appears."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from figures import figures

pytestmark = pytest.mark.peers
SCRIPT = Path(__file__).parent / "watched_keras.py"
BACKENDS = ["tensorflow", "jax", "torch"]
FROM_THE_THIRD_BATCH = [
    ["model/log", "activations", "NaN", 2],
    ["model/last", "activations", "NaN", 2],
    ["model", "activations", "NaN", 2],
    ["model/last", "gradients", "NaN", 2],
    ["block/inner", "gradients", "NaN", 2],
    ["model/first", "gradients", "NaN", 2],
    ["model/first", "activations", "NaN", 3],
    ["block/inner", "activations", "NaN", 3],
    ["block", "activations", "NaN", 3],
]


@pytest.fixture(scope="module", params=BACKENDS)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """What the watch says on one backend."""
    return {"backend": request.param, **run_in_peers(SCRIPT, request.param, tmp_path_factory.mktemp(request.param))}


@pytest.mark.parametrize("way", ["compiled", "compiled before", "eager", "jit"])
def test_the_first_bad_number_is_found(found: Any, way: str) -> None:
    if way == "jit" and found["backend"] == "torch":
        assert "jit" not in found
        return
    assert found[way]["first"] == ["model/log", "activations", "NaN", 2]
    assert found[way]["all"] == FROM_THE_THIRD_BATCH


@pytest.mark.parametrize("way", ["compiled", "eager", "fine"])
def test_the_model_is_left_as_it_was(found: Any, way: str) -> None:
    assert found[way]["left behind"] == []


def test_where_all_is_well_nothing_is_found(found: Any) -> None:
    assert (found["fine"]["first"], found["fine"]["all"]) == (None, [])


def test_bad_inputs_are_told_from_bad_layers(found: Any) -> None:
    assert found["inputs"]["first"] == ["(inputs)", "activations", "Inf", 1]


def test_looking_less_often(found: Any) -> None:
    """By then the weights are bad, too, and with them the first layer."""
    assert found["seldom"]["first"] == ["model/first", "activations", "NaN", 3]
    assert {finding[3] for finding in found["seldom"]["all"]} == {3}


def test_layers_and_optimizers_may_come_late(found: Any) -> None:
    assert found["late"]["first"][0] == "(inputs)"
    layers = {(layer.rpartition("/")[2], where) for layer, where, *_ in found["late"]["all"]}
    assert {("made_late", "activations"), ("made_late", "gradients")} <= layers


def test_tensorboard_reads_the_findings(found: Any) -> None:
    values = found["logged"]["values"]
    assert values["numerics/layers_with_bad_activations"] == [[0, 0], [1, 0], [2, 3], [3, 6]]
    assert values["numerics/layers_with_bad_gradients"] == [[0, 0], [1, 0], [2, 3], [3, 3]]
    ((step, (text,)),) = values["numerics/first/text_summary"]
    assert (step, figures(text), "NaN" in text, "model/log" in text) == (2, [2], True, True)
    (row,) = (line for line in values["numerics/layers/text_summary"][0][1][0].splitlines() if "model/log activations" in line)
    assert ("NaN" in row, figures(row)) == (True, [2])


def test_norms_have_unique_paths_and_the_right_values(found: Any) -> None:
    norms = found["norms"]
    paths = ["same/inner/kernel", "same/inner/kernel_2", "both/last/kernel", "both/last/bias"]
    assert norms["names"][:2] == ["same/inner/kernel"] * 2
    values, histograms = norms["tags"]["values"], norms["tags"]["histograms"]
    for path, expected in zip(paths, norms["expected"], strict=True):
        assert values[f"gradient_norm/{path}"] == [[3, pytest.approx(expected)], [4, pytest.approx(expected)]]
        assert histograms[f"gradients/{path}"] == 1
        assert f"weight_norm/{path}" in values
    total = sum(expected**2 for expected in norms["expected"]) ** 0.5
    assert values["gradient_norm"][0] == [3, pytest.approx(total)]
    assert values["weight_norm/same/inner/kernel"] == [[3, 4.0]]


def test_a_loop_inside_tf_function(found: Any) -> None:
    if found["backend"] != "tensorflow":
        assert "tf.function" not in found
        return
    watch, values = found["tf.function"]["watch"], found["tf.function"]["tags"]["values"]
    assert watch["first"] == ["model/log", "activations", "NaN", 102]
    assert [step for step, _ in values["gradient_norm/model/first/kernel"]] == [0, 1, 2, 3]
    assert values["weight_norm/model/first/kernel"][0] == [0, pytest.approx(4.0, rel=1e-3)]
    assert found["tf.function"]["tags"]["histograms"]["gradients/model/first/kernel"] == 2
