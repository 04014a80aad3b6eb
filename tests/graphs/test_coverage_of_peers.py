"""Coverage of programs that the real TensorFlow, torch and JAX ran, among them the three of a question that many users ask.

The question is why TensorBoard shows no time and memory for some operations. Its answers: in a graph of constants everything is folded
into one constant; eager code runs where it is written, which may be before the profiler; and a tf.function is profiled like other code.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stepscope.model.errors import BadInput
from stepscope.session.at_path import profile_at
from stepscope.session.parts.coverage import COVERAGE, Coverage, CoverageWanted

pytestmark = [pytest.mark.peers, pytest.mark.slow]
SCRIPT = Path(__file__).with_name("coverage_of_peers.py")


@pytest.fixture(scope="module")
def ran(run_in_peers: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("coverage")
    return folder, run_in_peers(SCRIPT, folder)


@pytest.fixture
def asked(ran: tuple[Path, Any]) -> Callable[[str], Coverage]:
    return lambda name: profile_at(str(ran[0] / name)).answer(COVERAGE, CoverageWanted())


def without_time(answer: Coverage) -> dict[str, tuple[str, str]]:
    return {row.name: (row.reason, row.into) for row in answer.missing if not row.has_time}


@pytest.mark.parametrize("name", ["constants", "constants_partitions"])
def test_constants_are_folded_into_one(asked: Callable[[str], Coverage], name: str) -> None:
    answer = asked(name)
    found = without_time(answer)
    assert (answer.source, answer.in_graph, answer.graph_with_time) == ("graph", 3, 0)
    assert {each: reason for each, (reason, _) in found.items()} == dict.fromkeys(("a", "b", "add"), "constant_folded")
    (constant,) = {into for _, into in found.values()}
    assert constant.startswith("add")


def test_eager_code_that_ran_before_the_profiler_is_not_in_it(asked: Callable[[str], Coverage]) -> None:
    with pytest.raises(BadInput) as caught:
        asked("eager/before")
    assert caught.value.code == "no_spans"
    answer = asked("eager/inside")
    assert (answer.source, answer.operations, answer.with_time) == ("trace", 1, 1)
    assert [row.op for row in answer.missing] == ["AddV2"]  # which has time, and no memory


def test_a_function_is_profiled_operation_by_operation(asked: Callable[[str], Coverage]) -> None:
    answer = asked("function")
    assert (answer.with_time, answer.operations, {row.op for row in answer.missing}) == (3, 3, {"Mul", "AddV2", "Sum"})


def test_a_compiled_function_is_explained_by_its_program(asked: Callable[[str], Coverage]) -> None:
    answer = asked("xla")
    assert (answer.source, answer.graph_with_time > 0) == ("programs", True)
    assert {row.reason for row in answer.missing if not row.has_time} <= {"no_work", "fused", "compiled_program", "outside_window"}
    fused = [row for row in answer.missing if row.reason == "fused"]
    assert fused
    assert all(row.into and row.evidence for row in fused)


def test_a_python_function_has_time(asked: Callable[[str], Coverage]) -> None:
    answer = asked("python_and_custom")
    assert without_time(answer) == {"given": ("fed", "_arg_given_0_0")}
    assert {row.name: row.reason for row in answer.missing if row.has_time}["in_python"] == "python_function"


def test_an_operator_that_was_compiled_for_it_has_time_and_memory(ran: tuple[Path, Any], asked: Callable[[str], Coverage]) -> None:
    if not ran[1]["custom_operator"]:
        pytest.skip("needs g++ and TensorFlow's headers")
    answer = asked("python_and_custom")
    assert answer.in_graph == 8
    assert "own_op" not in {row.name for row in answer.missing}  # its output is allocated by TensorFlow


def test_torch_says_whether_memory_was_recorded(asked: Callable[[str], Coverage]) -> None:
    with_memory, plain = asked("torch/memory"), asked("torch/plain")
    assert (with_memory.source, with_memory.with_time == with_memory.operations, plain.with_memory) == ("trace", True, 0)
    assert with_memory.with_memory > 0
    assert {one.reason for one in with_memory.memory_reasons} == {"allocates_nothing"}
    assert {one.reason for one in plain.memory_reasons} == {"memory_not_recorded"}


def test_a_jitted_function_of_jax(asked: Callable[[str], Coverage]) -> None:
    answer = asked("jax")
    assert (answer.source, answer.graph_with_time > 0) == ("programs", True)
    reasons = {row.op: row.reason for row in answer.missing if not row.has_time and row.reason != "outside_window"}
    assert (reasons["parameter"], reasons["tanh"]) == ("no_work", "fused")


def test_nodes_of_a_graph_whose_code_ran_eagerly(asked: Callable[[str], Coverage]) -> None:
    answer = asked("eager_graph")
    found = {row.op: row.reason for row in answer.missing if not row.has_time}
    assert (answer.source, answer.graph_with_time) == ("graph", 0)
    assert {op: found[op] for op in ("Placeholder", "Const", "MatMul", "Relu", "Sum")} == {
        "Placeholder": "no_work",
        "Const": "no_work",
        "MatMul": "eager",
        "Relu": "eager",
        "Sum": "eager",
    }


def test_a_tracer_that_records_python_alone(asked: Callable[[str], Coverage]) -> None:
    answer = asked("jax_low")
    assert (answer.source, answer.with_time) == ("programs", 0)
    assert {row.reason for row in answer.missing} == {"tracer_level"}


def test_a_model_that_torch_has_compiled(asked: Callable[[str], Coverage]) -> None:
    answer = asked("torch_compiled")
    assert (answer.source, answer.with_time, answer.with_memory) == ("trace", answer.operations, 0)
    assert {one.reason for one in answer.memory_reasons} == {"memory_not_recorded"}
    names = {row.name for row in answer.missing}
    assert any(name.startswith("Torch-Compiled Region") for name in names)
    assert "aten::relu" not in names  # its work is in a kernel that the compiler made


def test_two_processes_and_one_of_them_alone(asked: Callable[[str], Coverage]) -> None:
    both, alone = asked("two_processes/both"), asked("two_processes/alone")
    assert (both.missing_ranks, alone.missing_ranks) == ([], [1])
    for answer in (both, alone):
        communication = {row.name for row in answer.missing if row.reason == "communication"}
        assert any("all_reduce" in name or "allreduce" in name for name in communication)
        assert all(row.has_time for row in answer.missing if row.name in communication)
