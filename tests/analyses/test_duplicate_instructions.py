"""Programs with work that is done twice or for nobody, and programs that only look so."""

from __future__ import annotations

from pathlib import Path

import pytest

import hlo_bytes as hb
from opened_profiles import open_profile
from stepscope._native import read_hlo
from stepscope.analyses.programs import duplicate_instructions
from stepscope.analyses.programs.duplicate_instructions import Superfluous, superfluous
from stepscope.formats.programs import read_programs
from stepscope.model.hlo import HloProgram

CAPTURE = Path(__file__).resolve().parents[1] / "formats" / "xplane" / "captures" / "jax.xplane.pb"
ROW = hb.shape(hb.F32, 8)


def program_of(*instructions: bytes, root: int, others: tuple[bytes, ...] = ()) -> HloProgram:
    entry = hb.computation(1, root, hb.parameter(1, 0, ROW), hb.parameter(2, 1, ROW), *instructions, name="main")
    return HloProgram(**read_hlo(hb.program(*others, entry, entry=1)))


def names(program: HloProgram, found: Superfluous | None) -> tuple[dict[str, str], list[str]]:
    assert found is not None
    text = [program.text(program.instruction_name, row) for row in range(len(program))]
    return {text[row]: text[first] for row, first in found.again.items()}, [text[row] for row in found.unused]


def test_the_same_of_the_same_is_found_through_others() -> None:
    program = program_of(
        hb.instruction(3, "add", ROW, operands=(1, 2)),
        hb.instruction(4, "add", ROW, operands=(1, 2)),
        hb.instruction(5, "exponential", ROW, operands=(3,)),
        hb.instruction(6, "exponential", ROW, operands=(4,)),
        hb.instruction(7, "multiply", ROW, operands=(5, 6)),
        root=7,
    )
    assert names(program, superfluous(program)) == ({"add.4": "add.3", "exponential.6": "exponential.5"}, [])


def test_other_operands_settings_or_shapes_are_other_work() -> None:
    program = program_of(
        hb.instruction(3, "subtract", ROW, operands=(1, 2)),
        hb.instruction(4, "subtract", ROW, operands=(2, 1)),
        hb.instruction(5, "convert", hb.shape(hb.BF16, 8), operands=(1,)),
        hb.instruction(6, "convert", ROW, operands=(1,)),
        hb.instruction(7, "tuple", hb.tuple_shape(ROW, ROW, hb.shape(hb.BF16, 8), ROW), operands=(3, 4, 5, 6)),
        root=7,
    )
    assert names(program, superfluous(program)) == ({}, [])


def held(number: int, operand: int) -> bytes:
    return hb.instruction(number, "negate", ROW, operands=(operand,))


def fused(number: int, opcode: str) -> bytes:
    first = 10 * number
    inside = hb.instruction(first + 1, opcode, ROW, operands=(first,))
    return hb.computation(number, first + 1, hb.parameter(first, 0, ROW), inside, name=f"fused.{number}")


@pytest.mark.parametrize(("second", "again"), [("negate", {"fusion.4": "fusion.3"}), ("exponential", {})])
def test_fusions_go_by_what_they_hold(second: str, again: dict[str, str]) -> None:
    program = program_of(
        hb.instruction(3, "fusion", ROW, operands=(1,), calls=(5,)),
        hb.instruction(4, "fusion", ROW, operands=(1,), calls=(6,)),
        hb.instruction(7, "add", ROW, operands=(3, 4)),
        root=7,
        others=(fused(5, "negate"), fused(6, second)),
    )
    assert names(program, superfluous(program))[0] == again


def test_constants_of_unknown_value_are_not_the_same() -> None:
    inside = [
        hb.computation(number, 10 * number + 1, hb.instruction(10 * number, "constant", ROW), held(10 * number + 1, 10 * number))
        for number in (5, 6)
    ]
    program = program_of(
        hb.instruction(3, "fusion", ROW, calls=(5,)),
        hb.instruction(4, "fusion", ROW, calls=(6,)),
        hb.instruction(7, "add", ROW, operands=(3, 4)),
        root=7,
        others=(inside[0], inside[1]),
    )
    assert names(program, superfluous(program))[0] == {}


@pytest.mark.parametrize("opcode", ["rng-bit-generator", "all-reduce", "custom-call", "infeed", "parameter"])
def test_what_does_more_than_compute_is_never_superfluous(opcode: str) -> None:
    program = program_of(
        hb.instruction(3, opcode, ROW, operands=(1,)),
        hb.instruction(4, opcode, ROW, operands=(1,)),
        hb.instruction(5, opcode, ROW, operands=(2,)),
        hb.instruction(7, "add", ROW, operands=(3, 4)),
        root=7,
    )
    assert names(program, superfluous(program)) == ({}, [])


def test_what_nobody_uses_is_found() -> None:
    program = program_of(hb.instruction(3, "add", ROW, operands=(1, 2)), hb.instruction(4, "multiply", ROW, operands=(1, 2)), root=4)
    assert names(program, superfluous(program)) == ({}, ["add.3"])


def test_what_is_cut_or_too_large_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    program = program_of(hb.instruction(3, "add", ROW, operands=(1, 2)), root=3)
    monkeypatch.setattr(duplicate_instructions, "MOST_INSTRUCTIONS", 2)
    assert superfluous(program) is None


def test_a_program_that_xla_has_made_has_nothing_to_spare() -> None:
    programs, _ = read_programs(open_profile(str(CAPTURE))[0])
    assert programs
    assert [names(program, superfluous(program)) for program in programs] == [({}, [])] * len(programs)
