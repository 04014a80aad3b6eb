"""Without a device nothing is replayed: a change saves between the time that only its work runs and the time that any of it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stepscope.analyses.breakdown import Breakdown, Segments, device_segments, host_segments
from stepscope.analyses.host.saving import between_work
from stepscope.analyses.intervals import Intervals, common, lengths_between, minus, union_labelled
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.sharing import computing, cost_of_sharing, relieved
from stepscope.model.profile import Float64, Profile

Mask: TypeAlias = NDArray[np.bool_]

_CHOSEN = int(TimeClass.UNTRACED)  # no segment is untraced
OF_AROUND = 0.5
"""Of what lies around the work that goes: in every pair that was measured more than half of it went along."""
_BELONGS_TO_NOBODY = (TimeClass.FRAMEWORK, TimeClass.PYTHON)
"""Beside untraced time: what may be there only because of the work around it."""
_WORK = [each for each in TimeClass if each not in (*_BELONGS_TO_NOBODY, TimeClass.UNTRACED)]
"""What is there for its own sake: unless it was chosen it stays, however much of the rest goes."""


@dataclass(frozen=True, slots=True)
class Savings:
    """Nanoseconds of each typical step that a change takes away."""

    least: Float64  # nothing else ran that is there for its own sake
    most: Float64  # some of it ran, whatever else did, as far as other work leaves room

    def plus(self, other: Savings) -> Savings:
        """Both changes together."""
        return Savings(self.least + other.least, self.most + other.most)


def savings(
    profile: Profile,
    breakdown: Breakdown,
    left: Float64,
    around: Intervals | None = None,
    cores: int | None = None,
    *,
    moved: bool = False,
    loops: Intervals | None = None,
) -> Savings:
    """What a rank's typical steps lose; `left` is the factor of every span.

    In `around` Python, framework calls and untraced time may be there because of the work that goes, and go with it: as much
    again as the work itself, at most, and all of it in `loops`, which have nothing but such work; half of that at least.
    Compute that ran beside the work on the last of the `cores` is shorter without it, unless that is only `moved` and runs beside
    it still.
    """
    steps = breakdown.steps
    typical = list(breakdown.typical)

    def in_steps(these: Intervals) -> Float64:
        return lengths_between(these, steps.bounds)[typical].astype(np.float64)

    total, sure = Savings(np.zeros(len(typical)), np.zeros(len(typical))), np.zeros(len(typical))
    segments = _segments(profile, breakdown)
    changed = left != 1.0
    marked = _marked(segments, changed)
    # A call on another thread may only wait for the work that goes, as Keras' fit does for its iterator: it hides nothing but its like.
    own = np.isin(breakdown.classified.label[changed], _BELONGS_TO_NOBODY).any()
    beside = [*_WORK, *_BELONGS_TO_NOBODY] if own else _WORK
    for low, high in _ranges(left[changed]):
        chosen = changed & (left >= low) & (left < high)
        factor = float(left[chosen].mean())
        mine = marked if np.count_nonzero(chosen) == np.count_nonzero(changed) else _marked(segments, chosen)
        running = _labelled(mine, [_CHOSEN])
        alone = minus(running, _labelled(mine, beside))
        total = total.plus(Savings((1 - factor) * in_steps(alone), (1 - factor) * in_steps(running)))
    if around is not None:
        beside = minus(around, _labelled(marked, [*_WORK, _CHOSEN]))
        whole = in_steps(common(beside, loops)) if loops is not None and len(loops[0]) else np.zeros(len(typical))
        gone = whole + np.minimum(in_steps(beside) - whole, total.most)
        sure, total = np.zeros_like(gone) if moved else OF_AROUND * gone, total.plus(Savings(np.zeros(len(typical)), gone))
    relief = 0.0
    if changed.any() and not moved:
        shared = common(_labelled(marked, [_CHOSEN]), _labelled(marked, [TimeClass.COMPUTE]))
        cost = cost_of_sharing(cores, 1 + computing(marked, shared))
        relief = (1 - float(left[changed].mean())) * relieved(in_steps(shared), cost)
    room = np.maximum(total.least, steps.length[typical] - in_steps(_labelled(marked, _WORK)) + relief)
    most = np.minimum(total.most, room)
    return Savings(np.minimum(total.least + sure, most), most)


def idle_around(profile: Profile, breakdown: Breakdown, classes: Sequence[TimeClass]) -> Intervals:
    """Stretches between compute, communication and input in which any of the classes has time."""
    start, end = between_work(profile, breakdown)
    mine = _labelled(_segments(profile, breakdown), classes)[0]
    inside = np.diff(np.searchsorted(mine, np.stack([start, end], axis=1)), axis=1)[:, 0]
    return start[inside > 0], end[inside > 0]


def _labelled(tracks: Sequence[Segments], classes: Sequence[int]) -> Intervals:
    """Time of any of the classes."""
    return union_labelled(((start, end, label) for start, end, _, label in tracks), classes)


def _segments(profile: Profile, breakdown: Breakdown) -> list[Segments]:
    streams = [
        segments for device in breakdown.classified.devices for segments in device_segments(profile, breakdown.classified, device)
    ]
    return [*streams, *host_segments(profile, breakdown.classified)]


def _ranges(changed: Float64) -> Sequence[tuple[float, float]]:
    """Factors other than 1 as few ranges, each looked at once: those of one lever lie close together."""
    different = np.unique(changed)
    if len(different) <= 4:
        return [(float(each), float(np.nextafter(each, np.inf))) for each in different]
    edges = np.unique(np.quantile(different, [0.0, 0.25, 0.5, 0.75, 1.0]))
    edges[-1] = np.nextafter(edges[-1], np.inf)
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


def _marked(tracks: Sequence[Segments], chosen: Mask) -> list[Segments]:
    """The segments with a label of their own for those of the chosen spans."""
    return [(*track[:3], np.where(chosen[track[2]] & (track[3] >= 0), np.int8(_CHOSEN), track[3])) for track in tracks]
