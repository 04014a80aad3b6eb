"""Measures what logging costs a training, and a histogram its thread; prints the figures as JSON; runs with the peers' Python.

`python write_training.py FOLDER`. A step is a millisecond of arithmetic; every other round logs 20 scalars in each step.
"""

import json
import statistics
import sys
import time

import numpy as np

from stepscope import SummaryWriter
from stepscope.writer.histogram import NonFinite, histogram_work
from stepscope.writer.summary import moment_of

STEP_SECONDS = 0.001
STEPS = 400
ROUNDS = 12
SCALARS = 20


def step_of(repeats: int, matrix: np.ndarray) -> None:
    """One training step."""
    for _ in range(repeats):
        np.dot(matrix, matrix)


def repeats_for(seconds: float, matrix: np.ndarray) -> int:
    """How much arithmetic takes so long."""
    took: list[float] = []
    for _ in range(50):
        begun = time.perf_counter()
        step_of(10, matrix)
        took.append((time.perf_counter() - begun) / 10)
    return max(1, round(seconds / statistics.median(took)))


def round_seconds(repeats: int, matrix: np.ndarray, writer: SummaryWriter | None) -> float:
    """One round's steps, with or without logging."""
    tags = [f"train/metric{number}" for number in range(SCALARS)]
    begun = time.perf_counter()
    for step in range(STEPS):
        step_of(repeats, matrix)
        if writer is not None:
            for tag in tags:
                writer.add_scalar(tag, 0.5, step)
    return (time.perf_counter() - begun) / STEPS


def slowdown(folder: str) -> dict[str, float]:
    """Each logged round beside the unlogged one before it, so that a machine that drifts drifts for both."""
    matrix = np.random.default_rng(0).random((48, 48))
    repeats = repeats_for(STEP_SECONDS, matrix)
    with SummaryWriter(folder) as writer:
        pairs = [(round_seconds(repeats, matrix, None), round_seconds(repeats, matrix, writer)) for _ in range(ROUNDS)]
    ratios = [logged / plain for plain, logged in pairs]
    return {"step_ms": statistics.median(plain for plain, _ in pairs) * 1e3, "slowdown": statistics.median(ratios) - 1}


def histogram_milliseconds(kind: str) -> float:
    """What the thread does for a histogram of a million numbers, the event's bytes included."""
    values = np.random.default_rng(0).standard_normal(1_000_000).astype(kind)
    took: list[float] = []
    for _ in range(15):
        work = histogram_work("weights", values, "tensorflow", None, NonFinite(), moment_of(1, None))
        begun = time.perf_counter()
        work.make()
        took.append((time.perf_counter() - begun) * 1e3)
    return statistics.median(took)


if __name__ == "__main__":
    figures = slowdown(sys.argv[1]) | {f"histogram_{kind}_ms": histogram_milliseconds(kind) for kind in ("float32", "float64")}
    print(json.dumps(figures))
