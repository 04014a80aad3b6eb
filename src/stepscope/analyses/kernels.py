"""Kernels in one table: launch facts, time, how long they waited for the device, and whether they run on matrix units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.executions import count_executions, host_operation_of
from stepscope.analyses.grouping import Grouped, dense_codes
from stepscope.analyses.kernel_names import could_use_matrix_units, family_of, short_name, uses_matrix_units
from stepscope.analyses.peaks import device_peaks, format_peak, number_format
from stepscope.analyses.product_flops import flops_of_rows
from stepscope.analyses.rows import rows_of_role
from stepscope.model.profile import NONE, Float32, Float64, Int32, Int64, Profile, SpanKind, Track, TrackRole

Dimensions = tuple[int, int, int]


class KernelsBy(Enum):
    """What makes one row of the table; `launch` is name, operation, grid, block, registers and shared memory."""

    NAME = "name"
    LAUNCH = "launch"
    FAMILY = "family"
    OP = "op"
    STREAM = "stream"


@dataclass(frozen=True, slots=True)
class KernelRow:
    """Times in nanoseconds; what differs inside a row or is unknown is None."""

    name: str
    short: str
    family: str
    op: str  # the operation that launched it, "" when unknown or several
    device: str
    streams: tuple[int, ...]
    count: int
    total_ns: int
    min_ns: int
    max_ns: int
    share: float  # of all kernels' time
    cumulative: float
    exposed_ns: float  # of a typical step
    grid: Dimensions | None
    block: Dimensions | None
    registers: int | None  # per thread
    shared_memory: int | None  # bytes per block
    occupancy: float | None  # mean over time, as the file tells it
    blocks_per_multiprocessor: float | None  # mean over time
    matrix_core: bool | None  # None: a product whose naming is unknown, or several
    matrix_core_eligible: bool
    launch_delay_ns: float | None  # median, from the end of the launching call to the start of the kernel
    bytes: float | None  # accessed, in sum, where the operation is a single kernel
    flops: float | None  # in sum; of an operation of several kernels, all are the longest one's
    flops_share: float | None  # of what the device can do in the kernel's number format
    bandwidth_share: float | None  # of the device's memory traffic

    @property
    def bound_by(self) -> str | None:
        """Which roof of the device is nearer: "compute" or "memory"; None when one of them is unknown."""
        if self.flops_share is None or self.bandwidth_share is None:
            return None
        return "compute" if self.flops_share >= self.bandwidth_share else "memory"

    @property
    def average_ns(self) -> float:
        """Per launch."""
        return self.total_ns / self.count if self.count else 0.0


@dataclass(frozen=True, slots=True)
class MatrixUse:
    """Shares of kernel time on matrix units, and of products whose naming is unknown."""

    used: float
    unknown: float


def kernels(profile: Profile, breakdown: Breakdown, by: KernelsBy = KernelsBy.NAME) -> list[KernelRow]:
    """The table, longest in sum first."""
    rows = _kernel_rows(profile)
    if not len(rows):
        return []
    table = _Table(profile, rows)
    keys = table.keys(by)
    totals = keys.sums(table.length)
    everything = int(totals.sum())
    exposed = keys.float_sums(breakdown.exposed[rows]) / max(1, len(breakdown.typical))
    order = np.argsort(keys.code, kind="stable")
    members = np.split(order, np.cumsum(keys.counts())[:-1])
    found = [
        table.row(by, places, share=int(total) / everything if everything else 0.0, exposed_ns=float(seen))
        for places, total, seen in zip(members, totals.tolist(), exposed.tolist(), strict=True)
    ]
    found.sort(key=lambda row: (-row.total_ns, row.name, row.op))
    so_far = 0.0
    for place, row in enumerate(found):
        so_far += row.share
        found[place] = replace(row, cumulative=min(1.0, so_far))
    return found


def matrix_use(profile: Profile) -> MatrixUse:
    """Of all kernels, whether an operation is known for them or not."""
    rows = _kernel_rows(profile)
    length = profile.spans.end[rows] - profile.spans.start[rows]
    total = int(length.sum())
    if not total:
        return MatrixUse(0.0, 0.0)
    names = dense_codes(profile.spans.name[rows].astype(np.int64), len(profile.names))
    sums = names.sums(length).tolist()
    verdicts = [uses_matrix_units(profile.names[int(profile.spans.name[rows[first]])]) for first in names.firsts()]
    used = sum(time for time, verdict in zip(sums, verdicts, strict=True) if verdict)
    unknown = sum(time for time, verdict in zip(sums, verdicts, strict=True) if verdict is None)
    return MatrixUse(used / total, unknown / total)


def _kernel_rows(profile: Profile) -> Int64:
    rows = rows_of_role(profile, TrackRole.STREAM)
    return rows[profile.spans.kind[rows] == SpanKind.KERNEL]


class _Table:
    """The kernels' spans beside their launch facts."""

    def __init__(self, profile: Profile, rows: Int64) -> None:
        self.profile = profile
        self.rows = rows
        spans = profile.spans
        self.length: Int64 = spans.end[rows] - spans.start[rows]
        place = np.full(len(spans), NONE, np.int32)
        place[profile.kernels.row] = np.arange(len(profile.kernels.row), dtype=np.int32)
        self.fact: Int32 = place[rows]
        cause = spans.cause[rows]
        delay = np.full(len(rows), NONE, np.int64)
        linked = cause >= 0
        delay[linked] = np.maximum(0, spans.start[rows][linked] - spans.end[cause[linked]])
        self.delay: Int64 = delay
        op = spans.op[rows]
        self.kernels_of_op = np.bincount(op[op >= 0], minlength=len(profile.ops))
        self.executions_of_op = _executions(profile, rows)
        self.flops: Float64 = _flops(profile, rows, self.length)

    def keys(self, by: KernelsBy) -> Grouped:
        """Groups of kernels; names that mean the same family are one group of it."""
        profile, spans = self.profile, self.profile.spans
        name = spans.name[self.rows].astype(np.int64)
        op = spans.op[self.rows].astype(np.int64) + 1
        if by is KernelsBy.STREAM:
            return dense_codes(spans.track[self.rows].astype(np.int64), len(profile.tracks))
        if by is KernelsBy.OP:
            return dense_codes(op, len(profile.ops) + 1)
        if by is KernelsBy.FAMILY:
            used: list[int] = np.unique(name).tolist()
            families = {family: place for place, family in enumerate(sorted({family_of(profile.names[each]) for each in used}))}
            table = np.zeros(len(profile.names), np.int64)
            table[used] = [families[family_of(profile.names[each])] for each in used]
            return dense_codes(table[name], len(families))
        pairs = name * (len(profile.ops) + 1) + op
        if by is KernelsBy.NAME:
            return dense_codes(pairs, len(profile.names) * (len(profile.ops) + 1))
        facts = self._facts_codes()
        return dense_codes(dense_codes(pairs, int(pairs.max()) + 1).code.astype(np.int64) * facts.groups + facts.code, 1 << 62)

    def _facts_codes(self) -> Grouped:
        kernels = self.profile.kernels
        columns = np.column_stack([kernels.grid, kernels.block, kernels.registers, kernels.shared_memory]).astype(np.int64)
        columns = np.concatenate([columns, np.full((1, columns.shape[1]), NONE, np.int64)])  # the last row is of kernels without facts
        _, inverse = np.unique(columns, axis=0, return_inverse=True)
        codes = inverse.reshape(-1)[self.fact].astype(np.int32)
        return Grouped(codes, len(columns))

    def row(self, by: KernelsBy, places: Int64, share: float, exposed_ns: float) -> KernelRow:
        """One row of the table from its members."""
        profile, spans = self.profile, self.profile.spans
        rows = self.rows[places]
        names = _distinct(spans.name[rows], len(profile.names))
        ops = _distinct(spans.op[rows] + 1, len(profile.ops) + 1) - 1
        op = profile.ops[int(ops[0])].name if len(ops) == 1 and ops[0] >= 0 else ""
        tracks = [profile.tracks[int(track)] for track in _distinct(spans.track[rows], len(profile.tracks))]
        only = profile.names[int(names[0])]
        verdicts = {uses_matrix_units(profile.names[int(name)]) for name in names}
        families = {family_of(profile.names[int(name)]) for name in names}
        title = {
            KernelsBy.FAMILY: next(iter(families)),
            KernelsBy.OP: op or "(no operation)",
            KernelsBy.STREAM: tracks[0].name,
        }.get(by, only)
        facts = self.fact[places]
        facts = facts[facts >= 0]
        weight = self.length[places][self.fact[places] >= 0]
        delays = self.delay[places]
        delays = delays[delays >= 0]
        kernels = profile.kernels
        flops, flops_ns = self._flops(places, ops)
        accessed = self._bytes(ops, len(rows))
        total = int(self.length[places].sum())
        share_of_flops, share_of_bandwidth = _shares_of_peak(
            profile, tracks, only if len(names) == 1 else "", (flops, flops_ns), (accessed, total)
        )
        return KernelRow(
            name=title,
            short=short_name(only) if title == only else title,
            family=families.pop() if len(families) == 1 else "",
            op=op,
            device=", ".join(dict.fromkeys(track.process for track in tracks)),
            streams=tuple(sorted({track.number for track in tracks})),
            count=len(rows),
            total_ns=total,
            min_ns=int(self.length[places].min()),
            max_ns=int(self.length[places].max()),
            share=share,
            cumulative=0.0,
            exposed_ns=exposed_ns,
            grid=_same_dimensions(kernels.grid[facts]),
            block=_same_dimensions(kernels.block[facts]),
            registers=_same(kernels.registers[facts]) or None,
            shared_memory=_same(kernels.shared_memory[facts]),
            occupancy=_weighted(kernels.occupancy[facts], weight),
            blocks_per_multiprocessor=_weighted(kernels.blocks_per_multiprocessor[facts], weight),
            matrix_core=verdicts.pop() if len(verdicts) == 1 else None,
            matrix_core_eligible=any(could_use_matrix_units(op, profile.names[int(name)]) for name in names),
            launch_delay_ns=float(np.median(delays)) if len(delays) else None,
            bytes=accessed,
            flops=flops,
            flops_share=share_of_flops,
            bandwidth_share=share_of_bandwidth,
        )

    def _flops(self, places: Int64, ops: Int32) -> tuple[float | None, int]:
        """And the time they took: from shapes, else from the operation where all its kernels are in this row."""
        known = places[~np.isnan(self.flops[places])]
        if len(known):
            return float(self.flops[known].sum()), int(self.length[known].sum())
        if len(ops) != 1 or ops[0] < 0 or self.kernels_of_op[ops[0]] != len(places):
            return None, 0
        flops = self.profile.ops[int(ops[0])].flops
        total = int(self.length[places].sum())
        return (None, 0) if np.isnan(flops) else (flops * int(self.executions_of_op[ops[0]]), total)

    def _bytes(self, ops: Int32, count: int) -> float | None:
        """Of the operation, when all its kernels are in this row: bytes cannot be divided among several kernels."""
        if len(ops) != 1 or ops[0] < 0 or self.kernels_of_op[ops[0]] != count:
            return None
        accessed = self.profile.ops[int(ops[0])].bytes
        return None if np.isnan(accessed) else accessed * int(self.executions_of_op[ops[0]])


def _executions(profile: Profile, rows: Int64) -> Int64:
    """How often each operation ran, from its kernels on all devices."""
    known = rows[profile.spans.op[rows] >= 0]
    device = np.array([track.device for track in profile.tracks])[profile.spans.track[known]]
    known = known[np.lexsort((profile.spans.start[known], device))]
    return count_executions(profile, known, host_operation_of(profile, known), profile.spans.op[known], len(profile.ops))


def _flops(profile: Profile, rows: Int64, length: Int64) -> Float64:
    """FLOPs that shapes tell, per kernel: those of a host operation go to the longest kernel that it launched."""
    found = np.full(len(rows), np.nan)
    of_row = flops_of_rows(profile)
    host = host_operation_of(profile, rows)
    known = np.flatnonzero(host >= 0)
    known = known[~np.isnan(of_row[host[known]])]
    known = known[np.lexsort((-length[known], host[known]))]
    first = known[np.concatenate([[True], host[known][1:] != host[known][:-1]])] if len(known) else known
    found[first] = of_row[host[first]]
    return found


_Work = tuple[float | None, int]
"""An amount and the nanoseconds it took."""


def _shares_of_peak(
    profile: Profile, tracks: Sequence[Track], kernel: str, flops: _Work, accessed: _Work
) -> tuple[float | None, float | None]:
    """Shares of the device's peaks while the kernels run; None where a peak or the work is unknown."""
    devices = {track.device for track in tracks if 0 <= track.device < len(profile.devices)}
    peaks = device_peaks(profile.devices[devices.pop()]) if len(devices) == 1 else None
    if peaks is None:
        return None, None
    return _share(flops, format_peak(peaks, number_format(kernel))), _share(accessed, peaks.bandwidth)


def _share(work: _Work, roof: float | None) -> float | None:
    amount, nanoseconds = work
    return amount * 1e9 / nanoseconds / roof if amount is not None and nanoseconds and roof else None


def _distinct(values: Int32, most: int) -> Int32:
    """The values that occur, all in [0, most), without sorting."""
    return np.flatnonzero(np.bincount(values, minlength=most)).astype(np.int32)


def _same(values: Int32 | Int64) -> int | None:
    return int(values[0]) if len(values) and values[0] >= 0 and bool((values == values[0]).all()) else None


def _same_dimensions(values: Int32) -> Dimensions | None:
    if not len(values) or int(values[0].max()) <= 0 or not bool((values == values[0]).all()):
        return None
    x, y, z = values[0].tolist()
    return x, y, z


def _weighted(values: Float32, weight: Int64) -> float | None:
    """Mean over time; a kernel twice as long counts twice."""
    known = np.isfinite(values)
    total = int(weight[known].sum())
    return float((values[known] * weight[known]).sum()) / total if total else None
