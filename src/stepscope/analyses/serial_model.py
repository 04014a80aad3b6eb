"""Without a device nothing is replayed: a change saves between the time that only its work runs and the time that any of it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope._native import sweep_steps
from stepscope.analyses.breakdown import Breakdown, Segments, device_segments, host_segments
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import Float64, Profile

_CHOSEN = int(TimeClass.UNTRACED)  # in the sweep below no segment is untraced, and this label comes last
_LABELS = len(TimeClass)


@dataclass(frozen=True, slots=True)
class Savings:
    """Nanoseconds of each typical step that a change takes away."""

    least: Float64  # nothing else ran
    most: Float64  # some of it ran, whatever else did

    def plus(self, other: Savings) -> Savings:
        """Both changes together."""
        return Savings(self.least + other.least, self.most + other.most)


def savings(profile: Profile, breakdown: Breakdown, left: Float64) -> Savings:
    """What a rank's typical steps lose; `left` is the factor of every span."""
    steps = breakdown.steps
    typical = list(breakdown.typical)
    total = Savings(np.zeros(len(typical)), np.zeros(len(typical)))
    tracks = _segments(profile, breakdown)
    for low, high in _ranges(left):
        chosen = (left >= low) & (left < high) & (left != 1.0)
        taken, covered, _ = sweep_steps(
            [_marked(track, chosen) for track in tracks], steps.bounds, _LABELS, np.zeros(len(steps), np.uint8)
        )
        factor = float(left[chosen].mean())
        alone = taken.reshape(len(steps), _LABELS)[typical, _CHOSEN].astype(np.float64)
        running = covered.reshape(len(steps), _LABELS)[typical, _CHOSEN].astype(np.float64)
        total = total.plus(Savings((1 - factor) * alone, (1 - factor) * running))
    return total


def _segments(profile: Profile, breakdown: Breakdown) -> list[Segments]:
    streams = [
        segments for device in breakdown.classified.devices for segments in device_segments(profile, breakdown.classified, device)
    ]
    return [*streams, *host_segments(profile, breakdown.classified)]


def _ranges(left: Float64) -> Sequence[tuple[float, float]]:
    """Factors as few ranges, each swept once: those of one lever lie close together, or are 1."""
    changed = np.unique(left[left != 1.0])
    if len(changed) <= 4:
        return [(float(each), float(np.nextafter(each, np.inf))) for each in changed]
    edges = np.unique(np.quantile(changed, [0.0, 0.25, 0.5, 0.75, 1.0]))
    edges[-1] = np.nextafter(edges[-1], np.inf)
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


def _marked(track: Segments, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Segments:
    start, end, row, label = track
    return start, end, row, np.where(chosen[row] & (label >= 0), np.int8(_CHOSEN), label).astype(np.int8)
