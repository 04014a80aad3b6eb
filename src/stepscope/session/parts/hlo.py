"""Operations of compiled XLA programs as a table and as a tree: what was measured of each, and what its program says it does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from stepscope.analyses.devices.peaks import Peaks
from stepscope.analyses.programs.hlo import HloBy, hlo_rows, peak_notes
from stepscope.analyses.programs.hlo import HloRow as MeasuredRow
from stepscope.analyses.programs.tree import HloNode, hlo_tree
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.model.errors import NotThere
from stepscope.model.hlo import CostDoubt, HloProgram
from stepscope.session.limits import Host, Limit, Rank, Worker, contains, limited
from stepscope.session.part import Answer, Part, Wanted

if TYPE_CHECKING:
    from stepscope.session.analysed import AnalysedSession

_NAMED = 5
"""How many programs an error names."""

ProgramName = Annotated[
    str, Meta(max_length=20_000, description="Only this program, such as `jit_step` or `jit_step(20)`; empty: all.")
]
_Peak = Annotated[float, Meta(gt=0)] | None


class _HloChoice(Wanted, frozen=True, kw_only=True):
    """Which operations are counted, and against which peaks."""

    program: ProgramName = ""
    contains: Annotated[
        str, Meta(max_length=1_000, description="Only operations whose name, framework operation or source contains this text.")
    ] = ""
    waste: Annotated[bool, d.flag("Whether the most wasted time comes first.")] = False
    peak_tflops: Annotated[_Peak, Meta(description="Peak TFLOP/s of the device, in place of what the profile records.")] = None
    peak_gbs: Annotated[_Peak, Meta(description="Memory bandwidth of the device in GB/s, in place of what the profile records.")] = None
    limit: Limit = 0


class HloWanted(_HloChoice, frozen=True, kw_only=True):
    """Which operations, what makes one row, and their order."""

    by: Annotated[HloBy, d.text("What makes one row.")] = HloBy.OP


class HloTreeWanted(_HloChoice, frozen=True, kw_only=True):
    """Which operations, and their order."""


class HloProgramRow(Struct, frozen=True, kw_only=True):
    """One compiled program."""

    name: Annotated[str, d.text("Name of the program, such as `jit_step(20)`.")]
    instructions: Annotated[int, d.count("Number of instructions.")]


class HloRow(Struct, frozen=True, kw_only=True):
    """One operation, or one group of them, over all executions on all devices of a worker."""

    name: Annotated[str, d.text("Name of the instruction, or of the group.")]
    program: Annotated[str, d.text("Compiled program; empty when several.")]
    category: Annotated[str, d.text("Category of work, such as `loop fusion`; empty when several.")]
    opcode: Annotated[str, d.text("HLO opcode; empty when several or unknown.")]
    shape: Annotated[str, d.text("Shape of the result; empty for a group.")]
    text: Annotated[str, d.text("HLO text of the instruction; empty for a group.")]
    framework_op: Annotated[str, d.text("Operation of the framework that it was compiled from; empty when several or unknown.")]
    source: Annotated[str, d.text("Line of source code; empty when several or unknown.")]
    devices: Annotated[list[str], d.nested("Devices or processes that ran it.")]
    worker: Worker
    host: Host
    rank: Rank
    count: Annotated[int, d.count("Number of executions; several kernels of one execution count once.")]
    kernels: Annotated[int, d.count("Number of kernels, or of spans on the CPU.")]
    total_us: Annotated[float, d.us("Total duration.")]
    self_us: Annotated[float, d.us("Total duration without the operations inside it.")]
    average_us: Annotated[float, d.us("Average duration of an execution.")]
    min_us: Annotated[float, d.us("Shortest execution.")]
    max_us: Annotated[float, d.us("Longest execution.")]
    share: Annotated[float, d.fraction("Share of the self time of all compiled operations of the worker.")]
    cumulative: Annotated[float, d.fraction("Share of this row and of all rows with more self time together.")]
    flops: Annotated[float | None, d.number("Arithmetic of all executions; null when unknown.", "FLOP")]
    bytes: Annotated[float | None, d.size("Bytes read and written by all executions; null when unknown.")]
    flops_per_second: Annotated[float | None, d.per_second("Arithmetic rate of one device; null when unknown.", "FLOP")]
    bytes_per_second: Annotated[float | None, d.per_second("Bandwidth of one device; null when unknown.", "B")]
    flops_per_byte: Annotated[float | None, d.number("Arithmetic intensity; null when unknown.", "FLOP/B")]
    flops_share_of_peak: Annotated[float | None, d.fraction("Share of the arithmetic peak of the device; null when unknown.")]
    bandwidth_share_of_peak: Annotated[float | None, d.fraction("Share of the memory bandwidth of the device; null when unknown.")]
    implausible_peak: Annotated[bool, d.flag("Whether it exceeds a peak, so that the peak or the count is wrong.")]
    bound_by: Annotated[str, d.text("compute, memory, communication or neither; empty when unknown.")]
    wasted_us: Annotated[float | None, d.us("Self time beyond what arithmetic or bytes need at the peaks; null when unknown.")]
    rematerialised: Annotated[bool, d.flag("Whether it is computed again to save memory.")]
    fused_instructions: Annotated[int, d.count("Number of instructions fused into it.")]
    doubts: Annotated[list[str], d.nested("What is uncertain about arithmetic and bytes: estimated, loop or unknown.")]
    has_text: Annotated[bool, d.flag("Whether its instruction is in the profile, so that `hlo_op` can show it.")]


class HloTreeNode(Struct, frozen=True, kw_only=True):
    """A program, a category in it, an operation, or an instruction inside a fusion, which is not timed."""

    depth: Annotated[int, d.number("Level in the tree, from 0.", "level")]
    kind: Annotated[str, d.text("program, category, op or inside.")]
    name: Annotated[str, d.text("Name of the program, category or instruction.")]
    program: Annotated[str, d.text("Compiled program that it belongs to.")]
    text: Annotated[str, d.text("HLO text of the instruction; empty for a program or category.")]
    worker: Worker
    host: Host
    rank: Rank
    count: Annotated[int, d.count("Number of executions.")]
    time_us: Annotated[float | None, d.us("Self time; null inside a fusion.")]
    share: Annotated[float | None, d.fraction("Share of the self time of all compiled operations of the worker; null inside a fusion.")]
    wasted_us: Annotated[float | None, d.us("Self time beyond what arithmetic or bytes need at the peaks; null when unknown.")]
    flops: Annotated[float | None, d.number("Arithmetic of all executions; null when unknown.", "FLOP")]
    bytes: Annotated[float | None, d.size("Bytes read and written by all executions; null when unknown.")]
    flops_share_of_peak: Annotated[float | None, d.fraction("Share of the arithmetic peak of the device; null when unknown.")]
    bandwidth_share_of_peak: Annotated[float | None, d.fraction("Share of the memory bandwidth of the device; null when unknown.")]
    bound_by: Annotated[str, d.text("compute, memory, communication or neither; empty when unknown.")]


class Hlo(Answer, frozen=True, kw_only=True):
    """Compiled operations as a table."""

    programs: Annotated[list[HloProgramRow], d.nested("The compiled programs in the profile.")]
    rows: Annotated[list[HloRow], d.nested("The rows, longest self time first.")]
    total: Annotated[int, d.count("Number of all rows; at most `limit` are listed.")]
    notes: Annotated[list[str], d.nested("What limits the numbers.")]


class HloTree(Answer, frozen=True, kw_only=True):
    """Compiled operations as a tree of programs, categories, operations and what is fused into them."""

    nodes: Annotated[list[HloTreeNode], d.nested("The nodes in the order of the tree, one worker after another.")]
    total: Annotated[int, d.count("Number of all nodes; at most `limit` are listed.")]
    notes: Annotated[list[str], d.nested("What limits the numbers.")]


def chosen_programs(session: AnalysedSession, worker: str, name: str) -> dict[int, list[HloProgram]]:
    """The programs of that name, or all, of each worker by its place. Raises NotThere for a name that no program has."""
    places = session.places(worker)
    found = {place: [one for one in session.programs(place)[0] if _is_named(one, name)] for place in places}
    if name and not any(found.values()):
        names = list(dict.fromkeys(one.name for place in places for one in session.programs(place)[0]))
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        there = f"it has {', '.join(names[:_NAMED])}{more}" if names else "it has no compiled programs"
        raise NotThere(f"The profile has no program {name}; {there}.", "no_hlo_program")
    return found


def _is_named(program: HloProgram, name: str) -> bool:
    return not name or name in (program.name, program.name.rsplit("(", 1)[0])


def _measured(session: AnalysedSession, wanted: _HloChoice, by: HloBy) -> Iterator[tuple[int, list[HloProgram], list[MeasuredRow]]]:
    """The rows of each worker."""
    peaks = _peaks(wanted)
    for place, programs in chosen_programs(session, wanted.worker, wanted.program).items():
        only = {program.name for program in programs} if wanted.program else None
        rows = hlo_rows(session.profiles[place], programs, by, peaks, only, session.devices)
        yield place, programs, [row for row in rows if contains(wanted.contains, row.name, row.framework_op, row.source)]


def _peaks(wanted: _HloChoice) -> Peaks | None:
    if wanted.peak_tflops is None and wanted.peak_gbs is None:
        return None
    flops = {} if wanted.peak_tflops is None else {"given": wanted.peak_tflops * 1e12}
    return Peaks(flops, None if wanted.peak_gbs is None else wanted.peak_gbs * 1e9)


def _notes(session: AnalysedSession, worker: str, rows: Sequence[MeasuredRow]) -> list[str]:
    unread = [note.text for place in session.places(worker) for note in session.programs(place)[1]]
    return list(dict.fromkeys([*unread, *peak_notes(rows)]))


def _make(session: AnalysedSession, wanted: HloWanted) -> Hlo:
    pairs: list[tuple[int, MeasuredRow]] = []
    programs: list[HloProgramRow] = []
    for place, of_worker, rows in _measured(session, wanted, wanted.by):
        programs += [HloProgramRow(name=program.name, instructions=len(program)) for program in of_worker]
        pairs += [(place, row) for row in rows]
    pairs.sort(key=lambda pair: (-(pair[1].wasted_ns or 0.0) if wanted.waste else 0.0, -pair[1].self_ns, pair[1].program, pair[1].name))
    return Hlo(
        programs=programs,
        rows=[_row(session, place, row) for place, row in limited(pairs, wanted.limit)],
        total=len(pairs),
        notes=_notes(session, wanted.worker, [row for _, row in pairs]),
    )


def _row(session: AnalysedSession, place: int, row: MeasuredRow) -> HloRow:
    return fill(
        HloRow,
        row,
        kernels=row.spans,
        flops_per_byte=row.intensity,
        flops_share_of_peak=row.compute_use,
        bandwidth_share_of_peak=row.memory_use,
        implausible_peak=row.implausible,
        fused_instructions=row.fused,
        doubts=[doubt.name.lower() for doubt in CostDoubt if doubt in row.doubts and doubt.name],
        has_text=row.row >= 0,
        **session.whose(place),
    )


def _make_tree(session: AnalysedSession, wanted: HloTreeWanted) -> HloTree:
    nodes: list[HloTreeNode] = []
    counted: list[MeasuredRow] = []
    for place, programs, rows in _measured(session, wanted, HloBy.OP):
        nodes += _flat(hlo_tree(rows, programs, by_waste=wanted.waste), 0, "", session.whose(place))
        counted += rows
    return HloTree(nodes=limited(nodes, wanted.limit), total=len(nodes), notes=_notes(session, wanted.worker, counted))


def _flat(nodes: Sequence[HloNode], depth: int, program: str, whose: dict[str, object]) -> Iterator[HloTreeNode]:
    for node in nodes:
        mine = node.name if node.kind == "program" else program
        uses = {"flops_share_of_peak": node.compute_use, "bandwidth_share_of_peak": node.memory_use}
        yield fill(HloTreeNode, node, depth=depth, program=mine, **uses, **whose)
        yield from _flat(node.children, depth + 1, mine, whose)


HLO = Part("hlo", "Compiled operations", HloWanted, Hlo, _make, table="rows", kept=True)
HLO_TREE = Part("hlo_tree", "Compiled operations as a tree", HloTreeWanted, HloTree, _make_tree, table="nodes", kept=True)
