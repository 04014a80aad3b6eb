"""Draws the list of trainings from a seed: cause × framework × model × size × severity, two causes at once, and clean ones.

The seed of the held-out set was committed before it was first measured. Rules and bands are developed on other seeds only.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TypeVar

HELD_OUT_SEED = 20261119
DEVELOPMENT_SEED = 1

MODELS = ("mlp", "conv", "transformer")
SIZES = ("small", "large")
SEVERITIES = (0.05, 0.15, 0.4, 0.8)
"""Shares of the slow step that a cause takes."""
SEVERITY_OF_TWO = 0.25
"""Each of two causes: they take half of the step together."""
PER_CAUSE = 2
DOUBLES = 2
Choice = TypeVar("Choice")


@dataclass(frozen=True)
class Cause:
    """One way to slow a training down, and what names it."""

    text: str
    rules: tuple[str, ...]  # any of them names it
    lever: str  # the class of time that goes, for the counts
    severities: tuple[float, ...] = SEVERITIES  # those that it can have: a compilation is never short
    with_others: bool = True  # whether it can be one of two


INPUT = ("input_bound", "stage_not_parallel")
EAGER = ("host_bound", "eager_loop")
CAUSES: dict[str, dict[str, Cause]] = {
    "torch": {
        "input_compute": Cause("input that computes", INPUT, "input"),
        "input_wait": Cause("input that waits", INPUT, "input"),
        "python_loop": Cause("Python in the loop", ("python_between_ops",), "python"),
        "printing": Cause("formatting and printing", ("python_between_ops",), "python"),
        "small_ops": Cause("many small operations", EAGER, "launches"),
        "optimizer_loop": Cause("an optimizer that loops", ("unfused_optimizer", "host_bound"), "launches", (0.15, 0.4, 0.8)),
        "recompile": Cause("a shape that changes", ("recompile",), "compile", (0.4, 0.8), with_others=False),
        "checkpoint": Cause("a checkpoint in every step", ("checkpoint_blocking",), "io"),
        "layout": Cause("copies into another memory layout", ("layout_round_trips",), "op"),
        "gc": Cause("garbage collection in every step", ("garbage_collection",), "gc"),
        "automatic_gc": Cause("automatic garbage collection", ("garbage_collection",), "gc", (0.15, 0.4, 0.8)),
        "microbatches": Cause("microbatches of one sample", EAGER, "launches"),
        "interpreter": Cause("a thread that needs the interpreter too", ("python_between_ops",), "python", (0.15, 0.4)),
        "lock": Cause("a lock that another thread has", ("python_between_ops",), "python"),
    },
    "keras": {
        "input_compute": Cause("input that computes", INPUT, "input"),
        "input_wait": Cause("input that waits", INPUT, "input"),
        "python_loop": Cause("Python in a callback", ("python_between_ops",), "python"),
        "printing": Cause("formatting and printing in a callback", ("python_between_ops",), "python"),
        "small_ops": Cause("eager operations in a callback", EAGER, "launches"),
        "recompile": Cause("a new Python number each time", ("recompile",), "compile", (0.4, 0.8), with_others=False),
        "checkpoint": Cause("a checkpoint in every step", ("checkpoint_blocking",), "io"),
        "host_callback": Cause("Python inside the compiled step", ("python_between_ops",), "python"),
    },
    "jax": {
        "input_compute": Cause("input that computes", (*INPUT, "python_between_ops"), "input"),
        "python_loop": Cause("Python in the loop", ("python_between_ops",), "python"),
        "printing": Cause("formatting and printing", ("python_between_ops",), "python"),
        "small_ops": Cause("many small compiled calls", EAGER, "launches"),
        "recompile": Cause("a shape that changes", ("recompile",), "compile", (0.8,), with_others=False),
        "sync": Cause(
            "a loss that is read before other host work", ("sync_inside_step",), "sync", (0.05, 0.15, 0.4), with_others=False
        ),
        "lock": Cause("a lock that another thread has", ("python_between_ops",), "python"),
        "host_callback": Cause("Python inside the compiled step", ("python_between_ops",), "python"),
    },
}


@dataclass(frozen=True)
class Case:
    """One training; without causes it is clean."""

    name: str
    framework: str
    model: str
    size: str
    causes: tuple[str, ...]
    severity: float  # of each cause; 0 when there is none

    @property
    def rules(self) -> tuple[tuple[str, ...], ...]:
        """For each cause the rules that name it."""
        return tuple(CAUSES[self.framework][cause].rules for cause in self.causes)


def draw(seed: int) -> tuple[Case, ...]:
    """The whole list; the same for the same seed on every machine. Every level of every factor is used equally often."""
    chance = random.Random(seed)
    found: list[Case] = []
    for framework, causes in CAUSES.items():
        models, sizes = Deck(chance, MODELS), Deck(chance, SIZES)
        used: Counter[float] = Counter()
        for cause in shuffled(chance, tuple(causes)):
            for severity in _rarest(chance, causes[cause].severities, used):
                found.append(_case(framework, models.next(), sizes.next(), (cause,), severity))
        able = [cause for cause in causes if causes[cause].with_others]
        for _ in range(DOUBLES):
            found.append(_case(framework, models.next(), sizes.next(), tuple(sorted(chance.sample(able, 2))), SEVERITY_OF_TWO))
        found += [_case(framework, model, sizes.next(), (), 0.0) for model in MODELS]
    return tuple(shuffled(chance, tuple(_unlike(found))))


class Deck:
    """Deals values in random order, all of them before any again."""

    def __init__(self, chance: random.Random, values: tuple[str, ...]) -> None:
        self.chance, self.values = chance, values
        self.left: list[str] = []

    def next(self) -> str:
        """The next value."""
        self.left = self.left or shuffled(self.chance, self.values)
        return self.left.pop()


def shuffled(chance: random.Random, values: Sequence[Choice]) -> list[Choice]:
    """The values in random order."""
    return chance.sample(values, len(values))


def _rarest(chance: random.Random, able: tuple[float, ...], used: Counter[float]) -> list[float]:
    """Those severities that were dealt least so far, counted as dealt."""
    taken = sorted(shuffled(chance, able), key=lambda severity: used[severity])[:PER_CAUSE]
    used.update(taken)
    return taken


def _case(framework: str, model: str, size: str, causes: tuple[str, ...], severity: float) -> Case:
    what = "-".join(causes) or "clean"
    return Case(f"{framework}-{what}-{model}-{size}-{round(100 * severity)}", framework, model, size, causes, severity)


def _unlike(cases: list[Case]) -> list[Case]:
    """Without cases that were drawn twice, as two causes may be."""
    return list(dict.fromkeys(cases))


def digest(cases: Sequence[Case]) -> str:
    """What the list is, in 16 characters: results say which list they belong to."""
    return hashlib.sha256(json.dumps([asdict(case) for case in cases]).encode()).hexdigest()[:16]
