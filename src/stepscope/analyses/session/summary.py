"""What one session says first: in what its ranks differ, the typical step of all of them, its groups, and one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stepscope.analyses.breakdown import Breakdown, break_down, group_sums
from stepscope.analyses.communication.disagreements import Disagreement, disagreements
from stepscope.analyses.communication.matching import gather
from stepscope.analyses.communication.ranks import Collected, collected
from stepscope.analyses.devices.unrecorded import unrecorded_device
from stepscope.analyses.session.data_quality import DataQuality, damaged_ranks, data_quality
from stepscope.analyses.session.main_loss import COMPUTE, NOTHING, STARTUP, STREAM_WAIT, UNRECORDED, MainLoss, main_loss
from stepscope.analyses.session.rank_lengths import RankLengths, rank_lengths
from stepscope.analyses.startup import startup_of
from stepscope.analyses.steps import find_steps
from stepscope.analyses.texts import milliseconds
from stepscope.model.profile import Float64, Profile
from stepscope.model.steps import CHOSEN_TIME

_WORTH_A_WORD = 0.05
_MOST_INFLATION = 10.0
"""No profiler makes steps longer than this many times."""
_MOST_SLOWER = 1.25


@dataclass(frozen=True, slots=True)
class Summary:
    """Each rank alone, and the mean over ranks whose files are whole; times in nanoseconds."""

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
        """Fractions of a typical step, per group of the breakdown; they sum to 1."""
        return group_sums(self.parts) / (self.typical_ns or 1.0)

    @property
    def sentence(self) -> str:
        """How long a step takes, and what most of the time that is not compute goes to."""
        return self.sentence_with(None)

    def sentence_with(self, unprofiled_ns: float | None) -> str:
        """The sentence, with the step time of the run without the profiler beside the profile's own where that is known."""
        if not self.typical_ns:
            return "This profile contains no timed events."
        chosen = self.breakdowns[0].steps.source.name == CHOSEN_TIME
        if not chosen and not self.has_step_time and any(each.steps.source.guessed for each in self.breakdowns):
            return f"Guessed steps differ too much for one step time; {_loss_text(self.main_loss, self.device, 'their time')}"
        length = f"{'The selected range lasts' if chosen else 'Step time is'} {milliseconds(self.typical_ns)}"
        without = "" if unprofiled_ns is None or chosen else f" ({milliseconds(unprofiled_ns)} without the profiler)"
        if without and unprofiled_ns is not None and unprofiled_ns > self.typical_ns:
            # Estimates start from the run's own steps: where those are the longer ones, they are what a saving is read against.
            length, without = f"Step time is {milliseconds(unprofiled_ns)}", f" ({milliseconds(self.typical_ns)} in the profile)"
        return f"{length}{without}{self._of_few}; {_loss_text(self.main_loss, self.device)}"

    @property
    def has_step_time(self) -> bool:
        """Whether steps were found, and are alike where they are guessed."""
        return all(each.has_step_time for each in self.breakdowns)

    def believed(self, unprofiled_ns: float | None) -> float | None:
        """A step time without the profiler; None when it is so far from the profile's that it counts something else."""
        if unprofiled_ns is None or not self.typical_ns / _MOST_INFLATION <= unprofiled_ns <= self.typical_ns * _MOST_SLOWER:
            return None
        return unprofiled_ns

    @property
    def _of_few(self) -> str:
        """Which steps the numbers are of, where there are so few that the first of them matters."""
        few = [each.steps for each in self.breakdowns if each.first_left_out]
        if few:
            return f" without the first of {len(few[0])} steps, which may include the profiler's start"
        pairs = [each.steps.length for each in self.breakdowns if len(each.steps) == 2 and not each.steps.before]
        if any(abs(int(first) - int(second)) > _WORTH_A_WORD * int(second) for first, second in pairs):
            return " (mean of 2 steps; the first may include the profiler's start)"
        return ""

    @property
    def empty(self) -> bool:
        """Whether no rank has a span."""
        return not any(len(profile.spans) for profile in self.profiles)

    @property
    def first_step_note(self) -> str:
        """That the first step is unlike the others, "" when it is like them."""
        flagged = self.quality.first_step_may_hold_profiler_start and any(0 not in each.typical for each in self.breakdowns)
        return "The first step differs from the others and may include the profiler's start." if flagged else ""

    @property
    def startup_note(self) -> str:
        """What one-off start-up took on the rank where it took longest, "" without any."""
        found = [startup_of(*pair) for pair in zip(self.profiles, (each.classified.startup for each in self.breakdowns), strict=True)]
        worst = max(found, key=lambda each: each.ns)
        if not worst.ns:
            return ""
        names = ", ".join(f"{name} {milliseconds(ns)}" for name, ns in worst.longest)
        return f"One-off start-up took {milliseconds(worst.ns)} before or in the first step, which no other step has: {names}."

    @property
    def main_loss(self) -> MainLoss:
        """What most of the time that is not compute goes to."""
        whole = [place for place in range(len(self.profiles)) if place not in self.quality.damaged]
        return main_loss([self.profiles[place] for place in whole], [self.breakdowns[place] for place in whole])

    @property
    def device(self) -> str:
        """What computes: "CPU", the kind of the accelerators, or "device" where there are several kinds."""
        lacking = [unrecorded_device(*pair) for pair in zip(self.profiles, self.breakdowns, strict=True)]
        if unrecorded := [each for each in lacking if each is not None]:
            return unrecorded[0].kind
        if all(breakdown.classified.cpu_only for breakdown in self.breakdowns):
            return "CPU"
        kinds = {device.kind for profile in self.profiles for device in profile.devices if device.kind != "CPU"}
        return kinds.pop() if len(kinds) == 1 else "device"


def summarise(profiles: Sequence[Profile], by: str | None = None, breakdowns: Sequence[Breakdown] | None = None) -> Summary:
    """Everything the overview needs from the ranks of a session. Raises BadInput.

    `by` names the source of steps; `breakdowns` are those of the ranks by that source, where they have been made already.
    """
    breakdowns = tuple(breakdowns or (break_down(profile, find_steps(profile, by)) for profile in profiles))
    gathered = gather(profiles, [breakdown.steps for breakdown in breakdowns])
    together = collected(gathered, profiles, breakdowns)
    clocks = together.clocks
    damaged = damaged_ranks(profiles)
    whole = [each for place, each in enumerate(breakdowns) if place not in damaged]
    return Summary(
        profiles=tuple(profiles),
        breakdowns=breakdowns,
        median_ns=float(np.mean([each.median_ns for each in whole])),
        p95_ns=float(np.mean([each.p95_ns for each in whole])),
        typical_ns=float(np.mean([each.typical_ns for each in whole])),
        parts=np.mean([each.typical_parts for each in whole], axis=0),
        overlapped=np.mean([each.typical_overlapped for each in whole], axis=0),
        collected=together,
        quality=data_quality(profiles, breakdowns, clocks.error_ns if clocks else None),
        lengths=rank_lengths(breakdowns, damaged),
        disagreements=tuple(disagreements(profiles, breakdowns, gathered.own)),
    )


def _loss_text(loss: MainLoss, device: str, whole: str = "it") -> str:
    share = f"{loss.share:.0%} of {whole}"
    if loss.waiting and device != "CPU":
        return f"the {device} is idle for {share}, mostly while the host waits for it in synchronization calls."
    return {
        UNRECORDED: f"device activity is not recorded in this profile, so what the {device} does is unknown.",
        NOTHING: "this profile does not record what ran.",
        COMPUTE: f"compute is {share}.",
        "communication": f"exposed communication is {share}.",
        "copy": f"exposed copies are {share}.",
        "input_wait": f"the {device} waits for input for {share}.",
        "host": f"the {device} waits for the host for {share}." if device != "CPU" else f"overhead around operations is {share}.",
        STARTUP: f"one-off start-up is {share}: context creation, lazy loading and first calls, which later steps do not have.",
        STREAM_WAIT: f"the {device} has launched work that waits for another stream, a collective or another device for {share}.",
    }.get(loss.cause, f"{share} is not covered by the trace.")
