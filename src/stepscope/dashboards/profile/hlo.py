"""Compiled XLA programs on the Profile tab: a table and a tree of their operations, and one operation with what is around it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Annotated

from msgspec import Meta, Struct

from stepscope.analyses.programs.hlo import HloBy, HloRow, hlo_rows, peak_notes
from stepscope.analyses.programs.neighbourhood import neighbourhood
from stepscope.analyses.programs.text import find_op, instruction_text, op_lines, shape_text
from stepscope.analyses.programs.tree import HloNode, hlo_tree
from stepscope.dashboards.profile.messages import RangeText, ReadingRow, SessionText, StepsText, WorkerText
from stepscope.model.errors import NotThere
from stepscope.model.hlo import CostDoubt, HloProgram
from stepscope.model.profile import Note, Profile

MOST_ROWS = 20_000
MOST_LINES = 2_000
_US = 1e3

NameText = Annotated[str, Meta(max_length=20_000)]


class HloRequest(Struct, frozen=True):
    """Which session and worker (none: the first), and what makes a row."""

    session: SessionText
    worker: WorkerText = ""
    steps: StepsText = ""
    range: RangeText = ""
    by: HloBy = HloBy.OP


class HloTreeRequest(Struct, frozen=True):
    """Which session and worker (none: the first), and whether what wastes most comes first."""

    session: SessionText
    worker: WorkerText = ""
    steps: StepsText = ""
    range: RangeText = ""
    waste: bool = False


class HloOpRequest(Struct, frozen=True):
    """Which operation of which program, how far around it to go, and whether with layouts, origins and settings."""

    session: SessionText
    program: NameText
    op: NameText
    worker: WorkerText = ""
    width: Annotated[int, Meta(ge=0, le=10)] = 2
    long: bool = False


class HloLine(Struct, frozen=True):
    """One row of the table: arithmetic and bytes in sum over all executions; what is unknown is null."""

    name: str
    program: str
    category: str
    opcode: str
    shape: str
    text: str
    framework_op: str
    source: str
    devices: list[str]
    count: int
    kernels: int
    total_us: float
    self_us: float
    average_us: float
    min_us: float
    max_us: float
    share: float
    cumulative: float
    flops: float | None
    bytes: float | None
    flops_per_second: float | None
    bytes_per_second: float | None
    flops_per_byte: float | None
    of_peak_flops: float | None
    of_peak_bandwidth: float | None
    implausible_peak: bool
    bound_by: str
    wasted_us: float | None
    rematerialised: bool
    fused_instructions: int
    doubts: list[str]
    has_text: bool


class HloAnswer(Struct, frozen=True):
    """Most self time first, or how far reading has come; `total` rows there are, of which at most 20,000 are sent."""

    epoch: int
    reading: ReadingRow | None
    rows: list[HloLine] | None
    total: int
    notes: list[str]


class HloTreeLine(Struct, frozen=True):
    """A node of the tree; those below it follow it and are deeper. Inside a fusion nothing is timed, and times are null."""

    depth: int
    kind: str
    name: str
    program: str
    text: str
    count: int
    time_us: float | None
    share: float | None
    wasted_us: float | None
    flops: float | None
    bytes: float | None
    of_peak_flops: float | None
    of_peak_bandwidth: float | None
    bound_by: str


class HloTreeAnswer(Struct, frozen=True):
    """The tree from its roots down, or how far reading has come; `total` nodes there are, of which at most 20,000 are sent."""

    epoch: int
    reading: ReadingRow | None
    nodes: list[HloTreeLine] | None
    total: int
    notes: list[str]


class HloNeighbour(Struct, frozen=True):
    """An instruction; `distance` is negative towards operands."""

    name: str
    opcode: str
    shape: str
    text: str
    distance: int
    flops: float | None
    bytes: float | None


class HloOpDetail(Struct, frozen=True):
    """One operation: its text with what it calls, and the instructions around it, nearest first, with edges between their names."""

    program: str
    op: str
    text: str
    text_cut: bool
    framework_op: str
    source: str
    neighbours: list[HloNeighbour]
    edges: list[tuple[str, str]]
    cut: bool


class HloOpAnswer(Struct, frozen=True):
    """The operation, or how far reading has come."""

    epoch: int
    reading: ReadingRow | None
    op: HloOpDetail | None


Programs = tuple[list[HloProgram], list[Note]]


def hlo_lines(profile: Profile, programs: Programs, by: HloBy) -> tuple[list[HloLine], int, list[str]]:
    """Rows of the table, how many there are, and what must be said of them."""
    rows = hlo_rows(profile, programs[0], by)
    return [_line(row) for row in rows[:MOST_ROWS]], len(rows), [*(note.text for note in programs[1]), *peak_notes(rows)]


def hlo_tree_lines(profile: Profile, programs: Programs, waste: bool) -> tuple[list[HloTreeLine], int, list[str]]:
    """Nodes from the roots down, how many there are, and what must be said of them."""
    rows = hlo_rows(profile, programs[0])
    nodes = list(_flat(hlo_tree(rows, programs[0], by_waste=waste), 0, ""))
    return nodes[:MOST_ROWS], len(nodes), [*(note.text for note in programs[1]), *peak_notes(rows)]


def hlo_op_detail(programs: Sequence[HloProgram], request: HloOpRequest) -> HloOpDetail:
    """One operation with its text and neighbours. Raises NotThere."""
    program = next((each for each in programs if each.name == request.program), None)
    row = -1 if program is None else find_op(program, request.op)
    if program is None or row < 0:
        raise NotThere(f"The recording has no operation {request.op} in a program {request.program}.", "unknown_hlo_op")
    around = neighbourhood(program, row, request.width)
    lines = list(islice(op_lines(program, row, long=request.long), MOST_LINES + 1))

    def name(each: int) -> str:
        return program.text(program.instruction_name, each)

    return HloOpDetail(
        program=program.name,
        op=name(row),
        text="\n".join(lines[:MOST_LINES]),
        text_cut=len(lines) > MOST_LINES,
        framework_op=program.text(program.op_name, row),
        source=program.source(row),
        neighbours=[
            HloNeighbour(
                name=name(node.row),
                opcode=program.text(program.opcode, node.row),
                shape=shape_text(program, node.row),
                text=instruction_text(program, node.row),
                distance=node.distance,
                flops=_known(float(program.flops[node.row])),
                bytes=_known(float(program.bytes[node.row])),
            )
            for node in around.nodes
        ],
        edges=[(name(source), name(target)) for source, target in around.edges],
        cut=around.cut,
    )


def _line(row: HloRow) -> HloLine:
    return HloLine(
        name=row.name,
        program=row.program,
        category=row.category,
        opcode=row.opcode,
        shape=row.shape,
        text=row.text,
        framework_op=row.framework_op,
        source=row.source,
        devices=list(row.devices),
        count=row.count,
        kernels=row.spans,
        total_us=row.total_ns / _US,
        self_us=row.self_ns / _US,
        average_us=row.average_ns / _US,
        min_us=row.min_ns / _US,
        max_us=row.max_ns / _US,
        share=row.share,
        cumulative=row.cumulative,
        flops=_known(row.flops),
        bytes=_known(row.bytes),
        flops_per_second=_known(row.flops_per_second),
        bytes_per_second=_known(row.bytes_per_second),
        flops_per_byte=_known(row.intensity),
        of_peak_flops=_known(row.compute_use),
        of_peak_bandwidth=_known(row.memory_use),
        implausible_peak=row.implausible,
        bound_by=row.bound_by,
        wasted_us=None if row.wasted_ns is None else row.wasted_ns / _US,
        rematerialised=row.rematerialised,
        fused_instructions=row.fused,
        doubts=[doubt.name.lower() for doubt in CostDoubt if doubt in row.doubts and doubt.name],
        has_text=row.row >= 0,
    )


def _flat(nodes: Sequence[HloNode], depth: int, program: str) -> Iterator[HloTreeLine]:
    for node in nodes:
        mine = node.name if node.kind == "program" else program
        yield HloTreeLine(
            depth=depth,
            kind=node.kind,
            name=node.name,
            program=mine,
            text=node.text,
            count=node.count,
            time_us=None if node.time_ns is None else node.time_ns / _US,
            share=node.share,
            wasted_us=None if node.wasted_ns is None else node.wasted_ns / _US,
            flops=_known(node.flops),
            bytes=_known(node.bytes),
            of_peak_flops=_known(node.compute_use),
            of_peak_bandwidth=_known(node.memory_use),
            bound_by=node.bound_by,
        )
        yield from _flat(node.children, depth + 1, mine)


def _known(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None
