"""What one session says first: in what its ranks differ, the typical step of all of them, its groups, and one sentence."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown, break_down, group_sums
from stepscope.analyses.communication.disagreements import Disagreement, disagreements
from stepscope.analyses.communication.matching import gather
from stepscope.analyses.communication.ranks import Collected, collected
from stepscope.analyses.data_quality import DataQuality, data_quality
from stepscope.analyses.rank_lengths import RankLengths, rank_lengths
from stepscope.analyses.steps import find_steps
from stepscope.analyses.time_classes import Group, TimeClass
from stepscope.model.profile import NONE, Float64, Profile
from stepscope.model.steps import CHOSEN_TIME

_MOSTLY = 0.8
_WORTH_A_WORD = 0.05
_ALL = 0.9999
_ROUNDS_UP = 0.9995
"""From here on three digits would read as a thousand of the smaller unit."""
_XSPACE = ".xplane.pb"
"""Profilers name these files after the worker."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Each rank alone, and the mean over ranks; times in nanoseconds."""

    profiles: tuple[Profile, ...]
    breakdowns: tuple[Breakdown, ...]
    median_ns: float
    p95_ns: float
    typical_ns: float
    parts: Float64  # of a typical step, per TimeClass; sum to typical_ns
    overlapped: Float64
    collected: Collected
    quality: DataQuality
    lengths: RankLengths
    disagreements: tuple[Disagreement, ...]  # between ranks: means over them are to be read with these in mind

    @property
    def groups(self) -> Float64:
        """Fractions of a typical step, per Group; they sum to 1."""
        return group_sums(self.parts) / (self.typical_ns or 1.0)

    @property
    def sentence(self) -> str:
        """How long a step takes, and what most of the time that is not compute goes to."""
        chosen = self.breakdowns[0].steps.source.name == CHOSEN_TIME
        usual = self.typical_ns if any(each.first_left_out for each in self.breakdowns) else self.median_ns
        length = f"{'The chosen time is' if chosen else 'A step takes'} {milliseconds(usual)}"
        return f"{length}{self._of_few}. {_main_loss(self.groups, self._device)}"

    @property
    def _of_few(self) -> str:
        """Which steps the numbers are of, where there are so few that the first of them matters."""
        few = [each.steps for each in self.breakdowns if each.first_left_out]
        if few:
            return f" without the first of {len(few[0])}, which may hold the profiler's start"
        pairs = [each.steps.length for each in self.breakdowns if len(each.steps) == 2 and not each.steps.before]
        if any(abs(int(first) - int(second)) > _WORTH_A_WORD * int(second) for first, second in pairs):
            return ", the mean of 2, of which the first may hold the profiler's start"
        return ""

    @property
    def first_step_note(self) -> str:
        """That the first step is unlike the others, "" when it is like them."""
        flagged = self.quality.first_step_may_hold_profiler_start and any(0 not in each.typical for each in self.breakdowns)
        return "The first step is unlike the others and may hold the profiler's start." if flagged else ""

    @property
    def _device(self) -> str:
        if all(breakdown.classified.cpu_only for breakdown in self.breakdowns):
            return "CPU"
        kinds = {device.kind for profile in self.profiles for device in profile.devices if device.kind != "CPU"}
        return kinds.pop() if len(kinds) == 1 else "device"


def summarise(profiles: Sequence[Profile], by: str | None = None) -> Summary:
    """Everything the overview needs from the ranks of a session; `by` names where steps come from. Raises BadInput."""
    breakdowns = tuple(break_down(profile, find_steps(profile, by)) for profile in profiles)
    gathered = gather(profiles, [breakdown.steps for breakdown in breakdowns])
    together = collected(gathered, profiles, breakdowns)
    clocks = together.clocks
    return Summary(
        profiles=tuple(profiles),
        breakdowns=breakdowns,
        median_ns=float(np.mean([each.median_ns for each in breakdowns])),
        p95_ns=float(np.mean([each.p95_ns for each in breakdowns])),
        typical_ns=float(np.mean([each.typical_ns for each in breakdowns])),
        parts=np.mean([each.typical_parts for each in breakdowns], axis=0),
        overlapped=np.mean([each.typical_overlapped for each in breakdowns], axis=0),
        collected=together,
        quality=data_quality(profiles, breakdowns, clocks.error_ns if clocks else None),
        lengths=rank_lengths(breakdowns),
        disagreements=tuple(disagreements(profiles, breakdowns, gathered.own)),
    )


def rank_name(profile: Profile, place: int) -> str:
    """`rank 3`, or what its file is called where that does not tell the rank: several ranks may run on one host."""
    if profile.rank != NONE:
        return f"rank {profile.rank}"
    file = os.path.basename(profile.path)
    return file.removesuffix(_XSPACE) if file.endswith(_XSPACE) else profile.host or file or f"file {place + 1}"


def milliseconds(ns: float) -> str:
    """A time as people say it: three digits and its unit."""
    for limit, unit in ((1e3, "ns"), (1e6, "µs"), (1e9, "ms")):
        if abs(ns) < _ROUNDS_UP * limit:
            return f"{ns / (limit / 1e3):.3g} {unit}"
    return f"{ns / 1e9:,.3g} s" if abs(ns) < 1e12 else f"{ns / 1e9:,.0f} s"


def _main_loss(groups: Float64, device: str) -> str:
    if groups[Group.UNTRACED] > _ALL:
        return "Nothing in the recording tells where it goes."
    lost = groups.copy()
    lost[Group.COMPUTE] = 0.0
    worst = Group(int(np.argmax(lost)))
    share = f"{groups[worst]:.0%}".replace("%", " %")
    compute = f"{groups[Group.COMPUTE]:.0%}".replace("%", " %")
    if groups[Group.COMPUTE] >= _MOSTLY or groups[worst] < _WORTH_A_WORD:
        return f"{compute} of it is compute."
    return {
        Group.COMMUNICATION: f"{share} of it is communication that no compute hides.",
        Group.COPY: f"{share} of it is copying that no compute hides.",
        Group.INPUT_WAIT: f"{share} of it the {device} waits for input.",
        Group.HOST: f"{share} of it the {device} waits for the host."
        if device != "CPU"
        else f"{share} of it is overhead around operations.",
    }.get(worst, f"{share} of it nothing that was traced runs.")


def part_text(time_class: TimeClass) -> str:
    """What a class is called in sentences."""
    return {
        TimeClass.COMM: "communication",
        TimeClass.H2D: "copies to the device",
        TimeClass.D2H: "copies to the host",
        TimeClass.D2D: "copies on devices",
        TimeClass.GC: "garbage collection",
        TimeClass.IO: "checkpoints and summaries",
        TimeClass.INPUT: "waiting for input",
        TimeClass.SYNC: "waiting calls",
        TimeClass.ALLOC: "allocation",
        TimeClass.LAUNCH: "launches",
        TimeClass.OP: "operations on the host",
        TimeClass.PYTHON: "Python",
    }.get(time_class, time_class.key)
