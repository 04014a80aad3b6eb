"""The HLO text of compiled programs, and one operation with its text and the instructions around it."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.programs.neighbourhood import neighbourhood
from stepscope.analyses.programs.text import find_op, instruction_text, op_lines, program_lines, shape_text
from stepscope.model import declared as d
from stepscope.model.errors import BadInput, NotThere
from stepscope.model.hlo import HloProgram
from stepscope.session.analysed import AnalysedSession
from stepscope.session.part import Answer, Part, Wanted
from stepscope.session.parts.hlo import ProgramName, chosen_programs

_NAMED = 5
NO_PROGRAM = "No compiled XLA program in this profile; capture JAX, or a TensorFlow function with jit_compile=True."

Long = Annotated[bool, d.flag("Whether the text has layouts, origins and settings of the backend.")]
Lines = Annotated[int, Meta(ge=0, le=1 << 40, description="Most lines of text to answer; 0: all of them.")]


class HloOpWanted(Wanted, frozen=True, kw_only=True):
    """Which operation of which program, how far around it to look, and how its text is written."""

    op: Annotated[str, Meta(max_length=20_000, description="Name of the instruction.")]
    program: ProgramName = ""
    width: Annotated[int, Meta(ge=0, le=20, description="Greatest distance of instructions around it.")] = 2
    long: Long = False
    lines: Lines = 0


class HloTextWanted(Wanted, frozen=True, kw_only=True):
    """Which programs, and how their text is written."""

    program: ProgramName = ""
    long: Long = False
    lines: Lines = 0


class HloNeighbour(Struct, frozen=True, kw_only=True):
    """An instruction around the operation, or the operation itself."""

    name: Annotated[str, d.text("Name of the instruction.")]
    opcode: Annotated[str, d.text("HLO opcode.")]
    shape: Annotated[str, d.text("Shape of the result.")]
    text: Annotated[str, d.text("HLO text of the instruction.")]
    distance: Annotated[int, d.number("Distance from the operation, negative towards operands.", "edges")]
    flops: Annotated[float | None, d.number("Arithmetic of one execution; null when unknown.", "FLOP")]
    bytes: Annotated[float | None, d.size("Bytes read and written by one execution; null when unknown.")]


class HloNeighbourhood(Struct, frozen=True, kw_only=True):
    """The operation, its operands and its users."""

    nodes: Annotated[list[HloNeighbour], d.nested("Instructions, nearest first.")]
    edges: Annotated[list[tuple[str, str]], d.nested("From operand to user, by name.")]
    cut: Annotated[bool, d.flag("Whether there are more instructions than are listed.")]


class HloOp(Answer, frozen=True, kw_only=True):
    """One compiled operation."""

    program: Annotated[str, d.text("Compiled program.")]
    op: Annotated[str, d.text("Name of the instruction.")]
    text: Annotated[str, d.text("HLO text of the operation and of the computations it calls.")]
    text_cut: Annotated[bool, d.flag("Whether the text has more lines than are answered.")]
    framework_op: Annotated[str, d.text("Operation of the framework that it was compiled from; empty when unknown.")]
    source: Annotated[str, d.text("Line of source code; empty when unknown.")]
    neighbourhood: Annotated[HloNeighbourhood, d.nested("What is around it.")]


class HloProgramText(Struct, frozen=True, kw_only=True):
    """The HLO text of one program."""

    name: Annotated[str, d.text("Name of the program.")]
    text: Annotated[str, d.text("HLO text.")]
    text_cut: Annotated[bool, d.flag("Whether the text has more lines than are answered.")]


class HloText(Answer, frozen=True, kw_only=True):
    """The HLO text of compiled programs."""

    programs: Annotated[list[HloProgramText], d.nested("The programs, each once.")]


def _make_op(session: AnalysedSession, wanted: HloOpWanted) -> HloOp:
    program, row = _find(_programs(session, wanted.worker, wanted.program), wanted.op)
    text, text_cut = _text(
        list(islice(op_lines(program, row, long=wanted.long), wanted.lines + 1 if wanted.lines else None)), wanted.lines
    )
    return HloOp(
        program=program.name,
        op=program.text(program.instruction_name, row),
        text=text,
        text_cut=text_cut,
        framework_op=program.text(program.op_name, row),
        source=program.source(row),
        neighbourhood=_around(program, row, wanted.width),
    )


def _make_text(session: AnalysedSession, wanted: HloTextWanted) -> HloText:
    found: list[HloProgramText] = []
    for program in _programs(session, wanted.worker, wanted.program):
        lines = list(islice(program_lines(program, long=wanted.long), wanted.lines + 1 if wanted.lines else None))
        text, text_cut = _text(lines, wanted.lines)
        found.append(HloProgramText(name=program.name, text=text, text_cut=text_cut))
    return HloText(programs=found)


def _programs(session: AnalysedSession, worker: str, name: str) -> list[HloProgram]:
    """Those of all workers, each name once."""
    found = chosen_programs(session, worker, name)
    return list({program.name: program for programs in found.values() for program in programs}.values())


def _find(programs: list[HloProgram], op: str) -> tuple[HloProgram, int]:
    if not programs:
        raise NotThere(NO_PROGRAM, "no_hlo")
    there = [(program, row) for program in programs if (row := find_op(program, op)) >= 0]
    if not there:
        raise NotThere(f"No program has an operation {op}; choose one of the table of compiled operations.", "no_hlo_op")
    if len(there) > 1:
        names = ", ".join(program.name for program, _ in there[:_NAMED])
        raise BadInput(f"Several programs have an operation {op}; choose one program: {names}.", "several_hlo_ops")
    return there[0]


def _text(lines: list[str], most: int) -> tuple[str, bool]:
    return ("\n".join(lines[:most]), len(lines) > most) if most else ("\n".join(lines), False)


def _around(program: HloProgram, row: int, width: int) -> HloNeighbourhood:
    around = neighbourhood(program, row, width)

    def name(each: int) -> str:
        return program.text(program.instruction_name, each)

    nodes = [
        HloNeighbour(
            name=name(node.row),
            opcode=program.text(program.opcode, node.row),
            shape=shape_text(program, node.row),
            text=instruction_text(program, node.row),
            distance=node.distance,
            flops=d.known(float(program.flops[node.row])),
            bytes=d.known(float(program.bytes[node.row])),
        )
        for node in around.nodes
    ]
    return HloNeighbourhood(nodes=nodes, edges=[(name(source), name(target)) for source, target in around.edges], cut=around.cut)


HLO_OP = Part("hlo_op", "A compiled operation", HloOpWanted, HloOp, _make_op)
HLO_TEXT = Part("hlo_text", "Text of compiled programs", HloTextWanted, HloText, _make_text)
