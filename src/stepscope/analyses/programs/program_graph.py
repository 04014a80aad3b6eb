"""A compiled program as a graph: instructions in the scopes of the framework's names, and the computations that they call."""

from __future__ import annotations

from stepscope.analyses.programs.text import instruction_text, shape_text
from stepscope.model.graph import Graph, GraphKind, GraphSet, NodeAttribute
from stepscope.model.graph_builder import GraphBuilder
from stepscope.model.hlo import HloProgram
from stepscope.model.profile import Note


def program_graphs(program: HloProgram) -> GraphSet:
    """The entry computation first, named after the program, then every computation that an instruction calls."""
    builder = GraphBuilder()
    called = {computation for row in range(len(program)) for computation in program.calls(row)}
    order = [program.entry, *sorted(called - {program.entry})]
    rows: dict[tuple[str, str], int] = {}
    graphs = tuple(_computation(builder, program, computation, rows) for computation in order)
    notes = (Note("warning", "truncated", "The program is truncated; what follows is missing."),) if program.damaged else ()

    def attributes(graph: Graph, row: int) -> tuple[NodeAttribute, ...]:
        return _attributes(program, rows[graph.name, graph.text(graph.node, row)])

    return GraphSet(graphs, notes, attributes)


def _computation(builder: GraphBuilder, program: HloProgram, computation: int, rows: dict[tuple[str, str], int]) -> Graph:
    is_entry = computation == program.entry
    name = program.name if is_entry else program.texts[int(program.computation_name[computation])]
    nodes = builder.graph(name, GraphKind.PROGRAM if is_entry else GraphKind.FUNCTION)
    names: dict[int, str] = {}
    for row in program.rows_of(computation):
        names[row] = _node_name(program, row)
    for row in program.rows_of(computation):
        shape = shape_text(program, row)
        dtype, _, sizes = shape.partition("[")
        plain = sizes and "(" not in shape
        added = nodes.add(
            names[row],
            program.text(program.opcode, row),
            [(names[operand], 0) for operand in program.operands(row) if operand in names],
            shapes=f"[{sizes}" if plain else shape,
            dtypes=dtype if plain else "",
            attributes=f"{shape} {program.text(program.attributes, row)} {program.text(program.literal, row)}",
            calls=[program.texts[int(program.computation_name[each])] for each in program.calls(row)],
        )
        rows[name, added] = row
    return nodes.finish()


def _node_name(program: HloProgram, row: int) -> str:
    """The instruction in the scope of the operation that it was compiled from: `jit(step)/dense/dot_general` gives the first two."""
    scope = program.text(program.op_name, row).rpartition("/")[0]
    instruction = program.text(program.instruction_name, row)
    return f"{scope}/{instruction}" if scope else instruction


def _attributes(program: HloProgram, row: int) -> tuple[NodeAttribute, ...]:
    said = {
        "text": instruction_text(program, row),
        "framework operation": program.text(program.op_name, row),
        "source": program.source(row),
        "fusion kind": program.text(program.fusion_kind, row),
        "library call": program.text(program.target, row),
    }
    return tuple(NodeAttribute(key, value) for key, value in said.items() if value)
