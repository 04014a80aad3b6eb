"""Which instructions of a compiled program have time in a profile, and why the others have not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stepscope.analyses.coverage.coverage import Covered
from stepscope.analyses.coverage.reasons import Reason
from stepscope.analyses.graphs.node_times import NodeTime
from stepscope.model.hlo import HloProgram

_NO_WORK = frozenset({"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all", "partition-id", "replica-id"})


def program_coverage(program: HloProgram, times: Sequence[NodeTime]) -> list[Covered]:
    """The instructions of the entry computation, and of what it calls."""
    by_name = {one.name: one for one in times if one.program == program.name}
    callers = _callers(program)
    any_memory = any(one.has_memory for one in times)
    return [_covered(program, row, by_name, callers, any_memory) for row in range(len(program))]


def _callers(program: HloProgram) -> dict[int, int]:
    """Of each computation, an instruction that calls it."""
    return {computation: row for row in range(len(program)) for computation in program.calls(row)}


def _covered(program: HloProgram, row: int, times: Mapping[str, NodeTime], callers: Mapping[int, int], any_memory: bool) -> Covered:
    name, opcode = program.text(program.instruction_name, row), program.text(program.opcode, row)
    whole = f"{program.name}/{name}"
    computation = int(program.computation[row])
    time = times.get(name) if computation == program.entry or computation in callers else None
    if time is not None:
        memory = None if time.has_memory else Reason.ALLOCATES_NOTHING if any_memory else Reason.MEMORY_NOT_RECORDED
        return Covered(whole, opcode, True, time, None, memory)
    reason, into, evidence = _reason(program, row, opcode, times, callers)
    return Covered(whole, opcode, True, None, reason, reason, into, evidence)


def _reason(
    program: HloProgram, row: int, opcode: str, times: Mapping[str, NodeTime], callers: Mapping[int, int]
) -> tuple[Reason, str, str]:
    if not times:
        return Reason.OUTSIDE_WINDOW, "", f"no instruction of {program.name} has an event"
    if opcode in _NO_WORK:
        return Reason.NO_WORK, "", f"{opcode} runs nothing"
    computation = int(program.computation[row])
    if computation != program.entry and computation in callers:
        caller = callers[computation]
        name, kind = program.text(program.instruction_name, caller), program.text(program.opcode, caller)
        evidence = f"{kind} {name} runs the computation that it is in"
        return (Reason.FUSED if kind == "fusion" else Reason.COMPILED_PROGRAM), name, evidence
    return Reason.COMPILED_PROGRAM, program.name, f"{program.name} ran, and recorded no event of it"
