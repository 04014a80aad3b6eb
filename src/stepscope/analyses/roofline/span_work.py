"""What every span of the devices does: its arithmetic, and what that would take at the device's peak."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.attributes import ReadAttributes
from stepscope.analyses.devices.peaks import device_peaks, format_peak
from stepscope.analyses.devices.table import DeviceTable
from stepscope.analyses.programs.hlo import HloRow
from stepscope.analyses.rows import rows_of_role
from stepscope.analyses.work.executions import executions_of_operations
from stepscope.analyses.work.operation_costs import OperationCosts
from stepscope.analyses.work.shape_work import shape_work
from stepscope.model.profile import NONE, Float64, Int64, Profile, SpanKind, TrackRole

_SECOND = 1e9
_COMPUTES = (SpanKind.KERNEL, SpanKind.OP)


@dataclass(frozen=True, slots=True)
class WorkOfSpans:
    """Of each computing span of the devices, or of the threads where a program ran on the CPU; nan is unknown."""

    start: Int64
    length: Int64
    flops: Float64
    best_ns: Float64
    rematerialised: NDArray[np.bool_]
    devices: int


def work_of_spans(
    profile: Profile,
    costs: OperationCosts,
    compiled: Iterable[HloRow],
    attributes: ReadAttributes | None = None,
    devices: DeviceTable | None = None,
) -> WorkOfSpans:
    """Work that an operation tells is spread over its spans; of the rest, that of products of known shapes."""
    spans = profile.spans
    rows_of_programs = {row.op: row for row in compiled if row.op != NONE}
    rows = rows_of_role(profile, TrackRole.STREAM)
    on_device = len(rows) > 0
    if not on_device:
        rows = rows_of_role(profile, TrackRole.THREAD)
        rows = rows[np.isin(spans.op[rows], list(rows_of_programs))] if rows_of_programs else rows[:0]
    rows = rows[np.isin(spans.kind[rows], _COMPUTES)]
    length = spans.end[rows] - spans.start[rows]
    flops, best = _by_operation(profile, rows, costs, rows_of_programs)
    of_shapes = shape_work(profile, rows, length, attributes)[0] if on_device else np.full(len(rows), np.nan)
    flops = np.where(np.isnan(flops), of_shapes, flops)
    best = np.where(np.isnan(best), flops / _peaks(profile, rows, devices) * _SECOND, best)
    again = np.array([op in rows_of_programs and rows_of_programs[op].rematerialised for op in range(len(profile.ops))] + [False])
    used: list[int] = np.unique(spans.track[rows]).tolist()
    computing = {profile.tracks[track].device for track in used}
    return WorkOfSpans(spans.start[rows], length, flops, best, again[spans.op[rows]], len(computing))


def _by_operation(profile: Profile, rows: Int64, costs: OperationCosts, programs: dict[int, HloRow]) -> tuple[Float64, Float64]:
    """Per span, of the operations whose cost is known: that of all executions divided by its spans."""
    op = profile.spans.op[rows]
    flops, best = np.full(len(profile.ops) + 1, np.nan), np.full(len(profile.ops) + 1, np.nan)
    spans_of_op = np.bincount(op[op >= 0], minlength=len(profile.ops))
    flops[:-1] = costs.flops * executions_of_operations(profile, rows) / np.maximum(1, spans_of_op)
    for place, row in programs.items():
        if row.flops is not None and row.spans:
            flops[place] = row.flops / row.spans
        if row.compute_ns is not None and row.spans:
            best[place] = row.compute_ns / row.spans
    return flops[op], best[op]


def _peaks(profile: Profile, rows: Int64, devices: DeviceTable | None) -> Float64:
    """Of each span in the number format that its name tells; nan when unknown."""
    spans = profile.spans
    peaks = [device_peaks(device, devices) for device in profile.devices]
    device = np.array([track.device for track in profile.tracks] or [NONE])[spans.track[rows]]
    names = spans.name[rows].astype(np.int64)
    pairs, place = np.unique(device * len(profile.names) + names, return_inverse=True)
    found: list[float] = []
    distinct: list[int] = pairs.tolist()
    for pair in distinct:
        at, name = divmod(pair, len(profile.names))
        kernel = profile.names[name]
        plain = "fp32" if profile.name_rules.uses_matrix_units(kernel) is False else None
        peak = format_peak(peaks[at], profile.name_rules.number_format(kernel) or plain) if 0 <= at < len(peaks) else None
        found.append(peak or np.nan)
    return np.array(found, np.float64)[place] if found else np.zeros(0)
