"""What compiled programs do, counted here and by JAX itself."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from event_bytes import message
from stepscope._native import read_hlo
from stepscope.analyses.programs.text import instruction_text
from stepscope.model.hlo import HloProgram

pytestmark = pytest.mark.peers
CASES = (
    "dot", "batched dot", "convolution", "strided convolution", "dilated convolution", "transposed convolution", "grouped convolution",
    "elementwise", "transcendental", "reduction", "softmax", "gradient",
)  # fmt: skip


@pytest.fixture(scope="module")
def compiled(run_in_peers: Callable[..., Any]) -> Any:
    return run_in_peers(Path(__file__).parent / "hlo_of_jax.py")


def program_of(answer: dict[str, Any]) -> HloProgram:
    return HloProgram(**read_hlo(message(1, base64.b64decode(answer["module"]))))


def entry_sum(program: HloProgram, column: np.ndarray) -> float:
    return float(column[program.computation_first[program.entry] : program.computation_last[program.entry]].sum())


@pytest.mark.parametrize("name", CASES)
def test_arithmetic_and_bytes_are_those_of_jax(compiled: Any, name: str) -> None:
    answer, program = compiled[name], program_of(compiled[name])
    assert answer["flops"] + answer["transcendentals"] > 0
    assert entry_sum(program, program.flops) == answer["flops"]
    assert entry_sum(program, program.transcendentals) == answer["transcendentals"]
    assert entry_sum(program, program.bytes) == answer["bytes"]


def test_a_loop_of_seven_rounds_counts_seven_times(compiled: Any) -> None:
    # JAX counts it once; the compiler knows the number of rounds.
    program = program_of(compiled["loop"])
    assert entry_sum(program, program.flops) >= 7 * 2 * 16**3


def test_the_text_names_what_the_text_of_jax_names(compiled: Any) -> None:
    program = program_of(compiled["gradient"])
    for row in program.rows_of(program.entry):
        ours = instruction_text(program, row)
        assert ours.split(" = ", 1)[0] in compiled["gradient"]["text"]
        for operand in program.operands(row):
            assert f"%{program.text(program.instruction_name, operand)}" in ours
