"""What watching takes and refuses where no framework is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stepscope
from stepscope import SummaryWriter, log_gradients, log_weights, watch_numerics
from stepscope.watching.models import arrays_in, unique


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        for call in (log_weights, log_gradients):
            with pytest.raises(TypeError, match="torch module, a Keras model or a dictionary"):
                call(writer, [1, 2], 0)
    with pytest.raises(TypeError, match="torch module or a Keras model"):
        watch_numerics(object())
    with pytest.raises(ValueError, match="at least 1"):
        watch_numerics(object(), every=0)


def test_dictionaries_of_arrays(tmp_path: Path) -> None:
    weights = {"dense": {"kernel": np.array([3.0, 4.0]), "bias": np.zeros(2)}, "scale": np.float32(2)}
    with SummaryWriter(tmp_path) as writer:
        log_weights(writer, weights, 5)
        log_gradients(writer, weights, np.int64(5))
    run = stepscope.open(tmp_path).runs["."]
    assert run.scalars("weight_norm/dense/kernel").value.tolist() == [5.0]
    assert run.scalars("gradient_norm").value.tolist() == [pytest.approx(29**0.5)]
    assert run.scalars("gradient_norm").step.tolist() == [5]


def test_gradients_have_to_be_as_many_as_weights(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer, pytest.raises(ValueError, match="each of the 1 weights"):
        log_gradients(writer, {"a": np.zeros(2)}, 0, [np.zeros(2), np.zeros(2)])


def test_a_weight_without_a_gradient_is_left_out(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        log_gradients(writer, {"a": np.zeros(2), "b": np.zeros(2)}, 0, [None, np.ones(1)])
    assert sorted(stepscope.open(tmp_path).runs["."].tags) == ["gradient_norm", "gradient_norm/b"]


def test_names_are_unique_and_what_is_known_keeps_its_own() -> None:
    paths: dict[Any, str] = {1: "a", 2: "a", 3: "a_2", 4: "b"}
    named = unique([1, 2, 3, 4], paths.__getitem__)
    assert named == [("a", 1), ("a_2", 2), ("a_2_2", 3), ("b", 4)]
    assert unique([4, 5], lambda _: "b", named[:1] + named[3:]) == [("a", 1), ("b", 4), ("b_2", 5)]


def test_trees_are_walked_in_order() -> None:
    assert list(arrays_in({"a": {"b": 1, "c": {"d": 2}}, "e": 3})) == [("a/b", 1), ("a/c/d", 2), ("e", 3)]
