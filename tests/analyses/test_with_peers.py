"""Recordings made just now by the real TensorFlow and torch: steps are found, and totals are those of torch's own table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opened_profiles import open_profile
from stepscope.analyses.breakdown import break_down
from stepscope.analyses.steps import Steps, find_steps
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.work.operations import OperationRow, operations
from stepscope.model.profile import MarkerFamily

pytestmark = pytest.mark.peers
RECORDERS = Path(__file__).parent / "recorders"


@pytest.fixture(scope="module")
def tensorflow(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return run_in_peers(RECORDERS / "tensorflow_examples.py", tmp_path_factory.mktemp("tensorflow"))


@pytest.fixture(scope="module")
def torch(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_in_peers(RECORDERS / "torch_training.py", tmp_path_factory.mktemp("torch") / "run.pt.trace.json")


def steps_of(path: str) -> Steps:
    return find_steps(open_profile(path)[0])


def test_a_function_called_a_hundred_times_is_a_hundred_steps(tensorflow: dict[str, str]) -> None:
    steps = steps_of(tensorflow["calls"])
    assert (len(steps), steps.source.family, steps.source.name) == (100, MarkerFamily.ROOT_CALL, "my_function")


def test_a_single_training_step_is_one_step(tensorflow: dict[str, str]) -> None:
    found = break_down(open_profile(tensorflow["single"])[0])
    assert len(found.steps) == 1
    assert found.parts[0, TimeClass.COMPILE] > 0.5 * found.steps.length[0], "the first call traces and compiles"


def test_the_steps_of_torch(torch: dict[str, Any]) -> None:
    found = break_down(open_profile(torch["path"])[0])
    assert (len(found.steps), found.steps.source.text) == (torch["steps"], "ProfilerStep#")
    assert found.parts[:, TimeClass.INPUT].min() > 0, "torch's own plugin shows no loader here"
    assert (found.device_parts.sum(axis=2) == found.steps.length).all()


def test_totals_are_those_of_torch(torch: dict[str, Any]) -> None:
    profile = open_profile(torch["path"])[0]
    ours: dict[str, OperationRow] = {row.name: row for row in operations(profile, break_down(profile))}
    compared = 0
    for name, count, total_us, self_us in torch["rows"]:
        if not name.startswith("aten::"):
            continue
        row = ours[name]
        assert row.count == count, name
        # The file has whole nanoseconds where torch's table has fractions.
        assert row.total_ns / 1e3 == pytest.approx(total_us, abs=0.01 * count + 0.01), name
        assert row.self_ns / 1e3 == pytest.approx(self_us, rel=0.02, abs=0.05 * count + 0.5), name
        compared += 1
    assert compared > 15
