"""How long a step would take after a change, as a range: from replays, or without a device from a serial model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from stepscope.analyses.breakdown import Breakdown, break_down, group_sums
from stepscope.analyses.host.dispatch import dispatch_runs
from stepscope.analyses.host.saving import saving_stretches
from stepscope.analyses.host.threads import cores_told
from stepscope.analyses.texts import milliseconds
from stepscope.analyses.time_classes import Group, TimeClass
from stepscope.analyses.what_if.calibration import WIDE, calibration, calibration_of
from stepscope.analyses.what_if.crowding import crowding
from stepscope.analyses.what_if.levers import Lever, LeverKind, around, factors_of, launch_floor
from stepscope.analyses.what_if.moving import Ranks, after_moving, done_ahead, moves, moving_notes, shortest, too_few_cores
from stepscope.analyses.what_if.profiler_cost import recorded_share, traced_python, unslowed_share
from stepscope.analyses.what_if.replay import Replay, Scales, has_launches, make_replay, recorded_lengths, typical_lengths
from stepscope.analyses.what_if.serial_model import OF_AROUND, Savings, savings
from stepscope.analyses.what_if.sharing import cost_of_sharing
from stepscope.analyses.what_if.stragglers import straggler_savings, straggler_scales
from stepscope.analyses.what_if.unrecorded import unrecorded
from stepscope.analyses.what_if.waits import waits_inside_steps
from stepscope.model.profile import Float64, Profile

_MUCH_COMPUTE = 0.2
STEADY = 0.04
"""Of the step before: a measured step is known to within 5 % of itself in the median over the development seeds of benchmarks/truth."""
KEPT_WITHIN = 0.002
"""With every delay kept a replay is the recording, or the links are wrong."""
PREDICTS_WITHIN = 0.05
WEAK_WITHIN = 0.15
FEW_STEPS = 3
MUCH_INFLATION = 0.25
SERIAL = "serial model, not replayed"
NOTHING_OF_IT = "No typical step waits for this, so the change saves nothing."
MAY_BE_SLOWER = "The range includes steps longer than today's: this change may make steps slower."
UNPROVEN = "unproven on this device"
NEVER_MEASURED = "never measured before and after"


_LONGEST_NS = 1 << 61
_WAITING_CALLS = (TimeClass.SYNC, TimeClass.ALLOC)
_HOST_LEVERS = {"python", "op", "framework", "launches", "sync", "alloc", "gc"}

Range: TypeAlias = tuple[Float64, Float64]
"""Low and high, per rank, as fractions of the recorded step."""


@dataclass(frozen=True, slots=True)
class Context:
    """What predictions start from; made once for a session."""

    profiles: tuple[Profile, ...]
    breakdowns: tuple[Breakdown, ...]
    replay: Replay | None  # None without a device, or when nothing can be replayed
    replay_error: float | None  # of the rank that is replayed worst; None when not replayed
    typical_ns: float  # the typical step of the profile
    unprofiled_ns: float | None  # a step of the run without the profiler; None when unknown
    unchanged: tuple[Float64, Float64] | None  # per rank, the typical step of both replays of the unchanged recording
    cores: int | None  # of the machine that was recorded
    refused: str | None
    weak: tuple[str, ...]

    @property
    def baseline_ns(self) -> float:
        """The step that estimates start from: without the profiler where that is known."""
        return self.unprofiled_ns or self.typical_ns

    @property
    def inflation(self) -> float | None:
        """How much longer the profiler made a step; None when unknown."""
        return self.typical_ns / self.unprofiled_ns - 1 if self.unprofiled_ns else None

    @property
    def serial(self) -> bool:
        """Whether there is no device."""
        return self.replay is None and self.refused is None

    @property
    def ranks(self) -> Ranks:
        """Every recording with its breakdown."""
        return tuple(zip(self.profiles, self.breakdowns, strict=True))

    @property
    def replay_ms(self) -> float | None:
        """The unchanged step as the replay without unexplained delays has it."""
        return None if self.replay_error is None else self.baseline_ns * (1 + self.replay_error) / 1e6


@dataclass(frozen=True, slots=True)
class Prediction:
    """A step after a change. Of a bound (`at_best`) all three times are the bound; refused ones have none."""

    lever: str
    kind: LeverKind
    baseline_ms: float
    low_ms: float | None
    mid_ms: float | None
    high_ms: float | None
    band: float | None  # by which part less may go than the model says, None when the high end is the model's own
    more: float | None  # and by which part of the smaller of both what is left may get faster
    pairs: int | None  # recordings behind both, None where none was measured on such a device
    weak: bool
    refused: str | None
    bound_ms: float | None  # when refused: the step without the part, which the change cannot beat
    notes: tuple[str, ...]

    @property
    def gain_ms(self) -> float:
        """What the change brings at least; 0 when refused."""
        return 0.0 if self.high_ms is None else max(0.0, self.baseline_ms - self.high_ms)


def replay_context(
    profiles: Sequence[Profile],
    breakdowns: Sequence[Breakdown] | None = None,
    *,
    cores: int | None = None,
    typical_ns: float | None = None,
    unprofiled_ns: float | None = None,
) -> Context:
    """Replays the unchanged recording and says whether it can be trusted.

    `typical_ns` is the typical step as the summary has it, and `unprofiled_ns` a median step without the profiler.
    """
    found = tuple(breakdowns) if breakdowns is not None else tuple(break_down(profile) for profile in profiles)
    weak = _few_steps(found)
    refused = _cannot_replay(profiles, found)
    replay, error, unchanged = None, None, None
    if refused is None and not any(breakdown.classified.cpu_only for breakdown in found):
        replay = make_replay(profiles, found)
        unchanged = (_typical(replay, replay.unscaled(), keep=False), _typical(replay, replay.unscaled(), keep=True))
        dropped, kept = (each / recorded_lengths(replay) - 1.0 for each in unchanged)
        error = float(dropped[np.argmax(np.abs(dropped))])
        refused, doubts = _judged(error, float(np.abs(kept).max()))
        weak += doubts
    return Context(
        profiles=tuple(profiles),
        breakdowns=found,
        replay=replay,
        replay_error=error,
        typical_ns=typical_ns if typical_ns is not None else float(np.mean([breakdown.typical_ns for breakdown in found])),
        unprofiled_ns=unprofiled_ns,
        unchanged=unchanged,
        cores=cores if cores is not None else min((told for told in map(cores_told, profiles) if told is not None), default=None),
        refused=refused,
        weak=weak,
    )


def predict(context: Context, levers: Sequence[Lever], after: Sequence[Lever] = ()) -> Prediction:
    """The step with all the levers; `after` holds changes that are taken as done already, so the baseline is the step after them."""
    kind = _kind(context, levers)
    text = ", ".join(lever.text for lever in levers)
    done = plain_range(context, after) if after and context.refused is None else None
    baseline = sum(done) / 2 if done is not None else context.baseline_ns / 1e6
    refused = (
        context.refused
        or _too_few_ranks(context, levers)
        or unrecorded(context.ranks, levers)
        or too_few_cores(context.ranks, levers, context.cores)
    )
    notes = _notes(context, levers, kind)
    if refused is not None:
        bound = None if after else baseline * (1 - _exclusive_share(context, levers))
        return Prediction(text, kind, baseline, None, None, None, None, None, None, bool(context.weak), refused, bound, notes)
    low, high = plain_range(context, [*after, *levers])
    if done is not None:
        # Like with like: what is unsure of the changes before is no gain of this one.
        low, high = sorted(baseline - before + left for before, left in zip(done, (low, high), strict=True))
    if kind is LeverKind.AT_BEST:
        slower = any(lever.factor > 1 for lever in levers)
        low = high = low if slower else min(low, baseline)
        if context.serial and not slower and levers:
            low = high = max(real_bound(low, baseline), min(low, soonest_ms(context, [*after, *levers])))
    known = calibration_of([lever.name for lever in levers], serial=context.serial)
    middle, band, more = (low + high) / 2, None, None
    changes = bool(levers) and not np.isclose([low, high], baseline, rtol=1e-9).all()
    moved = kind is LeverKind.MOVES
    if changes and (kind is LeverKind.REMOVES or (moved and context.serial)):
        more = known.around if any(lever.blurred for lever in levers) else known.more
        band = None if moved else known.band
        low, most = widened(low, high, baseline, known.band, more, STEADY if context.serial else 0.0)
        # The high end of work that moves has what comes back, and nothing ends before moved work is done.
        low, high = max(low, soonest_ms(context, [*after, *levers])), high if moved else most
    pairs = known.pairs or None if more is not None else None
    if low < baseline < high:
        notes = (*notes, MAY_BE_SLOWER)
    return Prediction(text, kind, baseline, low, middle, high, band, more, pairs, bool(context.weak), None, None, notes)


def real_bound(low: float, baseline: float) -> float:
    """A step that no change without a device beats: what is left gets faster by as much as it ever did where that was measured."""
    return widened(low, low, baseline, 0.0, WIDE)[0] if low < baseline else low


def widened(low: float, high: float, baseline: float, band: float, more: float, steady: float = STEADY) -> tuple[float, float]:
    """A range with what measured pairs were off by: of what goes, `band` less may go; and what is left may run faster without it.

    The latter by `more`, and by no more than that part of what goes: little work never promises much. Without a device neither end is
    nearer to the model than steps of the same training are to each other, as far as half of what goes.
    """
    most, least = baseline - low, baseline - high
    apart = steady * baseline
    low = low - max(min(apart, most / 2), more * min(most, low)) if most > 0 else baseline - most * (1 - band)
    return max(0.0, low), high + max(min(apart, least / 2), band * least) if least > 0 else baseline - least * (1 + band)


def plain_range(context: Context, levers: Sequence[Lever]) -> tuple[float, float]:
    """Milliseconds of a step at least and at most, scaled to the run without the profiler where that is known.

    What the profiler costs is spread evenly over time at best; at worst it is in the spans it has recorded and in the Python that it
    has traced, and most in what the levers take away: then what is left was recorded more nearly as long as it is. What goes while
    nothing was recorded, or asleep, was as long as it was recorded: what is left is shorter then.
    """
    low, high = (float(np.mean(each)) for each in _fractions(context, levers))
    baseline = context.baseline_ns / 1e6
    if context.serial and levers and context.inflation is not None and context.inflation > 0:
        traced = traced_python(context.ranks, levers) * (1 + context.inflation) / context.inflation
        in_levers = min(1.0, recorded_share(context.ranks, levers) + traced)
        left = low * (1 + context.inflation) - (1 - in_levers) * context.inflation
        high = max(high, min(1.0, left))
        low = max(0.0, low - context.inflation * unslowed_share(context.ranks, levers))
    return low * baseline, high * baseline


def _few_steps(breakdowns: Sequence[Breakdown]) -> tuple[str, ...]:
    typical = min(len(breakdown.typical) for breakdown in breakdowns)
    return () if typical >= FEW_STEPS else (f"Only {typical} typical {'step' if typical == 1 else 'steps'}.",)


def _cannot_replay(profiles: Sequence[Profile], breakdowns: Sequence[Breakdown]) -> str | None:
    if any(profile.format == "run_metadata" for profile in profiles):
        return "RunMetadata does not record what started an operation, so it cannot be replayed; capture with a profiler."
    if any(int(profile.spans.end.max()) - int(profile.spans.start.min()) > _LONGEST_NS for profile in profiles if len(profile.spans)):
        return "The file spans more than 70 years, so its times are wrong and cannot be replayed."
    for profile, breakdown in zip(profiles, breakdowns, strict=True):
        if not breakdown.classified.cpu_only and not has_launches(profile, breakdown):
            return "The file links no device work to its launch, so it cannot be replayed; capture host activity too."
    return None


def _judged(dropped: float, kept: float) -> tuple[str | None, tuple[str, ...]]:
    """The reason to refuse, and reasons to doubt."""
    if kept > KEPT_WITHIN:
        return f"The replay error with all delays kept is {kept:.1%}: the links in the file are wrong.", ()
    if abs(dropped) > WEAK_WITHIN:
        return f"The replay error is {dropped:+.1%}, too large for estimates; the time breakdown gives upper bounds on the gain.", ()
    if abs(dropped) > PREDICTS_WITHIN:
        return None, (f"The replay error is {dropped:+.1%}.",)
    return None, ()


def _kind(context: Context, levers: Sequence[Lever]) -> LeverKind:
    """A set of changes is as sure as its least sure one."""
    unsure = any(not lever.proven(serial=context.serial) or (lever.cores > 0 and context.cores is None) for lever in levers)
    if unsure:
        return LeverKind.AT_BEST
    return LeverKind.MOVES if any(lever.facts.kind is LeverKind.MOVES for lever in levers) else LeverKind.REMOVES


def _too_few_ranks(context: Context, levers: Sequence[Lever]) -> str | None:
    if len(context.profiles) < 2 and any(lever.name == "straggler" for lever in levers):
        return "A straggler is visible only among several ranks; open a folder with the profiles of all ranks."
    return None


def _notes(context: Context, levers: Sequence[Lever], kind: LeverKind) -> tuple[str, ...]:
    notes = [*context.weak]
    unmeasured = list(dict.fromkeys(lever.name for lever in levers if not lever.proven(serial=context.serial)))
    if kind is LeverKind.AT_BEST and unmeasured:
        notes.append(unmeasured_text(unmeasured, serial=context.serial))
    carried = calibration(serial=context.serial).carried
    if unproven := list(dict.fromkeys(lever.name for lever in levers if lever.name in carried)):
        notes.append(f"{', '.join(unproven)}: {UNPROVEN}. The range is as wide as ranges measured on CPUs.")
    if context.serial:
        notes.append(f"Without a device: {SERIAL}.")
    if any(lever.cores for lever in levers) and context.cores is None:
        notes.append("Upper bound on the gain: the profile does not record the number of cores. Give it as cores (--cores N).")
    notes += moving_notes(context.ranks, levers)
    if _exclusive_share(context, levers) == 0 and not any(lever.name == "straggler" for lever in levers):
        notes.append(NOTHING_OF_IT)
    if context.inflation is not None and context.inflation > MUCH_INFLATION and _HOST_LEVERS & {lever.name for lever in levers}:
        notes.append(f"Profiler overhead is included: profiled steps are {100 * context.inflation:.0f}% longer than others.")
    return tuple(notes)


def unmeasured_text(levers: Sequence[str], *, serial: bool) -> str:
    """Why levers only have bounds."""
    *others, last = levers
    names, one = (f"{', '.join(others)} and {last}", False) if others else (last, True)
    where, bound = (
        "without a device" if serial else "with a device",
        "the estimate is an upper bound" if one else "the estimates are upper bounds",
    )
    return f"{names} {'was' if one else 'were'} {NEVER_MEASURED} {where}, so {bound} on the gain."


def _exclusive_share(context: Context, levers: Sequence[Lever]) -> float:
    """The part of a typical step that only these levers' work takes, as the breakdown has it, times what they take of it."""
    shares: list[float] = []
    for place, (profile, breakdown) in enumerate(zip(context.profiles, context.breakdowns, strict=True)):
        left = np.ones(len(profile.spans))
        for lever in levers:
            left *= factors_of(lever, place, profile, breakdown)
        saved = float((breakdown.exposed * (1 - left)).sum()) / max(1, len(breakdown.typical))
        shares.append(saved / (breakdown.typical_ns or 1.0))
    return float(np.mean(shares))


def behind_the_host(context: Context) -> str:
    """Why kernels that take much of a step save little of it; "" when they save what they take, or cannot be replayed.

    The breakdown says when the device works, a replay what the step waits for: while kernels run, the host may be just as busy.
    """
    if context.replay is None or context.refused is not None:
        return ""
    share, left = _exclusive_share(context, [Lever("kernels")]), plain_range(context, [Lever("kernels")])[0]
    saved = max(0.0, 1 - left * 1e6 / (context.baseline_ns or 1.0))
    if share < _MUCH_COMPUTE or saved >= share / 2:
        return ""
    most = max(1, math.ceil(100 * saved))
    return (
        f"Compute is {share:.0%} of the step, but without any kernel the step would be at most {most}% shorter: the rest of the step "
        f"takes {milliseconds(left * 1e6)}, and kernels run meanwhile."
    )


def _fractions(context: Context, levers: Sequence[Lever]) -> Range:
    """What is left of each rank's typical step at least and at most, before any calibration."""
    if context.replay is None:
        return _serial(context, levers)
    low, high = _replayed(context, context.replay, levers)
    if not any(lever.facts.kind is LeverKind.MOVES for lever in levers):
        return low, high
    again = [_exposed_host(each) if any(moves(lever, profile, each) for lever in levers) else 0.0 for profile, each in context.ranks]
    return after_moving(low, high, _soonest(context, levers), np.array(again), ahead=done_ahead(levers))


def _soonest(context: Context, levers: Sequence[Lever]) -> Float64:
    """The part of each rank's typical step before which work that levers move is not done."""
    return np.array(
        [
            float(np.median(shortest(levers, profile, breakdown))) / max(1.0, float(np.median(_typical_steps(breakdown))))
            for profile, breakdown in context.ranks
        ]
    )


def soonest_ms(context: Context, levers: Sequence[Lever]) -> float:
    """Milliseconds of a step before which work that levers move is not done."""
    return float(np.mean(_soonest(context, levers))) * context.baseline_ns / 1e6


def _typical_steps(breakdown: Breakdown) -> Float64:
    return breakdown.steps.length[list(breakdown.typical)].astype(np.float64)


def _exposed_host(breakdown: Breakdown) -> float:
    """Host and untraced time that a typical step sees: whoever does the moved work may slow it down that much again."""
    typical = list(breakdown.typical)
    groups = group_sums(breakdown.parts[typical])
    return float(
        np.median(groups[:, Group.HOST] + groups[:, Group.UNTRACED]) / max(1.0, float(np.median(breakdown.steps.length[typical])))
    )


def _replayed(context: Context, replay: Replay, levers: Sequence[Lever]) -> Range:
    """Both replays with the levers, each beside its own replay of the unchanged recording, so that no gain is a replay's error."""
    scales = scales_with(replay, levers)
    assert context.unchanged is not None
    dropped, kept = (
        _typical(replay, scales, keep=keep) / np.maximum(before, 1.0)
        for keep, before in zip((False, True), context.unchanged, strict=True)
    )
    return np.minimum(dropped, kept), np.maximum(dropped, kept)


def scales_with(replay: Replay, levers: Sequence[Lever]) -> list[Scales]:
    """Every rank's factors of time with the levers, one after another."""
    scales = replay.unscaled()
    for lever in levers:
        for place, scale in enumerate(scales):
            _apply(replay, place, lever, scale)
        if lever.name == "straggler":
            straggler_scales(replay, lever.factor, scales)
    return scales


def _typical(replay: Replay, scales: Sequence[Scales], *, keep: bool) -> Float64:
    return typical_lengths(replay.ranks, replay.step_lengths(scales, keep=keep))


def _apply(replay: Replay, place: int, lever: Lever, scale: Scales) -> None:
    """Multiplies one rank's factors by what the lever leaves."""
    rank = replay.ranks[place]
    if lever.facts.kind is LeverKind.MOVES and not moves(lever, rank.profile, rank.breakdown):
        return
    left = factors_of(lever, place, rank.profile, rank.breakdown)
    changed = np.count_nonzero(left != 1.0)
    if changed > np.count_nonzero(left[rank.ops] != 1.0):
        host = left[rank.host.row]
        if lever.name == "launches":
            merged = host != 1.0
            total = float((rank.host.end - rank.host.start)[merged].sum())
            host[merged] = max(lever.factor, launch_floor(total, len(rank.launched)))
        scale.scale_host(host)
    scale.ops[:] *= left[rank.ops]
    waiting = np.isin(rank.breakdown.classified.label[rank.calls], _WAITING_CALLS)
    scale.calls[waiting] *= left[rank.calls[waiting]]


def _serial(context: Context, levers: Sequence[Lever]) -> Range:
    """Rank by rank: the steps less what the levers take, and moved work comes back on cores that compute needs too."""
    low: list[float] = []
    high: list[float] = []
    for place, (profile, breakdown) in enumerate(context.ranks):
        length = _typical_steps(breakdown)
        total = Savings(np.zeros(len(length)), np.zeros(len(length)))
        back = np.zeros(len(length))
        for lever in levers:
            if lever.name == "straggler":
                saved = straggler_savings(context.breakdowns, lever.factor)
                total = total.plus(Savings(np.full(len(length), saved[0]), np.full(len(length), saved[1])))
                continue
            if lever.facts.kind is LeverKind.MOVES and not moves(lever, profile, breakdown):
                continue
            saved = _saved(profile, breakdown, lever, place, context.cores)
            total = total.plus(saved)
            if lever.cores and context.cores is not None:
                back += saved.most / context.cores
        left = np.maximum(0.0, length - total.most), np.maximum(0.0, length - total.least)
        moved = after_moving(*left, shortest(levers, profile, breakdown), back, ahead=done_ahead(levers))
        for found, each in zip((low, high), moved, strict=True):
            found.append(float(np.median(each)) / max(1.0, float(np.median(length))))
    return np.array(low), np.array(high)


def _saved(profile: Profile, breakdown: Breakdown, lever: Lever, place: int, cores: int | None) -> Savings:
    if lever.name == "sync":
        waits = waits_inside_steps(profile, breakdown)
        hidden = (1 - lever.factor) * waits.per_step_ns(len(breakdown.steps))[list(breakdown.typical)]
        return Savings((1 - cost_of_sharing(cores, 1 + waits.threads)) * hidden, hidden)
    left = factors_of(lever, place, profile, breakdown, floor=False)
    moved = lever.facts.kind is LeverKind.MOVES
    mine = lever.rows[place] if lever.rows is not None else None
    loops = dispatch_runs(profile, breakdown).around(profile, mine, loops=True) if lever.name == "launches" else None
    if TimeClass.IO in lever.facts.classes:
        loops = saving_stretches(profile, breakdown)
    most = savings(profile, breakdown, left, around(lever, place, profile, breakdown), cores, moved=moved, loops=loops)
    if lever.name == "input":
        freed = (1 - lever.factor) * crowding(profile, breakdown, cores).freed_ns[list(breakdown.typical)]
        return Savings(most.least, most.most + freed)
    if lever.name != "launches":
        return most
    least = savings(profile, breakdown, factors_of(lever, place, profile, breakdown)).least
    return Savings(least + OF_AROUND * np.maximum(0.0, most.most - least), most.most)
