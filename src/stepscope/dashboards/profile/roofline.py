"""Rooflines on the Profile tab: the roofs of the devices, points beneath them, and how much of a step their arithmetic fills."""

from __future__ import annotations

from msgspec import Struct

from stepscope.analyses.breakdown import break_down
from stepscope.analyses.roofline.roofline import Roof, RooflinePoint, roofline, use_sentence
from stepscope.analyses.steps import find_steps
from stepscope.dashboards.profile.messages import RangeText, ReadingRow, SessionText, StepsText, WorkerText
from stepscope.queries.profiles import Opened

MOST_POINTS = 2_000
_US = 1e3


class RooflineRequest(Struct, frozen=True):
    """Which session and worker (none: the first)."""

    session: SessionText
    worker: WorkerText = ""
    steps: StepsText = ""
    range: RangeText = ""


class RoofLevel(Struct, frozen=True):
    """A memory nearer than the main one."""

    name: str
    bytes_per_second: float


class RoofFormat(Struct, frozen=True):
    """Arithmetic in one number format; `any` where a recording claims a single peak."""

    name: str
    flops_per_second: float


class RoofLine(Struct, frozen=True):
    """What a device allows; `count` of them have this name. Bandwidth is null when unknown."""

    device: str
    count: int
    formats: list[RoofFormat]
    bytes_per_second: float | None
    levels: list[RoofLevel]


class RooflineRow(Struct, frozen=True):
    """A compiled operation, or a kernel with its operation; what is unknown is null."""

    name: str
    detail: str
    device: str
    count: int
    total_us: float
    share: float
    flops: float | None
    flops_from: str
    bytes: float | None
    bytes_from: str
    flops_per_byte: float | None
    flops_per_second: float | None
    bytes_per_second: float | None
    of_peak_flops: float | None
    of_peak_bandwidth: float | None
    of_roof: float | None
    bound_by: str
    occupancy: float | None
    rematerialised: bool
    implausible: bool


class RooflineReport(Struct, frozen=True):
    """Points with most time first; at most 2,000 of `total` are sent. `mfu` and `hfu` are fractions, null when unknown."""

    roofs: list[RoofLine]
    points: list[RooflineRow]
    total: int
    sentence: str
    mfu: float | None
    hfu: float | None
    known_share: float | None
    notes: list[str]


class RooflineAnswer(Struct, frozen=True):
    """The roofline, or how far reading has come."""

    epoch: int
    reading: ReadingRow | None
    report: RooflineReport | None


def roofline_report(opened: Opened, steps: str) -> RooflineReport:
    """Of the first worker."""
    profile = opened.profiles[0]
    found = roofline(profile, break_down(profile, find_steps(profile, steps or None)), opened.programs(0), opened.read_attributes)
    use = found.use
    return RooflineReport(
        roofs=[_roof(roof) for roof in found.roofs],
        points=[_row(point) for point in found.points[:MOST_POINTS]],
        total=len(found.points),
        sentence="" if use is None else use_sentence(use),
        mfu=None if use is None else use.mfu,
        hfu=None if use is None else use.hfu,
        known_share=None if use is None else use.known_share,
        notes=list(found.notes),
    )


def _roof(roof: Roof) -> RoofLine:
    return RoofLine(
        device=roof.device,
        count=roof.count,
        formats=[RoofFormat(name, peak) for name, peak in roof.flops.items()],
        bytes_per_second=roof.bandwidth,
        levels=[RoofLevel(level.name, level.bandwidth) for level in roof.levels],
    )


def _row(point: RooflinePoint) -> RooflineRow:
    position = point.position
    return RooflineRow(
        name=point.name,
        detail=point.detail,
        device=point.device,
        count=point.count,
        total_us=point.total_ns / _US,
        share=point.share,
        flops=position.flops,
        flops_from=position.flops_from,
        bytes=position.bytes,
        bytes_from=position.bytes_from,
        flops_per_byte=position.intensity,
        flops_per_second=position.flops_per_second,
        bytes_per_second=position.bytes_per_second,
        of_peak_flops=position.flops_share,
        of_peak_bandwidth=position.bandwidth_share,
        of_roof=position.roof_share,
        bound_by=position.bound_by or "",
        occupancy=point.occupancy,
        rematerialised=point.rematerialised,
        implausible=point.implausible,
    )
