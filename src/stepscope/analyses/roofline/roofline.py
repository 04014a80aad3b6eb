"""The roofline of a recording: what operations achieve beneath what the device allows, and how much of a step's time that fills."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.attributes import ReadAttributes
from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.devices.peaks import ANY, busy_devices, device_peaks, peak_sentences, peaks_text
from stepscope.analyses.devices.position import RooflinePosition
from stepscope.analyses.devices.table import FORMATS, DeviceTable, MemoryLevel
from stepscope.analyses.programs.costs import operation_costs
from stepscope.analyses.programs.hlo import HloRow, hlo_rows
from stepscope.analyses.roofline.span_work import WorkOfSpans, work_of_spans
from stepscope.analyses.work.kernels import KernelRow, KernelsBy, kernels
from stepscope.model.hlo import HloProgram
from stepscope.model.number_text import three_digits
from stepscope.model.profile import Device, Int64, Profile

_SECOND = 1e9
_ALL = 0.995
_ENOUGH = 0.5
"""Of less of the device's time, what is known says nothing of the step."""
_PREFIXES = ("", "k", "M", "G", "T", "P", "E")
_PLAUSIBLE = 1.05
"""A share of a roof up to here may be a matter of clocks; beyond it the roof, or the count, is wrong."""


@dataclass(frozen=True, slots=True)
class Roof:
    """What a device allows: operations per second by number format, bytes per second, and nearer memories from the nearest on."""

    device: str
    count: int  # devices of this name
    flops: dict[str, float]
    bandwidth: float | None
    levels: tuple[MemoryLevel, ...]
    text: str


@dataclass(frozen=True, slots=True)
class RooflinePoint:
    """One operation of a compiled program, or one kernel with its operation, of which FLOPs or bytes are known."""

    name: str
    detail: str  # the kernel, or the kind of compiled operation
    device: str
    count: int
    total_ns: int
    share: float  # of the device's time
    position: RooflinePosition
    occupancy: float | None
    rematerialised: bool

    @property
    def implausible(self) -> bool:
        """More than the device can: a peak is too low, or caches served part of the bytes."""
        shares = (self.position.flops_share, self.position.bandwidth_share)
        return any(share is not None and share > _PLAUSIBLE for share in shares)


@dataclass(frozen=True, slots=True)
class Utilisation:
    """Of a typical step and all devices of the process; None is unknown."""

    step_ns: float
    devices: int
    flops: float  # that are known
    flops_per_second: float
    mfu: float | None  # what the known FLOPs would take at their peaks, of the step; without what is computed again, and not of too few
    hfu: float | None  # the same with it
    known_share: float  # of the device's time, that of work whose FLOPs are known; MFU is a lower bound as far as it is not all


@dataclass(frozen=True, slots=True)
class Roofline:
    """Points are those with most time first."""

    roofs: tuple[Roof, ...]
    points: tuple[RooflinePoint, ...]
    use: Utilisation | None
    notes: tuple[str, ...]


def roofline(
    profile: Profile,
    breakdown: Breakdown,
    programs: Sequence[HloProgram] = (),
    attributes: ReadAttributes | None = None,
    devices: DeviceTable | None = None,
) -> Roofline:
    """Operations of compiled programs, and kernels of everything else, below the roofs that `devices` has as of `device_peaks`.

    `attributes` reads single events, for strides and masks.
    """
    costs = operation_costs(profile, programs)
    measured = hlo_rows(profile, programs, devices=devices) if programs else []
    compiled = [row for row in measured if row.flops is not None or row.bytes is not None]
    counted = {(row.program.rsplit("(", 1)[0], row.name) for row in compiled}
    names_of_compiled = {op.name for op in profile.ops if (op.program.rsplit("(", 1)[0], op.name) in counted}
    table = kernels(profile, breakdown, KernelsBy.NAME, costs, attributes, devices)
    plain = [row for row in table if row.op not in names_of_compiled and (row.flops is not None or row.bytes is not None)]
    total = sum(row.total_ns for row in table) or sum(row.self_ns for row in compiled) or 1
    points = [*(_of_program(row, total) for row in compiled), *(_of_kernel(row, total) for row in plain)]
    points.sort(key=lambda point: (-point.total_ns, point.name, point.detail))
    use = _utilisation(breakdown, work_of_spans(profile, costs, compiled, attributes, devices))
    notes = [*peak_sentences(profile, devices), *_notes(profile, points, use)]
    return Roofline(_roofs(busy_devices(profile), devices), tuple(points), use, tuple(notes))


def use_sentence(use: Utilisation) -> str:
    """The utilisation in words."""
    if use.known_share < _ENOUGH:
        return f"FLOPs are known for only {100 * use.known_share:.0f}% of device time, so MFU is not shown."
    said = (
        f"A typical step of {use.step_ns / 1e6:,.2f} ms does {prefixed(use.flops, 'FLOP')}, {prefixed(use.flops_per_second, 'FLOP/s')}"
    )
    if use.mfu is None:
        return f"{said}; MFU is unknown without the device's peak."
    again = f", {100 * use.hfu:.1f}% including recomputation" if use.hfu is not None and use.hfu > use.mfu * 1.001 else ""
    return f"{said}: MFU {'at least ' if use.known_share < _ALL else ''}{100 * use.mfu:.1f}%{again}."


def prefixed(value: float | None, unit: str) -> str:
    """Three digits, a prefix and the unit; nothing for what is unknown."""
    if value is None:
        return ""
    place = 0
    while abs(value) >= 999.5 and place + 1 < len(_PREFIXES):
        value, place = value / 1000, place + 1
    return f"{three_digits(value)} {_PREFIXES[place]}{unit}".rstrip()


def _of_program(row: HloRow, total_ns: int) -> RooflinePoint:
    def peak(amount: float | None, best_ns: float | None) -> float | None:
        return amount / best_ns * _SECOND if amount and best_ns else None

    position = RooflinePosition(
        flops=row.flops,
        flops_ns=row.total_ns,
        flops_from=row.flops_from,
        bytes=row.bytes,
        bytes_ns=row.total_ns,
        bytes_from=row.bytes_from,
        peak_flops=peak(row.flops, row.compute_ns),
        peak_bandwidth=peak(row.bytes, row.memory_ns),
    )
    device = ", ".join(row.devices)
    return RooflinePoint(
        row.name, row.category, device, row.count, row.total_ns, row.self_ns / total_ns, position, None, row.rematerialised
    )


def _of_kernel(row: KernelRow, total_ns: int) -> RooflinePoint:
    return RooflinePoint(
        name=row.op or row.short,
        detail=row.short,
        device=row.device,
        count=row.count,
        total_ns=row.total_ns,
        share=row.total_ns / total_ns,
        position=row.position,
        occupancy=row.achieved_occupancy,
        rematerialised=False,
    )


def _roofs(busy: Iterable[Device], devices: DeviceTable | None) -> tuple[Roof, ...]:
    found: dict[str, Roof] = {}
    for device in busy:
        peaks = device_peaks(device, devices)
        text = peaks_text(device, peaks)
        if not peaks.known:
            continue
        name = device.name or f"{device.vendor} {device.kind}".strip()
        before = found.get(name)
        ordered = {each: peaks.flops[each] for each in (*FORMATS, ANY) if each in peaks.flops}
        count = before.count + 1 if before else 1
        found[name] = Roof(name, count, ordered, peaks.bandwidth, peaks.levels, before.text if before else text)
    return tuple(found.values())


def _utilisation(breakdown: Breakdown, work: WorkOfSpans) -> Utilisation | None:
    """By the start of each span: what a step launched may end in the next, but about as much comes over from the one before."""
    known = ~np.isnan(work.flops)
    if not known.any() or not breakdown.typical:
        return None
    typical = _in_steps(work.start, breakdown)
    steps, step_ns = len(breakdown.typical), breakdown.typical_ns
    flops = float(work.flops[known & typical].sum()) / steps
    devices = max(1, work.devices)
    ideal = known & typical & ~np.isnan(work.best_ns)
    again = ideal & ~work.rematerialised
    share = int(work.length[known & typical].sum()) / (int(work.length[typical].sum()) or 1)
    told = step_ns > 0 and share >= _ENOUGH
    return Utilisation(
        step_ns=step_ns,
        devices=devices,
        flops=flops,
        flops_per_second=flops / step_ns * _SECOND if step_ns else 0.0,
        mfu=float(work.best_ns[again].sum()) / steps / devices / step_ns if again.any() and told else None,
        hfu=float(work.best_ns[ideal].sum()) / steps / devices / step_ns if ideal.any() and told else None,
        known_share=share,
    )


def _in_steps(start: Int64, breakdown: Breakdown) -> NDArray[np.bool_]:
    step = np.searchsorted(breakdown.steps.bounds, start, side="right") - 1
    typical = np.zeros(len(breakdown.steps) + 2, bool)
    typical[list(breakdown.typical)] = True
    return typical[np.clip(step, -1, len(breakdown.steps))]


def _notes(profile: Profile, points: Sequence[RooflinePoint], use: Utilisation | None) -> list[str]:
    notes: list[str] = []
    if not points:
        notes.append("FLOPs are not recorded in this profile. Capture shapes (record_shapes=True in PyTorch) or compile with XLA.")
    elif not profile.devices:
        notes.append("Profiles do not record the peaks of a CPU, so there is no roof.")
    if over := [point for point in points if point.implausible]:
        worst = max(max(point.position.flops_share or 0.0, point.position.bandwidth_share or 0.0) for point in over)
        notes.append(
            f"{len(over)} of {len(points)} points reach up to {100 * worst:.0f}% of a roof, which is impossible: the device's peaks are"
            " too low, caches served some of the bytes, or an algorithm with fewer FLOPs ran, such as Winograd convolution."
        )
    if use is not None and use.known_share < _ENOUGH:
        notes.append(
            "FLOPs are from compiled programs, and in PyTorch from matrix products, convolutions and attention with recorded"
            " shapes and arguments (record_shapes=True)."
        )
    elif use is not None and use.known_share < _ALL:
        notes.append(f"FLOPs are known for {100 * use.known_share:.0f}% of device time, so utilisation may be higher.")
    return notes
