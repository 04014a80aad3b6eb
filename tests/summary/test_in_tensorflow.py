"""Calls inside tf.function are made once for each time the function runs, in order, and say at once what cannot be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.peers
STEPS = range(12)


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory, run_in_peers: Callable[..., Any]) -> Any:
    """What was read back."""
    return run_in_peers(Path(__file__).with_name("inside_tensorflow.py"), tmp_path_factory.mktemp("inside"))


def test_the_function_is_traced_once_and_returns_what_it_would(logged: Any) -> None:
    assert logged["traces"] == 1
    assert logged["returned"] == [3.0 + step for step in STEPS]
    assert logged["gradient"] == [6.0]


@pytest.mark.parametrize("tag", ["loss", "log/sum", "scope/inner", "bfloat16"])
def test_values_are_logged_at_every_run(logged: Any, tag: str) -> None:
    assert logged["run"][tag] == [[step, 3.0 + step] for step in STEPS]


def test_constants_are_logged_at_every_run(logged: Any) -> None:
    assert logged["run"]["constant"] == [[step, 1.5] for step in STEPS]
    assert logged["run"]["constant step"] == [[7, 1.5] for _ in STEPS]
    assert logged["run"]["number"] == [[step, 2.0] for step in STEPS]


@pytest.mark.parametrize(("tag", "strings"), [("image", 3), ("audio", 2)])
def test_blobs_are_logged_at_every_run(logged: Any, tag: str, strings: int) -> None:
    assert logged["run"][tag] == [[step, strings] for step in STEPS]


def test_text_is_logged_at_every_run_by_both_calls(logged: Any) -> None:
    assert logged["run"]["text"] == [[step, 1] for step in STEPS for _ in range(2)]


@pytest.mark.parametrize("tag", ["values", "log/values"])
def test_histograms_count_what_arrives(logged: Any, tag: str) -> None:
    assert [step for step, _ in logged["run"][tag]] == list(STEPS)
    edges = [1 + index / 3 for index in range(31)]
    assert logged["run"][tag][11][1] == pytest.approx(sum(edges[:-1]) + sum(edges[1:]) + 3)


def test_conditions_are_part_of_the_graph(logged: Any) -> None:
    assert logged["run"]["every second"] == [[step, 3.0 + step] for step in STEPS if step % 2 == 0]
    assert logged["run"]["above ten"] == [[step, 3.0 + step] for step in STEPS if step > 7]
    assert "never" not in logged["run"]


def test_order_is_kept(logged: Any) -> None:
    assert logged["run"]["while/loop"] == [[index, float(index)] for index in range(20)]


def test_without_autograph(logged: Any) -> None:
    assert logged["run"]["without autograph"] == [[1, 1.0], [1, 2.0]]


def test_a_call_in_differentiated_code_is_made_once(logged: Any) -> None:
    assert logged["run"]["differentiated"] == [[1, 3.0]]


def test_a_session_runs_the_summaries_of_its_graph(logged: Any) -> None:
    assert logged["run"]["session"] == [[1, 1.0], [1, 2.0]]


def test_one_replica_speaks_for_all(logged: Any) -> None:
    assert logged["run"]["replicas"] == [[1, 4.0]]


def test_a_step_may_be_a_variable_and_a_call_tells_whether_it_recorded(logged: Any) -> None:
    assert logged["layer"] == {"of a variable": [[1, 1.0], [2, 2.0], [3, 3.0]], "weights": [[1, 0.5], [2, 0.5], [3, 0.5]]}
    assert logged["recorded"] == [True, True, True]


def test_a_loop_around_a_session_logs_its_numbers_at_once(logged: Any) -> None:
    assert logged["around"] == {
        "numbers": [[0, 0.0], [1, 2.0], [2, 4.0]],
        "arrays": [[0, 0.0], [1, 4.0], [2, 8.0]],
        "every second": [[0, 0.0], [2, 4.0]],
        "tensors": [[7, 5.0]],
    }


def test_the_methods_of_the_writer_too(logged: Any) -> None:
    scalars, histograms, lines = logged["writer"]
    assert scalars == {
        "loss": [[step, 3.0 * step] for step in range(4)],
        "constant": [[3, 1.5] for _ in range(4)],
        "every second": [[0, 0.0], [2, 2.0]],
    }
    assert histograms == [[step, 3.0 * step] for step in range(4)]
    assert lines == ["parts_first", "parts_sum"]


def test_a_trace_with_a_profile_is_shared_with_tensorflow(logged: Any) -> None:
    assert logged["profiled"] == ["graph_run_metadata", "True", ".pb"]


def test_tags_and_points_in_branches_and_loops_are_those_of_tensorflow(logged: Any) -> None:
    assert logged["ours"] == logged["theirs"]
    assert set(logged["ours"]) == {"conditional", "cond/in a branch", "while/in a loop"}


@pytest.mark.parametrize("case", ["xla", "nested xla"])
def test_where_no_callback_can_be_the_call_says_so_when_traced(logged: Any, case: str) -> None:
    assert logged["said"][case].endswith("with jit_compile=True, XLA cannot call back into Python.")


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("shape", "Give a scalar of one element; the shape is (3,)."),
        ("image", "with 1 to 4 channels, not (3,)."),
        ("no step", "Give the summary a step: "),
        ("graph", "summary.graph"),
    ],
)
def test_wrong_calls_say_so_when_traced(logged: Any, case: str, words: str) -> None:
    assert words in logged["said"][case]
