"""Calls inside JAX's transformations are made once for each time the code runs, and are all in the file after flush and at the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from figures import figures

pytestmark = pytest.mark.peers
STEPS = range(12)


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """What was read back."""
    return run_in_peers(Path(__file__).with_name("inside_jax.py"), tmp_path_factory.mktemp("inside"))


@pytest.mark.parametrize("tag", ["loss", "log/sum", "bfloat16"])
def test_values_are_logged_at_every_run_and_not_when_traced(logged: Any, tag: str) -> None:
    assert logged["traces"] == 1
    assert logged["run"][tag] == [[step, 3.0 + step] for step in STEPS]


def test_constants_are_logged_at_every_run(logged: Any) -> None:
    assert logged["run"]["constant"] == [[step, 1.5] for step in STEPS]
    assert logged["run"]["constant step"] == [[7, 1.5] for _ in STEPS]
    assert logged["run"]["number"] == [[step, 2.0] for step in STEPS]


@pytest.mark.parametrize("tag", ["values", "text", "image", "log/values"])
def test_other_kinds_are_logged_at_every_run(logged: Any, tag: str) -> None:
    assert logged["run"][tag] == list(STEPS)


def test_conditions_are_part_of_the_program(logged: Any) -> None:
    assert logged["run"]["every second"] == [[step, 3.0 + step] for step in STEPS if step % 2 == 0]
    assert logged["run"]["above ten"] == [[step, 3.0 + step] for step in STEPS if step > 7]
    assert "never" not in logged["run"]


def test_loops_log_every_round(logged: Any) -> None:
    assert logged["run"]["scan"] == [[index, first + index] for first in (0.0, 10.0) for index in range(4)]
    assert logged["run"]["while"] == [[index, float(index)] for index in range(3)]


def test_only_the_branch_that_is_taken_logs(logged: Any) -> None:
    assert logged["run"]["branch"] == [[1, 1.0]]


def test_differentiated_code_logs_once(logged: Any) -> None:
    assert logged["run"]["differentiated"] == [[1, 3.0], [1, 4.0], [1, 5.0]]


def test_a_batch_logs_each_member_for_which_the_condition_holds(logged: Any) -> None:
    assert sorted(logged["run"]["batch"]) == sorted([1, float(member)] for member in range(3) for _ in range(2))
    assert logged["run"]["batch above one"] == [[2, 2.0], [2, 2.0]]


def test_large_arrays_arrive(logged: Any) -> None:
    assert logged["run"]["large"] == [0]


def test_what_is_known_when_traced_is_taken_then(logged: Any) -> None:
    assert logged["known"] == [3.0, 3.0]


def test_the_methods_of_the_writer_too(logged: Any) -> None:
    assert logged["writer"]["loss"] == [[step, 3.0 * step] for step in range(4)]
    assert logged["writer"]["constant"] == [[3, 1.5] for _ in range(4)]
    assert logged["writer"]["values"] == list(range(4))
    assert logged["writer"]["every second"] == [[0, 0.0], [2, 6.0]]
    assert logged["line"]["parts"] == [[step, float(step)] for step in range(4)]


def test_a_process_that_simply_ends_loses_nothing(logged: Any) -> None:
    assert logged["ended"]["loss"] == [[step, 3.0 + step] for step in range(30)]
    assert logged["ended"]["image"] == list(range(30))


def test_wrong_calls_say_so_when_traced(logged: Any) -> None:
    shape, image, step = logged["said"]
    assert "(3,)" in shape
    assert figures(image)[-3:] == [1, 4, 3]
    assert step.startswith("Give the summary a step: ")
