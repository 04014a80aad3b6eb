"""Reads the memory plans of the compiled programs of an XSpace file, when somebody asks for them."""

from __future__ import annotations

from stepscope.formats.file_content import read_content
from stepscope.formats.format import Limits
from stepscope.formats.xplane.programs import MOST_BYTES
from stepscope.model.profile import NONE, Note, Profile
from stepscope.model.program_buffers import BufferUse, HeapAction, HeapEvent, PlannedAllocation, PlannedBuffer, ProgramBuffers
from stepscope.model.protobuf_fields import BadMessage, Field, fields

MOST_ROWS = 500_000
"""Buffers, allocations and events of one program: Python walks them one by one."""

_MODULE, _ASSIGNMENT = 1, 3
_COMPUTATIONS, _INSTRUCTIONS, _NAME, _ID = 3, 2, 1, 35
_BUFFERS, _ALLOCATIONS, _TRACES = 1, 3, 4


def read_plans(profile: Profile, limits: Limits) -> tuple[list[ProgramBuffers], list[Note]]:
    """The plans of all programs that have one, in the file's order. Raises BadInput as `read` does."""
    content = read_content(profile.path, limits)
    found: list[ProgramBuffers] = []
    notes: list[Note] = []
    for program in profile.programs:
        data = bytes(content[program.offset : program.offset + min(program.length, MOST_BYTES)])
        try:
            read = buffers_of(program.name, data)
        except BadMessage:
            notes.append(Note("warning", "damaged_hlo", f"The memory plan of {program.name} is corrupt and skipped."))
            continue
        if read.allocations:
            found.append(read)
    return found, notes


def buffers_of(name: str, data: bytes) -> ProgramBuffers:
    """The plan in a serialised HloProto. Raises BadMessage when it is damaged or has too many rows."""
    module, assignment = b"", b""
    for one in fields(data):
        if one.id == _MODULE:
            module = one.data
        elif one.id == _ASSIGNMENT:
            assignment = one.data
    plan = ProgramBuffers(name, {}, [], [])
    if not assignment:
        return plan
    names = _instruction_names(module)
    left = MOST_ROWS
    for one in fields(assignment):
        left -= 1
        if one.id == _BUFFERS:
            _add_buffer(plan, one, names)
        elif one.id == _ALLOCATIONS:
            plan.allocations.append(_allocation(one))
        elif one.id == _TRACES:
            plan.plans.append([_event(inner) for inner in fields(one.data) if inner.id == 1][:left])
            left -= len(plan.plans[-1])
        if left <= 0:
            raise BadMessage("there are too many buffers")
    return plan


def _instruction_names(module: bytes) -> dict[int, str]:
    """Buffers refer to instructions by number; older files also by name."""
    names: dict[int, str] = {}
    for computation in fields(module):
        if computation.id != _COMPUTATIONS:
            continue
        for instruction in fields(computation.data):
            if instruction.id != _INSTRUCTIONS or not instruction.is_bytes:
                continue
            name, number = "", NONE
            for one in fields(instruction.data):
                if one.id == _NAME:
                    name = one.text
                elif one.id == _ID:
                    number = one.number
            names[number] = name
    return names


def _add_buffer(plan: ProgramBuffers, message: Field, names: dict[int, str]) -> None:
    number = size = 0
    instruction = ""
    for one in fields(message.data):
        if one.id == 1:
            number = one.signed
        elif one.id == 2:
            size = max(0, one.signed)
        elif one.id == 3:
            place = {inner.id: inner for inner in fields(one.data)}
            by_number = names.get(place[4].number, "") if 4 in place else ""
            instruction = place[2].text if 2 in place and place[2].data else by_number
    plan.buffers[number] = PlannedBuffer(size, instruction)


def _allocation(message: Field) -> PlannedAllocation:
    flags = {one.id: one.signed for one in fields(message.data) if not one.is_bytes}
    parameter, live_out = bool(flags.get(5)), bool(flags.get(7))
    uses = (
        (bool(flags.get(3)), BufferUse.THREAD_LOCAL),
        (bool(flags.get(12)), BufferUse.CONSTANT),
        (parameter, BufferUse.PARAMETER),
        (live_out, BufferUse.OUTPUT),
    )
    use = next((use for holds, use in uses if holds), BufferUse.TEMPORARY)
    return PlannedAllocation(flags.get(1, 0), max(0, flags.get(2, 0)), use, parameter and live_out)


def _event(message: Field) -> HeapEvent:
    found = {one.id: one for one in fields(message.data)}
    kind = found[1].number if 1 in found else 0
    action = HeapAction(kind) if kind in list(HeapAction) else HeapAction.GIVE_BACK
    return HeapEvent(
        action,
        found[2].signed if 2 in found else NONE,
        found[5].signed if 5 in found else NONE,
        found[4].text if 4 in found else "",
    )
