"""Work that is done elsewhere instead: the cores it needs, those that are free, and how soon it is done there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from stepscope.analyses.breakdown import Breakdown
from stepscope.analyses.host.threads import busy_threads
from stepscope.analyses.input.making import Making, making
from stepscope.analyses.time_classes import TimeClass
from stepscope.analyses.what_if.levers import MOST_WORKERS, Lever, LeverKind
from stepscope.model.number_text import three_digits
from stepscope.model.profile import Float64, Profile

Ranks: TypeAlias = Sequence[tuple[Profile, Breakdown]]
_WORKERS = "workers"
_CHEAPER = "no core is free, so make the work cheaper instead"
ALREADY_BESIDE = "Input loading already overlaps the step, so this changes nothing: only more workers produce batches sooner."
NOT_COUNTED = "The number of loader workers is not recorded in this profile; one worker is assumed."


def moves(lever: Lever, profile: Profile, breakdown: Breakdown) -> bool:
    """Whether the lever has work done elsewhere that is not done there already."""
    if lever.facts.kind is not LeverKind.MOVES:
        return False
    found = _made(lever, profile, breakdown)
    return found is None or not found.beside or _makers(lever, found) != found.makers


def shortest(levers: Sequence[Lever], profile: Profile, breakdown: Breakdown) -> Float64:
    """Nanoseconds of each typical step before which moved work is not done, however fast the rest is."""
    typical = list(breakdown.typical)
    found = np.zeros(len(typical))
    for lever in levers:
        if not moves(lever, profile, breakdown):
            continue
        made = _made(lever, profile, breakdown)
        classes = [int(each) for each in lever.facts.classes]
        if made is None:
            takes = (breakdown.parts + breakdown.overlapped)[np.ix_(typical, classes)].sum(axis=1)
        else:
            takes = made.ns / _makers(lever, made)
        found = np.maximum(found, takes * math.prod(other.factor for other in levers if _shortens(other, lever)))
    return found


def after_moving(low: Float64, high: Float64, shortest: Float64, again: Float64, *, ahead: bool) -> tuple[Float64, Float64]:
    """What is left at least and at most, when moved work is not done sooner and may slow the rest down by `again`.

    Where it takes longer than the rest of the step, the rest may come on top, unless it is done `ahead`: who makes batches begins the
    next when one is done, whether it was taken or not.
    """
    on_top = 0.0 if ahead else np.minimum(low, np.maximum(0.0, shortest - low))
    return np.maximum(low, shortest), np.maximum(high, shortest) + on_top + again


def done_ahead(levers: Sequence[Lever]) -> bool:
    """Whether all work that the levers move is that of batches."""
    return all(TimeClass.INPUT in lever.facts.classes for lever in levers if lever.facts.kind is LeverKind.MOVES)


def cores_in_use(ranks: Ranks, moved: Sequence[Lever] = ()) -> float:
    """Threads of the busiest rank that work at an average instant, at most, without the work that levers move."""
    classes = [time_class for lever in moved if lever.cores for time_class in lever.facts.classes]
    return max(busy_threads(profile, breakdown, classes) for profile, breakdown in ranks)


def workers_that_fit(ranks: Ranks, cores: int) -> int:
    """How many loader workers find a core."""
    one = Lever(_WORKERS)
    free = cores - cores_in_use(ranks, [one])
    return max(0, min(MOST_WORKERS, math.floor(free / _cores(ranks, one) + 1e-9)))


def too_few_cores(ranks: Ranks, levers: Sequence[Lever], cores: int | None) -> str | None:
    """Why the levers' work finds no cores, and how many workers would."""
    needed = sum(_cores(ranks, lever) for lever in levers if lever.cores)
    if not needed or cores is None:
        return None
    used = cores_in_use(ranks, levers)
    if used + needed <= cores:
        return None
    fit = workers_that_fit(ranks, cores) if any(lever.name == _WORKERS for lever in levers) else 0
    remedy = f"{fit} {'worker' if fit == 1 else 'workers'} would fit" if fit else _CHEAPER
    return f"{used:.1f} cores in use plus {three_digits(needed)} needed exceed the {cores} available: {remedy}."


def moving_notes(ranks: Ranks, levers: Sequence[Lever]) -> list[str]:
    """What is to be known of who makes the input today."""
    notes: list[str] = []
    for lever in levers:
        found = [made for profile, breakdown in ranks if (made := _made(lever, profile, breakdown)) is not None and made.beside]
        if found and not any(moves(lever, *rank) for rank in ranks):
            notes.append(ALREADY_BESIDE)
        if lever.name == _WORKERS and any(not each.counted for each in found):
            notes.append(NOT_COUNTED)
    return notes


def _made(lever: Lever, profile: Profile, breakdown: Breakdown) -> Making | None:
    """How batches are made, for a lever that moves that."""
    moved = lever.facts.kind is LeverKind.MOVES and TimeClass.INPUT in lever.facts.classes
    return making(profile, breakdown) if moved else None


def _makers(lever: Lever, made: Making) -> int:
    """As many as are asked for; loading ahead alone adds none to those that there are."""
    return lever.workers if lever.name == _WORKERS else made.makers


def _shortens(other: Lever, lever: Lever) -> bool:
    return other.facts.kind is LeverKind.REMOVES and bool(set(other.facts.classes) & set(lever.facts.classes))


def _cores(ranks: Ranks, lever: Lever) -> float:
    """What the lever's work needs: a core each, less where the recording shows that it waits."""
    made = [found.cores for rank in ranks if (found := _made(lever, *rank)) is not None]
    return lever.cores * max(made, default=1.0)
