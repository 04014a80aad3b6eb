"""The text of compiled programs as XLA writes it: short for reading, long with layouts, origins and settings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stepscope.model.hlo import HloProgram
from stepscope.model.profile import NONE

_LAYOUT = re.compile(r"\{[^{}]*\}")
_CARRIERS = frozenset({"parameter", "constant", "bitcast", "tuple", "get-tuple-element"})


def shape_text(program: HloProgram, row: int, *, long: bool = False) -> str:
    """Such as f32[8,128]; long with the layout."""
    whole = program.text(program.shape, row)
    return whole if long else _LAYOUT.sub("", whole)


def instruction_text(program: HloProgram, row: int, *, long: bool = False) -> str:
    """One line. Long with operands' shapes, layouts, metadata and the backend's settings."""
    name = program.text(program.instruction_name, row)
    opcode = program.text(program.opcode, row)
    operands = [_operand(program, each, long) for each in program.operands(row)]
    inside = ", ".join(operands) or program.text(program.literal, row) or ("{...}" if opcode == "constant" else "")
    parts = [f"%{name} = {shape_text(program, row, long=long)} {opcode}({inside})"]
    parts += [text for text in (program.text(program.attributes, row),) if text]
    if long:
        parts += [text for text in (_metadata(program, row), _settings(program, row)) if text]
    return ", ".join(parts)


def computation_lines(program: HloProgram, computation: int, *, long: bool = False) -> Iterator[str]:
    """A computation with braces, one instruction a line."""
    first = "ENTRY " if computation == program.entry else ""
    yield f"{first}%{program.texts[int(program.computation_name[computation])]} {{"
    root = int(program.computation_root[computation])
    for row in program.rows_of(computation):
        yield f"  {'ROOT ' if row == root else ''}{instruction_text(program, row, long=long)}"
    yield "}"


def program_lines(program: HloProgram, *, long: bool = False) -> Iterator[str]:
    """The whole program, in the order of the file: what is called comes before what calls it."""
    yield f"HloModule {program.name}"
    for computation in range(len(program.computation_name)):
        yield ""
        yield from computation_lines(program, computation, long=long)


def op_lines(program: HloProgram, row: int, *, long: bool = False) -> Iterator[str]:
    """An instruction, and below it the computations that it calls."""
    yield instruction_text(program, row, long=long)
    for computation in program.calls(row):
        yield ""
        yield from computation_lines(program, computation, long=long)


def fusion_contents(program: HloProgram, row: int) -> list[int]:
    """The instructions inside a fusion that do something: not those that only carry values."""
    if program.text(program.opcode, row) != "fusion":
        return []
    return [
        each for called in program.calls(row) for each in program.rows_of(called) if program.text(program.opcode, each) not in _CARRIERS
    ]


def _operand(program: HloProgram, row: int, long: bool) -> str:
    name = f"%{program.text(program.instruction_name, row)}"
    return f"{shape_text(program, row, long=True)} {name}" if long else name


def _metadata(program: HloProgram, row: int) -> str:
    line = int(program.source_line[row])
    facts = [
        ("op_type", program.text(program.op_type, row)),
        ("op_name", program.text(program.op_name, row)),
        ("source_file", program.text(program.source_file, row)),
    ]
    texts = [f'{key}="{value}"' for key, value in facts if value]
    if line > 0:
        texts.append(f"source_line={line}")
    return f"metadata={{{' '.join(texts)}}}" if texts else ""


def _settings(program: HloProgram, row: int) -> str:
    config = program.text(program.backend_config, row)
    return f"backend_config={config}" if config else ""


def find_op(program: HloProgram, name: str) -> int:
    """The row of an operation as profiles name it: with or without %, the innermost of a::b; NONE when it is not there."""
    row = program.find(name)
    return row if row != NONE or "::" not in name else program.find(name.rsplit("::", 1)[1])
