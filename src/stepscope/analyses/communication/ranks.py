"""What several ranks tell about their communication: clocks aligned on common ends, and waiting told from transfer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from stepscope._native import sweep_steps
from stepscope.analyses.breakdown import Breakdown, Segments, device_segments, host_segments
from stepscope.analyses.communication.lateness import causes_of
from stepscope.analyses.communication.matching import Clocks, Gathered, Meeting, align, meet, own_collectives, wait_ends
from stepscope.analyses.communication.stages import stages_of
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Int8, Int32, Int64, Profile

_WAITING = TimeClass.COMM + 1  # in the sweep below, where the classes after it move one up
_LABELS = len(TimeClass)


@dataclass(frozen=True, slots=True)
class CommunicationSplit:
    """The communication part of a rank's steps, divided."""

    waiting_ns: float  # of a typical step, for ranks that came later
    transfer_ns: float
    step_waiting_ns: tuple[float, ...]  # of each step


@dataclass(frozen=True, slots=True)
class Collected:
    """All that several ranks tell about their collectives."""

    clocks: Clocks | None  # None when there is nothing to compare
    splits: tuple[CommunicationSplit | None, ...]  # per rank; None where ranks are missing
    text: str  # "split by 8 of 8 ranks", "not split: 1 of 8 ranks", or "no communication"
    late: int | None = None  # place of the rank that the others wait for in nearly every step
    late_share: float = 0.0  # of steps, those in which it is last
    late_ns: float = 0.0  # that another rank's typical step waits for it, in the mean
    stages: tuple[int, ...] = ()  # of each rank, the stage of a pipeline; all the same, or none, without one
    in_groups: bool = False  # ranks communicate within groups, and no collective is on every rank
    aligned: Clocks | None = None  # by what ranks share, also while some are missing and waiting cannot be told from transfer

    @property
    def waiting_ns(self) -> tuple[float | None, ...]:
        """What each rank's typical step waits for the others."""
        return tuple(None if split is None else split.waiting_ns for split in self.splits)


def collected(gathered: Gathered, profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]) -> Collected:
    """Splits each rank's communication, where all ranks of a collective are here; `gathered` is what ties them."""
    none: tuple[CommunicationSplit | None, ...] = (None,) * len(profiles)
    if not any(gathered.own):
        return Collected(gathered.clocks, none, "no communication", aligned=gathered.clocks)
    size = max([gathered.world_size, *(one.size for each in gathered.own for one in each)])
    if gathered.clocks is None or not gathered.latest:
        return Collected(None, none, _why_not(len(profiles), size), stages=stages_of(gathered.own, profiles), aligned=gathered.clocks)
    met = {rank for meeting, _, _ in gathered.latest for rank in meeting.ranks}
    ends = wait_ends(profiles, gathered.latest, gathered.clocks)
    splits = tuple(
        _split(profile, breakdown, ends[rank]) if rank in met else None
        for rank, (profile, breakdown) in enumerate(zip(profiles, breakdowns, strict=True))
    )
    causes = causes_of(gathered, profiles, breakdowns)
    text = f"split by {len(profiles)} of {max(size, len(profiles))} ranks"
    in_groups = all(len(meeting.ranks) < len(profiles) for meeting in gathered.meetings)
    found = Collected(
        gathered.clocks, splits, text, stages=stages_of(gathered.own, profiles), in_groups=in_groups, aligned=gathered.clocks
    )
    late = causes.straggler
    if late is None:
        return found
    caused, share = causes.of(late, found.waiting_ns)
    return replace(found, late=late, late_share=share or 0.0, late_ns=caused or 0.0)


def _why_not(ranks: int, size: int) -> str:
    if ranks < size:
        return f"not split: {ranks} of {size} ranks"
    return "not split: no collective is on every rank" if ranks > 1 else "not split: this profile has 1 rank"


@dataclass(frozen=True, slots=True)
class Matched:
    """The same collectives of several ranks, for replays: a number per span, and one clock for all."""

    number: tuple[Int32, ...]  # per rank and span; NONE where it is no collective that all its ranks are here for
    clock: Int64  # what to add to each rank's times, so that all are on the first rank's clock


def matched_collectives(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown] = ()) -> Matched:
    """Numbers the collectives that every rank has; with ranks missing none is numbered, and waiting stays as it was."""
    number = tuple(np.full(len(profile.spans), NONE, np.int32) for profile in profiles)
    clock = np.array([profile.base_ns - profiles[0].base_ns for profile in profiles], np.int64)
    if len(profiles) < 2:
        return Matched(number, clock)
    steps = [breakdown.steps for breakdown in breakdowns] or [None] * len(profiles)
    own = [own_collectives(profile, of_rank) for profile, of_rank in zip(profiles, steps, strict=True)]
    world = max((profile.world_size for profile in profiles), default=NONE)
    size = max([world, *(one.size for each in own for one in each)])
    common = [each for each in meet(own, size) if len(each.ranks) == len(profiles)] if len(profiles) >= size else []
    clocks = align(common, len(profiles))
    if clocks is None:
        return Matched(number, clock)
    _number(number, common)
    return Matched(number, clock + np.round(clocks.offset_ns).astype(np.int64))


def _number(number: Sequence[Int32], meetings: Sequence[Meeting]) -> None:
    for place, meeting in enumerate(meetings):
        for rank, row in zip(meeting.ranks, meeting.rows, strict=True):
            number[rank][row] = place


def _split(profile: Profile, breakdown: Breakdown, wait_end: Int64) -> CommunicationSplit:
    """Sweeps again with waiting as a class of its own, after communication that moves data and before everything else."""
    steps = breakdown.steps
    counted = np.zeros(len(steps), np.uint8)
    typical = list(breakdown.typical)
    sums = np.zeros((len(steps), _LABELS))
    hosts = [_with_waiting(segments, wait_end) for segments in host_segments(profile, breakdown.classified)]
    for device in breakdown.classified.devices:
        streams = [_with_waiting(segments, wait_end) for segments in device_segments(profile, breakdown.classified, device)]
        taken, _, _ = sweep_steps([*streams, *hosts], steps.bounds, _LABELS, counted)
        sums += taken.reshape(len(steps), _LABELS)
    parts = sums / len(breakdown.classified.devices)
    usual = parts[typical].mean(axis=0)
    return CommunicationSplit(float(usual[_WAITING]), float(usual[TimeClass.COMM]), tuple(parts[:, _WAITING].tolist()))


def _with_waiting(segments: Segments, wait_end: Int64) -> Segments:
    """Cuts collectives where the last rank came; labels after communication move one up to make room."""
    start, end, row, label = segments
    until = np.clip(wait_end[row], start, end)
    waits = label == TimeClass.COMM
    moved: Int8 = np.where(label > TimeClass.COMM, label + np.int8(1), label).astype(np.int8)
    cut = np.flatnonzero(waits & (until > start))
    if not len(cut):
        return start, end, row, moved
    rest = start.copy()
    rest[cut] = until[cut]
    starts = np.concatenate([start[cut], rest])
    ends = np.concatenate([until[cut], end])
    labels = np.concatenate([np.full(len(cut), _WAITING, np.int8), moved])
    order = np.lexsort((ends, starts))
    return starts[order], ends[order], np.concatenate([row[cut], row])[order], labels[order]
