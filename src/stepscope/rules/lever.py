"""What is assumed to be done about a step, and bounds of what it would then take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np

from stepscope.analyses.session.summary import Summary
from stepscope.analyses.time_classes import TimeClass
from stepscope.model.profile import NONE, Int64
from stepscope.rules.rule import GainKind


class Action(Enum):
    """What a lever does to a step."""

    INPUT = "input"
    PYTHON = "python"
    INTERPRETER = "interpreter"  # waiting for another thread that runs Python, which no replay knows
    HOST = "host"
    SYNC = "sync"
    TRANSFER = "transfer"
    MESSAGES = "messages"  # transfer of small messages, packed together
    STRAGGLER = "straggler"
    COPY = "copy"
    KERNELS = "kernels"
    ALLOCATOR = "allocator"
    CORES = "cores"
    COMPILING = "compiling"
    SAVING = "saving"
    COLLECTING = "collecting"
    SPANS = "spans"  # chosen spans, whatever they are
    GAPS = "gaps"  # pauses of the device between its work, which no replay can shorten


_AROUND = [TimeClass.FRAMEWORK, TimeClass.PYTHON, TimeClass.UNTRACED]


@dataclass(frozen=True, slots=True)
class Lever:
    """One change: the time it takes from a typical step of one rank, and the spans whose time that is."""

    action: Action
    takes: dict[TimeClass, float]  # nanoseconds of a typical step that nothing hides
    rank: int = NONE  # place of the profile; NONE for every rank
    rows: tuple[Int64, ...] | None = None  # of every profile, for actions on chosen spans
    factor: float = 0.0  # what is left of them
    moves: bool = False  # runs beside the step instead of not at all
    workers: int = 1  # that then load the input
    relieves_ns: float = 0.0  # by how much other work of a step may be shorter then, at best


@dataclass(frozen=True, slots=True)
class Predicted:
    """A typical step before a lever and after it, in milliseconds."""

    before_ms: float
    low_ms: float
    high_ms: float
    kind: GainKind
    weak: bool
    replayed: bool
    firm_ms: float | None = (
        None  # of a bound the step without the lever's own exposed time, by which it is judged; None for the high end
    )


class Predictor(Protocol):
    """Tells what a step would take."""

    @property
    def step_ms(self) -> float:
        """What it takes today."""
        ...

    @property
    def replay_error(self) -> float | None:
        """How far a replay of the unchanged recording is off, None when there is none."""
        ...

    def predict(self, lever: Lever, done: Sequence[Lever]) -> Predicted:
        """The step with the lever, when others are done already."""
        ...


class ExposedTime:
    """Bounds from the breakdown alone: a lever saves the time that its classes have to themselves, and nothing moves into it."""

    def __init__(self, summary: Summary) -> None:
        self._parts = np.stack([one.typical_parts for one in summary.breakdowns])
        waiting = [split.waiting_ns if split else 0.0 for split in summary.collected.splits]
        self._parts[:, TimeClass.COMM] -= np.minimum(waiting, self._parts[:, TimeClass.COMM])

    @property
    def step_ms(self) -> float:
        """Of the rank that the others wait for."""
        return self._after(())

    @property
    def replay_error(self) -> float | None:
        """Nothing is replayed."""
        return None

    def around_ms(self, lever: Lever) -> float:
        """Time of no operation that may be there because of the lever's work, of the rank with most: framework, Python, untraced."""
        parts = self._parts[:, _AROUND] - np.array([lever.takes.get(each, 0.0) for each in _AROUND])
        return float(np.maximum(parts, 0.0).sum(axis=1).max()) / 1e6

    def predict(self, lever: Lever, done: Sequence[Lever]) -> Predicted:
        """One bound, at best."""
        after = self._after([*done, lever])
        return Predicted(self._after(done), after, after, GainKind.AT_BEST, weak=True, replayed=False)

    def _after(self, levers: Sequence[Lever]) -> float:
        parts = self._parts.copy()
        for lever in levers:
            ranks = range(len(parts)) if lever.rank == NONE else (lever.rank,)
            for rank in ranks:
                for part, saved in lever.takes.items():
                    parts[rank, part] -= min(saved, parts[rank, part])
        return float(parts.sum(axis=1).max()) / 1e6
