"""Rows of the tables of operations and kernels as the API answers them: microseconds, and null for what is unknown."""

from __future__ import annotations

import math

from stepscope.analyses.breakdown import Breakdown, break_down
from stepscope.analyses.devices.peaks import peak_sentences
from stepscope.analyses.programs.costs import operation_costs
from stepscope.analyses.steps import find_steps
from stepscope.analyses.work.kernels import KernelRow, KernelsBy, kernels
from stepscope.analyses.work.operations import By, OperationRow, operations
from stepscope.dashboards.profile import messages as m
from stepscope.model.profile import NONE, Profile
from stepscope.queries.profiles import Opened

MOST_ROWS = 20_000
_US = 1e3


def operation_lines(opened: Opened, by: By, calls: bool, steps: str) -> tuple[list[m.OperationLine], int]:
    """The first worker's operations, most exposed first, and how many rows there are."""
    profile = opened.profiles[0]
    costs = operation_costs(profile, opened.programs(0))
    rows = operations(profile, _divided(profile, steps), by, calls=calls, costs=costs)
    return [_operation_line(row) for row in rows[:MOST_ROWS]], len(rows)


def kernel_lines(opened: Opened, by: KernelsBy, steps: str) -> tuple[list[m.KernelLine], int, list[str]]:
    """The first worker's kernels, longest in sum first, how many rows there are, and what is known of the devices' peaks."""
    profile = opened.profiles[0]
    rows = kernels(profile, _divided(profile, steps), by, operation_costs(profile, opened.programs(0)))
    return [_kernel_line(row) for row in rows[:MOST_ROWS]], len(rows), peak_sentences(profile) if rows else []


def _divided(profile: Profile, steps: str) -> Breakdown:
    return break_down(profile, find_steps(profile, steps or None))


def _operation_line(row: OperationRow) -> m.OperationLine:
    return m.OperationLine(
        name=row.name,
        type=row.type,
        kind=row.kind,
        device=row.device,
        count=row.count,
        total_us=row.total_ns / _US,
        self_us=row.self_ns / _US,
        average_us=row.average_ns / _US,
        min_us=row.min_ns / _US,
        max_us=row.max_ns / _US,
        share=row.share,
        cumulative=row.cumulative,
        exposed_us=row.exposed_ns / _US,
        exposed_share=row.exposed_share,
        part=row.part,
        eager=row.eager,
        function=row.function,
        program=row.program,
        scope=row.scope,
        source=row.source,
        shapes=list(row.shapes),
        output_shapes=list(row.output_shapes),
        memory_bytes=None if row.memory_bytes == NONE else row.memory_bytes,
        flops=_known(row.flops),
        bytes=_known(row.bytes),
        flops_from=row.flops_from,
        bytes_from=row.bytes_from,
    )


def _kernel_line(row: KernelRow) -> m.KernelLine:
    return m.KernelLine(
        name=row.name,
        short=row.short,
        family=row.family,
        op=row.op,
        device=row.device,
        streams=list(row.streams),
        count=row.count,
        total_us=row.total_ns / _US,
        average_us=row.average_ns / _US,
        min_us=row.min_ns / _US,
        max_us=row.max_ns / _US,
        share=row.share,
        cumulative=row.cumulative,
        exposed_us=row.exposed_ns / _US,
        grid=row.grid,
        block=row.block,
        registers=row.registers,
        shared_memory=row.shared_memory,
        theoretical_occupancy=row.theoretical_occupancy,
        achieved_occupancy=row.achieved_occupancy,
        theoretical_occupancy_from=row.occupancy_from[0],
        achieved_occupancy_from=row.occupancy_from[1],
        matrix_core=row.matrix_core,
        matrix_core_eligible=row.matrix_core_eligible,
        launch_delay_us=None if row.launch_delay_ns is None else row.launch_delay_ns / _US,
        bytes=row.bytes,
        bytes_from=row.position.bytes_from,
        flops=row.flops,
        flops_from=row.position.flops_from,
        flops_per_byte=row.position.intensity,
        flops_per_second=row.position.flops_per_second,
        bytes_per_second=row.position.bytes_per_second,
        ridge_flops_per_byte=row.position.ridge,
        of_peak_flops=row.position.flops_share,
        of_peak_bandwidth=row.position.bandwidth_share,
        of_roof=row.position.roof_share,
        bound_by=row.position.bound_by or "",
    )


def _known(number: float) -> float | None:
    return number if math.isfinite(number) else None
