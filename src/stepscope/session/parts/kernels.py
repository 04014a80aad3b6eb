"""Kernels of the devices: launch settings, time, occupancy, and what they achieve of what the device allows."""

from __future__ import annotations

from typing import Annotated

from msgspec import Struct

from stepscope.analyses.devices.peaks import peak_sentences
from stepscope.analyses.work.kernels import KernelRow as Found
from stepscope.analyses.work.kernels import KernelsBy, kernels
from stepscope.model import declared as d
from stepscope.model.declared import fill
from stepscope.session import roofline_position as p
from stepscope.session.analysed import AnalysedSession
from stepscope.session.limits import Contains, Host, Limit, Rank, Worker, contains, limited
from stepscope.session.part import Answer, Part, Wanted

Dimensions = tuple[int, int, int]


class KernelsWanted(Wanted, frozen=True, kw_only=True):
    """What makes a row, and which rows are listed."""

    by: Annotated[KernelsBy, d.text("What makes one row; `launch` separates launch settings.")] = KernelsBy.NAME
    contains: Contains = ""
    limit: Limit = 0


class KernelRow(Struct, frozen=True, kw_only=True):
    """One kernel, or all of a family, operation or stream. What differs inside a row or is unknown is null."""

    name: Annotated[str, d.text("Name of the kernel, or of what rows are grouped by.")]
    short: Annotated[str, d.text("Name without template arguments.")]
    family: Annotated[str, d.text("What the kernel does, by its name, such as matmul or reduction.")]
    op: Annotated[str, d.text("Operation that launched it; empty when unknown or several.")]
    device: Annotated[str, d.text("Device, such as `GPU 0`.")]
    worker: Worker
    host: Host
    rank: Rank
    streams: Annotated[list[int], d.number("Streams it ran on.", "stream")]
    count: Annotated[int, d.count("Number of launches.")]
    total_us: Annotated[float, d.us("Total duration.")]
    average_us: Annotated[float, d.us("Average duration.")]
    min_us: Annotated[float, d.us("Shortest launch.")]
    max_us: Annotated[float, d.us("Longest launch.")]
    share: Annotated[float, d.fraction("Share of the time of all kernels.")]
    cumulative: Annotated[float, d.fraction("This share plus the shares of all longer rows.")]
    exposed_us: Annotated[float, d.us("Time of a typical step in which the step waits for this and nothing else hides it.")]
    grid: Annotated[Dimensions | None, d.number("Grid: blocks in x, y and z.", "blocks")]
    block: Annotated[Dimensions | None, d.number("Block: threads in x, y and z.", "threads")]
    registers: Annotated[int | None, d.count("Registers per thread.")]
    shared_memory_bytes: Annotated[int | None, d.size("Shared memory per block.")]
    occupancy: Annotated[float | None, d.fraction("Achieved occupancy, or the theoretical one where that is unknown.")]
    theoretical_occupancy: Annotated[float | None, d.fraction("Occupancy that launch settings allow.")]
    theoretical_occupancy_from: Annotated[str, d.text("Origin: recorded or computed.")]
    achieved_occupancy: Annotated[float | None, d.fraction("Estimated achieved occupancy.")]
    achieved_occupancy_from: Annotated[str, d.text("Origin: recorded or computed.")]
    blocks_per_multiprocessor: Annotated[float | None, d.number("Blocks per multiprocessor, weighted by time.", "blocks")]
    matrix_core: Annotated[bool | None, d.flag("Whether it runs on Tensor Cores or Matrix Cores, by its name; null when unknown.")]
    matrix_core_eligible: Annotated[bool, d.flag("Whether its work could run on Tensor Cores or Matrix Cores.")]
    launch_delay_us: Annotated[float | None, d.us("Median time from the end of the launch call to the start of the kernel.")]
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


class Kernels(Answer, frozen=True, kw_only=True):
    """The table of kernels."""

    kernels: Annotated[list[KernelRow], d.nested("The rows, longest total duration first.")]
    total: Annotated[int, d.count("Number of all rows; at most `limit` are listed.")]
    notes: Annotated[list[str], d.nested("What is known of the devices' peaks.")]


def _make(session: AnalysedSession, wanted: KernelsWanted) -> Kernels:
    rows: list[KernelRow] = []
    notes: list[str] = []
    for place in session.places(wanted.worker):
        profile = session.profiles[place]
        found = kernels(profile, session.breakdown(place), wanted.by, session.costs(place), session.attributes, session.devices)
        notes += peak_sentences(profile, session.devices) if found else []
        rows += [_row(row, session.whose(place)) for row in found if contains(wanted.contains, row.name, row.op)]
    rows.sort(key=lambda row: (-row.total_us, row.name, row.op))
    return Kernels(kernels=limited(rows, wanted.limit), total=len(rows), notes=list(dict.fromkeys(notes)))


def _row(row: Found, whose: dict[str, object]) -> KernelRow:
    return fill(
        KernelRow,
        row,
        **whose,
        shared_memory_bytes=row.shared_memory,
        occupancy=row.theoretical_occupancy if row.achieved_occupancy is None else row.achieved_occupancy,
        theoretical_occupancy_from=row.occupancy_from[0],
        achieved_occupancy_from=row.occupancy_from[1],
        **p.position_columns(row.position),
    )


KERNELS = Part("kernels", "Kernels", KernelsWanted, Kernels, _make, table="kernels")
