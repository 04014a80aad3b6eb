"""Which instructions of a compiled program have time in a profile, and why the others have not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stepscope.analyses.coverage.coverage import Covered
from stepscope.analyses.coverage.reasons import Reason
from stepscope.analyses.graphs.node_times import NodeTime
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Profile
from stepscope.model.span_names import NameRole

_COMMAND_BUFFER = "command_buffer"
"""How XLA names the computations that it records as CUDA graphs."""
_CUSTOM_CALL = "custom-call"
_NO_WORK = frozenset({"parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all", "partition-id", "replica-id"})


def called_functions(profiles: Sequence[Profile]) -> frozenset[str]:
    """Compiled functions that the traces have calls of."""
    carried = (profile.name_rules.carried(NameRole.JAX_FUNCTION, name) for profile in profiles for name in profile.names)
    return frozenset(name for found in carried if found is not None for name in found)


@dataclass(frozen=True, slots=True)
class _Reading:
    program: HloProgram
    times: Mapping[str, NodeTime]
    """Of the instructions of this program, by name."""
    callers: Mapping[int, int]
    """Of each computation, an instruction that calls it."""
    readers: Mapping[int, int]
    """Of each instruction, one that reads it."""
    any_memory: bool
    ran: bool


def program_coverage(program: HloProgram, times: Sequence[NodeTime], *, ran: bool = False) -> list[Covered]:
    """The instructions of the entry computation, and of what it calls. `ran`: it was called, or no call could be recorded."""
    by_name = {one.name: one for one in times if one.program == program.name}
    callers = {computation: row for row in range(len(program)) for computation in program.calls(row)}
    readers = {operand: row for row in range(len(program)) for operand in program.operands(row)}
    reading = _Reading(program, by_name, callers, readers, any(one.has_memory for one in times), ran)
    return [_covered(reading, row) for row in range(len(program))]


def _covered(reading: _Reading, row: int) -> Covered:
    program, callers = reading.program, reading.callers
    name, opcode = program.text(program.instruction_name, row), program.text(program.opcode, row)
    whole = f"{program.name}/{name}"
    computation = int(program.computation[row])
    time = reading.times.get(name) if computation == program.entry or computation in callers else None
    if time is not None:
        return Covered(whole, opcode, True, time, None, _memory_reason(time, opcode, reading.any_memory))
    reason, into, evidence = _reason(reading, row, opcode)
    return Covered(whole, opcode, True, None, reason, reason, into, evidence)


def _memory_reason(time: NodeTime, opcode: str, any_memory: bool) -> Reason | None:
    if time.has_memory:
        return None
    if opcode == _CUSTOM_CALL:
        return Reason.EXTERNAL
    return Reason.ALLOCATES_NOTHING if any_memory else Reason.MEMORY_NOT_RECORDED


def _reason(reading: _Reading, row: int, opcode: str) -> tuple[Reason, str, str]:
    program = reading.program
    if not reading.times and reading.ran:
        return (
            Reason.TRACER_LEVEL,
            "",
            f"no instruction of {program.name} has an event, and no other event shows whether it ran",
        )
    if not reading.times:
        return Reason.OUTSIDE_WINDOW, "", f"no instruction of {program.name} has an event"
    if opcode in _NO_WORK:
        return Reason.NO_WORK, "", f"{opcode} does no work"
    if (other := _other_end(reading, row, opcode)) is not None:
        return Reason.ASYNCHRONOUS, other, f"{opcode} returns immediately; the time is recorded for {other}"
    computation = int(program.computation[row])
    if computation != program.entry and computation in reading.callers:
        return _in_called(program, computation, reading.callers[computation])
    if opcode == _CUSTOM_CALL:
        target = program.text(program.target, row)
        return Reason.EXTERNAL, target, f"it calls {target or 'a library'}, which recorded no event"
    return Reason.COMPILED_PROGRAM, program.name, f"{program.name} ran, but has no event for it"


def _in_called(program: HloProgram, computation: int, caller: int) -> tuple[Reason, str, str]:
    name, kind = program.text(program.instruction_name, caller), program.text(program.opcode, caller)
    evidence = f"{kind} {name} runs the computation that it is in"
    if program.text(program.computation_name, computation).startswith(_COMMAND_BUFFER):
        return Reason.CUDA_GRAPH, name, f"{evidence}, as one CUDA graph"
    return (Reason.FUSED if kind == "fusion" else Reason.COMPILED_PROGRAM), name, evidence


def _other_end(reading: _Reading, row: int, opcode: str) -> str | None:
    """The timed end of work that a pair of instructions starts and awaits; None when this is none of a pair, or no end has time."""
    program = reading.program
    if opcode.endswith("-start"):
        other = reading.readers.get(row)
    elif opcode.endswith(("-done", "-update")):
        other = next(iter(program.operands(row)), None)
    else:
        return None
    if other is None:
        return None
    name = program.text(program.instruction_name, other)
    return name if name in reading.times else None
