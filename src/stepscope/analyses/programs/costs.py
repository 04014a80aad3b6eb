"""Arithmetic and bytes that compiled programs say of operations: which instruction an operation is, and what one execution costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stepscope.analyses.programs.categories import CONTAINERS
from stepscope.analyses.programs.text import shape_text
from stepscope.analyses.work.operation_costs import HLO, OperationCosts, recorded_costs
from stepscope.model.hlo import CostDoubt, HloProgram
from stepscope.model.profile import NONE, Operation, Profile

_OPERANDS_SHOWN = 8


class InstructionFinder:
    """From an operation to its instruction."""

    def __init__(self, programs: Sequence[HloProgram]) -> None:
        self._by_name = {program.name: program for program in programs}
        plain: dict[str, list[HloProgram]] = {}
        for program in programs:
            plain.setdefault(program.name.rsplit("(", 1)[0], []).append(program)
        self._by_plain_name = {name: found[0] for name, found in plain.items() if len(found) == 1}
        self._rows: dict[int, dict[str, int]] = {}

    def __call__(self, op: Operation) -> tuple[HloProgram | None, int]:
        """The program and the row in it; none when the operation is of no program, or of several."""
        program = self._by_name.get(op.program) or self._by_plain_name.get(op.program.rsplit("(", 1)[0])
        if program is not None:
            row = self._row(program, op.name)
            return (program, row) if row != NONE else (None, NONE)
        # TPU files name no program on an operation; its name may still be one program's alone.
        there = [] if op.program else [(each, row) for each in self._by_name.values() if (row := self._row(each, op.name)) != NONE]
        return there[0] if len(there) == 1 else (None, NONE)

    def _row(self, program: HloProgram, name: str) -> int:
        rows = self._rows.get(id(program))
        if rows is None:
            rows = {program.text(program.instruction_name, row): row for row in reversed(range(len(program)))}
            rows |= {program.text(program.instruction_name, row): row for row in program.rows_of(program.entry)}
            self._rows[id(program)] = rows
        plain = name.removeprefix("%")
        return rows.get(plain, rows.get(plain.rsplit("::", 1)[-1], NONE))


def counted(program: HloProgram, row: int) -> tuple[float | None, float]:
    """FLOPs and bytes of one execution; of a library call that nothing is known of, no FLOPs."""
    flops = float(program.flops[row])
    unknown = CostDoubt(int(program.doubts[row])) & CostDoubt.UNKNOWN and not flops
    return None if unknown else flops, float(program.bytes[row])


def holds_others(program: HloProgram, row: int, seen: set[tuple[int, int]]) -> bool:
    """Whether it is a loop or a call of instructions that were measured themselves, by program and row: its costs are theirs."""
    return program.text(program.opcode, row) in CONTAINERS and any(
        (id(program), each) in seen for called in program.calls(row) for each in program.rows_of(called)
    )


def operation_costs(profile: Profile, programs: Sequence[HloProgram]) -> OperationCosts:
    """What the file says of operations, else what their instructions cost; per execution, however many kernels that takes."""
    known = recorded_costs(profile)
    if not programs:
        return known
    flops, accessed = known.flops.copy(), known.bytes.copy()
    flops_from, bytes_from = list(known.flops_from), list(known.bytes_from)
    find = InstructionFinder(programs)
    used = np.bincount(profile.spans.op[profile.spans.op >= 0], minlength=len(profile.ops)) > 0
    places = [find(op) if used[at] and (op.program or op.category) else (None, NONE) for at, op in enumerate(profile.ops)]
    seen = {(id(program), row) for program, row in places if program is not None}
    inputs: dict[int, str] = {}
    outputs: dict[int, str] = {}
    for at, (program, row) in enumerate(places):
        if program is None:
            continue
        inputs[at] = "; ".join(shape_text(program, operand) for operand in program.operands(row)[:_OPERANDS_SHOWN])
        outputs[at] = shape_text(program, row)
        if holds_others(program, row, seen):
            flops[at] = accessed[at] = np.nan
            flops_from[at] = bytes_from[at] = ""
            continue
        of_program, bytes_of_program = counted(program, row)
        if np.isnan(flops[at]) and of_program is not None:
            flops[at], flops_from[at] = of_program, HLO
        if np.isnan(accessed[at]):
            accessed[at], bytes_from[at] = bytes_of_program, HLO
    return OperationCosts(flops, accessed, tuple(flops_from), tuple(bytes_from), inputs, outputs)
