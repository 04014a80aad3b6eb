"""The columns of work under a device's roofline, which kernels and roofline points share."""

from __future__ import annotations

from typing import Annotated

from stepscope.analyses.devices.position import RooflinePosition
from stepscope.model import declared as d

Bytes = Annotated[float | None, d.size("Bytes accessed by all executions; null when unknown.")]
BytesFrom = Annotated[str, d.text("Origin of `bytes`: recorded, HLO or shapes.")]
Flops = Annotated[float | None, d.number("Floating-point operations of all executions; null when unknown.", "FLOP")]
FlopsFrom = Annotated[str, d.text("Origin of `flops`: recorded, HLO or shapes.")]
FlopsPerByte = Annotated[float | None, d.number("Arithmetic intensity.", "FLOP/B")]
FlopsPerSecond = Annotated[float | None, d.per_second("Achieved arithmetic rate.", "FLOP")]
BytesPerSecond = Annotated[float | None, d.per_second("Achieved memory bandwidth.", "B")]
PeakFlopsPerSecond = Annotated[float | None, d.per_second("Peak arithmetic rate of the device in this number format.", "FLOP")]
PeakBytesPerSecond = Annotated[float | None, d.per_second("Peak memory bandwidth of the device.", "B")]
PeaksFrom = Annotated[str, d.text("Origin of the peaks: recorded, published or your table.")]
RidgeFlopsPerByte = Annotated[float | None, d.number("Intensity at which compute and memory limits meet.", "FLOP/B")]
FlopsShareOfPeak = Annotated[float | None, d.fraction("Achieved share of the peak arithmetic rate.")]
BandwidthShareOfPeak = Annotated[float | None, d.fraction("Achieved share of the peak bandwidth.")]
ShareOfRoof = Annotated[float | None, d.fraction("Achieved share of the lower roof at this intensity.")]
BoundBy = Annotated[str, d.text("The lower roof: compute or memory; empty when unknown.")]


def position_columns(position: RooflinePosition) -> dict[str, object]:
    """The values of these columns, by their keys."""
    return {
        "bytes": position.bytes,
        "bytes_from": position.bytes_from,
        "flops": position.flops,
        "flops_from": position.flops_from,
        "flops_per_byte": position.intensity,
        "flops_per_second": position.flops_per_second,
        "bytes_per_second": position.bytes_per_second,
        "peak_flops_per_second": position.peak_flops,
        "peak_bytes_per_second": position.peak_bandwidth,
        "peaks_from": position.peaks_from,
        "ridge_flops_per_byte": position.ridge,
        "flops_share_of_peak": position.flops_share,
        "bandwidth_share_of_peak": position.bandwidth_share,
        "share_of_roof": position.roof_share,
        "bound_by": position.bound_by or "",
    }
