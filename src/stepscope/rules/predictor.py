"""Predicts gains with the replay of analyses.what_if, and falls back to bounds where that refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stepscope.analyses.what_if.levers import Lever as ReplayLever
from stepscope.analyses.what_if.levers import LeverKind
from stepscope.analyses.what_if.prediction import Context, predict, real_bound
from stepscope.rules.lever import Action, ExposedTime, Lever, Predicted
from stepscope.rules.rule import GainKind

_NAMES = {
    Action.INPUT: "input",
    Action.PYTHON: "python",
    Action.HOST: "launches",
    Action.SYNC: "sync",
    Action.TRANSFER: "communication",
    Action.MESSAGES: "messages",  # no lever of the table; pairs of its own speak for it
    Action.STRAGGLER: "straggler",
    Action.COPY: "async_copy",
    Action.KERNELS: "kernels",
    Action.ALLOCATOR: "alloc",
    Action.COMPILING: "compile",
    Action.SAVING: "io",
    Action.COLLECTING: "gc",
    Action.SPANS: "spans",  # no lever of the table, so that no measured pair speaks for it
}
_KINDS = {LeverKind.REMOVES: GainKind.REMOVES, LeverKind.MOVES: GainKind.MOVES, LeverKind.AT_BEST: GainKind.AT_BEST}
_NOT_WORTH_A_REPLAY = 0.005


class Replayed:
    """Replays of the recording; bounds where it cannot be replayed, and where the lever has next to no time of its own."""

    def __init__(self, context: Context, bounds: ExposedTime) -> None:
        self._context = context
        self._bounds = bounds

    @property
    def step_ms(self) -> float:
        """The typical step, of the run without the profiler where that is known."""
        return self._context.baseline_ns / 1e6

    @property
    def replay_error(self) -> float | None:
        """As the context has it."""
        return self._context.replay_error

    def predict(self, lever: Lever, done: Sequence[Lever]) -> Predicted:
        """The step with the lever, when others are done already."""
        bound = _scaled(self._bounds.predict(lever, done), self.step_ms / (self._bounds.step_ms or 1.0))
        levers = [replay_lever(each) for each in [*done, lever]]
        known = [each for each in levers if each is not None]
        relieved = lever.relieves_ns / 1e6 * self.step_ms / (self._bounds.step_ms or 1.0)
        small = bound.before_ms - bound.low_ms + relieved < _NOT_WORTH_A_REPLAY * bound.before_ms
        if small:
            return bound
        if len(known) < len(levers):
            return self._real(lever, bound, bound.low_ms)
        proven = known[-1].proven(serial=self._context.serial)
        found = self._found(known[-1], known[:-1])
        if found is None:
            return self._real(lever, bound, bound.low_ms)
        if not proven and self._context.serial:
            return self._real(lever, bound, found.low_ms * bound.before_ms / found.before_ms if found.before_ms else bound.low_ms)
        return found if proven else replace(found, high_ms=found.low_ms, kind=GainKind.AT_BEST)

    def _real(self, lever: Lever, bound: Predicted, low_ms: float) -> Predicted:
        """A bound that holds without a device too: there what waits for the work goes with it, and the rest gets faster.

        So may time around it in which no operation runs, and what it slows down, as much as the work itself at most: memory that it
        took is given back there.
        """
        if not self._context.serial:
            return bound
        around = (self._bounds.around_ms(lever) + lever.relieves_ns / 1e6) * self.step_ms / (self._bounds.step_ms or 1.0)
        with_it = max(0.0, bound.low_ms - min(around, bound.before_ms - bound.low_ms))
        low = min(low_ms, real_bound(with_it, bound.before_ms))
        return replace(bound, low_ms=low, high_ms=low, firm_ms=bound.low_ms)

    def _found(self, lever: ReplayLever, done: Sequence[ReplayLever]) -> Predicted | None:
        """None when the replay refuses."""
        moved = any(each.facts.kind is LeverKind.MOVES for each in done)
        found = predict(self._context, [*done, lever] if moved else [lever], () if moved else done)
        first = predict(self._context, done) if moved else None
        if found.low_ms is None or found.high_ms is None:
            return None
        low, high, before = found.low_ms, found.high_ms, found.baseline_ms
        if first is not None and first.low_ms is not None and first.high_ms is not None:
            # What moved work may cost again is in the high end of both, and is no loss of this lever.
            before, high = first.low_ms, max(low, first.low_ms - (first.high_ms - high))
        return Predicted(before, low, high, _KINDS[found.kind], found.weak, self._context.replay is not None)


def _scaled(found: Predicted, by: float) -> Predicted:
    """Bounds are of the profile's typical step; promised is that of the run without the profiler where it is known."""
    return replace(found, before_ms=found.before_ms * by, low_ms=found.low_ms * by, high_ms=found.high_ms * by)


def replay_lever(lever: Lever) -> ReplayLever | None:
    """The same change as what-if knows it; None for what no replay knows."""
    name = _NAMES.get(lever.action)
    if name is None:
        return None
    if lever.action is Action.INPUT and lever.moves:
        return ReplayLever("workers", workers=lever.workers)
    return ReplayLever(name, lever.factor, rows=lever.rows)
