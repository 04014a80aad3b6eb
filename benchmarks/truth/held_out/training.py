"""Runs in the peers' Python: makes one drawn case as severe as planned, times it slow and repaired turn about, and records it.

Each case has a process of its own, as a user's training has. `python with_FRAMEWORK.py CASE FOLDER` prints one line of JSON.
"""

from __future__ import annotations

import json
import statistics
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROUNDS = 13
BLOCK_MS = 150.0
FEWEST, MOST = 4, 30
WARM_UP = 4
RECORDED = 10
TRIES = 3
MOST_UNITS = 1 << 22
OPTIONS = ("default", "recommended")
"""The framework's own defaults, and what the rules ask for when they cannot tell. Neither is chosen by cause."""

Piece = Callable[[int], object]
"""What a cause does in one step, given the number of the step."""


@dataclass(frozen=True)
class Way:
    """A cause in one framework: where its work is, and the work of so many units, before and after it is repaired."""

    place: str  # "input", "first" in the step, "after" it, "inside" its compiled function, "sync": after a wait, "beside": before one
    slow: Callable[[int], Piece]
    repaired: Callable[[int], Piece] | None = None  # None: nothing is left of it
    repaired_place: str = ""  # where that is done; "" where it was
    hidden: bool = False  # whether it runs beside the step, and costs only what it takes longer than the rest
    alone: Callable[[int], Piece] | None = None  # the same work where `slow` hands it to somebody else and returns at once


@dataclass(frozen=True)
class Training:
    """One training that is ready to run."""

    steps: Callable[[int], list[float]]  # milliseconds of each of so many steps
    record: Callable[[Path, str, int], None]  # into a folder, with one of OPTIONS, so many steps


Pieces = dict[str, list[Piece]]
"""What is done in each step beside the training itself, by place."""
Make = Callable[[str, str, Pieces, str], Training | None]
"""A training of a model and a size, with the advice of a rule followed or with ""; None where it has no such change."""


def pieces(ways: dict[str, Way], units: dict[str, int], *, slow: bool) -> Pieces:
    """The work of all causes, slow or repaired."""
    found: Pieces = {}
    for cause, count in units.items():
        way = ways[cause]
        make = way.slow if slow else way.repaired
        if make is not None:
            place = way.place if slow else way.repaired_place or way.place
            found.setdefault(place, []).append(make(count))
    return found


def units_for(way: Way, wanted_ms: float) -> int:
    """How many units take so long: doubled until they do, then between the last two."""
    units, took, before = 1, _timed(way, 1), 0.0
    while took < wanted_ms and units < MOST_UNITS:
        units, before = 2 * units, took
        took = _timed(way, units)
    if took <= wanted_ms or units == 1:
        return units
    share = (wanted_ms - before) / max(took - before, 1e-9)
    return max(1, round(units / 2 * (1 + min(1.0, max(0.0, share)))))


def _timed(way: Way, units: int) -> float:
    piece = (way.alone or way.slow)(units)
    piece(0)
    found: list[float] = []
    for number in range(1, TRIES + 1):
        start = time.perf_counter()
        piece(number)
        found.append(1e3 * (time.perf_counter() - start))
    return statistics.median(found)


def run(case: dict[str, Any], folder: Path, make: Make, ways: dict[str, Way]) -> dict[str, Any]:
    """Times of both, turn about so that a busy machine hurts both alike, and where the recordings are."""
    if case.get("advice"):
        return follow(case, make, ways)
    model, size = case["model"], case["size"]
    clean = ready(make(model, size, {}, ""))
    clean.steps(WARM_UP)
    base = statistics.median(clean.steps(MOST))
    share = case["severity"]
    whole = base / max(1 - share * len(case["causes"]), 0.05)
    units = {cause: units_for(ways[cause], whole * (1 if ways[cause].hidden else share)) for cause in case["causes"]}
    slow, repaired = (ready(make(model, size, pieces(ways, units, slow=each), "")) for each in (True, False))
    before, after = turn_about(slow, repaired, whole)
    paths = {option: str(folder / option) for option in OPTIONS}
    for option, path in paths.items():
        Path(path).mkdir(parents=True)
        slow.record(Path(path), option, RECORDED)
    return {"base_ms": base, "units": units, "before": before, "after": after, "recordings": paths}


def ready(training: Training | None) -> Training:
    """A training without advice is always there."""
    if training is None:
        raise ValueError("This training has no such change.")
    return training


def turn_about(slow: Training, other: Training, step_ms: float) -> tuple[list[list[float]], list[list[float]]]:
    """Many short blocks of both in turns; rounds.py compares the two of each round."""
    before: list[list[float]] = []
    after: list[list[float]] = []
    count = min(MOST, max(FEWEST, round(BLOCK_MS / step_ms)))
    for each in (slow, other):
        each.steps(WARM_UP)
    for _ in range(ROUNDS):
        before.append(slow.steps(count))
        after.append(other.steps(count))
    return before, after


def follow(case: dict[str, Any], make: Make, ways: dict[str, Way]) -> dict[str, Any]:
    """The slow training beside the same with the advice of a rule, which need not be that of the cause."""
    work = pieces(ways, case["units"], slow=True)
    slow, advised = (ready(make(case["model"], case["size"], work, advice)) for advice in ("", case["advice"]))
    slow.steps(WARM_UP)
    before, after = turn_about(slow, advised, statistics.median(slow.steps(FEWEST)))
    return {"before": before, "after": after}


def timed_steps(step: Piece) -> Callable[[int], list[float]]:
    """Steps of a loop of one's own; no two have the same number."""
    number = 0

    def steps(count: int) -> list[float]:
        nonlocal number
        found: list[float] = []
        for _ in range(count):
            start = time.perf_counter()
            step(number)
            found.append(1e3 * (time.perf_counter() - start))
            number += 1
        return found

    return steps


def count_words(rounds: int) -> int:
    """What a loop over items does in Python."""
    total = 0
    for number in range(rounds):
        total += number * number % 7
    return total


def python_loop(units: int) -> Piece:
    """Plain Python; a unit is ten rounds of a loop."""
    return lambda _: count_words(10 * units)


def printing(units: int) -> Piece:
    """Lines of a log, written as a training without a logger does."""

    def lines(number: int) -> None:
        with Path("/dev/null").open("w") as log:
            for line in range(units):
                print(
                    f"step {number:6d} item {line:4d} loss {1 / (1 + line):.6f} accuracy {line / (units + 1):7.3%}",
                    file=log,
                    flush=True,
                )

    return lines


def waiting(units: int) -> Piece:
    """Waiting for a disk or a network; a unit is a tenth of a millisecond."""
    return lambda _: time.sleep(1e-4 * units)


def interpreter(units: int) -> Piece:
    """A thread that runs Python while the step does: only one of both has the interpreter."""
    asked = threading.Semaphore(0)

    def beside() -> None:
        while asked.acquire():
            count_words(10 * units)

    threading.Thread(target=beside, daemon=True).start()
    return lambda _: asked.release()


def lock(units: int) -> Piece:
    """A thread that has a lock for so many tenths of a millisecond just when the step wants it."""
    guard, asked, taken = threading.Lock(), threading.Semaphore(0), threading.Semaphore(0)

    def beside() -> None:
        while asked.acquire():
            with guard:
                taken.release()
                time.sleep(1e-4 * units)

    def work(_: int) -> None:
        asked.release()
        taken.acquire()
        with guard:
            pass

    threading.Thread(target=beside, daemon=True).start()
    return work


def main(make: Make, ways: dict[str, Way]) -> None:
    """The case comes as JSON, so that the peers' Python needs nothing of the project."""
    case, folder = json.loads(sys.argv[1]), Path(sys.argv[2])
    print(json.dumps({"name": case["name"], **run(case, folder, make, ways)}), flush=True)
