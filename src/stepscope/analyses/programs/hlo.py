"""Compiled operations in one table: what was measured of each, joined with what its program says it does."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from stepscope._native import inside_same_key
from stepscope.analyses.devices.peaks import NO_PEAKS, Peaks, device_peaks, flops_peak
from stepscope.analyses.devices.table import DeviceTable
from stepscope.analyses.grouping import Grouped, dense_codes
from stepscope.analyses.programs.categories import category_of, is_collective, is_rematerialised
from stepscope.analyses.programs.costs import InstructionFinder, counted, holds_others
from stepscope.analyses.programs.text import fusion_contents, instruction_text, shape_text
from stepscope.analyses.rows import rows_of_role
from stepscope.analyses.work.executions import executions_on_devices, group_executions
from stepscope.analyses.work.operation_costs import HLO, RECORDED
from stepscope.analyses.work.operations import own_times
from stepscope.model.hlo import CostDoubt, HloProgram
from stepscope.model.profile import NONE, Int32, Int64, Operation, Profile, SpanKind, TrackRole

_SEC = 1e9
_PLAUSIBLE = 1.05
"""A share of the peak up to here may be a matter of clocks; beyond it the peak, or the count of bytes, is wrong."""

_EXPLAINS = 0.5
_LITTLE = 0.1

_PeaksOf = Callable[[int], Peaks]
"""Peaks of the device at a place of the profile's devices; NONE is no device."""


class HloBy(Enum):
    """What makes one row of the table."""

    OP = "op"
    CATEGORY = "category"
    PROGRAM = "program"
    FRAMEWORK = "framework"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class HloRow:
    """Times in nanoseconds, arithmetic and bytes in sum over all executions on all devices; None is unknown."""

    name: str  # of the instruction, or of what the table is grouped by
    program: str
    category: str
    opcode: str
    shape: str
    text: str  # the instruction in short
    framework_op: str
    source: str
    devices: tuple[str, ...]
    count: int  # executions, not kernels
    spans: int
    total_ns: int
    self_ns: int
    min_ns: int  # of one execution, as the average
    max_ns: int
    share: float  # of the self times of all rows
    cumulative: float
    flops: float | None
    bytes: float | None
    compute_ns: float | None  # what its arithmetic would take at the peak
    memory_ns: float | None  # what its bytes would take at the peak
    bound_by: str  # "compute", "memory", "communication", "neither" where little of both is used, or "" when unknown
    wasted_ns: float | None  # self time beyond the larger of the two
    rematerialised: bool
    fused: int  # instructions inside
    doubts: CostDoubt
    row: int = NONE  # in its program
    op: int = NONE  # in Profile.ops; none for a row of several
    flops_from: str = ""  # RECORDED or HLO
    bytes_from: str = ""
    least_self_ns: int = 0  # of one execution
    most_self_ns: int = 0

    @property
    def average_ns(self) -> float:
        """Per execution."""
        return self.total_ns / self.count if self.count else 0.0

    @property
    def flops_per_second(self) -> float | None:
        """Per device."""
        return _rate(self.flops, self.total_ns)

    @property
    def bytes_per_second(self) -> float | None:
        """Per device."""
        return _rate(self.bytes, self.total_ns)

    @property
    def intensity(self) -> float | None:
        """Operations per byte."""
        return self.flops / self.bytes if self.flops is not None and self.bytes else None

    @property
    def compute_use(self) -> float | None:
        """Share of the arithmetic peak."""
        return _use(self.compute_ns, self.total_ns)

    @property
    def memory_use(self) -> float | None:
        """Share of the bandwidth."""
        return _use(self.memory_ns, self.total_ns)

    @property
    def implausible(self) -> bool:
        """More than the peak: the file's peak is wrong, or a cache served part of the bytes."""
        return any(use is not None and use > _PLAUSIBLE for use in (self.compute_use, self.memory_use))


def hlo_rows(
    profile: Profile,
    programs: Sequence[HloProgram],
    by: HloBy = HloBy.OP,
    peaks: Peaks | None = None,
    only: Container[str] | None = None,
    devices: DeviceTable | None = None,
) -> list[HloRow]:
    """The table, most self time first; `only` names programs.

    `peaks` are used in place of those of the devices, which `devices` has as of `device_peaks`.
    """

    def peaks_of(device: int) -> Peaks:
        return peaks or (device_peaks(profile.devices[device], devices) if device >= 0 else NO_PEAKS)

    rows = _bounded(_operations(profile, programs, peaks_of))
    rows = [row for row in rows if only is None or row.program in only]
    if by is not HloBy.OP:
        rows = _grouped(rows, _KEYS[by])
    return _with_shares(rows)


def peak_notes(rows: Iterable[HloRow]) -> list[str]:
    """What must be said of the rates, one sentence each."""
    rows = list(rows)
    notes: list[str] = []
    if over := [row for row in rows if row.implausible]:
        worst = max(max(row.compute_use or 0.0, row.memory_use or 0.0) for row in over)
        notes.append(
            f"{len(over)} of {len(rows)} rows reach up to {100 * worst:.0f}% of the peak in the file: that peak is too low,"
            " or caches help. The bound of an operation uses the highest rate seen instead."
        )
    if rows and all(row.compute_ns is None and row.memory_ns is None for row in rows):
        notes.append("The bound of operations is unknown: the file records no peak of the device.")
    if any(row.doubts & CostDoubt.LOOP for row in rows):
        notes.append("Loops with an unknown number of iterations count as one iteration.")
    if any(row.doubts & CostDoubt.UNKNOWN for row in rows):
        notes.append("FLOPs of some library calls are unknown and not counted.")
    return notes


@dataclass(frozen=True, slots=True)
class _Measured:
    """One operation's spans on all devices."""

    op: Operation
    place: int  # in Profile.ops
    devices: tuple[str, ...]
    peaks: Peaks
    count: int
    spans: int
    total_ns: int
    self_ns: int
    min_ns: int
    max_ns: int
    least_self_ns: int
    most_self_ns: int


def _operations(profile: Profile, programs: Sequence[HloProgram], peaks_of: _PeaksOf) -> list[HloRow]:
    measured = _measure(profile, peaks_of)
    find = InstructionFinder(programs)
    places = [find(each.op) for each in measured]
    seen = {(id(program), row) for program, row in places if program is not None}
    return [_row(each, program, row, seen) for each, (program, row) in zip(measured, places, strict=True)]


def _measure(profile: Profile, peaks_of: _PeaksOf) -> list[_Measured]:
    """Spans of devices; of threads, where a program ran on no device."""
    spans = profile.spans
    if not profile.ops:
        return []
    compiled = np.array([bool(op.program or op.category) for op in profile.ops])
    on_device = _compiled_rows(profile, rows_of_role(profile, TrackRole.STREAM), compiled)
    of_device = {profile.ops[op].program for op in _distinct(spans.op[on_device])}
    elsewhere = compiled & np.array([op.program not in of_device for op in profile.ops])
    on_host = _compiled_rows(profile, rows_of_role(profile, TrackRole.THREAD), elsewhere)
    on_host = on_host[np.isin(spans.kind[on_host], (SpanKind.OP, SpanKind.COLLECTIVE))]
    if not len(on_device) + len(on_host):
        return []
    on_device, of_devices = executions_on_devices(profile, on_device)
    of_threads = np.arange(len(on_host), dtype=np.int32) + np.int32(of_devices.groups)
    executions = Grouped(np.concatenate([of_devices.code, of_threads]), of_devices.groups + len(on_host))
    return _measured(profile, np.concatenate([on_device, on_host]), executions, peaks_of)


def _distinct(values: Int32) -> list[int]:
    found: list[int] = np.unique(values).tolist()
    return found


def _compiled_rows(profile: Profile, rows: Int64, compiled: NDArray[np.bool_]) -> Int64:
    op = profile.spans.op[rows]
    return rows[(op >= 0) & compiled[op]]


def _measured(profile: Profile, rows: Int64, executions: Grouped, peaks_of: _PeaksOf) -> list[_Measured]:
    """One for each operation, in the order of Profile.ops."""
    spans = profile.spans
    op = dense_codes(spans.op[rows].astype(np.int64), len(profile.ops))
    key = np.full(len(spans), NONE, np.int32)
    key[rows] = op.code
    inside = inside_same_key(spans.parent, key, op.groups)[rows] > 0
    ran = group_executions(executions, rows, op, inside)
    total, shortest, longest = ran.totals(np.where(inside, 0, spans.end[rows] - spans.start[rows]))
    own, least, most = ran.totals(own_times(profile)[rows])
    counts, pieces = ran.group.counts(), op.counts()
    tracks = np.split(spans.track[rows[np.argsort(op.code, kind="stable")]], np.cumsum(pieces)[:-1])
    found: list[_Measured] = []
    for place, first in enumerate(rows[op.firsts()].tolist()):
        used = [profile.tracks[track] for track in _distinct(tracks[place])]
        device = next((track.device for track in used if track.device >= 0), NONE)
        found.append(
            _Measured(
                op=profile.ops[int(spans.op[first])],
                place=int(spans.op[first]),
                devices=tuple(dict.fromkeys(track.process for track in used)),
                peaks=peaks_of(device),
                count=int(counts[place]),
                spans=int(pieces[place]),
                total_ns=int(total[place]),
                self_ns=int(own[place]),
                min_ns=int(shortest[place]),
                max_ns=int(longest[place]),
                least_self_ns=int(least[place]),
                most_self_ns=int(most[place]),
            )
        )
    return found


def _row(found: _Measured, program: HloProgram | None, row: int, seen: set[tuple[int, int]]) -> HloRow:
    op = found.op
    known = HloRow(
        name=op.name,
        program=op.program,
        category=op.category or "unknown",
        opcode="",
        shape="",
        text="",
        framework_op=op.scope,
        source=op.source,
        devices=found.devices,
        count=found.count,
        spans=found.spans,
        total_ns=found.total_ns,
        self_ns=found.self_ns,
        min_ns=found.min_ns,
        max_ns=found.max_ns,
        share=0.0,
        cumulative=0.0,
        flops=None if math.isnan(op.flops) else op.flops * found.count,
        bytes=None if math.isnan(op.bytes) else op.bytes * found.count,
        compute_ns=None,
        memory_ns=None,
        bound_by="",
        wasted_ns=None,
        rematerialised=False,
        fused=0,
        doubts=CostDoubt.NONE,
        op=found.place,
        flops_from="" if math.isnan(op.flops) else RECORDED,
        bytes_from="" if math.isnan(op.bytes) else RECORDED,
        least_self_ns=found.least_self_ns,
        most_self_ns=found.most_self_ns,
    )
    product = ""
    if program is not None:
        known = _with_program(known, op, program, row, seen)
        product = program.text(program.product_type, row)
    return _at_the_peaks(known, found.peaks, product)


def _with_program(known: HloRow, op: Operation, program: HloProgram, row: int, seen: set[tuple[int, int]]) -> HloRow:
    opcode = program.text(program.opcode, row)
    inside = holds_others(program, row, seen)
    doubts = CostDoubt(int(program.doubts[row]))
    counted_flops, counted_bytes = counted(program, row)
    flops = known.flops if known.flops is not None else counted_flops
    accessed = known.bytes if known.bytes is not None else counted_bytes * known.count
    if known.flops is None and flops is not None:
        flops *= known.count
    return replace(
        known,
        program=program.name,
        category=op.category or category_of(program, row),
        opcode=opcode,
        shape=shape_text(program, row),
        text=instruction_text(program, row),
        framework_op=program.text(program.op_name, row) or op.scope,
        source=program.source(row) or op.source,
        flops=None if inside else flops,
        bytes=None if inside else accessed,
        flops_from="" if inside or flops is None else known.flops_from or HLO,
        bytes_from="" if inside else known.bytes_from or HLO,
        rematerialised=is_rematerialised(program, row),
        fused=len(fusion_contents(program, row)),
        doubts=CostDoubt.NONE if inside else doubts,
        row=row,
    )


def _at_the_peaks(row: HloRow, peaks: Peaks, product_type: str) -> HloRow:
    peak = flops_peak(peaks, product_type)
    compute = row.flops / peak * _SEC if row.flops is not None and peak else None
    memory = row.bytes / peaks.bandwidth * _SEC if row.bytes is not None and peaks.bandwidth else None
    return replace(row, compute_ns=compute, memory_ns=memory)


def _bounded(rows: list[HloRow]) -> list[HloRow]:
    """What bounds each. A peak that some operation exceeds is taken to be what that operation reached."""
    compute = max([_PLAUSIBLE, *(row.compute_use or 0.0 for row in rows)])
    memory = max([_PLAUSIBLE, *(row.memory_use or 0.0 for row in rows)])
    return [_bound(row, compute if compute > _PLAUSIBLE else 1.0, memory if memory > _PLAUSIBLE else 1.0) for row in rows]


def _bound(row: HloRow, compute_peak: float, memory_peak: float) -> HloRow:
    """Nothing is said where one of the two is unknown, unless the other alone explains half of the time."""
    if is_collective(row.category):
        return replace(row, bound_by="communication")
    compute = None if row.compute_use is None else row.compute_use / compute_peak
    memory = None if row.memory_use is None else row.memory_use / memory_peak
    best = max(compute or 0.0, memory or 0.0)
    if (compute is None or memory is None) and best < _EXPLAINS:
        return row
    said = "neither" if best < _LITTLE else "compute" if best == compute else "memory"
    return replace(row, bound_by=said, wasted_ns=row.self_ns * max(0.0, 1.0 - best))


_KEYS: dict[HloBy, Callable[[HloRow], str]] = {
    HloBy.CATEGORY: lambda row: row.category,
    HloBy.PROGRAM: lambda row: row.program,
    HloBy.FRAMEWORK: lambda row: row.framework_op,
    HloBy.SOURCE: lambda row: row.source,
}


def _grouped(rows: Sequence[HloRow], key: Callable[[HloRow], str]) -> list[HloRow]:
    members: dict[str, list[HloRow]] = {}
    for row in rows:
        members.setdefault(key(row), []).append(row)
    return [joined(name or "(none)", found) for name, found in members.items()]


def joined(name: str, rows: Sequence[HloRow]) -> HloRow:
    """Several rows as one: sums, and what they have in common."""

    def common(texts: Iterable[str]) -> str:
        found = set(texts)
        return found.pop() if len(found) == 1 else ""

    doubts = CostDoubt.NONE
    for row in rows:
        doubts |= row.doubts
    return HloRow(
        name=name,
        program=common(row.program for row in rows),
        category=common(row.category for row in rows),
        opcode=common(row.opcode for row in rows),
        shape="",
        text="",
        framework_op=common(row.framework_op for row in rows),
        source=common(row.source for row in rows),
        devices=tuple(dict.fromkeys(device for row in rows for device in row.devices)),
        count=sum(row.count for row in rows),
        spans=sum(row.spans for row in rows),
        total_ns=sum(row.self_ns for row in rows),  # not their totals: one may lie inside another
        self_ns=sum(row.self_ns for row in rows),
        min_ns=min(row.least_self_ns for row in rows),
        max_ns=max(row.most_self_ns for row in rows),
        share=sum(row.share for row in rows),
        cumulative=0.0,
        flops=_sum(row.flops for row in rows),
        bytes=_sum(row.bytes for row in rows),
        compute_ns=_sum(row.compute_ns for row in rows),
        memory_ns=_sum(row.memory_ns for row in rows),
        bound_by=common(row.bound_by for row in rows),
        wasted_ns=_sum(row.wasted_ns for row in rows),
        rematerialised=all(row.rematerialised for row in rows),
        fused=0,
        doubts=doubts,
        least_self_ns=min(row.least_self_ns for row in rows),
        most_self_ns=max(row.most_self_ns for row in rows),
    )


def _with_shares(rows: list[HloRow]) -> list[HloRow]:
    total = sum(row.self_ns for row in rows) or 1
    found: list[HloRow] = []
    so_far = 0
    for row in sorted(rows, key=lambda row: (-row.self_ns, row.program, row.name)):
        so_far += row.self_ns
        found.append(replace(row, share=row.self_ns / total, cumulative=so_far / total))
    return found


def _sum(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _rate(amount: float | None, total_ns: int) -> float | None:
    return amount / total_ns * _SEC if amount is not None and total_ns > 0 else None


def _use(best_ns: float | None, total_ns: int) -> float | None:
    return best_ns / total_ns if best_ns is not None and total_ns > 0 else None
