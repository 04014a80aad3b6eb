"""Runs in the peers' Python: times a slow and a repaired step turn about, and records the slow one.

Every framework's file has a table of pairs; one process runs all of them, so that each framework is imported once.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROUNDS = 5
STEPS = 10
WARM_UP = 3
RECORDED = 12

Step = Callable[[int], object]
Recorder = Callable[[Path], AbstractContextManager[Callable[[int], AbstractContextManager[object]]]]
"""Records into a folder; what it hands out marks one step."""


@dataclass(frozen=True)
class Pair:
    """A training with a cause of slowness, and the same without; both are made when their turn comes."""

    slow: Callable[[], Step]
    repaired: Callable[[], Step]
    record: Recorder
    steps: int = STEPS
    recorded: int = RECORDED
    warm_up: int = WARM_UP


def block(step: Step, first: int, count: int) -> list[float]:
    """Milliseconds of so many steps."""
    found: list[float] = []
    for number in range(first, first + count):
        start = time.perf_counter()
        step(number)
        found.append(1e3 * (time.perf_counter() - start))
    return found


def run(pair: Pair, folder: Path) -> dict[str, Any]:
    """Times of both, turn about so that a busy machine hurts both alike, and where the recording is."""
    slow, repaired = pair.slow(), pair.repaired()
    numbers = _numbers()
    for step in (slow, repaired):
        block(step, next(numbers), pair.warm_up)
    before: list[list[float]] = []
    after: list[list[float]] = []
    for _ in range(ROUNDS):
        before.append(block(slow, next(numbers), pair.steps))
        after.append(block(repaired, next(numbers), pair.steps))
    folder.mkdir(parents=True)
    first = next(numbers)
    with pair.record(folder) as marked:
        for number in range(first, first + pair.recorded):
            with marked(number):
                slow(number)
    return {"before": before, "after": after, "path": str(folder)}


def _numbers() -> Iterator[int]:
    """The first step numbers of blocks: no two blocks share one."""
    return iter(range(0, 1_000_000, 1000))


def main(pairs: dict[str, Pair]) -> None:
    """`FILE FOLDER [NAME …]`: runs the pairs and prints a line of JSON for each; one that fails says why and stops no other."""
    folder, wanted = Path(sys.argv[1]), sys.argv[2:] or list(pairs)
    for name in wanted:
        start = time.perf_counter()
        try:
            found = run(pairs[name], folder / name)
        except Exception as error:  # noqa: BLE001 (any framework may raise anything; the pair is then reported as failed)
            traceback.print_exc()
            found = {"error": f"{type(error).__name__}: {error}"[:400]}
        print(json.dumps({"name": name, "seconds": time.perf_counter() - start, **found}), flush=True)
