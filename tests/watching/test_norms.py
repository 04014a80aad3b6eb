"""Norms of weights and gradients by their paths, of dictionaries of arrays, which need no framework."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stepscope
from stepscope import SummaryWriter, log_gradients, log_weights, record_if
from stepscope.logdir import RunReader

WEIGHTS = {"dense": {"kernel": np.array([3.0, 4.0]), "bias": np.zeros(2)}, "scale": np.float32(2)}


def run(folder: Path) -> RunReader:
    return stepscope.open(folder).runs["."]


def only(found: RunReader, tag: str) -> tuple[int, float]:
    points = found.scalars(tag)
    ((step, value),) = zip(points.step.tolist(), points.value.tolist(), strict=True)
    return step, value


class Put:
    """A writer that keeps what it is given."""

    def __init__(self) -> None:
        self.scalars: dict[str, float] = {}
        self.events = 0

    def put_scalar(self, tag: str, value: float, step: Any) -> None:
        assert step == 5
        self.scalars[tag] = value

    def put_event(self, work: Any) -> None:
        assert work.make() is not None
        self.events += 1


def test_a_norm_for_each_path_and_one_of_all_together(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        log_weights(writer, WEIGHTS, 5)
        log_gradients(writer, WEIGHTS, np.int64(6))
    found = run(tmp_path)
    for kind, step in (("weight", 5), ("gradient", 6)):
        assert only(found, f"{kind}_norm/dense/kernel") == (step, 5.0)
        assert only(found, f"{kind}_norm/dense/bias") == (step, 0.0)
        assert only(found, f"{kind}_norm") == (step, pytest.approx(29**0.5))


def test_distributions_are_logged_beside_norms_unless_they_are_not_wanted() -> None:
    both, alone = Put(), Put()
    log_weights(both, WEIGHTS, 5)
    log_weights(alone, WEIGHTS, 5, histograms=False)
    assert (both.events, alone.events, both.scalars == alone.scalars) == (3, 0, True)


def test_large_values_of_small_formats_do_not_overflow() -> None:
    put = Put()
    log_weights(put, {"a": np.full(4, 60_000, np.float16), "none": np.zeros((0, 3))}, 5)
    assert put.scalars["weight_norm/a"] == pytest.approx(2 * 60_000, rel=1e-3)
    assert (put.scalars["weight_norm/none"], put.events) == (0.0, 1)


def test_gradients_have_to_be_as_many_as_weights(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer, pytest.raises(ValueError, match=r"1 weights.* 2"):
        log_gradients(writer, {"a": np.zeros(2)}, 0, [np.zeros(2), np.zeros(2)])


def test_a_weight_without_a_gradient_is_left_out(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        log_gradients(writer, {"a": np.zeros(2), "b": np.zeros(2)}, 0, [None, np.ones(1)])
    assert sorted(run(tmp_path).tags) == ["gradient_norm", "gradient_norm/b"]


def test_nothing_is_put_where_nothing_is_recorded() -> None:
    put = Put()
    with record_if(False):
        log_weights(put, WEIGHTS, 5)
    log_weights(put, {}, 5)
    assert (put.scalars, put.events) == ({}, 0)


@pytest.mark.parametrize("call", [log_weights, log_gradients])
def test_what_is_no_model_is_refused(call: Any) -> None:
    with pytest.raises(TypeError):
        call(Put(), [1, 2], 0)
