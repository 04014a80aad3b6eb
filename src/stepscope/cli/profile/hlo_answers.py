"""The JSON of `stepscope profile hlo`: shares are fractions, other numbers carry their unit in the key, unknown is null."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stepscope.cli.profile.reading import known

if TYPE_CHECKING:
    from stepscope.analyses.programs.hlo import HloRow
    from stepscope.analyses.programs.neighbourhood import Neighbourhood
    from stepscope.analyses.programs.tree import HloNode
    from stepscope.model.hlo import CostDoubt, HloProgram
    from stepscope.model.profile import Profile


def row_answer(profile: Profile, row: HloRow) -> dict[str, Any]:
    """One row of the table."""
    return {
        "name": row.name,
        "program": row.program,
        "category": row.category,
        "opcode": row.opcode,
        "shape": row.shape,
        "text": row.text,
        "framework_op": row.framework_op,
        "source": row.source,
        "devices": list(row.devices),
        "host": profile.host,
        "rank": profile.rank if profile.rank >= 0 else None,
        "count": row.count,
        "kernels": row.spans,
        "total_us": row.total_ns / 1e3,
        "self_us": row.self_ns / 1e3,
        "average_us": row.average_ns / 1e3,
        "min_us": row.min_ns / 1e3,
        "max_us": row.max_ns / 1e3,
        "share": row.share,
        "cumulative": row.cumulative,
        "flops": known(row.flops),
        "bytes": known(row.bytes),
        "flops_per_second": known(row.flops_per_second),
        "bytes_per_second": known(row.bytes_per_second),
        "flops_per_byte": known(row.intensity),
        "of_peak_flops": known(row.compute_use),
        "of_peak_bandwidth": known(row.memory_use),
        "implausible_peak": row.implausible,
        "bound_by": row.bound_by or None,
        "wasted_us": None if row.wasted_ns is None else row.wasted_ns / 1e3,
        "rematerialised": row.rematerialised,
        "fused_instructions": row.fused,
        "doubts": doubt_words(row.doubts),
    }


def doubt_words(doubts: CostDoubt) -> list[str]:
    """What is not certain about arithmetic and bytes."""
    from stepscope.model.hlo import CostDoubt

    return [doubt.name.lower() for doubt in (CostDoubt.ESTIMATED, CostDoubt.LOOP, CostDoubt.UNKNOWN) if doubt in doubts and doubt.name]


def node_answer(node: HloNode) -> dict[str, Any]:
    """A node and all below it; the tree is four deep."""
    return {
        "kind": node.kind,
        "name": node.name,
        "text": node.text,
        "count": node.count,
        "time_us": None if node.time_ns is None else node.time_ns / 1e3,
        "share": node.share,
        "wasted_us": None if node.wasted_ns is None else node.wasted_ns / 1e3,
        "flops": known(node.flops),
        "bytes": known(node.bytes),
        "of_peak_flops": known(node.compute_use),
        "of_peak_bandwidth": known(node.memory_use),
        "bound_by": node.bound_by or None,
        "children": [node_answer(child) for child in node.children],
    }


def neighbourhood_answer(program: HloProgram, around: Neighbourhood) -> dict[str, Any]:
    """Nodes with their distance from the operation, negative towards operands, and edges between their names."""
    from stepscope.analyses.programs.text import instruction_text, shape_text

    def name(row: int) -> str:
        return program.text(program.instruction_name, row)

    return {
        "nodes": [
            {
                "name": name(node.row),
                "opcode": program.text(program.opcode, node.row),
                "shape": shape_text(program, node.row),
                "distance": node.distance,
                "flops": known(float(program.flops[node.row])),
                "bytes": known(float(program.bytes[node.row])),
                "text": instruction_text(program, node.row),
            }
            for node in around.nodes
        ],
        "edges": [[name(source), name(target)] for source, target in around.edges],
        "cut": around.cut,
    }
