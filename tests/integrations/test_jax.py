"""JaxLogger with the real JAX and Flax: what is logged is right although the call never waits for the device."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """What the script logged and read back."""
    return run_in_peers(Path(__file__).parent / "jax_train.py", tmp_path_factory.mktemp("jax"))


def test_metrics_are_those_that_the_step_returned(report: Any) -> None:
    read, losses = report["flax"]["read"], [kept[2] for kept in report["flax"]["kept"]]
    assert read["loss"] == ["scalars", [[step, value] for step, value in enumerate(losses)]]
    assert [value for _, value in read["half/loss"][1]] == pytest.approx(losses, rel=0.01)
    assert read["lr"][1] == [[step, float(np.float32(0.1))] for step in range(3)]
    assert read["zero"][1] == [[step, 0.0] for step in range(3)]
    assert read["count"][1] == [[step, step] for step in range(3)]


def test_parameters_are_those_of_the_step_though_their_memory_is_used_again(report: Any) -> None:
    plugin, points = report["flax"]["read"]["params/params/kernel"]
    assert plugin == "histograms"
    for (step, (low, high, count)), (expected_low, expected_high, _) in zip(points, report["flax"]["kept"], strict=True):
        assert count == 12, step
        assert low == pytest.approx(expected_low)
        assert high == pytest.approx(expected_high)


def test_the_call_does_not_wait_for_the_device(report: Any) -> None:
    found = report["dispatch"]
    assert not found["ready"], "the step had ended before the call did, so this shows nothing"
    assert found["called"] < found["whole"] / 4
    assert found["read"]["sum"][1] == [[1, pytest.approx(found["expected"])]]


def test_what_cannot_be_logged_is_refused_at_the_call(report: Any) -> None:
    compiled, shaped = report["refused"]
    assert [part in compiled for part in ("Log x ", "stepscope.summary")] == [True, True]
    assert [part in shaped for part in ("a/b", "(2, 3)")] == [True, True]


def test_the_parameters_of_nnx_are_named_by_their_paths(report: Any) -> None:
    assert report["nnx"] == ["weights/bias", "weights/kernel"]


def test_a_monitor_can_take_the_step(report: Any) -> None:
    assert report["flax"]["step"] == 2
    assert {step for step, _ in report["flax"]["read"]["system/process/rss_mib"][1]} <= {0, 1, 2}
