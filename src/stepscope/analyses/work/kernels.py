"""Kernels in one table: launch facts, time, how long they waited for the device, and whether they run on matrix units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from stepscope.analyses.attributes import ReadAttributes
from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.devices.occupancy import occupancies
from stepscope.analyses.devices.peaks import NO_PEAKS, device_peaks, format_peak
from stepscope.analyses.devices.position import RooflinePosition
from stepscope.analyses.devices.table import DeviceTable
from stepscope.analyses.grouping import Grouped, dense_codes
from stepscope.analyses.rows import rows_of_role
from stepscope.analyses.work.executions import executions_of_operations
from stepscope.analyses.work.operation_costs import SHAPES, OperationCosts, joined_sources, recorded_costs
from stepscope.analyses.work.shape_work import shape_work
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
    theoretical_occupancy: float | None  # mean over time
    achieved_occupancy: float | None  # mean over time; an estimate
    occupancy_from: tuple[str, str]  # "recorded" or "computed", of the theoretical and the achieved one
    blocks_per_multiprocessor: float | None  # mean over time
    matrix_core: bool | None  # None: a product whose naming is unknown, or several
    matrix_core_eligible: bool
    launch_delay_ns: float | None  # median, from the end of the launching call to the start of the kernel
    position: RooflinePosition  # FLOPs and bytes of an operation of several kernels are the longest one's

    @property
    def bytes(self) -> float | None:
        """Accessed, in sum."""
        return self.position.bytes

    @property
    def flops(self) -> float | None:
        """In sum."""
        return self.position.flops

    @property
    def average_ns(self) -> float:
        """Per launch."""
        return self.total_ns / self.count if self.count else 0.0


@dataclass(frozen=True, slots=True)
class MatrixUse:
    """Shares of kernel time on matrix units, and of products whose naming is unknown."""

    used: float
    unknown: float


def kernels(
    profile: Profile,
    breakdown: Breakdown,
    by: KernelsBy = KernelsBy.NAME,
    costs: OperationCosts | None = None,
    attributes: ReadAttributes | None = None,
    devices: DeviceTable | None = None,
) -> list[KernelRow]:
    """The table, longest in sum first; `costs` as of `operations`, `attributes` as of `shape_work`, `devices` as of `device_peaks`."""
    rows = _kernel_rows(profile)
    if not len(rows):
        return []
    table = _Table(profile, rows, costs or recorded_costs(profile), attributes, devices)
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


def spans_of_kernel(profile: Profile, by: KernelsBy, name: str, op: str) -> Int64:
    """The launches of one row of the table; those of one name and operation whatever their launch settings."""
    spans, rules, rows = profile.spans, profile.name_rules, _kernel_rows(profile)
    if by is KernelsBy.STREAM:
        return rows[np.array([track.name == name for track in profile.tracks])[spans.track[rows]]]
    of_op = np.array([each.name == op for each in profile.ops] + [op == ""])[spans.op[rows]]
    if by is KernelsBy.OP:
        return rows[of_op]
    title = rules.kernel_family if by is KernelsBy.FAMILY else str
    used: list[int] = np.unique(spans.name[rows]).tolist()
    wanted = np.zeros(len(profile.names) + 1, bool)
    wanted[used] = [title(profile.names[each]) == name for each in used]
    named = wanted[spans.name[rows]]
    return rows[named if by is KernelsBy.FAMILY else named & of_op]


def matrix_use(profile: Profile) -> MatrixUse:
    """Of all kernels, whether an operation is known for them or not."""
    rows = _kernel_rows(profile)
    length = profile.spans.end[rows] - profile.spans.start[rows]
    total = int(length.sum())
    if not total:
        return MatrixUse(0.0, 0.0)
    names = dense_codes(profile.spans.name[rows].astype(np.int64), len(profile.names))
    sums = names.sums(length).tolist()
    verdicts = [profile.name_rules.uses_matrix_units(profile.names[int(profile.spans.name[rows[first]])]) for first in names.firsts()]
    used = sum(time for time, verdict in zip(sums, verdicts, strict=True) if verdict)
    unknown = sum(time for time, verdict in zip(sums, verdicts, strict=True) if verdict is None)
    return MatrixUse(used / total, unknown / total)


def _kernel_rows(profile: Profile) -> Int64:
    rows = rows_of_role(profile, TrackRole.STREAM)
    return rows[profile.spans.kind[rows] == SpanKind.KERNEL]


class _Table:
    """The kernels' spans beside their launch facts."""

    def __init__(
        self, profile: Profile, rows: Int64, costs: OperationCosts, attributes: ReadAttributes | None, devices: DeviceTable | None
    ) -> None:
        self.profile = profile
        self.rows = rows
        self.costs = costs
        self.peaks = [device_peaks(device, devices) for device in profile.devices]
        self.occupancies = occupancies(profile, devices)
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
        self.executions_of_op = executions_of_operations(profile, rows)
        self.flops, self.bytes = shape_work(profile, rows, self.length, attributes)
        self.longest_name = _longest_names(profile, rows[~np.isnan(np.append(costs.flops, np.nan)[op])])

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
            of_name = [profile.name_rules.kernel_family(profile.names[each]) for each in used]
            families = {family: place for place, family in enumerate(sorted(set(of_name)))}
            table = np.zeros(len(profile.names), np.int64)
            table[used] = [families[family] for family in of_name]
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
        profile, spans, rules = self.profile, self.profile.spans, self.profile.name_rules
        rows = self.rows[places]
        names = _distinct(spans.name[rows], len(profile.names))
        ops = _distinct(spans.op[rows] + 1, len(profile.ops) + 1) - 1
        op = profile.ops[int(ops[0])].name if len(ops) == 1 and ops[0] >= 0 else ""
        tracks = [profile.tracks[int(track)] for track in _distinct(spans.track[rows], len(profile.tracks))]
        only = profile.names[int(names[0])]
        verdicts = {rules.uses_matrix_units(profile.names[int(name)]) for name in names}
        families = {rules.kernel_family(profile.names[int(name)]) for name in names}
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
        return KernelRow(
            name=title,
            short=rules.short_name(only) if title == only else title,
            family=families.pop() if len(families) == 1 else "",
            op=op,
            device=", ".join(dict.fromkeys(track.process for track in tracks)),
            streams=tuple(sorted({track.number for track in tracks})),
            count=len(rows),
            total_ns=int(self.length[places].sum()),
            min_ns=int(self.length[places].min()),
            max_ns=int(self.length[places].max()),
            share=share,
            cumulative=0.0,
            exposed_ns=exposed_ns,
            grid=_same_dimensions(kernels.grid[facts]),
            block=_same_dimensions(kernels.block[facts]),
            registers=_same(kernels.registers[facts]) or None,
            shared_memory=_same(kernels.shared_memory[facts]),
            theoretical_occupancy=_weighted(self.occupancies.theoretical[facts], weight),
            achieved_occupancy=_weighted(self.occupancies.achieved[facts], weight),
            occupancy_from=(self.occupancies.theoretical_from, self.occupancies.achieved_from),
            blocks_per_multiprocessor=_weighted(kernels.blocks_per_multiprocessor[facts], weight),
            matrix_core=verdicts.pop() if len(verdicts) == 1 else None,
            matrix_core_eligible=any(rules.could_use_matrix_units(op, profile.names[int(name)]) for name in names),
            launch_delay_ns=float(np.median(delays)) if len(delays) else None,
            position=self._position(places, ops, tracks, only if len(names) == 1 else ""),
        )

    def _position(self, places: Int64, ops: Int32, tracks: Sequence[Track], kernel: str) -> RooflinePosition:
        """Work that the operation tells where all its kernels are in this row, else that of shapes."""
        flops, flops_ns, flops_from = self._flops(places, ops)
        accessed, bytes_ns, bytes_from = self._work(self.bytes, self.costs.bytes, self.costs.bytes_from, places, ops)
        of_devices = [self.peaks[track.device] for track in tracks if 0 <= track.device < len(self.peaks)]
        peaks = of_devices[0] if of_devices and all(each == of_devices[0] for each in of_devices) else NO_PEAKS
        rules = self.profile.name_rules
        plain = bool(kernel) and rules.uses_matrix_units(kernel) is False
        return RooflinePosition(
            flops, flops_ns, flops_from, accessed, bytes_ns, bytes_from,
            peak_flops=format_peak(peaks, rules.number_format(kernel) or ("fp32" if plain else None)),
            peak_bandwidth=peaks.bandwidth,
            peaks_from=joined_sources((peaks.flops_from, peaks.bandwidth_from)),
        )  # fmt: skip

    def _flops(self, places: Int64, ops: Int32) -> tuple[float | None, int, str]:
        """Of an operation of several kernels, all are those of the name that takes most of its time."""
        found = self._work(self.flops, self.costs.flops, self.costs.flops_from, places, ops)
        if found[0] is not None or len(ops) != 1 or ops[0] < 0 or np.isnan(self.costs.flops[ops[0]]):
            return found
        op, name = int(ops[0]), int(self.profile.spans.name[self.rows[places[0]]])
        if self.longest_name.get(op) != (name, len(places)):
            return found
        amount = float(self.costs.flops[op]) * int(self.executions_of_op[op])
        return amount, int(self.length[places].sum()), self.costs.flops_from[op]

    def _work(
        self, of_shapes: Float64, of_op: Float64, sources: tuple[str, ...], places: Int64, ops: Int32
    ) -> tuple[float | None, int, str]:
        """An amount, the time of the kernels it belongs to, and how it is known: work cannot be divided among several kernels."""
        if len(ops) == 1 and ops[0] >= 0 and self.kernels_of_op[ops[0]] == len(places) and not np.isnan(of_op[ops[0]]):
            amount = float(of_op[ops[0]]) * int(self.executions_of_op[ops[0]])
            return amount, int(self.length[places].sum()), sources[int(ops[0])]
        known = places[~np.isnan(of_shapes[places])]
        if len(known):
            return float(of_shapes[known].sum()), int(self.length[known].sum()), SHAPES
        return None, 0, ""


def _longest_names(profile: Profile, rows: Int64) -> dict[int, tuple[int, int]]:
    """By operation, the name among its kernels that takes most time, and how many kernels have it."""
    spans = profile.spans
    pairs, place = np.unique(spans.op[rows].astype(np.int64) * len(profile.names) + spans.name[rows], return_inverse=True)
    time = np.bincount(place, spans.end[rows] - spans.start[rows], len(pairs))
    counts: list[int] = np.bincount(place, minlength=len(pairs)).tolist()
    order: list[int] = np.argsort(time, kind="stable").tolist()
    keys: list[int] = pairs.tolist()
    return {keys[at] // len(profile.names): (keys[at] % len(profile.names), counts[at]) for at in order}  # the last counts


def _distinct(values: Int32, most: int) -> Int32:
    """The values that occur, all in [0, most); work for the values alone, never for all that there could be."""
    if len(values) < most:
        return np.unique(values)
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
