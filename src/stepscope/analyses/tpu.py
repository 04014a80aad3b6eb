"""A TPU's step in parts: compute, infeed, outfeed, communication, copies and idle; and how busy its matrix unit is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Int64, Profile, TrackRole


@dataclass(frozen=True, slots=True)
class TpuStep:
    """Nanoseconds of a typical step, mean over the recording's TPUs; the parts sum to the step."""

    devices: int
    step_ns: float
    compute_ns: float
    infeed_ns: float
    outfeed_ns: float
    communication_ns: float
    copy_ns: float
    idle_ns: float
    matrix_use: float | None  # share of the peak while it computes: arithmetic of the executed operations; None when unknown
    step_matrix_use: float | None  # the same over the whole step


def tpu_step(profile: Profile, breakdown: Breakdown) -> TpuStep | None:
    """None when no TPU computes in the recording."""
    found = [place for place in breakdown.classified.devices if place != NONE and profile.devices[place].kind == "TPU"]
    if not found:
        return None
    at = [breakdown.classified.devices.index(place) for place in found]
    parts = breakdown.device_parts[at][:, list(breakdown.typical)].mean(axis=(0, 1))
    busy = float(parts[TimeClass.COMPUTE])
    named = {
        "compute_ns": busy,
        "infeed_ns": float(parts[TimeClass.H2D]),
        "outfeed_ns": float(parts[TimeClass.D2H]),
        "communication_ns": float(parts[TimeClass.COMM]),
        "copy_ns": float(parts[TimeClass.D2D]),
    }
    flops = _flops_of_a_step(profile, breakdown, found)
    peak = np.mean([profile.devices[place].peak_flops for place in found])
    known = flops is not None and peak > 0
    return TpuStep(
        devices=len(found),
        step_ns=breakdown.typical_ns,
        **named,
        idle_ns=max(0.0, breakdown.typical_ns - sum(named.values())),
        matrix_use=float(flops / (busy / 1e9) / peak) if known and flops is not None and busy > 0 else None,
        step_matrix_use=float(flops / (breakdown.typical_ns / 1e9) / peak) if known and flops is not None else None,
    )


def _flops_of_a_step(profile: Profile, breakdown: Breakdown, devices: list[int]) -> float | None:
    """Arithmetic of one device's typical step: of operations that hold no others, since a loop counts what is in it once more."""
    spans, steps = profile.spans, breakdown.steps
    flops = np.array([operation.flops for operation in profile.ops] or [np.nan])
    holds = np.zeros(len(spans), bool)
    holds[spans.parent[spans.parent >= 0]] = True
    rows: list[Int64] = [
        np.arange(track.first_row, track.last_row)
        for track in profile.tracks
        if track.role == TrackRole.STREAM and track.device in devices
    ]
    leaves = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    leaves = leaves[~holds[leaves] & (spans.op[leaves] >= 0)]
    known = leaves[np.isfinite(flops[spans.op[leaves]])]
    if not len(known):
        return None
    place = np.searchsorted(steps.bounds, spans.start[known], side="right") - 1
    counted = known[np.isin(place, breakdown.typical)]
    return float(flops[spans.op[counted]].sum()) / len(breakdown.typical) / len(devices)
