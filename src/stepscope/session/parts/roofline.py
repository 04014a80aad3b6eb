"""Rooflines: the roofs of the devices, operations and kernels below them, and how much of a step their arithmetic fills."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from stepscope.analyses.roofline.roofline import Roof as FoundRoof
from stepscope.analyses.roofline.roofline import Roofline as Found
from stepscope.analyses.roofline.roofline import Utilisation as FoundUtilisation
from stepscope.analyses.roofline.roofline import roofline, use_sentence
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.session import roofline_position as p
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Contains, Host, Limit, Rank, Worker, contains, limited
from stepscope.session.part import Answer, Part, Wanted


class RooflineWanted(Wanted, frozen=True, kw_only=True):
    """Which points are listed."""

    contains: Contains = ""
    limit: Limit = 0


class RooflinePoint(Struct, frozen=True, kw_only=True):
    """An operation of a compiled program, or a kernel with its operation, where its FLOPs or bytes are known."""

    name: Annotated[str, d.text("Name of the operation.")]
    detail: Annotated[str, d.text("Name of the kernel, or category of the compiled operation.")]
    device: Annotated[str, d.text("Device, such as `GPU 0`.")]
    worker: Worker
    host: Host
    rank: Rank
    count: Annotated[int, d.count("Number of executions.")]
    total_us: Annotated[float, d.us("Total duration.")]
    share: Annotated[float, d.fraction("Share of the time of the device.")]
    rematerialised: Annotated[bool, d.flag("Whether the compiler computes it again to save memory.")]
    achieved_occupancy: Annotated[float | None, d.fraction("Estimated achieved occupancy; null when unknown.")]
    bytes: p.Bytes
    bytes_from: p.BytesFrom
    flops: p.Flops
    flops_from: p.FlopsFrom
    flops_per_byte: p.FlopsPerByte
    flops_per_second: p.FlopsPerSecond
    bytes_per_second: p.BytesPerSecond
    peak_flops_per_second: p.PeakFlopsPerSecond
    peak_bytes_per_second: p.PeakBytesPerSecond
    peaks_from: p.PeaksFrom
    ridge_flops_per_byte: p.RidgeFlopsPerByte
    flops_share_of_peak: p.FlopsShareOfPeak
    bandwidth_share_of_peak: p.BandwidthShareOfPeak
    share_of_roof: p.ShareOfRoof
    bound_by: p.BoundBy
    implausible: Annotated[bool, d.flag("Whether it exceeds what the device can do, so that a peak or a count is wrong.")]


class RoofLevel(Struct, frozen=True, kw_only=True):
    """A memory nearer to the processor than the main one."""

    name: Annotated[str, d.text("Name, such as L2.")]
    bytes_per_second: Annotated[float, d.per_second("Peak bandwidth.", "B")]


class Roof(Struct, frozen=True, kw_only=True):
    """What a device allows."""

    device: Annotated[str, d.text("Model of the device.")]
    count: Annotated[int, d.count("Number of devices of this model.")]
    flops_per_second: Annotated[dict[str, float], d.per_second("Peak by number format; `any` where one peak is recorded.", "FLOP")]
    bytes_per_second: Annotated[float | None, d.per_second("Peak bandwidth of the main memory; null when unknown.", "B")]
    levels: Annotated[list[RoofLevel], d.nested("Nearer memories, from the nearest on.")]


class Utilisation(Struct, frozen=True, kw_only=True):
    """How much of a typical step the arithmetic of all devices of a worker fills."""

    step_ms: Annotated[float, d.ms("Typical step time.")]
    devices: Annotated[int, d.count("Number of devices.")]
    flops_per_step: Annotated[float, d.number("Known floating-point operations of a step.", "FLOP")]
    flops_per_second: Annotated[float, d.per_second("Achieved arithmetic rate over the step.", "FLOP")]
    mfu: Annotated[float | None, d.fraction("Model FLOPs utilization: without what is computed again; null when unknown.")]
    hfu: Annotated[float | None, d.fraction("Hardware FLOPs utilization: with what is computed again; null when unknown.")]
    known_share: Annotated[float, d.fraction("Share of device time whose FLOPs are known.")]
    sentence: Annotated[str, d.text("The utilization in one sentence.")]


class RooflineOfWorker(Struct, frozen=True, kw_only=True):
    """The roofs of one worker and its utilization."""

    worker: Worker
    host: Host
    rank: Rank
    roofs: Annotated[list[Roof], d.nested("Roofs of its devices.")]
    utilisation: Annotated[Utilisation | None, d.nested("Utilization of its devices; null without device work.")]
    notes: Annotated[list[str], d.nested("What is known of the peaks and counts.")]


class Roofline(Answer, frozen=True, kw_only=True):
    """Operations and kernels below the roofs of their devices."""

    ranks: Annotated[list[RooflineOfWorker], d.nested("Roofs and utilization of each worker.")]
    points: Annotated[list[RooflinePoint], d.nested("The points, longest total duration first.")]
    total: Annotated[int, d.count("Number of all points; at most `limit` are listed.")]


def _make(session: AnalysedSession, wanted: RooflineWanted) -> Roofline:
    ranks: list[RooflineOfWorker] = []
    points: list[RooflinePoint] = []
    for place in session.places(wanted.worker):
        profile, programs = session.profiles[place], session.programs(place)[0]
        found = roofline(profile, session.breakdown(place), programs, session.attributes, session.devices)
        whose = session.whose(place)
        ranks.append(_of_worker(found, whose))
        points += [
            fill(RooflinePoint, point, **whose, achieved_occupancy=point.occupancy, **p.position_columns(point.position))
            for point in found.points
            if contains(wanted.contains, point.name, point.detail)
        ]
    points.sort(key=lambda point: (-point.total_us, point.name, point.detail))
    return Roofline(ranks=ranks, points=limited(points, wanted.limit), total=len(points))


def _of_worker(found: Found, whose: dict[str, object]) -> RooflineOfWorker:
    use = None if found.use is None else _utilisation(found.use)
    return fill(RooflineOfWorker, found, **whose, roofs=[_roof(roof) for roof in found.roofs], utilisation=use)


def _utilisation(use: FoundUtilisation) -> Utilisation:
    return fill(Utilisation, use, flops_per_step=use.flops, sentence=use_sentence(use))


def _roof(roof: FoundRoof) -> Roof:
    levels = [RoofLevel(name=level.name, bytes_per_second=level.bandwidth) for level in roof.levels]
    return fill(Roof, roof, flops_per_second=roof.flops, bytes_per_second=roof.bandwidth, levels=levels)


ROOFLINE = Part("roofline", "Roofline", RooflineWanted, Roofline, _make, table="points")
